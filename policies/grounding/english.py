"""Read numbers in English words: "two hundred and five", "three and a half million", "a dozen"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final


_SMALL: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_ORDINALS: Final = (
    *("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth"),
    "nineteenth",
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_OTHER: Final[dict[str, int | Decimal]] = {
    "once": 1,
    "single": 1,
    "twice": 2,
    "double": 2,
    "both": 2,
    "couple": 2,
    "pair": 2,
    "triple": 3,
    "thrice": 3,
    "quadruple": 4,
    "quarter": Decimal("0.25"),
    "halve": Decimal("0.5"),
    "halved": Decimal("0.5"),
    "decade": 10,
    "century": 100,
}
_UNITS: Final[dict[str, Decimal]] = {
    **{word: Decimal(number) for words in (_SMALL, _ORDINALS) for number, word in enumerate(words)},
    **{word: Decimal(10 * number) for number, word in enumerate(_TENS, 2)},
    **{f"{word[:-1]}ieth": Decimal(10 * number) for number, word in enumerate(_TENS, 2)},
    **{word: Decimal(number) for word, number in _OTHER.items()},
}
_SCALES: Final = {
    "dozen": 12,
    "thousand": 10**3,
    "grand": 10**3,
    "lakh": 10**5,
    "million": 10**6,
    "crore": 10**7,
    "billion": 10**9,
    "trillion": 10**12,
}
_PLURALS: Final = {f"{word}s": word for word in ("hundred", *_SCALES)}
_IN_BETWEEN: Final = frozenset({"a", "an", "and", "point", "half", "hundred", *_SCALES})
NUMBER_WORDS: Final = frozenset({*_UNITS, *_IN_BETWEEN, *_PLURALS})
"""Every word that may be part of a number."""
_ANY: Final = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
RUN: Final = re.compile(rf"\b(?:{_ANY})(?:(?: |-| - )(?:{_ANY}))*\b( per ?cent\b)?")
_WORD: Final = re.compile(r"[a-z]+")
_COUNTED: Final = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_PARTS: Final = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
FRACTION: Final = re.compile(rf"\b({'|'.join(_COUNTED)})[ -]({'|'.join(_PARTS)})s?\b(?: of\b| off\b)?")
"""A share in words, such as "two thirds of"."""
_SHORT: Final = re.compile(rf"\b({'|'.join((*_SMALL[1:], *_TENS))})(?:[ -]({'|'.join(_SMALL[1:10])}))? "
                           rf"({'|'.join((*_SMALL[10:], *_TENS))})(?:[ -]({'|'.join(_SMALL[1:10])}))?\b")  # fmt: skip
_AND_A_HALF: Final = re.compile(rf"\b({'|'.join((*_COUNTED, *_SMALL[6:13]))}|[0-9]{{1,3}}) "
                                r"(hundred|thousand|grand|million|billion) and a half\b")  # fmt: skip
_SOME: Final = rf"(?:{_ANY})(?:[ -](?:{_ANY})){{0,7}}"
_COINS: Final = re.compile(rf"\b({_SOME}|[0-9]+) (?:dollars?|euros?|pounds?|bucks|yuan) (?:and )?"
                           rf"({_SOME}|[0-9]{{1,2}})(?: (?:cents?|pence|fen))?\b")  # fmt: skip
_ONE: Final = Decimal(1)
_HALF: Final = Decimal("0.5")
_ROUND: Final = 100
_TEN, _TWENTY = 10, 20
_TOO_LARGE: Final = Decimal(10) ** 18
"""What words add up to from here on is no number that somebody means, such as "hundred" said many times over."""


def english_numbers(text: str) -> Iterator[Decimal]:
    """Yield the numbers written in words in a folded text; "twenty percent" is 20 and 0.2."""
    for match in RUN.finditer(text):
        run = [_PLURALS.get(word, word) for word in _WORD.findall(match[0])]
        numbers = (number for number in _read(run) if number < _TOO_LARGE)
        yield from _percent(numbers) if match[1] else numbers
    yield from (Decimal(_COUNTED[match[1]]) / _PARTS[match[2]] for match in FRACTION.finditer(text))
    for match in _SHORT.finditer(text):
        yield from _short(*(int(_UNITS[word]) if word else 0 for word in match.groups()))
    yield from _coins(text)
    for match in _AND_A_HALF.finditer(text):  # "a grand and a half"
        count = _UNITS.get(match[1], _ONE) if match[1].isalpha() else Decimal(match[1])
        yield (count + _HALF) * {**_SCALES, "hundred": 100}[match[2]]


def in_order(span: str) -> tuple[Decimal, ...]:
    """Return the numbers of one run of words in their order, where it names several, such as "thirty and sixty"."""
    if " and " not in span or "half" in span or not RUN.fullmatch(span):
        return ()
    numbers = tuple(_read([_PLURALS.get(word, word) for word in _WORD.findall(span)]))
    return numbers if len(numbers) > 1 else ()


def _short(tens: int, ones: int, cents_tens: int, cents: int) -> Iterator[Decimal]:
    """Read "twelve fifty" as 12.50 and as 1250; what is one number by itself, such as "twenty nine", is none."""
    whole, rest = tens + ones, cents_tens + cents
    if whole < _ROUND and rest < _ROUND and (tens < _TWENTY or not ones or ones < _TEN):
        yield whole + Decimal(rest) / 100
        yield Decimal(whole * 100 + rest)


def _coins(text: str) -> Iterator[Decimal]:
    """Read "forty-two dollars and fifty cents"."""
    for match in _COINS.finditer(text):
        whole, cents = (tuple(_plain(part)) for part in match.groups())
        if len(whole) == len(cents) == 1 and cents[0] < _ROUND:
            yield whole[0] + cents[0] / 100


def _plain(written: str) -> Iterator[Decimal]:
    """Read one side of an amount in digits or words."""
    run = [_PLURALS.get(word, word) for word in _WORD.findall(written)]
    return _read(run) if run else iter((Decimal(written),))


def _percent(numbers: Iterator[Decimal]) -> Iterator[Decimal]:
    for number in numbers:
        yield from (number, number / 100)


def _read(run: list[str]) -> Iterator[Decimal]:
    """Read words that follow each other as one number, or as several where they don't fit together."""
    total, part, step, counted = Decimal(0), Decimal(0), Decimal(0), False
    for word in run:
        if word in _UNITS:
            number = _UNITS[word]
            if step:
                part, step = part + number * step, step / 10
            elif _joins(part, number):
                part += number
            else:
                yield total + part
                total, part = Decimal(0), number
        elif word == "hundred":
            part = min((part or _ONE) * 100, _TOO_LARGE)
        elif word in _SCALES:
            total, part, step = total + (part or _ONE) * _SCALES[word], Decimal(0), Decimal(0)
        elif word == "half":
            yield _HALF
            part += _HALF
        elif word == "point" and counted:
            step = _HALF / 5
        counted = counted or word not in {"a", "an", "and", "point"}
    if counted:
        yield total + part


def _joins(part: Decimal, number: Decimal) -> bool:
    """Tell whether a word goes on with the number before it, as "five" after "twenty" or after "two hundred"."""
    rest = part % _ROUND
    return not part or (rest == 0 and number < _ROUND) or (rest >= _TWENTY and rest % _TEN == 0 and number < _TEN)
