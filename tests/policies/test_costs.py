"""Layer 7: what a call will cost, what the run has left, and what is proposed instead."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent import Estimate, Lighter, Toolset, ToolSpec, tool
from reinforced_agent.policies.costs import (
    LAYER,
    Broken,
    Cost,
    CostLayer,
    Unit,
    cost_of_plan,
    estimate,
    in_turn,
    side_by_side,
)
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.situation import Budget, Situation
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.functions import ToolDefinitionError


def spec(name: str = "search", declared: Estimate | None = None, *, offered: bool = True) -> ToolSpec:
    """Make a tool that searches."""

    def search(query: str, limit: int = 100) -> str:
        """Search."""
        return f"{query} {limit}"

    return tool(search, name=name, risk="read", estimate=declared, offered=offered)


def per_hit(arguments: Any) -> float:
    """Cost a cent for each hit that is asked for."""
    return float(arguments["limit"]) / 100


BROKEN: list[Callable[[Any], Any]] = [
    lambda given: given["missing"],
    lambda _: None,
    lambda _: "7",
    lambda _: True,
    lambda _: math.nan,
    lambda _: math.inf,
    lambda _: -1,
    lambda _: 10**400,
]

NO_JSON: Any = {"limit": object()}


def judge(declared: Estimate | None, budget: Budget, *others: ToolSpec, locale: str = "en") -> Verdict:
    """Judge a search for 100 hits."""
    searching = spec(declared=declared)
    layer = CostLayer({one.name: CompiledTool.compile(one) for one in (searching, *others)})
    call = Call("c1", "search", {"query": "fuse", "limit": 100})
    return layer(call, Situation(spec=searching, budget=budget, locale=locale))


@dataclass(frozen=True)
class Case:
    """What is declared, what is left, and what becomes of the call."""

    id: str
    declared: Estimate | None
    budget: Budget
    verdict: type[Verdict]
    told: str = ""


CASES = [
    Case("nothing declared", None, Budget(money=0, call_money=0, seconds=1), Accept),
    Case("nothing bounded", Estimate(money=1e9, seconds=1e9), Budget(), Accept),
    Case("it fits to the cent", Estimate(money=0.1), Budget(money=0.3 - 0.1 - 0.1), Accept),
    Case("what is free fits where nothing is left", Estimate(money=0), Budget(money=-1, call_money=0), Accept),
    Case(
        "more than is left", Estimate(money=2), Budget(money=1.5), Refuse, "about 2 with these arguments; 1.5 is left"
    ),
    Case("more than one call may", Estimate(money=2), Budget(money=9, call_money=1), Refuse, "one call may cost 1."),
    Case("a function of the arguments", Estimate(money=per_hit), Budget(money=0.5), Revise, "Ask for less"),
    Case("a function that fits", Estimate(money=per_hit), Budget(money=1), Accept),
    Case("more time than is left", Estimate(seconds=20), Budget(seconds=10), Refuse, "about 20 seconds"),
    Case("money and time", Estimate(money=2, seconds=20), Budget(money=1, seconds=1), Refuse, "20 seconds"),
    Case("no time left", None, Budget(seconds=0), Refuse, "time for this request is used up"),
    Case("no call left", None, Budget(calls=0), Refuse, "As many tools were called as one request may"),
    Case("no call of the tool left", None, Budget(tool_calls=0), Refuse, "`search` was called as often"),
    Case(
        "a person decides", Estimate(money=2), Budget(money=1, too_expensive="ask"), Ask, "cost about 2, and 1 is left"
    ),
    Case("nobody can make time", Estimate(seconds=9), Budget(seconds=1, too_expensive="ask"), Refuse, "9 seconds"),
    Case(
        "a person can't make time for what is dear, too",
        Estimate(money=2, seconds=9),
        Budget(money=1, seconds=1, too_expensive="ask"),
        Refuse,
        "9 seconds",
    ),
    Case(
        "fewer hits",
        Estimate(money=per_hit, lighter=(Lighter(arguments={"limit": 10}),)),
        Budget(money=0.5),
        Revise,
        "10",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_call_is_judged_by_what_it_costs_and_what_is_left(case: Case) -> None:
    """What fits passes; what doesn't is sent back, refused or asked about, with the numbers in the text."""
    verdict = judge(case.declared, case.budget)
    assert type(verdict) is case.verdict
    assert verdict.layer == LAYER
    if not isinstance(verdict, Accept):
        assert case.told in verdict.message
        assert verdict.kind is ErrorKind.TOO_EXPENSIVE


def test_a_lighter_call_of_the_same_tool_is_given_as_the_right_arguments() -> None:
    """The first declared alternative that fits is named in the text, and in the corrected arguments."""
    lighter = (Lighter(arguments={"limit": 90}), Lighter(arguments={"limit": 10}), Lighter(arguments={"limit": 5}))
    verdict = judge(Estimate(money=per_hit, lighter=lighter), Budget(money=0.5))
    assert isinstance(verdict, Revise)
    assert verdict.corrected == {"query": "fuse", "limit": 10}
    assert verdict.fields == ("limit",)
    assert 'Call `search` with {"limit":10,"query":"fuse"} instead.' in verdict.message


def test_a_lighter_tool_is_named_and_corrects_nothing() -> None:
    """Arguments of another tool are no correction of this one."""
    other = spec("glance", Estimate(money=0.1))
    lighter = Lighter(tool="glance", arguments=lambda given: {"query": given["query"], "limit": 3})
    verdict = judge(Estimate(money=5, lighter=(lighter,)), Budget(money=1), other)
    assert isinstance(verdict, Revise)
    assert verdict.corrected is None
    assert 'Call `glance` with {"limit":3,"query":"fuse"} instead.' in verdict.message


@pytest.mark.parametrize(
    ("lighter", "other"),
    [
        pytest.param(Lighter(arguments={"limit": "few"}), spec("glance"), id="not valid"),
        pytest.param(Lighter(arguments={"limit": 99}), spec("glance"), id="too dear as well"),
        pytest.param(Lighter(), spec("glance"), id="the same call"),
        pytest.param(Lighter(arguments=BROKEN[0]), spec("glance"), id="a mapping that breaks"),
        pytest.param(Lighter(arguments=NO_JSON), spec("glance"), id="no JSON"),
        pytest.param(Lighter(tool="glance"), spec("glance", offered=False), id="not offered to the model"),
        pytest.param(Lighter(tool="glance"), spec("glance", Estimate(money=7)), id="another that is too dear"),
    ],
)
def test_nothing_is_proposed_that_would_be_objected_to(lighter: Lighter, other: ToolSpec) -> None:
    """A declared alternative that isn't valid, or doesn't fit either, is not named."""
    verdict = judge(Estimate(money=per_hit, lighter=(lighter,)), Budget(money=0.5), other)
    assert isinstance(verdict, Revise)
    assert verdict.corrected is None
    assert "instead" not in verdict.message


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: str(BROKEN.index(broken)))
def test_an_estimate_that_breaks_lets_nothing_through(broken: Any) -> None:
    """Where a bound depends on it the call is refused, or put to a person; the operator reads why."""
    refused = judge(Estimate(money=broken), Budget(money=1))
    assert isinstance(refused, Refuse)
    assert "Nobody can tell" in refused.message
    assert "the estimate of money for 'search' raised" in refused.operator
    asked = judge(Estimate(money=broken), Budget(money=1, too_expensive="ask"))
    assert isinstance(asked, Ask)
    assert isinstance(judge(Estimate(money=broken), Budget()), Accept)
    assert isinstance(judge(Estimate(money=broken, seconds=1), Budget(seconds=60)), Accept)
    assert isinstance(judge(Estimate(money=1, seconds=broken), Budget(money=5)), Accept)


def test_a_cost_is_told_in_chinese() -> None:
    """Feedback speaks the language of the turn."""
    verdict = judge(Estimate(money=2), Budget(money=1), locale="zh-CN")
    assert isinstance(verdict, Refuse)
    assert "约需费用 2" in verdict.message


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param({"money": -1}, id="below zero"),
        pytest.param({"seconds": math.inf}, id="endless"),
        pytest.param({"money": True}, id="no number"),
        pytest.param({"money": "1"}, id="text"),
    ],
)
def test_an_amount_that_is_none_is_refused_when_it_is_declared(declared: dict[str, Any]) -> None:
    """A fixed amount is a finite number from zero up."""
    with pytest.raises(ValueError, match="write a number from 0 up"):
        Estimate(**declared)


def test_a_lighter_tool_must_be_registered() -> None:
    """A name that no tool has is an error when the toolset is made."""
    with pytest.raises(ToolDefinitionError, match="proposes 'glance', which is not in the toolset"):
        Toolset([spec(declared=Estimate(money=1, lighter=(Lighter(tool="glance"),)))])


def test_money_adds_up_and_calls_side_by_side_share_the_time() -> None:
    """A plan takes the money of all its calls, and the time of the slowest call of each group."""
    costs = [Cost(1, 10), Cost(2, 4)]
    assert side_by_side(costs) == Cost(3, 10)
    assert in_turn(costs) == Cost(3, 14)
    assert cost_of_plan([costs, [Cost(5, 1)], []]) == Cost(8, 11)
    assert side_by_side([]) == in_turn([]) == Cost()


amounts = st.one_of(
    st.none(),
    st.floats(0, 1e6, allow_nan=False),
    st.sampled_from(BROKEN),
    st.floats().map(lambda amount: lambda _: amount),
)
bounds = st.one_of(st.none(), st.floats(-10, 1e6, allow_nan=False))
budgets = st.builds(
    Budget,
    money=bounds,
    call_money=bounds,
    seconds=bounds,
    calls=st.one_of(st.none(), st.integers(-2, 3)),
    tool_calls=st.one_of(st.none(), st.integers(-2, 3)),
    too_expensive=st.sampled_from(["revise", "ask"]),
)
json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=5), inner, max_size=2)),
    max_leaves=4,
)
mappings = st.dictionaries(st.sampled_from(["query", "limit", "x"]), json, max_size=3)
lighters = st.builds(
    Lighter,
    tool=st.sampled_from(["", "glance"]),
    arguments=st.one_of(mappings, mappings.map(lambda given: lambda _: given), st.sampled_from(BROKEN)),
)


@given(money=amounts, seconds=amounts, lighter=st.lists(lighters, max_size=3), budget=budgets)
def test_nothing_that_breaks_a_bound_is_let_through(money: Any, seconds: Any, lighter: Any, budget: Budget) -> None:
    """Whatever is declared and left: the layer never raises, and accepts only what all bounds allow."""
    declared = Estimate(money=money, seconds=seconds, lighter=tuple(lighter))
    verdict = judge(declared, budget, spec("glance", Estimate(money=0.5)))
    if isinstance(verdict, Accept):
        used_up = (bound is not None and bound <= 0 for bound in (budget.seconds, budget.calls, budget.tool_calls))
        assert not any(used_up)
        of_money = [bound for bound in (budget.money, budget.call_money) if bound is not None]
        table: list[tuple[Unit, list[float]]] = [
            ("money", of_money),
            ("seconds", [] if budget.seconds is None else [budget.seconds]),
        ]
        for unit, bounds in table:
            cost = estimate(spec(declared=declared), {"query": "fuse", "limit": 100}, [unit])
            assert not (bounds and isinstance(cost, Broken))
            assert isinstance(cost, Broken) or all(getattr(cost, unit) <= max(bound, 0) + 1e-6 for bound in bounds)
        return
    assert verdict.message
    if isinstance(verdict, Revise) and verdict.corrected is not None:
        again = judge(replace(declared, lighter=()), budget)
        assert not isinstance(again, Accept)
        searching = spec(declared=declared)
        layer = CostLayer({"search": CompiledTool.compile(searching)})
        corrected = Call("c2", "search", verdict.corrected)
        assert isinstance(layer(corrected, Situation(spec=searching, budget=budget)), Accept)
