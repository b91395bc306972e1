"""Find the numbers that a text says, alone and in lists, and how near each stands to the words of a field."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reinforced_agent.models.local.choice import SMALL, words


_NUMBER = re.compile(
    r"(?<![\w.,:/^-])(?<!\d-)-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?![\d/:]|-\d|\w?\^|[xyz]\b)"
    r"(?P<sign>\s?%|\s?percent)?",
    re.IGNORECASE,
)
"""Also the factor of a variable, as in 2x, is none."""
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS[2:])})\b", re.IGNORECASE)
_POWERS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3, "m": 1e6, "b": 1e9}
_POWER = re.compile(r"\s(?i:thousand|million|billion)\b")
_LETTER = re.compile(r"[kmb]\b", re.IGNORECASE)
"""Counts only behind an amount of money: 300K are kelvins, and 5m metres."""
_MONEY = re.compile(r"[$€£¥]\s?$")
_FRACTION, _PERCENT = re.compile(r"decimal|fraction|\b0?\.\d", re.IGNORECASE), re.compile(r"percent|%", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;]*+(?:and|&)?+\s*+")
_NAME_COUNTS = 2.0
"""A word of a field's name counts as much as so many of its description."""


@dataclass(frozen=True)
class Stated:
    """A number, or a list of numbers, as a text says it."""

    value: Any
    start: int
    end: int
    percent: bool = False
    spelt: bool = False
    """Whether it stands there in letters, where it often only counts what is spoken of."""

    def written(self, kind: str, about: str) -> str | None:
        """Write the value as JSON for a field; None where its type does not hold it.

        Args:
            kind: JSON Schema type of the field.
            about: the description of the field: 8% is 0.08 unless it asks for percent and for no fraction.
        """
        value = self.value
        if self.percent and kind == "number" and (_FRACTION.search(about) or not _PERCENT.search(about)):
            value = round(value / 100, 10)
        if kind == "integer" and value != int(value):
            return None
        return json.dumps(int(value) if value == int(value) else value)


def stated_numbers(text: str) -> list[Stated]:
    """Return the numbers of a text in their order; digits inside of words, dates and times are none."""
    found = [_stated(match, text) for match in _NUMBER.finditer(text)]
    found += [
        Stated(float(_COUNTS.index(match[0].lower())), match.start(), match.end(), spelt=True)
        for match in _COUNT.finditer(text)
    ]
    return sorted(found, key=lambda one: one.start)


def _stated(match: re.Match[str], text: str) -> Stated:
    value = float(match[0].removesuffix(match["sign"] or "").replace(",", ""))
    power = _POWER.match(text, match.end()) or (
        _LETTER.match(text, match.end()) if _MONEY.search(text[max(0, match.start() - 2) : match.start()]) else None
    )
    factor = _POWERS[power[0].strip().lower()] if power else 1.0
    return Stated(value * factor, match.start(), power.end() if power else match.end(), bool(match["sign"]))


def stated_lists(text: str) -> list[Stated]:
    """Return the runs of numbers with nothing but commas, blanks and "and" between them."""
    runs: list[list[Stated]] = []
    for number in stated_numbers(text):
        if runs and _BETWEEN.fullmatch(text[runs[-1][-1].end : number.start]):
            runs[-1].append(number)
        else:
            runs.append([number])
    return [Stated([one.value for one in run], run[0].start, run[-1].end) for run in runs if len(run) > 1]


@dataclass(frozen=True)
class Nearness:
    """How near places of a text stand to the words of each field."""

    text: str
    fields: Mapping[str, Any]
    """Schema of each field."""

    def of(self, name: str, place: Stated) -> float:
        """Return the weights of the words of a field, each divided by its distance in words."""
        weights = self._weights[name]
        nearest: dict[str, int] = {}
        for word, distance in self._around(place):
            # A letter names a value only right before it, as in a=1; else it may be an article.
            if word in weights and (len(word) > 1 or distance == 1):
                nearest[word] = min(distance, nearest.get(word, distance))
        return sum(weights[word] / distance for word, distance in nearest.items())

    def margin(self, name: str, place: Stated, others: Sequence[str]) -> float:
        """Return by how much a place is nearer to one field than to the nearest of the others."""
        return self.of(name, place) - max((self.of(other, place) for other in others), default=0.0)

    def _around(self, place: Stated) -> Iterator[tuple[str, int]]:
        before, after = words_in_order(self.text[: place.start]), words_in_order(self.text[place.end :])
        yield from ((word, distance) for distance, word in enumerate(reversed(before), 1))
        yield from ((word, distance) for distance, word in enumerate(after, 1))

    @cached_property
    def _weights(self) -> dict[str, dict[str, float]]:
        """Weights of the words of each field; a word that several fields share counts less for each of them."""
        every = {field: words(f"{field} {_about(schema)}") for field, schema in self.fields.items()}
        spread = Counter(word for known in every.values() for word in known)
        return {field: self._own_weights(words(field), known, spread) for field, known in every.items()}

    def _own_weights(self, own: set[str], known: set[str], spread: Mapping[str, int]) -> dict[str, float]:
        return {
            word: (_NAME_COUNTS if word in own else 1.0) / spread[word]
            for word in known
            if word in own or (len(word) > 1 and word not in SMALL)
        }


def words_in_order(text: str) -> list[str]:
    """Return the words of a text as the experts compare them."""
    return [word for part in re.findall(r"[^\W_]+", text.lower()) for word in words(part)]


def _about(schema: Any) -> str:
    return str(schema.get("description") or "") if isinstance(schema, Mapping) else ""
