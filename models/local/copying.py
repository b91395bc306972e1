"""Copy values of the request: its words are likelier in a value than words that the user never wrote."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from reinforced_agent.models.local.choice import SMALL
from reinforced_agent.models.local.decode import Cursor
from reinforced_agent.models.local.prompt import Tool


STRENGTH = 5.0
"""Natural-log weight of what the request says; chosen on development requests."""
MOST_WORDS = 4
"""Words of a name at most."""
MOST_SPANS = 48
"""Spans of a request that are weighed."""
_REACH = 14
_BEGIN = re.compile(r"""(?<![^\s"'(\[,;:])\S""")
"""Where a value may begin: not in the middle of an address or an order number."""
_INSIDE = re.compile(r"(?<!\w)\S")
_COPIED_WHOLE = frozenset({"email", "uri", "uuid", "hostname", "ipv4", "ipv6"})
"""Formats whose values are copied letter by letter or not at all."""
_PARTS_OF_WORDS = re.compile(r"[^\W_]+")
_END = re.compile(r"[^\w\s]*(?:\s|$)")
_PARTS = re.compile(r"[^\w\s'&/-]+")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_FORMS = tuple(
    re.compile(rf"\b{form}\b", re.IGNORECASE)
    for form in (
        rf"{_YEAR}-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})",
        rf"{_YEAR}/(?P<month>\d{{1,2}})/(?P<day>\d{{1,2}})",
        rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_YEAR}",
        rf"{_DAY}(?:\s+of)?\s+{_MONTH},?\s+{_YEAR}",
        rf"{_MONTH}\s+(?:the\s+)?{_DAY},?\s+{_YEAR}",
    )
)


@dataclass(frozen=True)
class Copying:
    """What may be copied into one field."""

    sources: Sequence[str]
    """Texts to copy from."""
    date: bool = False
    """Whether the field holds a date as YYYY-MM-DD: the dates of the sources are offered in that form."""
    weight: float = 1.0
    """How much it counts that a value stands in the sources."""

    def wishes(self, cursor: Cursor) -> dict[str, float]:
        """Return texts that continue the open value as a copy, with the natural log of their bonus.

        The empty text stands for the end of the value.
        """
        if cursor.value is None:
            return {}
        wishes: dict[str, float] = {}
        sources = [date for source in self.sources for date in iso_dates(source)] if self.date else self.sources
        for source in sources:
            for text, whole in continuations(cursor.value, source):
                bonus = STRENGTH * self.weight * (1.0 if whole else 0.5)
                wishes[text] = max(bonus, wishes.get(text, 0.0))
        return wishes


def continuations(value: str, source: str) -> Iterable[tuple[str, bool]]:
    """Yield what follows `value` in `source`, and whether all of the value is copied or its last word alone."""
    lowered, searched = value.lower(), source.lower()
    whole = False
    for start in (match.start() for match in _BEGIN.finditer(source)):
        if searched.startswith(lowered, start):
            whole = True
            rest = source[start + len(value) :]
            yield from ((text, True) for text in _pieces(rest, capital=not value))
            if value and _END.match(rest):
                yield "", True
    if whole or not value:
        return
    last = re.split(r"\W", lowered)[-1]
    for start in (match.start() for match in _INSIDE.finditer(source)):
        if searched.startswith(last, start):
            yield from ((text, False) for text in _pieces(source[start + len(last) :], capital=False))


def _pieces(rest: str, *, capital: bool) -> Iterable[str]:
    for length in range(1, min(_REACH, len(rest)) + 1):
        piece = rest[:length]
        if '"' in piece or "\\" in piece or "\n" in piece:
            return
        yield piece
        if capital:
            yield piece[0].upper() + piece[1:]


def iso_dates(text: str) -> list[str]:
    """Return the dates of a text in their order of form, each as YYYY-MM-DD; 31 November is returned like any other."""
    return [_iso(match) for form in _FORMS for match in form.finditer(text)]


def _iso(match: re.Match[str]) -> str:
    month = match["month"].lower()
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1
    return f"{match['year']}-{number:02d}-{int(match['day']):02d}"


def spans(text: str) -> list[str]:
    """Return up to four words of a text in a row, without a small word at either end."""
    runs = (
        told[start:end]
        for told in map(str.split, _PARTS.split(text))
        for start in range(len(told))
        for end in range(start + 1, min(start + MOST_WORDS, len(told)) + 1)
    )
    found = (" ".join(run) for run in runs if not {run[0].lower(), run[-1].lower()} & SMALL)
    return list(islice(dict.fromkeys(found), MOST_SPANS))


def unsaid(tool: Tool, arguments: Mapping[str, Any], said: str) -> list[str]:
    """Return the required fields whose value has a form of its own and occurs in nothing that was said.

    Free text and plain numbers are left alone: they may be put in other words.
    """
    required = tool.parameters.get("required") or ()
    written = {name: arguments[name] for name in required if isinstance(arguments.get(name), str)}
    return [name for name, value in written.items() if not _is_said(value, tool.properties.get(name), said)]


def _is_said(value: str, schema: Any, said: str) -> bool:
    kind = schema.get("format") if isinstance(schema, Mapping) else None
    if kind == "date":
        return value in iso_dates(said)
    if kind in _COPIED_WHOLE:
        return value.lower() in said.lower()
    parts = _PARTS_OF_WORDS.findall(value.lower()) if isinstance(schema, Mapping) and "pattern" in schema else []
    return all(part in said.lower() for part in parts if any(map(str.isdigit, part)))
