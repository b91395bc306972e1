"""What a run has spent and what it has left: steps, calls, time, tokens and money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.state import Spent, State, Turn
from reinforced_agent.policies.costs import Cost, estimate
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.messages.costs import finish
from reinforced_agent.policies.situation import Budget
from reinforced_agent.policies.status import RECHECKED, RUNNABLE, Status
from reinforced_agent.tools.estimates import is_amount
from reinforced_agent.tools.execution import Outcome, Returned, is_turned_away
from reinforced_agent.tools.spec import ToolSpec
from reinforced_agent.tools.toolset import Toolset


NEARLY: Final = 0.8
"""Share of a bound from which the model is told to finish."""

RUN: Final = "__reinforced_agent_run"
"""Key of the configuration that names one run, from its start to its end or to a question."""

_RESERVED: Final = RUNNABLE | {Status.WAITING} | RECHECKED
"""Calls that will run, unless a person says no."""


def priced(record: CallRecord, toolset: Toolset) -> CallRecord:
    """Put on record what a call with canonical arguments will cost, where its tool tells."""
    spec = toolset.get(record.get("tool", ""))
    if spec is None or spec.estimate is None or "arguments" not in record:
        return record
    cost = estimate(spec, record["arguments"])
    if not isinstance(cost, Cost):
        return record
    return {**record, "estimate": {"money": cost.money, "seconds": cost.seconds}}


def charged(record: CallRecord, outcome: Outcome, spec: ToolSpec | None) -> dict[str, Any]:
    """Return what a call that ran did cost: what it says itself, else what was estimated; nothing if it never began."""
    if spec is None or spec.estimate is None:
        return {}
    if is_turned_away(outcome):
        return {"money": 0.0}
    money: object = record.get("estimate", {}).get("money", 0.0)
    if spec.estimate.actual is not None and isinstance(outcome, Returned):
        # It is the host's code; where it breaks the estimate stands, which was within the budget.
        with suppress(Exception):
            told = spec.estimate.actual(outcome.value)
            money = told if is_amount(told) else money
    return {"money": money}


class Reserved:
    """The calls of a turn that ran, will run or wait, as they add up while those of a message are judged."""

    def __init__(self, records: Iterable[CallRecord]) -> None:
        """Add up what is on record so far."""
        self._calls: Counter[str] = Counter()
        self._money = 0.0
        for record in records:
            self._add(record, 1)

    def replace(self, old: CallRecord, new: CallRecord) -> None:
        """Put a call as it was judged in the place of what it was."""
        self._add(old, -1)
        self._add(new, 1)

    def left_for(self, spec: ToolSpec, record: CallRecord, turn: Turn, limits: Limits) -> Budget:
        """Return what is left for one call, after every other one.

        Args:
            spec: Its tool.
            record: The call, as it was added up.
            turn: The turn it belongs to.
            limits: Bounds of the run.

        """
        itself = Reserved([record])
        tool_calls = self._calls[spec.name] - itself._calls[spec.name]
        own = None if spec.limits is None else spec.limits.calls
        return Budget(
            money=None if limits.money is None else limits.money - (self._money - itself._money),
            call_money=limits.call_money_of(spec),
            seconds=seconds_left(turn, limits),
            calls=None if limits.calls is None else limits.calls - (self._calls.total() - itself._calls.total()),
            tool_calls=None if own is None else own - tool_calls,
            too_expensive=limits.too_expensive_of(spec),
        )

    def _add(self, record: CallRecord, times: int) -> None:
        if _counts(record):
            self._calls[record.get("tool", "")] += times
            self._money += times * _money([record])


def seconds_left(turn: Turn, limits: Limits) -> float | None:
    """Return the working time that is left; `None` without a bound."""
    return None if limits.seconds is None else limits.seconds - turn.get("seconds", 0.0)


def run_of(config: RunnableConfig) -> str:
    """Return the name of the present run: times are compared only within one, so that no waiting for people counts."""
    return str((config.get("configurable") or {}).get(RUN, ""))


def used_up_tools(state: State, toolset: Toolset, limits: Limits) -> frozenset[str]:
    """Return the tools that were called as often as one run may, or all where the run has no call left."""
    ran = Counter(record.get("tool", "") for record in state.get("calls", {}).values() if "seconds" in record)
    if limits.calls is not None and ran.total() >= limits.calls:
        return frozenset(toolset)
    return frozenset(name for name, count in ran.items() if _is_used_up(toolset.get(name), count))


def _is_used_up(spec: ToolSpec | None, count: int) -> bool:
    """Tell whether a tool has no call left."""
    most = None if spec is None or spec.limits is None else spec.limits.calls
    return most is not None and count >= most


def _counts(record: CallRecord) -> bool:
    """Tell whether a call ran, or is going to."""
    return "seconds" in record or record["status"] in _RESERVED


def _money(records: Iterable[CallRecord]) -> float:
    """Add up what calls cost, or will."""
    return sum(record.get("money", record.get("estimate", {}).get("money", 0.0)) for record in records)


def tokens_of(turn: Turn) -> int:
    """Count the tokens that model and reviewer have read and written in this turn, as far as they report them."""
    spoken = turn.get("spoken", ())
    reports: list[Mapping[str, Any]] = [*spoken, *(item["review"] for item in spoken if "review" in item)]
    return sum(item.get("input_tokens", 0) + item.get("output_tokens", 0) for item in reports)


def spent_by(state: State) -> Spent:
    """Return what the run has spent so far."""
    turn = state["turn"]
    ran = [record for record in state.get("calls", {}).values() if "seconds" in record]
    return {
        "steps": turn.get("step", 0),
        "calls": len(ran),
        "seconds": round(turn.get("seconds", 0.0), 6),
        "tokens": tokens_of(turn),
        "money": _money(ran),
    }


def with_account(state: State, turn: Turn, limits: Limits) -> Turn:
    """Write into a turn what is spent and, for every bound that is on, what is left."""
    spent = spent_by({**state, "turn": turn})
    bounds: dict[str, float | None] = {name: getattr(limits, name) for name in spent}
    left = {name: max(most - spent[name], 0) for name, most in bounds.items() if most is not None}  # type: ignore[literal-required]
    return {**turn, "spent": spent, "left": left}


def limit_reached(state: State, limits: Limits) -> str:
    """Return which bound lets the model make no further proposal: `steps`, `seconds` or `tokens`; empty for none."""
    turn = state["turn"]
    if turn["step"] >= limits.steps:
        return "steps"
    if limits.seconds is not None and turn.get("seconds", 0.0) >= limits.seconds:
        return "seconds"
    return "tokens" if limits.tokens is not None and tokens_of(turn) >= limits.tokens else ""


def time_is_short(state: State, bound: Bindings) -> str:
    """Tell the model to finish when most of a bound of the run is used up."""
    code = _nearly_used_up(state, bound.limits)
    return finish(code, state["turn"].get("locale", "en")) if code else ""


def _nearly_used_up(state: State, limits: Limits) -> str:
    """Return the bound that is nearly used up; empty for none."""
    turn = state["turn"]
    if limits.seconds is not None and turn.get("seconds", 0.0) >= NEARLY * limits.seconds:
        return "seconds"
    if limits.tokens is not None and tokens_of(turn) >= NEARLY * limits.tokens:
        return "tokens"
    if limits.money and spent_by(state)["money"] >= NEARLY * limits.money:
        return "money"
    # Who is asked to correct a call in the last message is not told to do without it.
    is_last = 0 < turn["step"] == limits.steps - 1 and state.get("proposal", {}).get("closed", False)
    return "steps" if is_last else ""
