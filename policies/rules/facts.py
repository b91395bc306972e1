"""Facts that tools establish: which result becomes which fact, as data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from reinforced_agent.policies.rules.problems import STRICT
from reinforced_agent.policies.text.json_paths import decoded, look
from reinforced_agent.tools.call import JSON, digest
from reinforced_agent.tools.spec import Establishes, ToolSpec


DONE: Final = "tools_done"
"""The fact that lists the tools that have brought a result in the thread, oldest first."""
FAILED: Final = "failed_calls"
"""The fact that lists the digests of calls that failed, with nothing changed since."""
UP_TO_DATE: Final = "facts_up_to_date"
"""The fact that says whether the facts hold this turn as well; otherwise what this turn has brought comes on top."""

DOUBTED: Final = "tools_in_doubt"
"""The fact that lists the tools that were started in the thread and may have taken effect."""
BESIDE: Final = "tools_beside"
"""The fact that lists the tools of the other calls of the same message; it is made anew for every call."""
CHRONICLE: Final = (DONE, DOUBTED, FAILED, UP_TO_DATE, BESIDE)
"""The facts about the calls of a thread themselves."""

Occasion: TypeAlias = Literal["result", "failure", "approval", "answer"]
"""What may establish a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Establishes):
    """A fact that a call establishes, declared in a rule set."""

    __pydantic_config__ = STRICT

    tool: str
    """The tool whose calls establish it."""


def sources_of(specs: Iterable[ToolSpec]) -> tuple[Source, ...]:
    """Return what tools declare themselves."""
    return tuple(_source(spec.name, own) for spec in specs for own in spec.establishes)


def _source(tool: str, own: Establishes) -> Source:
    return Source(tool=tool, fact=own.fact, path=own.path, key=own.key, given=own.given, on=own.on, roles=own.roles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A call that has come back."""

    tool: str
    result: str
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    """Empty where they aren't known any more."""
    failed: bool = False
    changes: bool = False
    """Whether its tool changes something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What one call teaches about one fact."""

    fact: str
    value: JSON = None
    """The value, where the fact is no table."""
    entries: Mapping[str, JSON] | None = None
    """New entries of a table."""
    gone: tuple[str, ...] = ()
    """Entries that hold no more, and aren't known anew."""

    def onto(self, value: JSON) -> JSON:
        """Return what the fact is now, given what it was."""
        if self.entries is None:
            return self.value
        kept = value if isinstance(value, dict) else {}
        return {key: one for key, one in kept.items() if key not in self.gone} | dict(self.entries)


def learned(
    sources: Iterable[Source], calls: Iterable[Observed], *, known: Mapping[str, JSON] | None = None
) -> dict[str, JSON]:
    """Return the facts that calls establish, on top of those already known; later ones win.

    Args:
        sources: What establishes what.
        calls: What has come back, oldest first.
        known: Facts from before.

    """
    facts = dict(known or {})
    by_tool = _by_tool(sources)
    for call in calls:
        for lesson in lessons(by_tool.get(call.tool, ()), call, on="failure" if call.failed else "result"):
            facts[lesson.fact] = lesson.onto(facts.get(lesson.fact))
    return facts


def _by_tool(sources: Iterable[Source]) -> dict[str, list[Source]]:
    by_tool: dict[str, list[Source]] = {}
    for source in sources:
        by_tool.setdefault(source.tool, []).append(source)
    return by_tool


def chronicle(calls: Iterable[Observed], *, up_to_date: bool) -> dict[str, JSON]:
    """Return the facts about the calls of a thread themselves: what was done, and what failed in vain."""
    done: list[JSON] = []
    failed: dict[str, None] = {}
    for call in calls:
        if call.failed:
            failed[digest(call.tool, call.arguments)] = None
            continue
        done.append(call.tool)
        if call.changes:
            # What stood in the way of a failed call may be gone now.
            failed.clear()
    return {DONE: done, FAILED: list(failed), UP_TO_DATE: up_to_date}


def lessons(
    sources: Iterable[Source], call: Observed, *, on: Occasion, roles: Collection[str] = ()
) -> Iterator[Lesson]:
    """Say what a call establishes on one occasion; what has another shape than declared establishes nothing.

    Args:
        sources: What its tool may establish.
        call: The call; its result is the answer where a person gave one.
        on: What has happened.
        roles: Those of the person who decided.

    """
    for source in sources:
        if source.tool == call.tool and source.on == on and _may_establish(source, roles):
            yield from _lesson(source, call)


def _may_establish(source: Source, roles: Collection[str]) -> bool:
    """Tell whether a person of these roles establishes a fact; the roles of no person matter for a result."""
    return not source.roles or source.on in {"result", "failure"} or not set(source.roles).isdisjoint(roles)


def _lesson(source: Source, call: Observed) -> Iterator[Lesson]:
    """Find what one call establishes of one fact."""
    if source.on != "approval":
        found = look(decoded(call.result), source.path)
    elif source.path or source.key:
        found = look(dict(call.arguments), source.path)
    else:
        found = (True,)
    if not found:
        return
    if not source.key:
        yield Lesson(fact=source.fact, value=found[0] if len(found) == 1 else list(found))
        return
    given = {name: call.arguments[name] for name in source.given if name in call.arguments}
    entries: dict[str, JSON] = {}
    touched: list[str] = []
    for record in found:
        for key in _keys(source, record, call.arguments):
            # An old record is no better than none once the call has changed it in a way that isn't known here.
            touched.append(key)
            if len(given) == len(source.given):
                entries[key] = {**record, **given} if isinstance(record, dict) else record
    yield Lesson(fact=source.fact, entries=entries, gone=tuple(key for key in touched if key not in entries))


def _keys(source: Source, record: JSON, arguments: Mapping[str, JSON]) -> Iterator[str]:
    """Make the key of a record, if all its parts are there."""
    own = record if isinstance(record, dict) else {}
    named = [arguments.get(name) if own.get(name) is None else own[name] for name in source.key]
    if all(isinstance(part, str | int) and not isinstance(part, bool) for part in named):
        yield " ".join(str(part) for part in named)


class Learner:
    """Says what a call establishes; lessons are handed out as plain data, so that a state can keep them."""

    def __init__(self, sources: Iterable[Source]) -> None:
        """Sort the sources by the tools they are about."""
        self._sources: dict[str, list[Source]] = {}
        for source in dict.fromkeys(sources):
            self._sources.setdefault(source.tool, []).append(source)

    def lessons(self, call: Observed, on: Occasion, roles: Collection[str] = ()) -> list[dict[str, Any]]:
        """Return what a call establishes on an occasion."""
        known = self._sources.get(call.tool)
        return [_plain(lesson) for lesson in lessons(known, call, on=on, roles=roles)] if known else []


def taught(value: JSON, lesson: Mapping[str, Any]) -> JSON:
    """Return what a fact is after a lesson, given what it was."""
    return Lesson(
        fact=lesson["fact"],
        value=lesson.get("value"),
        entries=lesson.get("entries"),
        gone=tuple(lesson.get("gone", ())),
    ).onto(value)


def _plain(lesson: Lesson) -> dict[str, Any]:
    if lesson.entries is None:
        return {"fact": lesson.fact, "value": lesson.value}
    return {"fact": lesson.fact, "entries": dict(lesson.entries), "gone": list(lesson.gone)}
