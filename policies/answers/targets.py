"""Read from words and from arguments what something was done to: ids, addresses, amounts, names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final


_ID: Final = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w$€£¥.,:/@])#?(?=[\w-]*\d)[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*(?![\w%@:]|[.,/]\d)"
)
_NO_ID: Final = re.compile(
    r"#?(?:\d{4}-\d{1,2}-\d{1,2}(?:T.*)?|\d{1,2}(?:st|nd|rd|th)|\d+(?:am|pm|h|min|km|kg|gb|mb|x|k|m|s|ms|days?|hours?)|(?:19|20)\d\d|[1-9]\d?)",
    re.IGNORECASE,
)
_GROUPS: Final = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: [A-Z0-9]{1,4})?\b|\b(?:\d{4}[ -]){3}\d{4}\b")
_SENDER: Final = re.compile(r"\bfrom (?:[\w']+ ){0,4}\(?[\w.+-]+@[\w.-]+", re.IGNORECASE)
_DATES: Final = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:T[\d:.]+Z?)?|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d+:\d+")
_AMOUNT: Final = re.compile(
    r"(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF|CNY|RMB)\s?)(\d[\d,]*(?:\.\d+)?)"
    r"|(?<![\w.,])(\d[\d,]*(?:\.\d+)?)\s?(?:dollars?|euros?|pounds?|francs?|USD|EUR|GBP|CHF|CNY|RMB|元|美元|欧元|块)",
    re.IGNORECASE,
)
_MONEY_KEYS: Final = re.compile(r"amount|sum\b|total|price|value|金额", re.IGNORECASE)
_KEY_WORD: Final = re.compile(r"[A-Z]?[a-z]+")
_VAGUE: Final = frozenset(
    ["id", "ids", "no", "number", "code", "key", "name", "user", "the", "new", "old", "num", "ref"]
)
_RECIPIENT: Final = re.compile(
    r"^(?:to|cc|with|members?|username|collaborators?|recipients?|emails?|participants?|attendees?|invitees?|guests?|users?|names?|assignee|person|people|who|contacts?)$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]{2,}\b")
_TOKEN: Final = re.compile(r"[\w.+-]+@[\w.-]+|#?\w+(?:[-_]\w+)*")
_APART: Final = re.compile(r"[#_-]")


def compact(word: str) -> str:
    """Write an id without marks, in lower case."""
    return _APART.sub("", word).lower()


def ids_in(text: str) -> tuple[str, ...]:
    """List what looks like an id or an address."""
    text = _SENDER.sub(" ", text)
    whole = _GROUPS.sub(lambda one: re.sub(r"[ -]", "", one[0]), text)
    found = _ID.finditer(_DATES.sub(" ", _AMOUNT.sub(" ", whole)))
    return tuple(dict.fromkeys(one[0].rstrip(".-") for one in found if not _NO_ID.fullmatch(one[0])))


@lru_cache(maxsize=512)
def tokens_of(text: str) -> frozenset[str]:
    """List the words and ids of a text, written plainly."""
    words = [compact(word) for word in _TOKEN.findall(text)]
    parts = [part.lower() for word in _TOKEN.findall(text) for part in re.findall(r"[^\W_]+", word)]
    return frozenset([*words, *parts])


def shape(word: str) -> str:
    """Return how an id is made: letters, digits, and how many; ids that begin with the same letters are alike."""
    plain = compact(word)
    if "@" in plain:
        return "@"
    if found := re.fullmatch(r"([a-z]+)\d+", plain):
        return f"{found[1]}9"
    return re.sub(r"\d", "9", re.sub(r"[^\W\d]", "a", plain))


def scalars(value: Any, key: str = "") -> Iterator[tuple[str, str | int | float]]:
    """List the plain values within arguments, each with its key."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from scalars(inner, str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from scalars(inner, key)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield key, value


def strange_ids(
    text: str, arguments: Iterable[Mapping[str, Any]], words: frozenset[str], results: str = ""
) -> list[str]:
    """List the ids in a text that are of the sort that calls had, and that no call had."""
    values = [pair for one in arguments for pair in scalars(one)]
    shapes = {shape(item) for _, value in values if isinstance(value, str) for item in ids_in(value)}
    shapes |= {shape(item) for item in ids_in(results[:2_000]) if not item.isdigit()}
    shapes |= {
        shape(str(value)) for key, value in values if isinstance(value, int) and re.search(r"id$|number$|no$", key)
    }
    found = [one for one in ids_in(text) if shape(one) in shapes]
    found += [one for key, _ in values for one in _named_by(key, text)]
    return [one for one in dict.fromkeys(found) if compact(one) not in words]


def _named_by(key: str, text: str) -> Iterator[str]:
    """List the numbers that stand behind the word for an argument: "record 9" for `record_id`."""
    if not re.search(r"(?:id|no|number|code|reference)s?$", key, re.IGNORECASE):
        return
    for word in _KEY_WORD.findall(key):
        if word.lower() not in _VAGUE and len(word) > 2:  # noqa: PLR2004  # shorter ones say nothing
            pattern = (
                rf"\b{word}\s*(?:id|number|no\.?|#|:|：)*\s*(#?[A-Za-z]*\d[\w-]*)(?!\w|[.,:]\d|\s?(?:%|days|hours))"
            )
            yield from (found[1].rstrip("-") for found in re.finditer(pattern, _DATES.sub(" ", text), re.IGNORECASE))


def strange_amount(text: str, arguments: Iterable[Mapping[str, Any]], results: str) -> str | None:
    """Return the amount of money that a text names and that calls with amounts did not have."""
    named = list(_AMOUNT.finditer(text))
    amounts = [
        [float(value) for key, value in scalars(one) if _MONEY_KEYS.search(key) and isinstance(value, int | float)]
        for one in arguments
    ]
    if len(named) != 1 or not amounts or not all(amounts):
        return None
    said = float((named[0][1] or named[0][2]).replace(",", ""))
    flat = [value for some in amounts for value in some]
    known = [
        *flat,
        sum(flat),
        *(float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", results)[:500]),
    ]
    return None if any(abs(abs(one) - said) < max(0.51, said * 0.005) for one in known) else named[0][0]  # rounding


def strange_name(text: str, request: str, arguments: Iterable[Mapping[str, Any]], words: frozenset[str]) -> str | None:
    """Return a name of the request that a text names and no call had, where the calls had other names of it."""
    asked = {found.lower() for found in _NAME.findall(request)}
    values = [str(value) for one in arguments for key, value in scalars(one) if _RECIPIENT.match(key)]
    had = {part for value in values for part in tokens_of(value)}
    if not asked & had:
        return None
    named = [found for found in re.findall(r"\b[A-Za-z]{3,}\b", text) if found.lower() in asked]
    return next((name for name in named if name.lower() not in words), None)


def strange_han_name(text: str, arguments: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the Chinese name behind "to" in a text, where the calls went to other Chinese names."""
    values = [str(value) for one in arguments for key, value in scalars(one) if _RECIPIENT.match(key)]
    had = [value for value in values if re.fullmatch(r"[\u4e00-\u9fff]{2,4}", value)]
    named = re.search(r"[转发汇寄]?给([\u4e00-\u9fff]{2,4})$", text.rstrip("。！!了 "))
    return named[1] if named and had and not any(name in text for name in had) else None


def as_arguments(text: str) -> Mapping[str, Any]:
    """Read arguments that were written as JSON; nothing where they are none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
