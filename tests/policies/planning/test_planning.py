"""Plans as values: when one is made, how steps are put in order, and how calls are matched to them."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from reinforced_agent import Estimate, tool
from reinforced_agent.policies.grounding import GroundingPolicy
from reinforced_agent.policies.parsing import ModelOutput
from reinforced_agent.policies.planning import Plan, PlanBook, Planning, PlanningError, Step, followed
from reinforced_agent.policies.planning.checking import Outlook
from reinforced_agent.policies.planning.steps import plan_of
from reinforced_agent.policies.rules import After
from reinforced_agent.policies.situation import Situation
from reinforced_agent.tools.spec import ToolSpec


@tool(risk="read", estimate=Estimate(money=1.0, seconds=4.0))
def find_flight(city: str) -> str:
    """Find a flight."""
    return city


@tool(estimate=Estimate(money=2.0, seconds=3.0))
def book_flight(flight: str) -> str:
    """Book a flight."""
    return flight


@tool
def send_invoice(to: str) -> str:
    """Send an invoice."""
    return to


TOOLS: list[ToolSpec] = [find_flight, book_flight, send_invoice]


def book(**options: Any) -> PlanBook:
    """Return the rules about plans over three tools."""
    rules = options.pop("layers", ())
    return PlanBook(Planning(**options), TOOLS, layers=rules, grounding=GroundingPolicy())


def situation(spec: ToolSpec, **known: Any) -> Situation:
    """Say what is known."""
    return Situation(spec=spec, **known)


LOOK_FIRST = After(name="a", tools=("book_flight",), after=("find_flight",))


def test_auto_plans_where_a_rule_orders_tools() -> None:
    """The words of a request decide nothing; a rule about tools that are offered does."""
    assert book(layers=[LOOK_FIRST]).reason() == "order"
    assert not book().reason()
    other = After(name="b", tools=("no_such_tool",), after=("find_flight",))
    assert not book(layers=[other]).reason()


def test_one_tool_needs_no_plan() -> None:
    """There is nothing to put in order."""
    assert not PlanBook(Planning(), TOOLS[1:2], layers=[LOOK_FIRST], grounding=GroundingPolicy()).reason()


@given(st.lists(st.lists(st.integers(0, 7), max_size=4), max_size=8))
def test_every_order_is_one_that_can_be_kept(edges: list[list[int]]) -> None:
    """Each step comes after what it depends on; what is left out waits for itself; groups hold the same steps."""
    plan = Plan(tuple(Step(id=str(n), tool="t", depends_on=tuple(map(str, to))) for n, to in enumerate(edges)))
    order = [step.id for step in plan.in_order()]
    for step in plan.in_order():
        before = set(order[: order.index(step.id)])
        assert set(step.depends_on) & plan.ids <= before
    for step in plan.steps:
        assert step.id in order or set(step.depends_on) & plan.ids - set(order)
    assert sorted(step.id for group in plan.rounds for step in group) == sorted(order)


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    """Whatever the model says in place of a plan."""
    reader = book()
    for content in (text, f'{{"steps": {text}', json.dumps({"steps": [text]})):
        reader.read(ModelOutput(content), locale="en")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from(["id", "tool", "purpose", "depends_on", "arguments"]), JSON_VALUES)))
def test_any_steps_are_read_and_checked_without_an_exception(steps: list[Any]) -> None:
    """Odd ids, odd dependencies, odd arguments."""
    rules = book(layers=[After(name="a", tools=("book_flight",), after=("find_flight",))])
    read = rules.read(ModelOutput(json.dumps({"steps": steps})), locale="zh")
    if hasattr(read, "plan"):
        rules.check(read.plan, situation, Outlook(locale="zh"))


def two_steps(*, after: bool) -> Plan:
    """Find and book, one after the other or side by side."""
    find = Step(id="1", tool="find_flight", arguments={"city": "Rome"})
    return Plan((find, Step(id="2", tool="book_flight", arguments={"flight": "5"}, depends_on=("1",) if after else ())))


COSTS = [
    pytest.param(True, {"money": 3.0, "seconds": 7.0}, [], id="fits"),
    pytest.param(True, {"money": 2.9}, ["cost about 3"], id="money"),
    pytest.param(True, {"seconds": 6.0}, ["about 7 seconds"], id="seconds-in-turn"),
    pytest.param(False, {"seconds": 4.0}, [], id="seconds-side-by-side"),
    pytest.param(True, {"money": 1.0, "seconds": 1.0}, ["cost about 3", "about 7 seconds"], id="both"),
]


@pytest.mark.parametrize(("after", "left", "said"), COSTS)
def test_what_a_plan_takes_is_added_up(after: bool, left: dict[str, float], said: list[str]) -> None:  # noqa: FBT001
    """Money adds up; the time of steps that can run side by side doesn't."""
    found = book().check(two_steps(after=after), situation, Outlook(**left))  # type: ignore[arg-type]
    assert len(found.faults) == len(said)
    assert all(text in fault.message for text, fault in zip(said, found.faults, strict=True))


def test_a_plan_far_too_long_is_sent_back_for_that_alone() -> None:
    """Ten thousand steps, all wrong in other ways, too, cost no look at each."""
    plan = Plan(tuple(Step(id=str(n), tool="nothing", depends_on=(str(n - 1),)) for n in range(10_000)))
    (fault,) = book().check(plan, situation, Outlook()).faults
    assert "10000" in fault.message


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        pytest.param("{{1.id}}", False, id="braces"),
        pytest.param("${find.flight}", False, id="dollar"),
        pytest.param(["{{1.id}}"], False, id="in-a-list"),
        pytest.param({"flight": "<id of step 1>"}, False, id="in-an-object"),
        pytest.param("<flight of step 1>", False, id="names-the-step"),
        pytest.param("$1.id", False, id="reference"),
        pytest.param("<b>bold</b>", True, id="markup"),
        pytest.param("<flight>", True, id="names-no-step"),
        pytest.param("$5", True, id="money"),
        pytest.param("LH 1", True, id="a-value"),
        pytest.param(1, True, id="number"),
    ],
)
def test_what_an_earlier_step_brings_is_no_value_yet(value: Any, *, kept: bool) -> None:
    """Models write templates for later values; they are left open, as if they had been left out."""
    steps = [
        {"id": "1", "tool": "find_flight", "arguments": {"city": "Rome"}},
        {"id": "2", "tool": "book_flight", "arguments": {"flight": value}, "depends_on": ["1"]},
    ]
    assert ("flight" in plan_of(steps).steps[1].arguments) is kept


def test_a_value_that_nobody_gave_is_no_argument_of_a_plan() -> None:
    """Marked values are compared with what was said, before anything runs."""

    @tool
    def pay(email: Annotated[str, Field(json_schema_extra={"x-ground": "any"})]) -> str:
        """Pay somebody."""
        return email

    rules = PlanBook(Planning(), [pay, find_flight], grounding=GroundingPolicy())
    plan = Plan((Step(id="1", tool="pay", arguments={"email": "eve@example.com"}),))
    for said, faults in (("pay Eve", 1), ("pay eve@example.com", 0)):
        found = rules.check(plan, partial(situation, said=(said,), trusted=(said,)), Outlook())
        assert len(found.faults) == faults


def record(call_id: str, status: str, **more: Any) -> dict[str, Any]:
    """Write a call of the first step's tool."""
    return {"id": call_id, "step": 2, "tool": "find_flight", "arguments": {}, "status": status, **more}


STANDINGS = [
    pytest.param([], "pending", id="none"),
    pytest.param([record("a", "done")], "done", id="done"),
    pytest.param([record("a", "served")], "done", id="served"),
    pytest.param([record("a", "waiting")], "pending", id="waits"),
    pytest.param([record("a", "revise")], "pending", id="sent-back"),
    pytest.param([record("a", "refused")], "failed", id="refused"),
    pytest.param([record("a", "unknown")], "failed", id="unknown"),
    pytest.param([record("a", "failed", kind="tool_error_permanent")], "failed", id="for-good"),
    pytest.param([record("a", "failed", kind="tool_error_transient")], "pending", id="may-pass"),
    pytest.param([record(one, "failed", kind="tool_error_transient") for one in "ab"], "failed", id="did-not-pass"),
    pytest.param([record("a", "failed", kind="tool_error_permanent"), record("b", "done")], "done", id="mended"),
    pytest.param([record("a", "done", step=1)], "pending", id="before-the-plan"),
    pytest.param([record("a", "done", serves="x")], "pending", id="stand-in"),
]


@pytest.mark.parametrize(("calls", "standing"), STANDINGS)
def test_where_a_step_stands(calls: list[Any], standing: str) -> None:
    """The newest call decides, and following twice changes nothing."""
    steps = [Step(id="1", tool="find_flight").plain()]
    patience = {"tool_error_transient": 1, "tool_error_permanent": 0}.__getitem__
    once = followed(steps, calls, since=1, patience=patience)
    assert once[0]["status"] == standing
    assert followed(once, calls, since=1, patience=patience) == once


BAD = [
    pytest.param({"mode": "maybe"}, "'off', 'auto', 'always'", id="mode"),
    pytest.param({"most_steps": 0}, "above zero", id="steps"),
    pytest.param({"replans": -1}, "below zero", id="replans"),
]


@pytest.mark.parametrize(("options", "said"), BAD)
def test_a_policy_that_can_not_be_used_is_refused(options: Any, said: str) -> None:
    """The text says what is allowed."""
    with pytest.raises(PlanningError, match=said):
        Planning(**options)
