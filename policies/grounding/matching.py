"""Decide whether a value was said: as it stands, in another spelling, derived, or by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from enum import Enum
from math import isfinite
from typing import Final

from reinforced_agent.policies.grounding.dates import Day, dates_of_value, is_named
from reinforced_agent.policies.grounding.folding import fold, scripts
from reinforced_agent.policies.grounding.numerals import numbers_in
from reinforced_agent.policies.grounding.periods import follows
from reinforced_agent.policies.grounding.said import Said


class Finding(Enum):
    """How a value relates to what was said."""

    SAID = "said"
    """Somebody named it."""
    DERIVED = "derived"
    """It is computed from numbers that somebody named."""
    UNSURE = "unsure"
    """It can't be told."""
    UNSAID = "unsaid"
    """Nobody named it."""


_SHORTEST: Final = 3
"""Characters; shorter texts are codes that are said in other words."""
_MOST_WORDS: Final = 12
"""Words up to which a text is a name or a phrase; a longer one is composed."""
_LARGEST: Final = Decimal(10) ** 15
"""Numbers from here on are ids and hashes: nobody computes with them, and beside one every amount would vanish in
rounding."""
_FEWEST_DIGITS: Final = 6
"""Digits that a telephone number has without its prefix."""
_MOST_BITS: Final = 1_000

_NAMED: Final = r"[^\s@<>,;:()\"'，；]"
_EMAILS: Final = re.compile(rf"(?<!{_NAMED}){_NAMED}++@{_NAMED}+")
_LOOSE: Final = re.compile(
    r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap]\.?m\.?)?|[0-9]{1,2}[-/][0-9]{4}|[0-9]{4}[-/][0-9]{1,2}"
)
"""Times of day and months, which people say in too many ways."""
_MONEY: Final = re.compile(
    r"[$€£¥]|\b(?:dollars?|euros?|pounds?|usd|eur|gbp|cents?|bucks|price|amount|cost|fee|pay)|[元块分钱]|人民币"
)
_PARTS: Final = re.compile(r"[^\W_]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_NUMERIC: Final = re.compile(
    r"[^\w\s]{0,3} ?[-+]?[0-9][0-9.,'_]*(?: [0-9]{3}(?![0-9]))*(?:e[+-]?[0-9]+)? ?(?:%|[^\W\d]{0,12}|[^\w\s])"
)
_PHONE: Final = re.compile(r"\+?[0-9()./ -]+")
_APART: Final = re.compile(r"[ ,.'()/_#:+-]")
_UNITS: Final = tuple(
    frozenset(names.split())
    for names in (
        "eur € euro euros 欧元",
        "usd $ us$ dollar dollars 美元 美金",
        "gbp £ pound pounds 英镑",
        "cny rmb ¥ yuan 元 块 人民币",
        "jpy ¥ yen 日元 円",
        "km kilometre kilometres kilometer kilometers 公里 千米",
        "kg kilo kilos kilogram kilograms 公斤 千克",
        "% percent 百分之",
    )
)
_STOP: Final = frozenset(
    ["a", "an", "the", "of", "in", "on", "at", "for", "to", "and", "or", "with", "by", "from", "s", "is"]
)


def find(value: str | float, said: Said) -> Finding:
    """Look a value up in what was said."""
    if not isinstance(value, str):
        return _find_number(value, said)
    text = fold(value)
    if "@" in text and (addresses := _EMAILS.findall(text)):
        return _find_emails(text, addresses, said)
    if _stands(text, said.whole):
        return Finding.SAID
    if (len(text) < _SHORTEST and "han" not in scripts(text)) or _LOOSE.fullmatch(text):
        return Finding.UNSURE
    if days := dates_of_value(text):
        return _all(_find_date(day, said) for day in days)
    return _find_digits(text, said) if any(map(str.isdigit, text)) else _find_words(text, said)


def _stands(text: str, whole: str) -> bool:
    """Tell whether a text occurs as it is; a number not inside a longer one."""
    if not text or text not in whole:
        return False
    before, after = (r"(?<![0-9])" if text[0].isdigit() else ""), (r"(?![0-9])" if text[-1].isdigit() else "")
    return not (before or after) or re.search(before + re.escape(text) + after, whole) is not None


def _all(findings: Iterable[Finding]) -> Finding:
    """Sum the findings about the parts of a value up to the worst."""
    found = set(findings)
    order = (Finding.UNSAID, Finding.UNSURE, Finding.DERIVED)
    return next((finding for finding in order if finding in found), Finding.SAID)


def _find_emails(text: str, addresses: list[str], said: Said) -> Finding:
    """Look for e-mail addresses, all of which have to be named, and none inside a longer one."""
    if _stands_apart(text, said.whole):
        return Finding.SAID
    named = (_stands_apart(address.strip("."), said.addresses) for address in addresses)
    return Finding.SAID if all(named) else Finding.UNSAID


def _stands_apart(text: str, whole: str) -> bool:
    """Tell whether an address stands where it neither begins earlier nor goes on."""
    pattern = rf"(?<![a-z0-9._%+@-]){re.escape(text)}(?![a-z0-9_@-]|\.[a-z0-9])"
    return text in whole and re.search(pattern, whole) is not None


def _find_date(readings: frozenset[Day], said: Said) -> Finding:
    if is_named(readings, said.dates):
        return Finding.SAID
    if follows(readings, said.dates, said.periods):
        return Finding.DERIVED
    return Finding.UNSURE if said.leaves_dates_open or said.foreign else Finding.UNSAID


def _find_digits(text: str, said: Said) -> Finding:
    """Look for a text with digits: as a whole without separators, as a number, or by its parts with digits."""
    compact = _APART.sub("", text)
    if len(compact) >= _SHORTEST and _stands(compact, said.compact):
        return Finding.SAID
    if _NUMERIC.fullmatch(text) and not said.numbers.isdisjoint(numbers_in(text)):
        return Finding.SAID
    digits = "".join(_DIGITS.findall(text))
    if _PHONE.fullmatch(text) and _is_phone_of(digits, said):
        return Finding.SAID
    if all(_is_run_of(run, said.spoken) for run in _DIGITS.findall(text)):
        return _find_words(re.sub(r"[0-9]+", " ", text), said) if _is_phrase(text) else Finding.SAID
    if _NUMERIC.fullmatch(text) and said.foreign:
        return Finding.UNSURE
    return Finding.UNSAID


def _is_run_of(run: str, spoken: str) -> bool:
    """Look for digits as they are, or without the zeros they are filled up with."""
    return _stands(run, spoken) or (run[0] == "0" and _stands(run.lstrip("0"), spoken))


def _is_phrase(text: str) -> bool:
    """Tell whether a text with digits has words of its own that carry meaning."""
    return " " in text and len(_PARTS.findall(text)) > 2  # noqa: PLR2004 - "EUR 20" and "order 12" are no phrases


def _is_phone_of(digits: str, said: Said) -> bool:
    """Compare telephone numbers from their end, because prefixes are left out or added."""
    spoken = [run for run in _DIGITS.findall(said.compact) if len(run) >= _FEWEST_DIGITS]
    least = digits.lstrip("0")[-_FEWEST_DIGITS:]
    return len(least) == _FEWEST_DIGITS and any(
        run.endswith(digits.lstrip("0")) or digits.endswith(run.lstrip("0")) for run in spoken
    )


def _find_words(text: str, said: Said) -> Finding:
    """Look for every word that carries meaning."""
    words = [word for word in _PARTS.findall(text) if word not in _STOP]
    if not words or len(words) > _MOST_WORDS or not scripts(text) <= said.scripts:
        return Finding.UNSURE
    missing = [word for word in words if not _is_word_of(word, said.whole)]
    if not missing:
        return Finding.SAID
    return Finding.UNSURE if said.foreign or ("han" in scripts(text) and _mostly(text, said.whole)) else Finding.UNSAID


def _is_word_of(word: str, whole: str) -> bool:
    """Look for a word, its singular, or a unit under another name."""
    if word in whole or (word.endswith("s") and word[:-1] in whole):
        return True
    return any(name in whole for names in _UNITS if word in names for name in names)


def _mostly(text: str, whole: str) -> bool:
    """Tell whether half of the signs of a Chinese text were said: it may be put in other words."""
    signs = [sign for sign in text if not sign.isspace()]
    return 2 * sum(sign in whole for sign in signs) >= len(signs)


def _find_number(value: float, said: Said) -> Finding:
    number = _decimal(value)
    if number is None:
        return Finding.UNSURE
    if _stands_as_number(str(value).lower(), said.whole) or number in said.numbers or _is_run(number, said):
        return Finding.SAID
    if _is_derived(number, said):
        return Finding.DERIVED
    return Finding.UNSURE if said.foreign else Finding.UNSAID


def _stands_as_number(written: str, whole: str) -> bool:
    """Tell whether a number stands as it is, not as part of another; most do, and that is quickly seen."""
    if written not in whole:
        return False
    return re.search(rf"(?<![0-9])(?<![0-9][.,]){re.escape(written)}(?![0-9]|[.,'_ ][0-9]|e[0-9+-])", whole) is not None


def _decimal(value: float) -> Decimal | None:
    """Write a number as a decimal without sign; `None` where it is too long or not finite."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return None
    if not isfinite(value):
        return None
    try:
        return abs(Decimal(str(value))).normalize()
    except InvalidOperation:
        return None


def _is_run(number: Decimal, said: Said) -> bool:
    """Look for a long whole number as an account that is written with separators."""
    text = format(number, "f")
    return len(text) >= _FEWEST_DIGITS and text.isdigit() and _stands(text, said.compact)


def _is_derived(number: Decimal, said: Said) -> bool:
    """Tell whether a number is one that was said in another unit, or follows from several."""
    in_cents = _MONEY.search(said.whole) is not None and any(_is_in_cents(number, one) for one in said.numbers)
    return in_cents or number in said.computed


def _is_in_cents(number: Decimal, one: Decimal) -> bool:
    """Compare an amount in cents with one in the currency, either way around."""
    return one < _LARGEST and (number == one * 100 or one == number * 100)
