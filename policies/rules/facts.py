"""Facts that tools establish: which result becomes which fact, as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from reinforced_agent.policies.rules.strictness import STRICT
from reinforced_agent.policies.rules.walking import decoded, look
from reinforced_agent.tools.call import JSON, digest


DONE: Final = "tools_done"
"""The fact that lists the tools that have brought a result in the thread, oldest first."""
FAILED: Final = "failed_calls"
"""The fact that lists the digests of calls that failed, with nothing changed since."""
UP_TO_DATE: Final = "facts_up_to_date"
"""The fact that says whether the facts hold this turn as well; otherwise what this turn has brought comes on top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A fact that a call establishes."""

    __pydantic_config__ = STRICT

    fact: str
    """Its name."""
    tool: str
    """The tool whose result holds it."""
    path: str = ""
    """Where in the result; lists are looked through. Without a path, the whole result."""
    key: tuple[str, ...] = ()
    """Makes the fact a table: the entries of the record, or else of the arguments, that tell one record from another;
    several are joined with a space."""
    given: tuple[str, ...] = ()
    """Arguments that hold for every record of the result, whatever it says itself."""
    failed: bool = False
    """Whether the errors of the tool establish it, instead of its results."""


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
    by_tool: dict[str, list[Source]] = {}
    for source in sources:
        by_tool.setdefault(source.tool, []).append(source)
    for call in calls:
        for source in by_tool.get(call.tool, ()):
            if source.failed == call.failed:
                _take_in(facts, source, call)
    return facts


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


def _take_in(facts: dict[str, JSON], source: Source, call: Observed) -> None:
    """Put what one result holds among the facts; a result of another shape establishes nothing."""
    found = look(decoded(call.result), source.path)
    if not found:
        return
    if not source.key:
        facts[source.fact] = found[0] if len(found) == 1 else list(found)
        return
    table = facts.get(source.fact)
    entries = dict(table) if isinstance(table, dict) else {}
    given = {name: call.arguments[name] for name in source.given if name in call.arguments}
    for record in found:
        for key in _keys(source, record, call.arguments):
            # An old record is no better than none once the call has changed it in a way that isn't known here.
            entries.pop(key, None)
            if len(given) == len(source.given):
                entries[key] = {**record, **given} if isinstance(record, dict) else record
    facts[source.fact] = entries


def _keys(source: Source, record: JSON, arguments: Mapping[str, JSON]) -> Iterator[str]:
    """Make the key of a record, if all its parts are there."""
    own = record if isinstance(record, dict) else {}
    named = [arguments.get(name) if own.get(name) is None else own[name] for name in source.key]
    if all(isinstance(part, str | int) and not isinstance(part, bool) for part in named):
        yield " ".join(str(part) for part in named)
