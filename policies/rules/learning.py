"""What a house learns from its calls: which of them establish facts, gathered once for all its rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from reinforced_agent.policies.rules.facts import Lesson, Observed, Occasion, Source, lessons
from reinforced_agent.tools.call import JSON


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
