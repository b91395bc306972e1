"""Run requests through a graph, show what happens, and let a person decide where the graph asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt

from reinforced_agent.graph.agent import Agent
from reinforced_agent.graph.answers.receipt import EMPTY
from reinforced_agent.graph.approval.request import ApprovalRequest, HeldCall
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Context
from reinforced_agent.graph.state import ModelError, Receipt
from reinforced_agent.policies.clarification.request import MissingField


Decide: TypeAlias = Callable[[ApprovalRequest, int], dict[str, Any]]
"""Decides about the call at a position of the request; the token is added for it."""


class Watcher(Protocol):
    """Sees a run as it goes."""

    def started(self, request: str) -> None:
        """Show the request that is about to run."""

    def updated(self, node: str, update: Mapping[str, Any]) -> None:
        """Show what a node changed."""

    def asked(self, request: ApprovalRequest) -> None:
        """Show what a person has to decide."""

    def decided(self, call: HeldCall, decision: Mapping[str, Any]) -> None:
        """Show what a person decided."""

    def ended(self, run: Run) -> None:
        """Show the answer."""


@dataclass(frozen=True, slots=True)
class Run:
    """One request and everything that came of it."""

    request: str
    calls: tuple[CallRecord, ...]
    answer: str
    outcome: str
    steps: int
    """Proposals the model made."""
    seconds: float
    detail: str = ""
    """For the operator: more about the outcome."""
    model_error: ModelError | None = None
    """What was wrong with the request to the model that ended the run; `None` where none did."""
    missing: tuple[MissingField, ...] = ()
    """What the user was asked for; empty unless the outcome is `asked`."""
    receipt: Receipt = field(default_factory=lambda: EMPTY)
    """What became of every write, and what is to be known about the answer."""

    def as_json(self) -> dict[str, Any]:
        """Return the run in the shape that `--json` prints."""
        return {
            "request": self.request,
            "calls": [_plain(record) for record in self.calls],
            "answer": self.answer,
            "outcome": self.outcome,
            "detail": self.detail,
            "model_error": self.model_error,
            "missing": list(self.missing),
            "receipt": self.receipt,
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
        }


def _plain(record: CallRecord) -> dict[str, Any]:
    """Keep of a record what a reader of the run needs; the token stays inside."""
    return {
        "tool": record.get("tool", record.get("raw_name", "")),
        "arguments": record.get("arguments"),
        "verdicts": record.get("verdicts", []),
        "status": record["status"],
        "result": record.get("result"),
        "feedback": record.get("feedback"),
    }


class Conversation:
    """A thread of requests to one graph; the graph needs a checkpointer."""

    def __init__(self, agent: Agent, *, watcher: Watcher, decide: Decide, context: Context | None = None) -> None:
        """Start a new thread."""
        self._agent = agent
        self._watcher = watcher
        self._decide = decide
        self._context = context or Context()
        self._config: RunnableConfig = {"configurable": {"thread_id": uuid4().hex}}

    def ask(self, request: str) -> Run:
        """Run one request to its answer, approvals included."""
        started = time.monotonic()
        self._watcher.started(request)
        step: Any = {"messages": [{"role": "user", "content": request}]}
        while step is not None:
            step = self._advance(step)
        values = self._agent.get_state(self._config).values
        run = Run(
            request=request,
            calls=tuple(values["calls"].values()),
            answer=values["messages"][-1].text,
            outcome=values["turn"]["outcome"],
            steps=values["turn"]["step"],
            seconds=time.monotonic() - started,
            detail=values["turn"].get("detail", ""),
            model_error=values["turn"].get("model_error"),
            missing=tuple(values["turn"].get("missing", ())),
            receipt=values.get("receipt", EMPTY),
        )
        self._watcher.ended(run)
        return run

    def _advance(self, step: Any) -> Command[Any] | None:
        """Run until the answer or the next question; a question returns its answer."""
        waiting: Interrupt | None = None
        for part in self._agent.stream(step, self._config, context=self._context, stream_mode="updates"):
            for node, update in part.items():
                if node == "__interrupt__":
                    waiting = update[0]
                else:
                    self._watcher.updated(node, update or {})
        return None if waiting is None else Command(resume={waiting.id: self._settle(waiting.value)})

    def _settle(self, request: ApprovalRequest) -> dict[str, Any]:
        """Have every waiting call decided, and name its token."""
        self._watcher.asked(request)
        decisions = []
        for position, call in enumerate(request["calls"]):
            decision = self._decide(request, position)
            self._watcher.decided(call, decision)
            decisions.append({**decision, "token": call["token"]})
        return {"decisions": decisions}


def decline(request: ApprovalRequest, position: int) -> dict[str, Any]:
    """Decide as nobody: where no person is at the terminal, nothing risky runs."""
    del request, position
    return {"type": "reject", "message": "Nobody is here to approve it."}
