"""The ways to compute that people mean when they say numbers: each is named by a word, or by standing side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from reinforced_agent.policies.grounding.operands import Operand


_MOST_HEADS: Final = 100
"""People or parts among whom is shared."""
_SPLIT: Final = re.compile(
    r"\b(?:split|share[ds]?|divided?|each|per|among|amongst|between (?:us|\w+ (?:people|friends|persons|of us))|ways?|"
    r"apiece|halves|evenly|equally|monthly|weekly|we are|we were|of us|"
    r"instal+ments?|over [0-9a-z]+ (?:weeks|months|years))\b|平分|均分|人均|每人|每个人|aa|分摊|一起付|分期|每期"
)
_NAMES: Final = re.compile(r"(?:\b(?:among|between|with) )?(?:\b[a-z']+, )+(?:[a-z]+ )?and [a-z]+|"
                           r"\b(?:among|between) [a-z]+ and [a-z]+|\bwith [a-z]+(?: and [a-z]+)?")  # fmt: skip
_IMPLIED: Final = (
    (re.compile(r"\b(?:months?|monthly|years?|yearly|annual(?:ly)?)\b|一年|全年|每月|年费"), 12),
    (re.compile(r"\b(?:quarterly|(?:per|each|first|second|third|last|next|this) quarter)\b|季度"), 3),
    (re.compile(r"\bhalf[ -]?(?:a )?year\b|半年"), 6),
    (re.compile(r"\b(?:weeks?|weekly|daily)\b|一周|每天|每周|一个?(?:星期|礼拜)"), 7),
    (re.compile(r"\b(?:minutes?|hours?|hourly)\b|分钟|小时"), 60),
    (re.compile(r"\bdays?\b.*\bhour|\bhour.*\bdays?\b|每小时.*天"), 24),
    (
        re.compile(r"\b(?:k?g|kilo(?:gram)?s?|grams?|k?m|(?:kilo)?met(?:er|re)s?|ml|l|lit\w+)\b|克|公斤|公里|米|升"),
        1000,
    ),
)


@dataclass(frozen=True, slots=True)
class Message:
    """What one person wrote at once."""

    text: str
    """Folded."""
    operands: tuple[Operand, ...]
    """Its numbers in their order."""


def of_two(one: Operand, two: Operand) -> Iterator[Decimal]:
    """Compute sum, difference and product; a quotient only with a rate, since quotients hit nearly every amount."""
    for a in one.readings:
        for b in two.readings:
            yield from (a + b, abs(a - b), a * b)
            if is_rate(a) or is_rate(b):
                yield from (a / b, b / a)


def of_three(one: Operand, two: Operand, three: Operand) -> Iterator[Decimal]:
    """Compute "from 500 take 30 and 45", "3 nights at 120, less 50" and "118 and 3.50 a night, 4 nights"."""
    a, b, c = (operand.readings[0] for operand in (one, two, three))
    yield from (abs(a - b - c), abs(a * b - c), abs(a - b * c), a * b * c, abs(a + b - c), (a + b) * c, a * (b + c))


def shared(total: Decimal, shares: Sequence[Decimal], fees: Sequence[Decimal] = ()) -> Iterator[Decimal]:
    """Take a percentage of a total, add it (with a small fee on top), take it off, or take it out again."""
    for share in shares:
        yield from (total * share, total * (1 + share), total * (1 - share), total / (1 + share))
        yield from (total * (1 + share) + fee for fee in fees if fee < total / 10)
        if share < 1:
            yield total / (1 - share)
        yield from (total * (1 + share) * (1 + other) for other in shares if other != share)


def heads_in(message: Message, numbers: Sequence[Operand]) -> Iterator[Decimal]:
    """Find among how many people or parts is shared: where a word says so, or where there are few numbers."""
    if _SPLIT.search(message.text) or len(numbers) <= 2:  # noqa: PLR2004
        yield from (one for operand in numbers for one in operand.readings if is_head(one))
    if _SPLIT.search(message.text) and (match := _NAMES.search(message.text)):
        names = len(re.findall(r", (?!and\b)|,? and ", match[0])) + 1
        yield Decimal(names + 1 if match[0].startswith("with ") else names)


def is_head(number: Decimal) -> bool:
    """Tell whether a number may count people, nights or pieces."""
    return 2 <= number <= _MOST_HEADS and number == number.to_integral_value()  # noqa: PLR2004


def is_rate(number: Decimal) -> bool:
    """Tell whether a number has more decimals than money has, as rates of exchange do."""
    exponent = number.as_tuple().exponent
    return number == 1 or (isinstance(exponent, int) and exponent < -2)  # noqa: PLR2004 - cents have two


def among(total: Decimal, head: Decimal, shares: Sequence[Decimal]) -> Iterator[Decimal]:
    """Share a total, with a tip or after a discount, too."""
    yield total / head
    yield from (total * part / head for share in shares for part in (1 + share, 1 - share))


def implied_numbers(text: str) -> Iterator[int]:
    """Find numbers that words stand for, such as the months of a year."""
    yield from (number for pattern, number in _IMPLIED if pattern.search(text))
