"""The words of the tools, taken apart once, and looked up by the words of a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from reinforced_agent.policies.relevance.words import content_words, text_of, words_of_name
from reinforced_agent.tools.spec import ToolSpec


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
