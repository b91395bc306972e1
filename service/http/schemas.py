"""What a client may send to the router, and nothing else."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel, ConfigDict, Field, field_validator

from reinforced_agent.policies.approval import DecisionType


NAME = r"^[^\x00-\x1f\x7f]{1,200}$"
"""Ids of threads and messages: text on one line, which every database takes."""


class _Body(BaseModel):
    """What a client sends; fields that nobody knows are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NewMessage(_Body):
    """What the user says."""

    text: str = Field(min_length=1, max_length=100_000)
    id: str | None = Field(default=None, pattern=NAME, description="Give one to be able to send the message again.")


class EditedAction(_Body):
    """The call that a person puts in place of the proposed one."""

    name: str
    args: dict[str, Any]

    @field_validator("args")
    @classmethod
    def _can_be_kept(cls, args: dict[str, Any]) -> dict[str, Any]:
        """Refuse what no checkpoint can hold here, where the person is told; later it would end the run."""
        try:
            JsonPlusSerializer().dumps_typed(args)
        except (TypeError, ValueError, RecursionError) as error:
            msg = "holds a number beyond 64 bits, broken characters, or too many levels"
            raise ValueError(msg) from error
        return args


class OneDecision(_Body):
    """What a person decides about the call that the token belongs to."""

    type: DecisionType
    token: str
    message: str | None = None
    edited_action: EditedAction | None = None


class Decisions(_Body):
    """Decisions about a question that waits."""

    question: str = Field(description="The `id` of the question.")
    decisions: list[OneDecision] = Field(min_length=1)
