"""Texts that make a careless scan slow, and how long a scan takes on them."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final


SECONDS: Final = 0.2
"""What a scan of `LONG` characters may take of one core of an idle machine, and a shorter one in proportion."""
LEAST: Final = 0.002
"""Seconds within which a scan is fast, however short the text: below that, clocks and caches say more than the scan."""
_SHORT: Final = (8, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 700)
"""Characters, in small steps: an exponential scan fails at one of them, instead of never ending at the next."""
_LONGER: Final = 10_000
LONG: Final = 100_000
_SLOWEST: Final = 3
"""Texts that are tried longer: those that took longest. The slowest of them is tried at full length."""
_HOPELESS: Final = 10
"""Times the allowed time from which no second try is worth it."""
_MEASURE: Final = re.compile(r"(?:[a-c]|\d)*+")
_MEASURED: Final = "abc1" * 400_000
_USUAL: Final = 0.004
"""Seconds that the measure takes on an idle machine of 2024; it makes no objects, which a large process collects."""

SIGNS: Final = tuple("a1_A .-,:\"'<([{/\\\n\t=@!\x00é中。\u200b")
UNITS: Final = (
    *SIGNS,
    *("a ", "a.", "a_", "a-", "1,", "1 ", "1.", "- ", " \n", "\n-", "a=", 'a"', "A1", "@a.", "()", "a, ", '\\"', "<a>"),
    *("<a ", "[{", "key=", "a: 1", "$1 ", "一", "1月", "Aa ", "a\n", "---", "```"),
)
"""What is repeated to make a text that every scan is tried on."""
MISFIT: Final = "\x00a @\n!"
"""An end that few expressions get to, so that they try everything else first."""


@dataclass(frozen=True, order=True)
class Text:
    """A text of any length: a beginning, one to a few characters over and over, and an end."""

    unit: str
    begin: str = ""
    end: str = ""

    def of(self, size: int) -> str:
        """Write it, that many characters of its middle long."""
        return f"{self.begin}{(self.unit * (size // len(self.unit) + 1))[:size]}{self.end}"


def too_slow(scan: Callable[[str], object], texts: Iterable[Text], least: float = LEAST) -> str:
    """Return on which text a scan takes more than linear time, and how long; empty where it is fast on all.

    Every text is tried short, and those that were slowest at full length.

    Args:
        scan: What reads a text.
        texts: What it is tried on.
        least: Seconds that count as fast, however short a text.

    """
    try:
        short = sorted((max(_timed(scan, text, size, least) for size in _SHORT), text) for text in texts)
        longer = [(_timed(scan, text, _LONGER, least), text) for _, text in short[-_SLOWEST:]]
        _timed(scan, max(longer)[1], LONG, least)
    except _TooSlowError as slow:
        return str(slow)
    return ""


class _TooSlowError(Exception):
    """A scan took too long."""


def _timed(scan: Callable[[str], object], text: Text, size: int, least: float) -> float:
    """Return the time that a scan takes, the shortest of three where it seems too long.

    Raises:
        _TooSlowError: When it takes longer than it may.

    """
    written, allowed, shortest = text.of(size), max(SECONDS * size / LONG, least), float("inf")
    for _ in range(3):
        started = time.thread_time()
        scan(written)
        shortest = min(shortest, time.thread_time() - started)
        if shortest <= allowed:
            return shortest
        if shortest > _HOPELESS * allowed:
            break
    if shortest <= allowed * _slowness():
        return shortest
    msg = f"{shortest:.3f} s for {size} characters of {text}"
    raise _TooSlowError(msg)


def _slowness() -> float:
    """Return how much slower this machine is at the moment than an idle one of 2024; a faster one counts as that."""
    started = time.thread_time()
    _MEASURE.fullmatch(_MEASURED)
    return max(1.0, (time.thread_time() - started) / _USUAL)


def texts_for(regex: str, flags: int) -> Iterator[Text]:
    """Yield texts that a regular expression is likely to be slow on: what it is made of, over and over.

    Its letters and classes by themselves and mixed; what each of its repetitions repeats, behind what leads there.
    """
    chance = random.Random(ascii(regex))  # noqa: S311 - the same texts every time
    sketches = [Sketch(chance) for _ in range(2)]
    wholes = [sketch.write(parser.parse(regex, flags)) for sketch in sketches]
    letters = sorted(set().union(*(sketch.letters for sketch in sketches)))
    letters = chance.sample(letters, min(len(letters), 14))
    mixed = ["".join(chance.choices(letters, k=k)) for k in (2, 3, 4) for _ in range(4)] if letters else []
    units = dict.fromkeys([*SIGNS, *letters, *mixed, *(whole[:4] for whole in wholes), *(w[:80] for w in wholes)])
    yield from (Text(unit, end=MISFIT) for unit in units if unit)
    led = sorted({(begin[-20:], unit[:12]) for sketch in sketches for begin, unit in sketch.repeated if unit})
    for begin, unit in chance.sample(led, min(len(led), 12)):
        yield from (Text(unit, begin, MISFIT), Text(begin + unit), Text(unit))


@dataclass
class Sketch:
    """Writes texts that fit a regular expression, roughly, and notes what it is made of."""

    chance: random.Random
    letters: set[str] = field(default_factory=set)
    repeated: list[tuple[str, str]] = field(default_factory=list)
    """What stands before a repetition, and what is repeated."""
    _groups: dict[int | None, str] = field(default_factory=dict)

    def write(self, parts: Iterable[Any], before: str = "") -> str:
        """Write a text that fits."""
        written = ""
        for kind, value in parts:
            written += self._one(kind, value, before + written)
        return written

    def _one(self, kind: Any, value: Any, before: str) -> str:  # noqa: PLR0911 - one for each kind of part
        match str(kind):
            case "LITERAL":
                self.letters.add(chr(value))
                return chr(value)
            case "NOT_LITERAL" | "ANY":
                return "a" if value != ord("a") else "b"
            case "IN":
                fitting = _members(value)
                self.letters.update(fitting[:12])
                return self.chance.choice(fitting)
            case "BRANCH":
                return self.chance.choice([self.write(branch, before) for branch in value[1]])
            case "SUBPATTERN":
                self._groups[value[0]] = self.write(value[3], before)
                return self._groups[value[0]]
            case "GROUPREF":
                return self._groups.get(value, "")
            case "ATOMIC_GROUP":
                return self.write(value, before)
            case "ASSERT" | "ASSERT_NOT":
                self.write(value[1], before)
                return ""
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeated(value, before)
            case _:
                return ""

    def _repeated(self, value: tuple[int, int, Sequence[Any]], before: str) -> str:
        least, most, body = value
        once = self.write(body, before)
        if most > _FEW:
            self.repeated.append((before, once))
        return once * min(least or self.chance.randint(0, 1), 40)


_FEW: Final = 8
"""Repetitions that can't take long."""
_CLASSES: Final = {
    codes.CATEGORY_WORD: ("\\w", "a1_"),
    codes.CATEGORY_DIGIT: ("\\d", "1"),
    codes.CATEGORY_SPACE: ("\\s", " \n"),
    codes.CATEGORY_NOT_WORD: ("\\W", "-. "),
    codes.CATEGORY_NOT_DIGIT: ("\\D", "a-"),
    codes.CATEGORY_NOT_SPACE: ("\\S", "a-"),
}


def _members(items: Sequence[tuple[Any, Any]]) -> list[str]:
    """Return some characters that a class holds."""
    if str(items[0][0]) == "NEGATE":
        fitting = [letter for letter in "a1_ -.:\n<中\u2603" if not any(_holds(item, letter) for item in items[1:])]
        return fitting or ["\U0001f600"]
    found: list[str] = []
    for kind, value in items:
        match str(kind):
            case "LITERAL":
                found.append(chr(value))
            case "RANGE":
                found += [chr(value[0]), chr(value[1])]
            case _:
                found += _CLASSES[value][1]
    return found


def _holds(item: tuple[Any, Any], letter: str) -> bool:
    """Tell whether a part of a class holds a character."""
    kind, value = item
    match str(kind):
        case "LITERAL":
            return bool(ord(letter) == value)
        case "RANGE":
            return bool(value[0] <= ord(letter) <= value[1])
        case _:
            return re.match(_CLASSES[value][0], letter) is not None
