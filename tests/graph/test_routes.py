"""Every route over every reason it may give."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest
from langgraph.types import Send

from reinforced_agent import Limits, ScriptedModel, tool
from reinforced_agent.graph import routes
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.ledger import Ledger
from reinforced_agent.policies.grounding import MARKED_ONLY
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.planning import PlanBook, Planning
from reinforced_agent.tools.fallbacks import StaticAnswer
from reinforced_agent.tools.toolset import Toolset


@tool(risk="read", fallbacks=(StaticAnswer("closed"),))
def door() -> str:
    """Look at the door."""
    return "open"


@tool(risk="read", return_direct=True)
def bell() -> str:
    """Ring the bell."""
    return "ding"


TOOLSET = Toolset([door, bell])
BOUND = Bindings(
    model=ScriptedModel(lines=[]),
    toolset=TOOLSET,
    rules=RuleBook(TOOLSET.values()),
    limits=Limits(steps=3),
    ledger=Ledger(),
    prompt="",
    plans=PlanBook(Planning(), TOOLSET.values(), grounding=MARKED_ONLY),
)


TURN = {"id": "t", "requester": {"user_id": "", "roles": [], "tenant": ""}}


def state(*statuses: str, step: int = 1, outcome: str = "", answer: str | None = None, **record: Any) -> Any:
    """Write a state with calls in these statuses."""
    calls = {f"c{n}": {"id": f"c{n}", "step": step, "status": status, **record} for n, status in enumerate(statuses)}
    proposal = {"id": "m", "order": list(calls), "answer": answer}
    return {"calls": calls, "proposal": proposal, "turn": {**TURN, "step": step, "outcome": outcome}}


def closed(given: Any) -> Any:
    """Say that all calls of the message are in the history."""
    given["proposal"]["closed"] = True
    return given


def planned(phase: str, given: Any, *, step: str = "pending") -> Any:
    """Give a state a plan of one step, or one that is being made."""
    given["turn"]["planning"] = {"phase": phase}
    given["proposal"]["closed"] = True
    plain = {"id": "1", "tool": "door", "purpose": "", "depends_on": [], "arguments": {}, "status": step, "calls": []}
    return {**given, "steps": [plain] if phase == "following" else []}


CASES: dict[str, list[tuple[Any, Any]]] = {
    "route_after_plan": [
        (state(), "begin"),
        (planned("none", state()), "begin"),
        (planned("following", state()), "begin"),
        (planned("draft", state()), "not done yet"),
        (planned("held", state()), "not done yet"),
        (planned("none", state(answer="Which day?")), "asked or over"),
        (planned("none", state(outcome="no_plan")), "asked or over"),
        (planned("none", state(step=3)), "asked or over"),
    ],
    "route_after_propose": [
        (state("proposed"), "call"),
        (state(), "call"),
        (state(answer="Hello."), "no call"),
        (state(outcome="model_down"), "no call"),
    ],
    "route_after_check": [
        (state("revise", "revise"), "revise"),
        (state("revise", "waiting", "accepted"), "risky"),
        (state("revise", "accepted", "refused"), ["c1"]),
        (state("accepted", "approved"), ["c0", "c1"]),
        (state("revise", "open"), "open, refused or limit"),
        (state("refused"), "open, refused or limit"),
        (state("revise", step=3), "open, refused or limit"),
    ],
    "route_after_approve": [
        (state("edited", "approved"), "check again"),
        (state("approved", "waiting"), "not answered"),
        (state("approved", "rejected"), ["c0"]),
        (state("rejected", "answered", "revise"), "nothing to run"),
    ],
    "route_after_inspect": [
        (state("done"), "go on"),
        (state("failed"), "go on"),
        (state("failed", tool="door"), "bad result"),
        (state("failed", tool="door", fallbacks=1), "go on"),
        (state("done", step=3), "ended or limit"),
        (planned("following", state("done"), step="failed"), "step failed"),
        (planned("following", state("done", step=3), step="failed"), "ended or limit"),
        (planned("following", state("done")), "go on"),
        (closed(state("done", tool="bell")), "ended or limit"),
        (closed(state("done", "failed", tool="bell")), "go on"),
        (closed(state("done", "failed", handover={"goto": ["boss"]})), "ended or limit"),
        (closed(planned("following", state("done", "failed", handover={}), step="failed")), "ended or limit"),
    ],
    "route_after_fall_back": [
        (state("delegated", "proposed"), "alternative"),
        (state("failed"), "go on"),
        (planned("following", state("failed"), step="failed"), "step failed"),
        (state("refused", outcome="budget"), "nothing left"),
        (state("refused", step=3), "nothing left"),
    ],
}


def go(name: str, given: Any) -> Any:
    """Take a route, with the parts of a graph where it needs them; sends are named by the calls they carry."""
    route = getattr(routes, name)
    parts: dict[str, Any] = {"bound": BOUND, "config": {}}
    taken = route(given, **{name: part for name, part in parts.items() if name in route.__annotations__})
    if not isinstance(taken, list):
        return taken
    assert all(isinstance(item, Send) and item.node == "execute" for item in taken)
    return [item.arg["record"]["id"] for item in taken]


TABLE = [
    pytest.param(name, given, taken, id=f"{name}-{n}")
    for name, rows in CASES.items()
    for n, (given, taken) in enumerate(rows)
]


@pytest.mark.parametrize(("name", "given", "taken"), TABLE)
def test_a_route_gives_the_reason(name: str, given: Any, taken: Any) -> None:
    """Each state leads where it should."""
    assert go(name, given) == taken


@pytest.mark.parametrize("name", [name for name in dir(routes) if name.startswith("route_")])
def test_every_reason_of_a_route_is_given_by_some_state(name: str) -> None:
    """The table above covers all reasons of all routes."""
    hint = get_type_hints(getattr(routes, name))["return"]
    listed = {reason for part in (hint, *get_args(hint)) for reason in get_args(part) if isinstance(reason, str)}
    listed |= {reason for reason in get_args(hint) if isinstance(reason, str)}
    assert {taken for _, taken in CASES[name] if isinstance(taken, str)} == listed
