"""A proposal as a scorer sees it, and the numbers that describe it, such as where its values come from."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p
from typing import Any, Final

from reinforced_agent.policies.grounding.matching import Finding, Said, find
from reinforced_agent.policies.relevance.tools import (
    Fit,
    ToolIndex,
    ToolWords,
    content_words,
    numbers_in_digits,
    proper_names,
)
from reinforced_agent.tools.call import JSON


_SENTENCE_END: Final = re.compile(r"[.?!](?:\s|$)")
_JOINT: Final = re.compile(r"\band\b|;|,")
_QUESTION_WORDS: Final = frozenset(("what", "who", "how", "when", "where", "why", "which", "what's"))
_LONG_WORD: Final = 4

_DEFAULT: Final = re.compile(r"default[^.]*", re.IGNORECASE)
"""The part of a description that tells the value a field has when it is left out."""
_MOST_LEAVES: Final = 200
"""Values of one proposal that are looked at."""

_KINDS: Final = (
    *("all", "null", "boolean", "default", "empty", "optional", "optional given", "listed", "listed unsaid"),
    *("required unsaid", "optional unsaid", "text unsaid", "text foreign", "number unsaid", "copied"),
    *(Finding.UNSURE.value),
)


@dataclass(frozen=True, slots=True)
class Proposed:
    """One call of a proposal."""

    tool: str
    arguments: Mapping[str, JSON]


@dataclass(frozen=True)
class Proposal:
    """A request and the calls that a model proposes for it."""

    request: str
    """The text of the user's message."""
    calls: Sequence[Proposed]
    index: ToolIndex
    """All tools on offer."""
    said: Sequence[str] = ()
    """What people said before; the request is added where it is missing."""

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the request that carry meaning."""
        return content_words(self.request)

    @cached_property
    def features(self) -> dict[str, float]:
        """The numbers that describe the proposal, by name."""
        known = [call for call in self.calls if call.tool in self.index.tools]
        values = self._values(known)
        return {
            **dict(_style(self.request)),
            **dict(_counts(known, self.request)),
            **dict(_fits(frozenset(call.tool for call in known), self)),
            **dict(values.features()),
            **dict(_coverage(known, values.words, self)),
        }

    @property
    def unused_numbers(self) -> frozenset[str]:
        """Numbers of the request that no call holds."""
        return numbers_in_digits(self.request) - numbers_in_digits(_written(self.calls))

    def _values(self, known: Sequence[Proposed]) -> Values:
        """Sort the values of all calls."""
        said = tuple(self.said)
        texts = said if self.request in said else (*said, self.request)
        values = Values(Said(texts), self.words)
        for call in known:
            values.take_in(call.arguments, self.index.tools[call.tool])
        return values


def _style(request: str) -> Iterator[tuple[str, float]]:
    """Describe how the request is written."""
    yield "request length", log1p(len(request))
    yield "request words", len(content_words(request))
    yield "request question marks", request.count("?")
    yield "request joints", len(_JOINT.findall(request.lower()))
    yield "request sentences", len(_SENTENCE_END.findall(request))
    yield "request numbers", len(numbers_in_digits(request))
    yield "request names", len(proper_names(request))
    yield "request quotes", request.count('"') + request.count("'")
    yield "request asks", request.lower().partition(" ")[0] in _QUESTION_WORDS


def _counts(calls: Sequence[Proposed], request: str) -> Iterator[tuple[str, float]]:
    """Describe how many calls there are, against how many things seem to be asked for."""
    tools = {call.tool for call in calls}
    joints = len(re.findall(r"\band\b", request.lower()))
    yield "calls", len(calls)
    yield "calls tools", len(tools)
    yield "calls same tool", len(calls) - len(tools)
    yield "calls same", len(calls) - len({json.dumps([c.tool, c.arguments], sort_keys=True) for c in calls})
    yield "calls per joint", len(calls) / (1 + joints)
    yield "calls beyond sentences", len(calls) - len(_SENTENCE_END.findall(request))


def _fits(called: frozenset[str], proposal: Proposal) -> Iterator[tuple[str, float]]:
    """Describe how well the called tools fit the request, and how well others would."""
    fit = proposal.index.fit(proposal.words)
    rows = [_fit_of(tool, fit, proposal.words) for tool in called] or [_NO_FIT]
    for name in _NO_FIT:
        values = [row[name] for row in rows]
        yield f"fit {name} least", min(values)
        yield f"fit {name} most", max(values)
    other = fit.best_but(called)
    yield "fit other", other
    yield "fit margin", min((fit.of(tool) for tool in called), default=0.0) - other
    yield "fit others named", fit.named_but(called)
    tools = [proposal.index.tools[tool] for tool in called]
    yield "fit parameters", max((len(tool.properties) for tool in tools), default=0)
    yield "fit required", max((len(tool.required) for tool in tools), default=0)


_NO_FIT: Final = dict.fromkeys(("name", "description", "request", "request everywhere", "request in name", "long"), 0.0)


def _fit_of(name: str, fit: Fit, words: frozenset[str]) -> dict[str, float]:
    """Describe how one tool fits."""
    tool: ToolWords = fit.index.tools[name]
    return {
        "name": fit.named(name),
        "description": _share(tool.description, words),
        "request": fit.purpose.get(name, 0) / max(1, len(words)),
        "request everywhere": _share(words, tool.every),
        "request in name": fit.name.get(name, 0) / max(1, len(words)),
        "long": sum(len(word) > _LONG_WORD for word in words & tool.purpose),
    }


def _coverage(calls: Sequence[Proposed], values: set[str], proposal: Proposal) -> Iterator[tuple[str, float]]:
    """Describe what of the request the calls leave out."""
    words = proposal.words
    covered = values.union(*(proposal.index.tools[call.tool].every for call in calls))
    written = _written(calls)
    numbers, names = numbers_in_digits(proposal.request), proper_names(proposal.request)
    unused = numbers - numbers_in_digits(written)
    unnamed = sum(name not in written for name in names)
    yield "left words", len(words - covered)
    yield "left words share", len(words - covered) / max(1, len(words))
    yield "left numbers", len(unused)
    yield "left numbers share", len(unused) / max(1, len(numbers))
    yield "left names", unnamed
    yield "left names share", unnamed / max(1, len(names))
    yield "values in request", _share(values, words)
    yield "request in values", _share(words, values)


def _share(part: frozenset[str] | set[str], whole: frozenset[str] | set[str]) -> float:
    """Return which share of one set lies in another."""
    return len(part & whole) / max(1, len(part))


def _written(calls: Sequence[Proposed]) -> str:
    """Write the arguments of all calls as one text."""
    return json.dumps([dict(call.arguments) for call in calls], ensure_ascii=False)


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
