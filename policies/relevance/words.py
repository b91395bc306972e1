"""Take texts apart into the words that carry meaning, and tell whether a text is English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final


_FUNCTION_WORDS: Final = frozenset(
    word
    for line in (
        "a an the of in on at for to and or with by from s is are was were be been it its this that these",
        "those i me my we us our you your he him she his her they them their what which who whom how when",
        "where why can could would will shall should do does did have has had if as than then so not no any",
        "some all each into about over under between per up out more most also just only but there",
    )
    for word in line.split()
)
"""Words that hold English sentences together."""
_REQUESTING: Final = frozenset(
    ("please", "need", "want", "like", "get", "give", "tell", "find", "show", "let", "make", "using", "use", "used")
)
"""Words that most requests hold, whatever they are about."""
_STOP: Final = _FUNCTION_WORDS | _REQUESTING

_TOKEN: Final = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)?|[^\x00-\x7f]+")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
"""A capital letter inside a sentence."""
_HUMP: Final = re.compile(r"([a-z])([A-Z])")
_ENDINGS: Final = (
    *("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ors", "or", "ed", "es", "s", "ly", "al", "e", "y"),
)
_SHORTEST_STEM: Final = 3
_LAST_LATIN: Final = "\u024f"
_FEWEST_WORDS: Final = 4
"""A shorter request, such as "yes" or "the second one", says too little."""
_ENGLISH_SHARE: Final = 0.15
"""Function words among the words of an English request, at least."""


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    return frozenset(_stem(word) for word in _TOKEN.findall(text.lower()) if word not in _STOP)


def words_of_name(name: str) -> frozenset[str]:
    """Return the words of an identifier, such as `getWeather` or `get_weather`."""
    return content_words(re.sub(r"[_.-]", " ", _HUMP.sub(r"\1 \2", name)))


def numbers_in_digits(text: str) -> frozenset[str]:
    """Return the numbers that stand in a text in digits."""
    return frozenset(_NUMBER.findall(text))


def proper_names(text: str) -> frozenset[str]:
    """Return the capitalised words inside sentences."""
    return frozenset(_NAME.findall(text))


def is_plain_english(text: str) -> bool:
    """Tell whether a text is an English sentence or two; anything else can't be judged by its words."""
    words = _TOKEN.findall(text.lower())
    if len(words) < _FEWEST_WORDS or any(word[0] > _LAST_LATIN for word in words):
        return False
    return sum(word in _FUNCTION_WORDS for word in words) >= _ENGLISH_SHARE * len(words)


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
