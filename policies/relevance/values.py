"""Count where the values of a proposal come from: the request, the schema, or nowhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import log1p
from typing import Any, Final

from reinforced_agent.policies.grounding.matching import Finding, Said, find
from reinforced_agent.policies.relevance.tools import ToolWords
from reinforced_agent.policies.relevance.words import content_words
from reinforced_agent.tools.call import JSON


_DEFAULT: Final = re.compile(r"default[^.]*", re.IGNORECASE)
"""The part of a description that tells the value a field has when it is left out."""
_MOST_LEAVES: Final = 200
"""Values of one proposal that are looked at."""


class Values:
    """The values of all calls of a proposal, sorted by where they come from."""

    def __init__(self, said: Said, words: frozenset[str]) -> None:
        """Take what was said, and the words of the request."""
        self.counts: Counter[str] = Counter()
        self.words: set[str] = set()
        self.longest = 0
        self._said = said
        self._request = words

    def take_in(self, arguments: Mapping[str, JSON], tool: ToolWords) -> None:
        """Look at the arguments of one call."""
        self.counts["empty"] += not arguments
        optional = tool.properties.keys() - tool.required
        self.counts["optional"] += len(optional)
        self.counts["optional given"] += len(optional & arguments.keys())
        for name, value in _leaves(arguments):
            self._look_at(name, value, tool)

    def _look_at(self, name: str, value: JSON, tool: ToolWords) -> None:
        """Sort one value."""
        if self.counts["all"] >= _MOST_LEAVES:
            return
        self.counts["all"] += 1
        given = tool.properties.get(name)
        schema: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        if value is None or value == "":
            self.counts["null"] += 1
        elif isinstance(value, bool):
            self.counts["boolean"] += 1
            self.counts["default"] += schema.get("default") is value
        elif isinstance(value, str | int | float):
            self._compare(value, schema, required=name in tool.required)

    def _compare(self, value: str | float, schema: Mapping[str, Any], *, required: bool) -> None:
        """Compare a text or a number with the schema and with what was said."""
        if isinstance(value, str):
            self.words |= content_words(value)
            self.longest = max(self.longest, len(value))
        if _is_default(value, schema):
            self.counts["default"] += 1
            return
        finding = find(value, self._said)
        if _lists(schema):
            self.counts["listed"] += 1
            self.counts["listed unsaid"] += finding is Finding.UNSAID
        elif finding is Finding.UNSAID:
            self._count_unsaid(value, schema, required=required)
        else:
            self.counts[finding.value] += 1

    def _count_unsaid(self, value: str | float, schema: Mapping[str, Any], *, required: bool) -> None:
        """Count a value that nobody said."""
        self.counts["required unsaid" if required else "optional unsaid"] += 1
        self.counts["copied"] += str(value).lower() in str(schema.get("description", "")).lower()
        if not isinstance(value, str):
            self.counts["number unsaid"] += 1
            return
        self.counts["text unsaid"] += 1
        words = content_words(value)
        self.counts["text foreign"] += bool(words) and words.isdisjoint(self._request)

    def features(self) -> Iterator[tuple[str, float]]:
        """Name the numbers."""
        count = self.counts
        unsaid = count["required unsaid"] + count["optional unsaid"]
        every = max(1, count["all"])
        for kind in _KINDS:
            yield f"values {kind}", count[kind]
        yield "values unsaid share", unsaid / every
        yield "values required unsaid share", count["required unsaid"] / every
        yield "values optional given share", count["optional given"] / max(1, count["optional"])
        yield "values longest", log1p(self.longest)


_KINDS: Final = (
    *("all", "null", "boolean", "default", "empty", "optional", "optional given", "listed", "listed unsaid"),
    *("required unsaid", "optional unsaid", "text unsaid", "text foreign", "number unsaid", "copied"),
    *(Finding.UNSURE.value),
)


def _leaves(arguments: Mapping[str, JSON]) -> Iterable[tuple[str, JSON]]:
    """List the innermost values, each with the parameter it belongs to."""
    todo: list[tuple[str, JSON]] = list(arguments.items())
    while todo:
        name, value = todo.pop()
        if isinstance(value, dict):
            todo += [(name, inner) for inner in value.values()]
        elif isinstance(value, list):
            todo += [(name, inner) for inner in value]
        else:
            yield name, value


def _is_default(value: str | float, schema: Mapping[str, Any]) -> bool:
    """Tell whether a value is what the field has anyway, by its schema or by its description."""
    if "default" in schema and schema["default"] == value:
        return True
    told = _DEFAULT.search(str(schema.get("description", "")))
    return told is not None and str(value).lower() in told.group().lower()


def _lists(schema: Mapping[str, Any]) -> bool:
    """Tell whether a field allows listed values only."""
    items = schema.get("items")
    return bool(schema.get("enum") or (isinstance(items, Mapping) and items.get("enum")))
