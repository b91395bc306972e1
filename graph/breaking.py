"""What the breakers mean for a turn: which tools are withheld, what is told of them, and which calls don't go out."""

from __future__ import annotations

from collections.abc import Iterable

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.records import having
from reinforced_agent.graph.state import State
from reinforced_agent.policies.breaker import LAYER, Shut
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind, Refuse, signal
from reinforced_agent.policies.wording.durations import duration
from reinforced_agent.policies.wording.fallbacks import instead_of, say, time_words
from reinforced_agent.tools.fallbacks import Alternative, GiveUp
from reinforced_agent.tools.spec import ToolSpec


def withheld(bound: Bindings) -> frozenset[str]:
    """Return the tools that are not offered, because their breaker is open and a call would bring nothing.

    A tool whose fallbacks the model can't reach by itself stays: a call of it is answered by them.
    """
    down = bound.breakers.down(bound.toolset.values())
    return frozenset(name for name in down if not _is_served(bound.toolset[name], down, bound))


def still_served(failing: Iterable[str], state: State, bound: Bindings) -> frozenset[str]:
    """Return the tools that failed too often in this turn but stay on offer: every call was served all the same.

    They are not called any more, but what stands in for them is, and the model can't reach that by itself.
    """
    down = bound.breakers.down(bound.toolset.values())
    calls = state.get("calls", {}).values()
    unserved = {record["tool"] for record in having(calls, Status.FAILED, Status.OPEN, Status.UNKNOWN)}
    served = (name for name in failing if name not in unserved and _is_served(bound.toolset[name], down, bound))
    return frozenset(served)


def stopped(record: CallRecord, bound: Bindings) -> Shut | None:
    """Tell whether the breaker of a call would stop it now."""
    return bound.breakers.peek(bound.toolset[record["tool"]], record["arguments"])


def held_back(record: CallRecord, shut: Shut, bound: Bindings, locale: str) -> CallRecord:
    """Put on record that a call doesn't go out, and tell the model when to try again and what to do until then."""
    tool = record["tool"]
    spec = bound.toolset[tool]
    bound.breakers.count_stopped(spec, record["arguments"])
    code = "held_back" if bound.breakers.rule_of(spec).key is None else "held_back_key"
    others = instead_of(_others(spec, bound), locale)
    words = say(code, locale, tool=tool, time=time_words(shut.seconds, locale), instead=others)
    name = bound.breakers.name_of(spec, record["arguments"])
    operator = f"the breaker {name!r} is open: the next call may go out in {duration(shut.seconds)}"
    refusal = Refuse(layer=LAYER, kind=ErrorKind.TOOL_ERROR_TRANSIENT, message=words, operator=operator)
    return {
        **record,
        "status": Status.OPEN,
        "kind": refusal.kind.value,
        "feedback": words,
        "back_in": shut.seconds,
        "verdicts": [*record.get("verdicts", []), signal(refusal)],
    }


def breakers_of(state: State, bound: Bindings) -> dict[str, str]:
    """Return the breakers that this turn has met open, and where each stands now."""
    met = dict(state["turn"].get("breakers", {}))
    own: set[str | None] = set()
    if troubled := bound.breakers.troubled():
        called = _called(state, bound)
        own = {bound.breakers.name_of(bound.toolset[one["tool"]], one["arguments"]) for one in called}
    for name, tool in troubled:
        # A key may be made of what another user wrote: only those of the turn's own calls are told.
        if name in own or (name == tool and tool in bound.toolset):
            met.setdefault(name, "open")
    return {name: bound.breakers.standing_of(name) for name in met}


def still_down(state: State) -> dict[str, str]:
    """Return the breakers that were open when the last turn ended; the next one is told when they are back."""
    met = state.get("turn", {}).get("breakers", {})
    return {name: standing for name, standing in met.items() if standing != "closed"}


def tell_breakers(state: State, bound: Bindings) -> str:
    """Tell the model which tools are down, and which of those it knows to be down are back."""
    down = bound.breakers.down(bound.toolset.values())
    met = state["turn"].get("breakers", {})
    if not down and not met:
        return ""
    locale = state["turn"].get("locale", "en")
    offered = {name: seconds for name, seconds in down.items() if bound.toolset[name].offered}
    told = [_tell_down(bound.toolset[name], seconds, down, bound, locale) for name, seconds in offered.items()]
    back = dict.fromkeys(name.partition(":")[0] for name in met if bound.breakers.standing_of(name) == "closed")
    told += [say("back", locale, tool=tool) for tool in back if tool in bound.toolset and tool not in down]
    return "\n".join(told)


def _tell_down(spec: ToolSpec, seconds: float, down: Iterable[str], bound: Bindings, locale: str) -> str:
    """Say of one tool that it is down."""
    time = time_words(seconds, locale)
    if _is_served(spec, down, bound):
        return say("down_served", locale, tool=spec.name, time=time)
    return say("down", locale, tool=spec.name, time=time, instead=instead_of(_others(spec, bound), locale))


def _others(spec: ToolSpec, bound: Bindings) -> list[str]:
    """Return the alternatives that the model may call itself."""
    down = bound.breakers.down(bound.toolset.values())
    return [name for name in _alternatives(spec) if bound.toolset[name].offered and name not in down]


def _alternatives(spec: ToolSpec) -> list[str]:
    """Return the tools that serve for one."""
    named = (fallback.tool for fallback in spec.fallbacks if isinstance(fallback, Alternative))
    return [name for name in dict.fromkeys(named) if name != spec.name]


def _is_served(spec: ToolSpec, down: Iterable[str], bound: Bindings) -> bool:
    """Tell whether only a call of the tool itself gets the model what stands in for it."""
    reachable = any(bound.toolset[name].offered and name not in down for name in _alternatives(spec))
    return not reachable and any(not isinstance(fallback, GiveUp) for fallback in spec.fallbacks)


def _called(state: State, bound: Bindings) -> list[CallRecord]:
    """Return the calls of the turn that a breaker watches."""
    return [
        record
        for record in state.get("calls", {}).values()
        if record.get("tool", "") in bound.toolset and "arguments" in record
    ]
