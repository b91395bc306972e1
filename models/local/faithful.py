"""Keep an answer to its source: no number and no content word that neither the source nor the examples' frame has.

Nothing is written for the model. It chooses every word, but only among words that the result or the request has, small
words of the language, and those words of the example answers that do not come from their own results.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reinforced_agent.models.local.copying import continuations
from reinforced_agent.models.local.cursor import Cursor
from reinforced_agent.models.local.prompt import Turn


COPIED = 3.0
"""Natural-log weight of going on as the source does; set by hand."""
_SURE = 2
_REPEATED = 4
_NUMBER = re.compile(r"(?:(?<!\w)(?:[A-Za-z]{1,5}-|-))?\d+(?:[-.:/]\d+)*")
_DATE = re.compile(r"\d+(?:[-:/]\d+)+")
_WORD = re.compile(r"[^\W\d_]+")
# Small words that assert nothing by themselves: no negation and no quantity among them.
_SMALL = """
    a about also an and are as at be been by for from had has have here i in into is it its of on or so than that the
    their them there these they this to was were when where which who will with you your
"""


@dataclass(frozen=True)
class Faithful:
    """What may be written of one source."""

    source: str
    """The request and the results."""
    examples: Sequence[Turn]
    """The example answers."""
    needed: str = ""
    """The part of the source whose numbers have to be told, if they are few."""

    def wishes(self, cursor: Cursor) -> dict[str, float]:
        """Return how the words under way go on in the source, as a weak wish."""
        words = re.split(r"\s+", cursor.text)
        return {
            text: COPIED
            for under_way in (words[-1], " ".join(words[-3:]))
            if len(under_way) >= _SURE
            for text, whole in continuations(under_way, self.source)
            if text and whole
        }

    def objects(self, cursor: Cursor, text: str) -> bool:
        """Tell whether `text` would leave the source, go in circles, or end too early; the empty text is the end."""
        new = cursor.text + text
        if not text:
            return bool(self._missing(new))
        return not self._has_numbers(new) or not self._has_words(new) or repeats(new)

    def _missing(self, text: str) -> set[str]:
        needed = set(_NUMBER.findall(self.needed)) - set(_NUMBER.findall(self.source.replace(self.needed, "")))
        told = set(_NUMBER.findall(text))
        return {number for number in needed if not {number, number.removesuffix(".0")} & told}

    def _has_numbers(self, text: str) -> bool:
        # A number may be told once more than it stands in the source: "34 °C, high: 34 °C".
        return self._covers(text, _NUMBER, self._numbers + Counter(set(self._numbers)), 1)

    def _has_words(self, text: str) -> bool:
        odd = [word for word in _WORD.findall(text) if not word[1:].islower() and word[1:] and word not in self.source]
        return not odd and self._covers(text.lower(), _WORD, self._words, 0)

    def _covers(self, text: str, pattern: re.Pattern[str], known: Counter[str], slack: int) -> bool:
        """Tell whether each find is known and used no more often than the source does."""
        used: Counter[str] = Counter()
        for match in pattern.finditer(text):
            rest = text[match.start() :]
            used[match[0]] += 1
            under_way = match.end() >= len(text) - slack and any(
                one.startswith(rest) and used[one] < count for one, count in known.items()
            )
            if used[match[0]] > known[match[0]] and not under_way:
                return False
        return True

    @cached_property
    def _numbers(self) -> Counter[str]:
        """Numbers of the source, also the parts of dates and times, also without leading and trailing zeros."""
        whole = _NUMBER.findall(self.source)
        parts = [part for number in whole if _DATE.fullmatch(number) for part in re.split(r"\D", number) if part]
        short = [number.removesuffix(".0") for number in whole if number.endswith(".0")]
        bare = [part.lstrip("0") for part in parts if part.startswith("0") and part.strip("0")]
        return Counter([*whole, *parts, *short, *bare])

    @cached_property
    def _words(self) -> Counter[str]:
        frame = {word for turn in self.examples for word in set(_words(turn.reply)) - set(_words(turn.request))}
        known = Counter(_words(self.source))
        small = {*_SMALL.split(), *(word for word in known if len(word) <= _SURE)}
        return known | Counter(dict.fromkeys(frame, 2)) | Counter(dict.fromkeys(small, len(self.source)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def repeats(text: str) -> bool:
    """Tell whether a text goes in circles: its last words stand in it twice, or twice in a row."""
    words = text.split()
    last = words[-_REPEATED:]
    earlier = [words[place : place + _REPEATED] for place in range(len(words) - _REPEATED)]
    twice = any(words[-size:] == words[-2 * size : -size] for size in (1, 2, 3) if len(words) >= 2 * size)
    return twice or (len(last) == _REPEATED and last in earlier)
