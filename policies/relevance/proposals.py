"""A proposal as a scorer sees it, and the numbers that describe it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p
from typing import Final

from reinforced_agent.policies.grounding.matching import Said
from reinforced_agent.policies.relevance.tools import Fit, ToolIndex, ToolWords
from reinforced_agent.policies.relevance.values import Values
from reinforced_agent.policies.relevance.words import content_words, numbers_in_digits, proper_names
from reinforced_agent.tools.call import JSON


_SENTENCE_END: Final = re.compile(r"[.?!](?:\s|$)")
_JOINT: Final = re.compile(r"\band\b|;|,")
_QUESTION_WORDS: Final = frozenset(("what", "who", "how", "when", "where", "why", "which", "what's"))
_LONG_WORD: Final = 4


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
