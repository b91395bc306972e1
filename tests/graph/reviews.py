"""A graph with a scripted reviewing model, and the words it may say."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import AIMessage

from reinforced_agent import Reviewer
from reinforced_agent.graph.records.record import ProposalRecord
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.policies.approval import ApprovalPolicy, ApprovalRule
from tests.graph.house import House, call, calls


FREE = ApprovalPolicy(write=ApprovalRule(ask=False), destructive=ApprovalRule(ask=False))
"""Lets every write run unasked, so that only the reviewer is seen."""
GOOD = {"verdict": "good"}
FIX = {"verdict": "fix", "fault": "wrong_value", "field": "to", "reason": "The user said Bob."}


def verdicts(*items: dict[str, Any]) -> dict[str, Any]:
    """Write the verdicts on the calls of a message, in order."""
    numbered = [{"call": number, **item} for number, item in enumerate(items, 1)]
    return calls(call("give_verdicts", {"verdicts": numbered}, "r"))


def note(to: str, call_id: str, text: str = "hi") -> dict[str, Any]:
    """Write a call that sends a note."""
    return call("send_note", {"to": to, "text": text}, call_id)


class Reviewed(House):
    """A graph with a scripted reviewer."""

    def __init__(self, *lines: Any, said: list[Any], approvals: ApprovalPolicy = FREE, **options: Any) -> None:
        """Build it; settings of the reviewer stand in `reviewer`."""
        self.reviewer = ScriptedModel(lines=said)
        self.kept: list[ProposalRecord] = []
        settings = options.pop("reviewer", {})
        super().__init__(
            *lines,
            reviewer=Reviewer(model=self.reviewer, **settings),
            approvals=approvals,
            sinks=[self.kept.extend],
            **options,
        )

    def data(self, number: int = -1) -> dict[str, Any]:
        """Return what the reviewer was shown beside its prompt."""
        body = str(self.reviewer.seen[number][1].text)
        return dict(json.loads("\n".join(body.split("\n")[1:-1])))

    def review(self, step: int = 1) -> dict[str, Any]:
        """Return what is on record of the review of a message."""
        return dict(self.result["turn"]["spoken"][step - 1].get("review", {}))


def with_usage(line: dict[str, Any]) -> Any:
    """Return a line of a script as a message that tells its tokens."""
    told = [{"name": one["name"], "args": one["arguments"], "id": one["id"]} for one in line["tool_calls"]]
    usage: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return AIMessage("", tool_calls=told, usage_metadata=usage)
