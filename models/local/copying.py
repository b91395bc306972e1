"""The copying expert: words of the request are likelier in a value than words that the user never wrote.

Its opinion is multiplied with that of the model (a product of experts). How much it counts for a field is learned from
the examples of the tool: a field whose example values stand in their requests is copied, one that is composed is not.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reinforced_agent.models.local.cursor import Cursor
from reinforced_agent.models.local.dates import iso_dates
from reinforced_agent.models.local.prompt import Tool


STRENGTH = 5.0
"""Natural-log weight of the expert for a field that is always copied; chosen on development requests."""
_REACH = 14
_WORD = re.compile(r"\w+")
_BEGIN = re.compile(r"""(?<![^\s"'(\[,;:])\S""")
"""Where a value may begin: not in the middle of an address or an order number."""
_INSIDE = re.compile(r"(?<!\w)\S")
_END = re.compile(r"[^\w\s]*(?:\s|$)")


@dataclass(frozen=True)
class Habit:
    """How often values of a field are copied, 0 to 1."""

    whole: float = 0.5
    """Share of values that stand in the request as they are."""
    words: float = 0.5
    """Share of the words of values that stand in the request."""


@dataclass(frozen=True)
class Copying:
    """What may be copied into one field."""

    sources: Sequence[str]
    """Texts to copy from."""
    habit: Habit
    date: bool = False
    """Whether the field holds a date as YYYY-MM-DD: the dates of the sources are offered in that form."""
    strength: float = STRENGTH

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
                bonus = self.strength * (self.habit.whole if whole else self.habit.words / 2)
                wishes[text] = max(bonus, wishes.get(text, 0.0))
        return wishes


def continuations(value: str, source: str) -> Iterable[tuple[str, bool]]:
    """Yield what follows `value` in `source`, and whether all of the value is copied or its last word alone."""
    lowered, searched = value.lower(), source.lower()
    whole = False
    for start in _matches(_BEGIN, source):
        if searched.startswith(lowered, start):
            whole = True
            rest = source[start + len(value) :]
            yield from ((text, True) for text in _pieces(rest, capital=not value))
            if value and _END.match(rest):
                yield "", True
    if whole or not value:
        return
    last = re.split(r"\W", lowered)[-1]
    for start in _matches(_INSIDE, source):
        if searched.startswith(last, start):
            yield from ((text, False) for text in _pieces(source[start + len(last) :], capital=False))


def _matches(pattern: re.Pattern[str], source: str) -> list[int]:
    return [match.start() for match in pattern.finditer(source)]


def _pieces(rest: str, *, capital: bool) -> Iterable[str]:
    for length in range(1, min(_REACH, len(rest)) + 1):
        piece = rest[:length]
        if '"' in piece or "\\" in piece or "\n" in piece:
            return
        yield piece
        if capital:
            yield piece[0].upper() + piece[1:]


def habits(tool: Tool) -> dict[str, Habit]:
    """Learn from the examples of a tool how much each field is copied (with the rule of succession)."""
    seen: dict[str, list[tuple[bool, float]]] = {}
    for turn in tool.examples:
        for name, value in json.loads(turn.reply).items():
            seen.setdefault(name, []).append(_copied(value, turn.request))
    return {name: _habit(found) for name, found in seen.items()}


def _habit(found: Sequence[tuple[bool, float]]) -> Habit:
    count = len(found) + 1
    return Habit((sum(whole for whole, _ in found) + 0.5) / count, (sum(words for _, words in found) + 0.5) / count)


def _copied(value: Any, request: str) -> tuple[bool, float]:
    text, said = str(value).lower().rstrip(".!"), request.lower()
    words = _WORD.findall(text)
    known = {*_WORD.findall(said), *_WORD.findall(" ".join(iso_dates(request)))}
    whole = text in said or text in iso_dates(request)
    return whole, sum(word in known for word in words) / max(len(words), 1)
