"""Rules about what came before: facts, earlier tools, counts and failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Literal, TypeAlias

from reinforced_agent.policies.rules.base import Base, ErrorName, Finding
from reinforced_agent.policies.rules.claims import same
from reinforced_agent.policies.rules.expressions import Scalar, number
from reinforced_agent.policies.rules.messages import phrase
from reinforced_agent.policies.rules.scene import Scene
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.text.folds import code_list
from reinforced_agent.policies.text.json_paths import look
from reinforced_agent.tools.call import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Requires(Base):
    """A fact has to be known, and neither false nor empty, before a tool may run.

    Without `tools` it is about every tool but those that establish the fact, or nobody could ever find it out.
    """

    kind: Literal["requires"] = "requires"
    error: ErrorName = "wrong_order"
    fact: str
    """Name of the fact, with a path inside it where it holds more: `user.verified`."""
    one_of: tuple[Scalar, ...] = ()
    """Where given, the fact is one of these."""

    def objection(self, scene: Scene) -> Finding | None:
        """Object as long as the fact is missing; what isn't known is missing."""
        name, _, path = self.fact.partition(".")
        if not self.tools and scene.call.tool in scene.tools_of(name):
            return None
        found = look(scene.facts[name], path) if name in scene.facts else None
        if found and all(self._satisfies(value) for value in found):
            return None
        source = scene.source_of(name)
        return Finding("requires_from" if source else "requires", {"fact": self.fact, "source": source})

    def _satisfies(self, value: JSON) -> bool:
        """Tell whether a value will do; an empty one says nothing, and some tools write `false` as a text."""
        if self.one_of:
            return any(same(value, one) for one in self.one_of)
        if isinstance(value, str):
            return value.strip().casefold() not in {"", "false"}
        return value is not None and value is not False and value != {}


@dataclass(frozen=True, slots=True, kw_only=True)
class After(Base):
    """Other tools have to have brought a result first, for the same requester; one of the same message hasn't yet.

    Without `tools` it is about every tool but those that have to come first.
    """

    kind: Literal["after"] = "after"
    error: ErrorName = "wrong_order"
    after: tuple[str, ...]
    """All of them, in any order."""

    def objection(self, scene: Scene) -> Finding | None:
        """Object as long as one of the tools has brought nothing."""
        missing = [name for name in self.after if name not in scene.done_by_requester]
        if not missing or (not self.tools and scene.call.tool in self.after):
            return None
        waits = any(other.tool in missing for other in scene.beside())
        return Finding("after_siblings" if waits else "after", {"first": code_list(missing)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Base):
    """A plain state machine over tool names, one for each requester. Tools that stand in no state are free."""

    kind: Literal["order"] = "order"
    error: ErrorName = "wrong_order"
    start: str
    """The first state."""
    states: Mapping[str, Mapping[str, str]]
    """State → tool that may run in it → the state after."""

    def objection(self, scene: Scene) -> Finding | None:
        """Object to a tool that the present state doesn't let run."""
        if not any(scene.call.tool in moves for moves in self.states.values()):
            return None
        state = self.start
        for tool in scene.done_by_requester:
            state = self._after(state, tool)
        states = {state}
        for other in scene.beside(later=False):
            # It may have run by then, or not yet, or not at all.
            states |= {self._after(one, other.tool) for one in states}
        common = set.intersection(*(set(self.states.get(one, {})) for one in states))
        if scene.call.tool in common:
            return None
        return Finding("order", {"allowed": code_list(sorted(self.states.get(state, {}))) or "-"})

    def _after(self, state: str, tool: str) -> str:
        return self.states.get(state, {}).get(tool, state)


Period: TypeAlias = Literal["hour", "day", "week", "month"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota(Base):
    """Tools may run only so often, counted together."""

    kind: Literal["quota"] = "quota"
    most: int
    """How often at most, from 0."""
    used: str = ""
    """Fact with the number used up before this turn, such as by this user; not known counts as used up.

    Without it, the calls of the thread count as far back as `tools_done` tells, and those of the turn.
    """

    per: Literal["thread", "user"] = "thread"
    """Whose runs count: with `user` those of the requester in all threads, as the ledger has them."""
    period: Period | None = None
    """How far back a quota of a user looks, from now; a day where it isn't said. A quota of a thread has none."""

    @property
    def span(self) -> Period:
        """How far back it looks."""
        return self.period or "day"

    @property
    def counted(self) -> str:
        """What `Situation.used` calls the number."""
        return f"{','.join(sorted(self.tools))} {self.span}"

    def objection(self, scene: Scene) -> Finding | None:
        """Object once the quota is used up; calls before this one in the same message might use it up."""
        count = self._count(scene)
        facts = {"most": str(self.most), "period": phrase(self.span, scene.situation.locale)}
        of_user = self.per == "user"
        if count is None and of_user:
            return Finding("quota_nobody", facts)
        if count is None or count >= self.most:
            return Finding("quota_user" if of_user else "quota", facts)
        if count + sum(self._counts(other.tool) for other in scene.beside(later=False)) >= self.most:
            return Finding("quota_alone", facts)
        return None

    def _count(self, scene: Scene) -> int | None:
        """Count what has run, or may have."""
        if self.per == "user":
            return scene.situation.used.get(self.counted)
        if not self.used:
            return sum(self._counts(name) for name in (*scene.done, *scene.unknown_runs))
        told = number(scene.facts.get(self.used))
        if told is None:
            return None
        done = (past.tool for past in scene.situation.history if past.status == Status.DONE)
        return ceil(told) + sum(self._counts(name) for name in (*done, *self._doubted(scene)))

    def _doubted(self, scene: Scene) -> Iterator[str]:
        return (past.tool for past in scene.situation.history if past.status == Status.UNKNOWN)

    def _counts(self, tool: str) -> bool:
        return not self.tools or tool in self.tools


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAgain(Base):
    """A call that failed before in the thread is not repeated until something was changed; needs `failed_calls`."""

    kind: Literal["not_again"] = "not_again"
    error: ErrorName = "duplicate"

    def objection(self, scene: Scene) -> Finding | None:
        """Object to what failed and will fail again."""
        return Finding("again") if scene.has_failed else None
