"""Read the numbers that somebody may compute with, in the order of a text or by the fields of a tool's result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from math import isfinite
from typing import Final, NamedTuple

from reinforced_agent.policies.grounding.chinese import SPAN
from reinforced_agent.policies.grounding.dates import WRITTEN
from reinforced_agent.policies.grounding.english import FRACTION, RUN, in_order
from reinforced_agent.policies.grounding.folding import fold
from reinforced_agent.policies.grounding.kinds import kind_of_field
from reinforced_agent.policies.grounding.numerals import AFTER, DIGITS, numbers_in
from reinforced_agent.policies.grounding.policy import Kind
from reinforced_agent.tools.call import JSON


class Operand(NamedTuple):
    """One number that was said once."""

    readings: tuple[Decimal, ...]
    """What it may mean, without sign; for a share, between 0 and 1."""
    share: bool = False
    """Whether it is a part of something: a percentage, a discount, "two thirds"."""
    label: str = ""
    """The field of a result that it stands in; empty in running text."""
    gap: str = ""
    """What stands between it and the number before, in running text."""


class Record(NamedTuple):
    """The numbers that stand side by side in one object of a result, or in one message."""

    operands: tuple[Operand, ...]
    """In the order in which they were written."""


_LARGEST: Final = Decimal(10) ** 12
"""Numbers from here on are ids and hashes: nobody computes with them, and beside one every amount would vanish in
rounding."""
_MOST_READINGS: Final = 3
_MOST: Final = 400
"""Numbers of one text, and records of one result, that are looked at."""
_LONGEST: Final = 20_000
"""Characters of one text that are looked at."""
_DEEPEST: Final = 12
_NUMBER: Final = re.compile(
    rf"{FRACTION.pattern}|(?<![0-9/])[0-9]{{1,2}}/[0-9]{{1,3}}(?![0-9/])|{SPAN.pattern}|{DIGITS.pattern}(?:{AFTER.pattern})?|{RUN.pattern}"
)
_SHARE: Final = re.compile(r"%|/|per ?cent|折|成$|分之|\b(?:half|halved?|third|quarter|fifth|tenth)|半$")
_CODE_BEFORE: Final = re.compile(
    r"(?:\b(?:order|card|ending|ending in|number|no\.?|account|booking|zip|code|id)|"
    r"订单号?|尾号|编号|卡号|账号|航班)[ :#]*$"
)
"""Words before the digits of a code."""
_WITHIN: Final = re.compile(r"(?:[a-z0-9]-|[a-z#_])$")
"""What stands before digits in the midst of a code."""
_CODE: Final = re.compile(r"[0-9]{3,}")
_CODE_AFTER: Final = re.compile(r"-?[0-9]|:[0-9]|[a-z](?<![a-z]{2})(?![a-z])(?<![hklmg])")
_SPAN: Final = re.compile(r"(?<![\w.-])([0-9]{1,9}) ?- ?([0-9]{1,9})(?![\w.-])")
_WIDEST: Final = 3
_NO_MONEY: Final = {Kind.ID, Kind.ACCOUNT, Kind.PHONE, Kind.EMAIL}
_NAMES_SHARE: Final = re.compile(r"percent|pct|discount_rate|tax_rate|vat_rate|折扣|税率|百分")


def operands_of_text(text: str) -> tuple[Operand, ...]:
    """Read a folded text; dates, times of day and the digits of codes are no operands."""
    plain = _SPAN.sub(_spelt, WRITTEN.sub(lambda match: " " * len(match[0]), text[:_LONGEST]))
    return tuple(islice(_operands(plain), _MOST))


def _spelt(match: re.Match[str]) -> str:
    """Write "1000-1200" as "1000 to 1200", unless it is part of a code."""
    low, high = Decimal(match[1]), Decimal(match[2])
    return f"{match[1]} to {match[2]}" if low < high <= _WIDEST * low else match[0]


def _operands(text: str) -> Iterator[Operand]:
    last = 0
    for match in _NUMBER.finditer(text):
        span = match[0]
        digits = span[0].isascii() and span[0].isdigit()
        if digits and _is_code(text, match):
            continue
        share = _SHARE.search(span) is not None
        numbers = [number for number in numbers_in(span) if 0 < number < _LARGEST and (number < 1 or not share)]
        if numbers:
            gap = text[last : match.start()]
            several = () if share else in_order(span)
            yield from (
                Operand((number,), share, gap=gap if not place else " and ") for place, number in enumerate(several)
            )
            if not several:
                yield Operand(tuple(sorted(numbers, reverse=True)[:_MOST_READINGS]), share, gap=gap)
            last = match.end()


def _is_code(text: str, match: re.Match[str]) -> bool:
    """Tell whether digits belong to a code, such as "A-1003", "order 1003" or "14B"."""
    before = text[max(0, match.start() - 20) : match.start()]
    if _WITHIN.search(before) or _CODE_AFTER.match(text, match.end()):
        return True
    return _CODE.fullmatch(match[0]) is not None and _CODE_BEFORE.search(before) is not None


def records_of_result(text: str) -> list[Record]:
    """Read the objects of a result, innermost objects by themselves; a result that is no JSON is one record."""
    try:
        value: JSON = json.loads(text)
    except (ValueError, RecursionError):
        return [Record(operands_of_text(fold(text)))]
    return list(islice((record for record in _records(value, _DEEPEST) if record.operands), _MOST))


def _records(value: JSON, depth: int) -> Iterator[Record]:
    if isinstance(value, dict):
        yield Record(tuple(operand for key, inner in value.items() for operand in _of_field(key, inner)))
    elif isinstance(value, list):
        yield Record(tuple(islice((operand for inner in value for operand in _of_field("", inner)), _MOST)))
    else:
        yield Record(tuple(_of_field("", value)))
        return
    if depth:
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list):
                yield from _records(inner, depth - 1)


def _of_field(name: str, value: JSON) -> Iterator[Operand]:
    """Read one value under its name."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or kind_of_field(name, "") in _NO_MONEY:
        return
    label = fold(name)
    for operand in _read(value):
        share = operand.share or _NAMES_SHARE.search(label) is not None
        readings = tuple(number / 100 if share and number > 1 else number for number in operand.readings)
        yield Operand(readings, share, label)


def _read(value: str | float) -> tuple[Operand, ...]:
    if isinstance(value, str):
        return operands_of_text(fold(value))
    if not isfinite(value) or not 0 < abs(value) < _LARGEST:
        return ()
    return (Operand((abs(Decimal(str(value))).normalize(),)),)
