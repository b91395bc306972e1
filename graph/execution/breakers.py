"""What unavailable tools mean for a turn: which are withheld, what is told of them, and which calls don't go out.

A tool is not available while its breaker is open, and while an operator has paused it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Person as PersonRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.sync_async import Blocking, Plan, adrive
from reinforced_agent.graph.queries.calls import having
from reinforced_agent.graph.state import State
from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.pauses import Paused
from reinforced_agent.policies.breaker import LAYER, PAUSE, Shut
from reinforced_agent.policies.messages.durations import duration
from reinforced_agent.policies.messages.fallbacks import instead_of, say, time_words
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.text.visible import written
from reinforced_agent.policies.verdicts import ErrorKind, Refuse, signal
from reinforced_agent.tools.fallbacks import Alternative, GiveUp
from reinforced_agent.tools.people import Person
from reinforced_agent.tools.spec import ToolSpec


def paused_now(ledger: Ledger) -> Plan[Mapping[str, Paused]]:
    """Return the tools that are paused; where the ledger has to be asked, without holding up an event loop."""
    if ledger.paused_is_known:
        return ledger.paused()
    paused: Mapping[str, Paused] = yield Blocking(ledger.paused)
    return paused


async def learn_pauses(bound: Bindings) -> None:
    """See to it that an event loop finds out what is paused without waiting for the ledger."""
    await adrive(paused_now(bound.ledger))


def withheld(bound: Bindings) -> frozenset[str]:
    """Return the tools that are not offered, because they are not available and a call would bring nothing.

    A tool whose fallbacks the model can't reach by itself stays: a call of it is answered by them.
    """
    down = _down(bound)
    return frozenset(name for name in down if not _is_served(bound.toolset[name], down, bound))


def still_served(failing: Iterable[str], state: State, bound: Bindings) -> frozenset[str]:
    """Return the tools that failed too often in this turn but stay on offer: every call was served all the same.

    They are not called any more, but what stands in for them is, and the model can't reach that by itself.
    """
    down = _down(bound)
    calls = state.get("calls", {}).values()
    unserved = {record["tool"] for record in having(calls, Status.FAILED, Status.OPEN, Status.UNKNOWN)}
    served = (name for name in failing if name not in unserved and _is_served(bound.toolset[name], down, bound))
    return frozenset(served)


def _down(bound: Bindings) -> dict[str, float]:
    """Return the tools that are not available, each with the seconds until it may be; nobody knows that of a pause."""
    paused = {name: math.inf for name in bound.ledger.paused() if name in bound.toolset}
    return {**bound.breakers.down(bound.toolset.values()), **paused}


def stopped(record: CallRecord, bound: Bindings, requester: PersonRecord | None) -> Shut | Paused | None:
    """Tell whether a call would be stopped now, by an operator or by its breaker."""
    paused = bound.ledger.paused().get(record["tool"])
    spec = bound.toolset[record["tool"]]
    return paused or bound.breakers.peek(spec, record["arguments"], asking(requester))


def asking(requester: PersonRecord | None) -> Person:
    """Return who asked, as a function that names breakers sees them; nobody where that isn't known."""
    if requester is None:
        return Person()
    return Person(user_id=requester["user_id"], tenant=requester["tenant"], roles=tuple(requester["roles"]))


def held_back(
    record: CallRecord, why: Shut | Paused, bound: Bindings, locale: str, requester: PersonRecord | None
) -> CallRecord:
    """Put on record that a call doesn't go out, and tell the model when to try again and what to do until then."""
    if isinstance(why, Paused):
        refusal = _by_operator(why, bound, locale)
    else:
        refusal = _by_breaker(record, why, bound, locale, asking(requester))
    held: CallRecord = {
        **record,
        "status": Status.OPEN,
        "kind": refusal.kind.value,
        "feedback": refusal.message,
        "verdicts": [*record.get("verdicts", []), signal(refusal)],
    }
    return {**held, "paused": True} if isinstance(why, Paused) else {**held, "back_in": why.seconds}


def _by_breaker(record: CallRecord, shut: Shut, bound: Bindings, locale: str, who: Person) -> Refuse:
    """Say that the breaker of a call is open."""
    tool = record["tool"]
    spec = bound.toolset[tool]
    bound.breakers.count_stopped(spec, record["arguments"], who)
    name = bound.breakers.name_of(spec, record["arguments"], who)
    code = "held_back" if name == spec.name else "held_back_key"
    others = instead_of(_others(spec, bound), locale)
    words = say(code, locale, tool=tool, time=time_words(shut.seconds, locale), instead=others)
    operator = f"the breaker {name!r} is open: the next call may go out in {duration(shut.seconds)}"
    return Refuse(layer=LAYER, kind=ErrorKind.TOOL_ERROR_TRANSIENT, message=words, operator=operator)


def _by_operator(paused: Paused, bound: Bindings, locale: str) -> Refuse:
    """Say that an operator has paused a tool."""
    others = instead_of(_others(bound.toolset[paused.tool], bound), locale)
    words = say("held_back_paused", locale, tool=paused.tool, why=_why(paused, locale), instead=others)
    operator = f"{paused.tool!r} is paused: `reinforced-agent tools list` says by whom and why"
    return Refuse(layer=PAUSE, kind=ErrorKind.TOOL_ERROR_TRANSIENT, message=words, operator=operator)


def pause_note(tool: str, paused: Mapping[str, Paused], locale: str) -> str:
    """Tell who approves calls that a tool is paused; empty where it isn't."""
    one = paused.get(tool)
    return "" if one is None else say("note_paused", locale, tool=tool, why=_why(one, locale))


def _why(paused: Paused, locale: str) -> str:
    """Give the reason of an operator, in quotes: it is data."""
    return say("why_paused", locale, reason=written(paused.reason)) if paused.reason else ""


def breakers_of(state: State, bound: Bindings) -> dict[str, str]:
    """Return the breakers that this turn has met open, and where each stands now."""
    met = dict(state["turn"].get("breakers", {}))
    own: set[str | None] = set()
    if troubled := bound.breakers.troubled():
        called, who = _called(state, bound), asking(state["turn"].get("requester"))
        own = {bound.breakers.name_of(bound.toolset[one["tool"]], one["arguments"], who) for one in called}
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
    down = _down(bound)
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
    if (paused := bound.ledger.paused().get(spec.name)) is not None:
        code = "down_paused_served" if _is_served(spec, down, bound) else "down_paused"
        instead = instead_of(_others(spec, bound), locale)
        return say(code, locale, tool=spec.name, why=_why(paused, locale), instead=instead)
    time = time_words(seconds, locale)
    if _is_served(spec, down, bound):
        return say("down_served", locale, tool=spec.name, time=time)
    return say("down", locale, tool=spec.name, time=time, instead=instead_of(_others(spec, bound), locale))


def _others(spec: ToolSpec, bound: Bindings) -> list[str]:
    """Return the alternatives that the model may call itself."""
    down = _down(bound)
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
