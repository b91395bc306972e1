"""One name written differently, the nearest names, and paths and values as short texts that are safe for a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from rapidfuzz import fuzz, process

from reinforced_agent.policies.text.json import kind_of
from reinforced_agent.tools.call import JSON


_SEPARATORS = re.compile(r"[-_.\s]+")
_WORD_SEPARATORS = re.compile(r"(?<=\w)[-_\s]+(?=\w)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST_COMPARED = 100
NEAR = 60.0
"""Likeness from 0 to 100 from which on a name is suggested."""

_LONGEST: Final = 48
_LONGEST_SENTENCE: Final = 200
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])|(?<=[。！？])|\n")
_PLAIN_KEY = re.compile(r"[\w-]+")
_SAFE = re.compile(r"[^`{}\[\]<>\\\"\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*")


def fold_words(name: str) -> str:
    """Reduce a name to its words: `getWeather`, `get-weather` and `Get.Weather` become `get_weather`.

    Words are kept apart, so that `re_sign` never becomes `resign`.
    """
    return _SEPARATORS.sub("_", _HUMP.sub("_", name.strip())).casefold()


def fold_key(name: str) -> str:
    """Reduce a field name to its letters and digits: `calendarId` and `calendar_id` become `calendarid`."""
    return _SEPARATORS.sub("", name).casefold()


def fold_value(text: str) -> str:
    """Reduce an allowed value: case, outer white space and the separator between words don't count.

    A sign in front or behind stays, because `A-` is not `A` and `-1` is not `1`.
    """
    return _WORD_SEPARATORS.sub("_", text.strip()).casefold()


def nearest(written: str, names: Iterable[str], *, most: int = 3, floor: float = NEAR) -> tuple[str, ...]:
    """Return the names that look most like the written one, nearest first.

    Args:
        written: What was written.
        names: What could have been meant.
        most: How many to return at most.
        floor: Likeness from 0 to 100 below which a name is left out.

    """
    return tuple(name for name, _ in likeness(written, names, most=most, floor=floor))


def likeness(
    written: str, names: Iterable[str], *, most: int = 3, floor: float = NEAR
) -> tuple[tuple[str, float], ...]:
    """Return the nearest names with their likeness from 0 to 100, nearest first and equal ones by name."""
    return _compare(written, prepared(names), most, floor)


def prepared(names: Iterable[str]) -> dict[str, str]:
    """Fold names once for many comparisons: name → its words, in the order of the alphabet."""
    return {name: fold_words(name) for name in sorted(names)}


def nearest_of(written: str, folded: Mapping[str, str], *, most: int, floor: float) -> tuple[str, ...]:
    """Return the names that look most like the written one, out of prepared ones."""
    return tuple(name for name, _ in _compare(written, folded, most, floor))


def _compare(written: str, folded: Mapping[str, str], most: int, floor: float) -> tuple[tuple[str, float], ...]:
    words = fold_words(written[:_LONGEST_COMPARED])
    found = process.extract(words, folded, scorer=fuzz.ratio, limit=most, score_cutoff=floor)
    return tuple((name, score) for _, score, name in found)


def path_text(path: Iterable[str | int]) -> str:
    """Write a path as `items[0].sku`; steps that are no plain names appear in quotes, shortened."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step) and len(step) <= _LONGEST:
            text += f".{step}" if text else step
        else:
            label = shown(step) or "…"
            text += f"[{label!r}]" if text else label
    return text


def shown(value: JSON) -> str | None:
    """Write a short scalar value as it may be shown; `None` for anything that had better not be repeated."""
    if isinstance(value, dict | list):
        return None
    try:
        text = value if isinstance(value, str) else json.dumps(value)
    except ValueError:
        return None
    if not text.strip() or len(text) > _LONGEST or not _SAFE.fullmatch(text):
        return None
    return text


def first_sentence(text: str) -> str:
    """Return the first sentence of a description without its full stop, cut where it is long."""
    sentence = _SENTENCE.split(text.strip(), maxsplit=1)[0].strip().rstrip(".。")
    return sentence if len(sentence) <= _LONGEST_SENTENCE else f"{sentence[:_LONGEST_SENTENCE].rstrip()} …"


def got_facts(value: JSON) -> Mapping[str, str]:
    """Describe a wrong value: its JSON type in `got`, and the value itself where it is short and harmless."""
    text = shown(value)
    return {"got": kind_of(value)} if text is None or value is None else {"got": kind_of(value), "value": text}


def code_list(values: Iterable[JSON]) -> str:
    """Write values as a list in code marks: "`a`, `b`"."""
    return ", ".join(
        f"`{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}`" for value in values
    )
