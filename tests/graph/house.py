"""Hand-written tools and short ways to build and run a graph in story tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import date as Date  # noqa: N812  # the parameter is called `date`
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Interrupt

from reinforced_agent import Limits, build_agent, tool
from reinforced_agent.graph.agent import Agent
from reinforced_agent.models.scripted import ScriptedModel


def call(name: str, arguments: Any, call_id: str) -> dict[str, Any]:
    """Write one call of a script."""
    return {"name": name, "arguments": arguments, "id": call_id}


def calls(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Write one line of a script that proposes calls."""
    return {"tool_calls": list(items), **more}


class House:
    """A graph over a few tools that remember what they did."""

    def __init__(self, *lines: Any, repeat_last: bool = False, limits: Limits | None = None, **options: Any) -> None:
        """Build the graph over a scripted model."""
        self.effects: list[tuple[str, str]] = []
        self.runs = 0
        self.model = ScriptedModel(lines=list(lines), repeat_last=repeat_last)
        options.setdefault("checkpointer", InMemorySaver())
        options.setdefault("tools", self.tools())
        self.agent: Agent = build_agent(model=self.model, limits=limits, **options)
        self.config: Any = {"configurable": {"thread_id": "thread"}}
        self.result: dict[str, Any] = {}
        self.context: Any = None

    def tools(self) -> list[Any]:
        """Return a read, a write, one that destroys, one that raises and one that hangs."""

        @tool(risk="read")
        def get_forecast(city: str, date: Date, unit: str = "celsius") -> str:
            """Tell the weather of a city on a date."""
            self.runs += 1
            return f"{city} {date} 3 {unit}"

        @tool
        def send_note(to: str, text: str) -> str:
            """Send a note."""
            self.effects.append((to, text))
            return f"sent to {to}"

        @tool(risk="destructive")
        def delete_note(to: str) -> str:
            """Delete all notes to somebody."""
            self.effects.append(("delete", to))
            return "deleted"

        @tool(risk="read")
        def read_ledger(page: int) -> str:
            """Read a page of the ledger."""
            self.runs += 1
            msg = f"page {page} is torn"
            raise OSError(msg)

        @tool(risk="read", timeout=0.05)
        def wait_long() -> str:
            """Hang."""
            time.sleep(30)
            return "late"

        return [get_forecast, send_note, delete_note, read_ledger, wait_long]

    def say(self, text: str = "please", **options: Any) -> House:
        """Send a user message and run to the answer or the next question."""
        self.context = options.get("context")
        self.result = self.agent.invoke({"messages": [("user", text)]}, self.config, **options)
        return self

    def resume(self, answer: Any, **options: Any) -> House:
        """Answer the question that waits, as the one who asked unless somebody else is named."""
        options.setdefault("context", self.context)
        self.result = self.agent.invoke(Command(resume={self.question.id: answer}), self.config, **options)
        return self

    def decide(self, *decisions: dict[str, Any], **options: Any) -> House:
        """Answer the question with decisions that name the tokens, in the order of the calls."""
        held = self.question.value["calls"]
        named = [{"token": call["token"], **decision} for call, decision in zip(held, decisions, strict=False)]
        return self.resume({"decisions": named}, **options)

    @property
    def question(self) -> Interrupt:
        """The question that waits for a person."""
        interrupt: Interrupt = self.result["__interrupt__"][0]
        return interrupt

    @property
    def answer(self) -> str:
        """The text of the last message."""
        return str(self.result["messages"][-1].text)

    @property
    def outcome(self) -> str:
        """How the turn ended."""
        return str(self.result["turn"]["outcome"])

    def status(self, call_id: str) -> str:
        """Return where a call ended."""
        return str(self.result["calls"][call_id]["status"])

    @property
    def history(self) -> list[AnyMessage]:
        """The chat as it is stored."""
        return list(self.agent.get_state(self.config).values["messages"])

    def told(self, call_id: str) -> str:
        """Return the tool message of a call, from the history or from what the model was shown."""
        shown = [message for request in self.model.seen for message in request]
        found = [m for m in [*shown, *self.history] if isinstance(m, ToolMessage) and m.tool_call_id == call_id]
        return str(found[-1].text)


def assert_valid(history: Sequence[BaseMessage]) -> None:
    """Assert that every call is followed by exactly one tool message, and nothing else is answered."""
    at = 0
    while at < len(history):
        message = history[at]
        assert not isinstance(message, ToolMessage), f"a tool message without its call: {message!r}"
        at += 1
        if isinstance(message, AIMessage) and message.tool_calls:
            expected = [item["id"] for item in message.tool_calls]
            answers = history[at : at + len(expected)]
            assert [getattr(item, "tool_call_id", None) for item in answers] == expected
            assert all(item.text for item in answers)
            at += len(expected)


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for something that another thread brings about."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.005)
