"""Passages of private results: runs of characters that a text has in common with one, in linear time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reinforced_agent.policies.egress.hosts import LONGEST_KEPT


SHORTEST: Final = 40
"""Characters of a passage, as it stands in the result."""
_SIGN: Final = re.compile(r"[^\W_]")
_BLOCK: Final = 10
"""Letters and digits by which a passage is found; one of this length always has two blocks and more."""
_MOST_PLACES: Final = 8
"""Places of one block that are looked at."""


@dataclass(frozen=True, slots=True)
class _Index:
    text: str
    """The letters and digits of a result."""
    at: Sequence[int]
    """Where each of them stands in it."""
    blocks: Mapping[str, Sequence[int]]


def passage_in(result: str, forms: Sequence[str]) -> str:
    """Return a passage of a result, without its gaps, that one of the squeezed forms holds; empty where none does."""
    index = _kept_index(str(result)) if len(result) <= LONGEST_KEPT else _index(result)
    return next((found for form in forms if (found := _common(index, form))), "")


@lru_cache(maxsize=128)
def _kept_index(text: str) -> _Index:
    return _index(text)


def _index(text: str) -> _Index:
    read = unicodedata.normalize("NFKC", text).casefold()
    at: Sequence[int] = range(len(text))
    if len(read) != len(text):
        # One character at a time, so that places stay known.
        pieces = [unicodedata.normalize("NFKC", one).casefold() for one in text]
        read, at = "".join(pieces), [place for place, piece in enumerate(pieces) for _ in piece]
    kept = [match.start() for match in _SIGN.finditer(read)]
    plain = "".join(map(read.__getitem__, kept))
    blocks: dict[str, list[int]] = {}
    for start in range(0, len(plain) - _BLOCK + 1, _BLOCK):
        places = blocks.setdefault(plain[start : start + _BLOCK], [])
        if len(places) < _MOST_PLACES:
            places.append(start)
    return _Index(plain, [at[place] for place in kept], blocks)


def _common(index: _Index, form: str) -> str:
    for start in range(len(form) - _BLOCK + 1):
        for place in index.blocks.get(form[start : start + _BLOCK], ()):
            first, last = _extended(index.text, place, form, start)
            if index.at[last] - index.at[first] + 1 >= SHORTEST:
                return index.text[first : last + 1]
    return ""


def _extended(text: str, place: int, form: str, start: int) -> tuple[int, int]:
    """Return the first and the last place of a run in a text, as far as a passage needs to be."""
    back = 0
    while back < min(place, start, SHORTEST) and text[place - back - 1] == form[start - back - 1]:
        back += 1
    most = min(len(text) - place, len(form) - start, SHORTEST)
    ahead = _BLOCK
    while ahead < most and text[place + ahead] == form[start + ahead]:
        ahead += 1
    return place - back, place + ahead - 1
