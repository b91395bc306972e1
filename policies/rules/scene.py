"""All that a rule may look at for one call: arguments, facts, and what this turn has brought so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final, TypeAlias

from reinforced_agent.policies.rules.facts import DONE, DOUBTED, FAILED, UP_TO_DATE, Observed, Source, learned
from reinforced_agent.policies.situation import Sibling, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.call import JSON, Call


Function: TypeAlias = Callable[[Mapping[str, JSON], Mapping[str, JSON]], JSON]
"""Makes a value of the arguments and the facts; `None` when it isn't known."""

_DEAD: Final = frozenset({Status.REVISE, Status.REFUSED, Status.OPEN, Status.REJECTED, Status.SUPERSEDED})
"""Calls that won't run as they stand."""
_BROUGHT: Final = frozenset({Status.DONE, Status.SERVED, Status.ANSWERED})


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the rules of one set share."""

    sources: tuple[Source, ...] = ()
    functions: Mapping[str, Function] = field(default_factory=lambda: MappingProxyType({}))


class Stage:
    """Hands out one scene for all rules of a set that look at the same call one after the other."""

    def __init__(self, knowledge: Knowledge) -> None:
        """Take what the rules share."""
        self.knowledge = knowledge
        self._latest: Scene | None = None

    def scene(self, call: Call, situation: Situation) -> Scene:
        """Return the scene of a call; threads that cross here make one each."""
        latest = self._latest
        if latest is None or latest.call is not call or latest.situation is not situation:
            self._latest = latest = Scene(call, situation, self.knowledge)
        return latest


class Scene:
    """One call in its situation; everything is found out once, and only when asked."""

    def __init__(self, call: Call, situation: Situation, knowledge: Knowledge) -> None:
        """Take the call, its situation and what the rules share."""
        self.call = call
        self.situation = situation
        self.knowledge = knowledge

    @cached_property
    def facts(self) -> Mapping[str, JSON]:
        """The facts of the session, and on top those that the calls of this turn have established.

        Only a tool's own result establishes a fact, not what a fallback or a person gave in its place.
        """
        if self._up_to_date or not self.knowledge.sources:
            return self.situation.facts
        calls = (
            Observed(tool=past.tool, result=past.result, failed=past.status == Status.FAILED)
            for past in self.situation.history
            if past.status in {Status.DONE, Status.FAILED}
        )
        return learned(self.knowledge.sources, calls, known=self.situation.facts)

    @property
    def _up_to_date(self) -> bool:
        """Whether the facts of the session hold this turn as well."""
        return self.situation.facts.get(UP_TO_DATE) is True

    @cached_property
    def done(self) -> tuple[str, ...]:
        """The tools that have brought a result, oldest first, as far back as the facts of the session tell."""
        return self._brought(self.situation.facts.get(DONE))

    @cached_property
    def done_by_requester(self) -> tuple[str, ...]:
        """Those of them whose calls the requester asked for."""
        own = self.situation.done
        return self.done if own is None else self._brought(list(own))

    def _brought(self, told: JSON) -> tuple[str, ...]:
        """Add what this turn has brought, where it isn't told yet; a turn is all of one requester."""
        before = tuple(str(name) for name in told) if isinstance(told, list) else ()
        if self._up_to_date:
            return before
        return (*before, *(past.tool for past in self.situation.history if past.status in _BROUGHT))

    @property
    def has_failed(self) -> bool:
        """Whether exactly this call has failed before in the thread, with nothing changed since."""
        told = self.situation.facts.get(FAILED)
        if not isinstance(told, list) or self.call.digest not in told:
            return False
        return self._up_to_date or not any(p.changes and p.status in _BROUGHT for p in self.situation.history)

    @property
    def unknown_runs(self) -> tuple[str, ...]:
        """The tools that were started and may have taken effect, as far back as the facts of the session tell."""
        told = self.situation.facts.get(DOUBTED)
        before = tuple(str(name) for name in told) if isinstance(told, list) else ()
        if self._up_to_date and before:
            return before
        return (*before, *(past.tool for past in self.situation.history if past.status == Status.UNKNOWN))

    def beside(self, *, later: bool = True) -> tuple[Sibling, ...]:
        """Return the other calls of the same message that may still run, or only those before this one."""
        others = self.situation.beside
        return tuple(other for other in others if other.status not in _DEAD and (later or not other.later))

    def last_result(self, tool: str) -> str | None:
        """Return what a tool brought last in this turn."""
        results = [p.result for p in self.situation.history if p.tool == tool and p.status == Status.DONE]
        return results[-1] if results else None

    def computed(self, name: str) -> tuple[JSON, ...] | None:
        """Ask a function of the host.

        Raises:
            KeyError: When the rule set has no function of that name.

        """
        value = self.knowledge.functions[name](self.call.arguments, self.facts)
        if value is None:
            return None
        return tuple(value) if isinstance(value, list) else (value,)

    def tools_of(self, fact: str) -> frozenset[str]:
        """Name the tools whose calls may establish a fact."""
        return frozenset(source.tool for source in self.knowledge.sources if source.fact == fact)

    def source_of(self, fact: str) -> str:
        """Name the tool that establishes a fact; empty where none is declared."""
        return next(
            (source.tool for source in self.knowledge.sources if source.fact == fact and source.on == "result"), ""
        )
