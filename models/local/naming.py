"""Find what a text may name: spans of a few words, and enumerations of such spans."""

import re
from collections.abc import Iterator
from itertools import combinations, islice, product

from reinforced_agent.models.local.fitting import content


MOST_WORDS = 4
"""Words of a name at most."""
MOST_SPANS = 48
"""Spans and enumerations that are weighed."""
_PARTS = re.compile(r"[^\w\s'&/-]+")
_LINK = re.compile(r"(?:(?<!\s)\s++)?,\s*+(?:(?:and|or)\s++)?|(?<!\s)\s++(?:and|or)\s++")
_END = re.compile(r"(?<![.;:!?()|])[.;:!?()|]++(?=\s|$)")


def names(text: str) -> list[str]:
    """Return spans of up to four words in a row, without a small word at either end."""
    return list(islice(dict.fromkeys(span for part in _PARTS.split(text) for span in _spans(part.split())), MOST_SPANS))


def _spans(told: list[str]) -> Iterator[str]:
    for start, end in combinations(range(len(told) + 1), 2):
        if end - start <= MOST_WORDS and content(told[start]) and content(told[end - 1]):
            yield " ".join(told[start:end])


def enumerations(text: str) -> list[list[str]]:
    """Return lists that the text may mean: "A, B and C", where the first may begin and the last may end elsewhere."""
    found: list[list[str]] = []
    for sentence in _END.split(text):
        first, *inner = _LINK.split(sentence)
        if inner:
            *middle, last = inner
            found += [[head, *middle, tail] for head, tail in product(_endings(first), _beginnings(last))]
    return [[_plain(item) for item in items] for items in found[:MOST_SPANS] if all(map(content, items))]


def _endings(text: str) -> list[str]:
    told = text.split()[-MOST_WORDS:]
    return [" ".join(told[start:]) for start in reversed(range(len(told))) if content(told[start])]


def _beginnings(text: str) -> list[str]:
    told = re.sub(r"^(?:the|an?)\s+", "", text, flags=re.IGNORECASE).split()[:MOST_WORDS]
    return [" ".join(told[:end]) for end in range(1, len(told) + 1) if content(told[end - 1])]


def _plain(item: str) -> str:
    return re.sub(r"^(?:the|an?)\s+", "", item.strip(), flags=re.IGNORECASE)
