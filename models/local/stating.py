"""State a result: the model words the opening and ranks the fields; every value is copied whole, beside its own label.

A small model that writes a result word by word mixes its fields up. So it is given the pen only for what needs words,
and points at the rest: which field comes first is what it finds most likely to follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reinforced_agent.models.local.dates import iso_dates
from reinforced_agent.models.local.engine import Engine, Reading


MOST_ITEMS = 8
"""Items of a list that are stated; the rest is counted."""
MOST_OPENING = 28
"""Tokens of the opening at most."""

_LONGEST_TEXT = 160
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d[\w.:/-]*")
_OPEN_END = re.compile(r"[\w%°€$' -]+")
# Words that may link those of the request; none of them asserts anything.
_LINKS = frozenset(
    {"a", "about", "an", "and", "as", "at", "by", "for", "from", "in", "it", "of", "on", "the", "to", "with"}
)
# Where these begin, an opening would say what is so; that is up to the result.
_ASSERTING = frozenset({"are", "be", "been", "can", "did", "does", "has", "have", "is", "not", "was", "were", "will"})
_DANGLING = re.compile(r"(?<!\s)(?:\s++(?:" + "|".join(sorted(_LINKS)) + r")(?!\S)){1,20}$", re.IGNORECASE)
_BARE = frozenset({"", "value", "result", "answer"})
"""Labels that say nothing about the value."""


@dataclass(frozen=True)
class Fact:
    """One thing that a result says."""

    label: str
    """The name of the field in words; empty where the value stands for itself."""
    value: str

    def __str__(self) -> str:
        """Write the fact as it is stated."""
        return f"{self.label}: {self.value}" if self.label else self.value


def facts_of(outcome: str) -> list[Fact]:
    """Take a result apart into facts; empty for longer prose."""
    value = _value(outcome)
    return [] if value is None else _facts(value)


def _value(outcome: str) -> Any:
    """Read the JSON of a result, also behind a line that says where it comes from; short text stands for itself."""
    for text in (outcome, outcome.partition("\n")[2]):
        try:
            return json.loads(text)
        except ValueError:
            continue
    return outcome if len(outcome) <= _LONGEST_TEXT and "\n" not in outcome and outcome.strip() else None


def _facts(value: Any, label: str = "") -> list[Fact]:
    match value:
        case Mapping():
            return [fact for key, inner in value.items() for fact in _facts(inner, _words(f"{label} {key}"))]
        case [Mapping(), *_]:
            items = [Fact("", f"{number}) {_item(item)}") for number, item in enumerate(value[:MOST_ITEMS], 1)]
            more = len(value) - MOST_ITEMS
            return [*items, Fact("", f"and {more} more")] if more > 0 else items
        case list():
            return [Fact(label, ", ".join(map(_plain, value)) or "none")]
        case None | "":
            return []
        case _:
            return [Fact(label, _plain(value))]


def _item(item: Any) -> str:
    return ", ".join(map(str, _facts(item))) if isinstance(item, Mapping) else _plain(item)


def _words(key: str) -> str:
    return key.replace("_", " ").strip()


def _plain(value: Any) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case float() if value.is_integer():
            return str(int(value))
        case str():
            return " ".join(value.split())
        case _:
            return json.dumps(value, ensure_ascii=False)


def state(
    engine: Engine, reading: Reading, request: str, arguments: Mapping[str, Any], facts: Sequence[Fact]
) -> tuple[str, int]:
    """State the facts of a result.

    Args:
        engine: The model.
        reading: The prompt up to where the answer begins.
        request: What the user asked.
        arguments: Arguments of the call; what the result only repeats of them needs no stating after an opening.
        facts: At least one.

    Returns:
        The answer, and how many tokens the model chose.
    """
    repeated = {_plain(value) for value in arguments.values() if isinstance(value, str)}
    vocabulary = Vocabulary.of(request, " ".join(_plain(value) for value in arguments.values()), facts)
    opening, tokens = _opening(engine, reading, vocabulary)
    for fact in facts:
        opening = _DANGLING.sub("", opening.removesuffix(f" {fact.label}"))
    if " " not in opening or _is_partial(opening, repeated):
        return f"{'; '.join(map(str, facts))}.", tokens
    new = [fact for fact in facts if fact.value not in repeated or not _is_told(fact.value, opening)] or facts
    if len(new) == 1 and (new[0].label in _BARE or new[0].label in opening.lower()):
        return f"{opening} is {new[0].value}.", tokens
    ranked = _ranked(engine, engine.read(engine.encode(f"{opening}:"), reading), new)
    return f"{opening}: {'; '.join(map(str, ranked))}.", tokens


def _is_told(value: str, opening: str) -> bool:
    return (
        value.lower() in opening.lower() or value in iso_dates(opening) or _numbers(value) == _numbers(opening) != set()
    )


def _is_partial(opening: str, values: Iterable[str]) -> bool:
    """Tell whether an opening names only some of the numbers of one value, and so would claim something else."""
    said = set(_NUMBER.findall(opening))
    return any(0 < len(said & numbers) < len(numbers) for numbers in map(set, map(_NUMBER.findall, values)))


@dataclass(frozen=True)
class Vocabulary:
    """What an opening may be made of."""

    words: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, request: str, called: str, facts: Sequence[Fact]) -> Vocabulary:
        """Collect the words of the request, the call and the labels, and the numbers that the call really had.

        A number of the request that the call left out must not stand beside the result as if it had counted.
        """
        labels = " ".join(fact.label for fact in facts)
        spoken = _WORD.findall(f"{request} {called} {labels}".lower())
        words = {*spoken, *_LINKS, "answer", "result"} - _ASSERTING
        numbers = _numbers(called)
        if set(iso_dates(request)) & set(iso_dates(called)):
            # The same day, written in another way.
            numbers |= _numbers(request)
        return cls(frozenset(words), frozenset(numbers))

    def begins(self, text: str) -> bool:
        """Tell whether a text, its last word or number perhaps under way, is made of it, each number used once."""
        numbers, words = _NUMBER.findall(text), _WORD.findall(text.lower())
        *done, last = [*words] or [""]
        fits = all(word in self.words for word in done) and any(word.startswith(last) for word in self.words)
        known = all(any(one.startswith(number) for one in self.numbers) for number in numbers)
        return bool(_OPEN_END.fullmatch(text)) and fits and known and len(numbers) == len(set(numbers))

    def has(self, word: str) -> bool:
        """Tell whether a whole word or number belongs to it."""
        if any(character.isdigit() for character in word):
            return {number.rstrip(".:/-") for number in _NUMBER.findall(word)} <= self.numbers
        return all(part in self.words for part in _WORD.findall(word.lower()))


def _numbers(text: str) -> set[str]:
    return {*(number.rstrip(".:/-") for number in _NUMBER.findall(text)), *iso_dates(text)}


def _opening(engine: Engine, reading: Reading, vocabulary: Vocabulary) -> tuple[str, int]:
    """Let the model begin, for as long as it speaks of what was said."""
    own, text, tokens = engine.fork(reading), "", 0
    while tokens < MOST_OPENING:
        token = int(own.logits[-1].argmax())
        piece = engine.token_texts[token]
        if token == engine.end or piece is None or not vocabulary.begins(text + piece):
            break
        text, tokens = text + piece, tokens + 1
        own = engine.extend(own, [token])
    words = text.split()
    while words and not vocabulary.has(words[-1]):
        words.pop()
    kept = _DANGLING.sub("", " ".join(words)).strip()
    return kept, tokens


def _ranked(engine: Engine, after: Reading, facts: Sequence[Fact]) -> list[Fact]:
    """Put first what the model finds likeliest to come first; the items of a list keep their order."""
    labelled = [fact for fact in facts if fact.label]
    options = [engine.encode(f" {fact.label}:") for fact in labelled]
    scores = engine.log_probabilities(after, options) if options else []
    means = {fact: score / len(option) for fact, score, option in zip(labelled, scores, options, strict=True)}
    return [*sorted(labelled, key=lambda fact: -means[fact]), *(fact for fact in facts if not fact.label)]
