"""The words that carry meaning in a text, and those of the tools, looked up by the words of a request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from reinforced_agent.policies.text.language import _FUNCTION_WORDS, _TOKEN
from reinforced_agent.tools.spec import ToolSpec


_REQUESTING: Final = frozenset(
    ("please", "need", "want", "like", "get", "give", "tell", "find", "show", "let", "make", "using", "use", "used")
)
"""Words that most requests hold, whatever they are about."""
_STOP: Final = _FUNCTION_WORDS | _REQUESTING

_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
"""A capital letter inside a sentence."""
_HUMP: Final = re.compile(r"([a-z])([A-Z])")
_ENDINGS: Final = (
    *("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ors", "or", "ed", "es", "s", "ly", "al", "e", "y"),
)
_SHORTEST_STEM: Final = 3


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    return frozenset(map(_stem, {*_TOKEN.findall(text.lower())} - _STOP))


def words_of_name(name: str) -> frozenset[str]:
    """Return the words of an identifier, such as `getWeather` or `get_weather`."""
    return content_words(re.sub(r"[_.-]", " ", _HUMP.sub(r"\1 \2", name)))


def numbers_in_digits(text: str) -> frozenset[str]:
    """Return the numbers that stand in a text in digits."""
    return frozenset(_NUMBER.findall(text))


def proper_names(text: str) -> frozenset[str]:
    """Return the capitalised words inside sentences."""
    return frozenset(_NAME.findall(text))


def text_of(schema: Mapping[str, Any] | object) -> str:
    """Return what the schema of a field says in words: its description and the values it lists."""
    if not isinstance(schema, Mapping):
        return ""
    listed = schema.get("enum")
    values = " ".join(map(str, listed)) if isinstance(listed, list) else ""
    return f"{schema.get('description') or ''} {values}"


def _stem(word: str) -> str:
    """Cut an inflection off, roughly."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


@dataclass(frozen=True, slots=True)
class ToolWords:
    """One tool by its words."""

    name: frozenset[str]
    description: frozenset[str]
    fields: frozenset[str]
    """The words of the parameters: names, descriptions, listed values."""
    properties: Mapping[str, Any]
    """The schemas of the parameters."""
    required: frozenset[str]

    @property
    def purpose(self) -> frozenset[str]:
        """The words of name and description."""
        return self.name | self.description

    @property
    def every(self) -> frozenset[str]:
        """All words."""
        return self.purpose | self.fields

    @classmethod
    def of(cls, spec: ToolSpec) -> ToolWords:
        """Take a tool apart."""
        found = spec.parameters.get("properties")
        properties: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
        required = spec.parameters.get("required")
        names = frozenset[str]().union(*map(words_of_name, properties))
        return cls(
            words_of_name(spec.name),
            content_words(spec.description or ""),
            names | content_words(" ".join(map(text_of, properties.values()))),
            properties,
            frozenset(map(str, required)) if isinstance(required, list) else frozenset(),
        )


class ToolIndex:
    """All tools of an agent; what a request has in common with each is found by its words, not by going through all."""

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        """Take the tools apart."""
        self.tools = {spec.name: ToolWords.of(spec) for spec in specs if spec.offered}
        self._by_name: dict[str, list[str]] = {}
        self._by_purpose: dict[str, list[str]] = {}
        for name, tool in self.tools.items():
            for word in tool.name:
                self._by_name.setdefault(word, []).append(name)
            for word in tool.purpose:
                self._by_purpose.setdefault(word, []).append(name)

    def fit(self, words: AbstractSet[str]) -> Fit:
        """Count what a request has in common with every tool it shares a word with."""
        name = Counter(tool for word in words for tool in self._by_name.get(word, ()))
        purpose = Counter(tool for word in words for tool in self._by_purpose.get(word, ()))
        return Fit(self, len(words), name, purpose)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well the tools fit a request by the words they share."""

    index: ToolIndex
    words: int
    """Words of the request that carry meaning."""
    name: Mapping[str, int]
    """Words of the request in the name of each tool."""
    purpose: Mapping[str, int]
    """Words of the request in the name or the description of each tool."""

    def named(self, tool: str) -> float:
        """Return the share of a tool's name that the request holds."""
        return self.name.get(tool, 0) / max(1, len(self.index.tools[tool].name))

    def of(self, tool: str) -> float:
        """Return how well a tool fits, from 0 to 2.5."""
        shared = self.purpose.get(tool, 0) + self.name.get(tool, 0)
        return shared / max(1, self.words) + self.named(tool) / 2

    def best_but(self, called: AbstractSet[str]) -> float:
        """Return how well the best of the tools that were not called fits."""
        return max((self.of(tool) for tool in self.purpose if tool not in called), default=0.0)

    def named_but(self, called: AbstractSet[str]) -> int:
        """Count the tools of several words that the request names in full, and that were not called."""
        return sum(
            hits > 1 and tool not in called and hits >= len(self.index.tools[tool].name)
            for tool, hits in self.name.items()
        )
