"""Compute what follows from numbers that were said, and nothing that follows by chance.

Whoever says "80 minus 20 %" has given 64. Yet from many numbers nearly every amount can be computed somehow, and then
an invented one would pass for computed. So each way to compute is one that people mean in words, numbers are put
together only where they stand together, and what has no word or place that speaks for it must also be rare: of all
amounts as round as the one in question, few may be reachable. See `_is_rare`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from itertools import combinations, islice, pairwise, permutations
from typing import Final

from reinforced_agent.policies.grounding.deriving_results import from_results
from reinforced_agent.policies.grounding.operands import Operand, Record
from reinforced_agent.policies.grounding.operations import (
    Message,
    among,
    heads_in,
    implied_numbers,
    of_three,
    of_two,
    shared,
)


_CENT: Final = Decimal("0.01")
_ONE: Final = Decimal(1)
_LARGEST: Final = Decimal(10) ** 15
_FEW: Final = 8
"""Numbers of one message that are put together in any combination of neighbours."""
_PAIRED: Final = 6
"""Numbers of one message of which two are multiplied with what words such as "a year" stand for."""
_PROPORTIONAL: Final = 4
"""Numbers of one message among which proportions are looked for, such as "300 g for 4, cook for 6"."""
_MOST_CANDIDATES: Final = 20_000
_MOST_SUMS: Final = 250
"""Sums of neighbours, in all their readings, that are gone on with."""
_WIDEST: Final = 3
"""How many times its lower end the upper end of a range may be."""
_RARE: Final = Decimal("0.06")
"""The greatest share of amounts as round as the one in question, between half and twice of it, that may be reached."""
_RANGE: Final = re.compile(r"[^\w,.;]*(?:\w+ )?(?:to|-|~|到|至|和)[^\w,.;]*")
_BETWEEN: Final = re.compile(r"\bbetween\W+(?:\w+ )?[$€£¥]?$")
_PROPORTION: Final = re.compile(r"\b(?:recipe|serves?|servings?|portions?|people|persons?|cook|for)\b|人份|个人")


class Computed:
    """Everything that can be computed in a conversation, found once."""

    def __init__(self, messages: Sequence[Message], records: Sequence[Record]) -> None:
        """Compute from messages of people, oldest first, and from the records of results."""
        self._plain: set[Decimal] = set()
        self._loose: set[Decimal] = set()
        recent = _recent(messages)
        _fill(self._plain, _from_messages(recent))
        _fill(self._loose, _from_messages(messages[: len(messages) - len(recent)]))
        found = list(islice(from_results(messages, records), _MOST_CANDIDATES))
        _fill(self._plain, (number for number, plain in found if plain))
        _fill(self._loose, (number for number, plain in found if not plain))
        _fill(self._loose, _from_all(messages))
        self._ranges = [bounds for message in messages for bounds in _ranges(message)]

    def __contains__(self, number: Decimal) -> bool:
        """Tell whether a number follows, rounded to cents."""
        if not 0 < number < _LARGEST:
            return False
        rounded = number.quantize(_CENT)
        if rounded in self._plain or any(low <= number <= high for low, high in self._ranges):
            return True
        return rounded in self._loose and self._is_rare(rounded)

    def _is_rare(self, number: Decimal) -> bool:
        """Tell whether few amounts like this one can be computed, so that it is hardly one of them by chance."""
        step = next(step for step in (Decimal(10), _ONE, _CENT) if number % step == 0)
        alike = sum(number / 2 <= other <= number * 2 and other % step == 0 for other in self._loose)
        return (alike - 1) * step <= _RARE * number * Decimal("1.5")


def _fill(found: set[Decimal], numbers: Iterable[Decimal]) -> None:
    """Keep numbers as they are rounded to cents, half a cent in both ways."""
    for number in islice(numbers, _MOST_CANDIDATES):
        if 0 < number < _LARGEST:
            found.add(number.quantize(_CENT, ROUND_HALF_UP))
            found.add(number.quantize(_CENT, ROUND_HALF_EVEN))


def _recent(messages: Sequence[Message]) -> Sequence[Message]:
    """Keep the last messages, until they have more numbers than one has in mind; what came before needs more proof."""
    count = 0
    for number, message in enumerate(reversed(messages)):
        count += len(message.operands)
        if number and count > 2 * _FEW:
            return messages[len(messages) - number :]
    return messages


def _from_messages(messages: Sequence[Message]) -> Iterator[Decimal]:
    """Compute within each message, and with the one after it where both together have few numbers."""
    for message in messages:
        yield from _from_message(message)
    for one, two in pairwise(messages):
        if one.operands and two.operands and len(one.operands) + len(two.operands) <= _FEW:
            yield from _from_message(Message(f"{one.text} {two.text}", (*one.operands, *two.operands)))


def _from_message(message: Message) -> Iterator[Decimal]:
    """Compute what one message says: totals, remainders, percentages, shares, products and proportions."""
    shares = [number for one in message.operands if one.share for number in one.readings]
    numbers = [one for one in message.operands if not one.share and one.readings != (_ONE,)][: 2 * _FEW]
    fixed = [number for one in numbers for number in one.readings]
    for total in set(_totals(numbers)):
        yield total
        yield from shared(total, shares, fixed)
    for head in heads_in(message, numbers):
        rest = [one for one in numbers if head not in one.readings]
        yield from (part for total in set(_totals(rest)) for part in among(total, head, shares))
    for implied in implied_numbers(message.text):
        yield from (result for number in fixed for result in (number * implied, number / implied))
        for one, two in combinations(fixed[:_PAIRED], 2):
            yield from (one * two / implied, one * two * implied)
    if _PROPORTION.search(message.text) and len(fixed) <= _PROPORTIONAL:
        yield from (a * b / c for a, b, c in permutations(fixed, 3))


def _totals(numbers: Sequence[Operand]) -> Iterator[Decimal]:
    """Put neighbours together: sums of terms, each a number or a product of two that follow each other."""
    for start in range(len(numbers)):
        reach = len(numbers) if len(numbers) <= _FEW else min(start + 3, len(numbers))
        sums: dict[int, set[Decimal]] = {start: {Decimal(0)}}
        for end in range(start, reach):
            here = sums.get(end, set())
            for size in (1, 2):
                if end + size > reach:
                    continue
                terms = _terms(numbers[end : end + size])
                more = (total + term for total in here for term in terms)
                sums.setdefault(end + size, set()).update(islice(more, _MOST_SUMS))
        yield from (total for end, found in sums.items() if end > start for total in found)
    yield from _pairs(numbers)


def _pairs(numbers: Sequence[Operand]) -> Iterator[Decimal]:
    """Put two or three numbers together in more ways, of many only neighbours."""
    pairs = combinations(numbers, 2) if len(numbers) <= _FEW else pairwise(numbers)
    for one, two in pairs:
        yield from of_two(one, two)
    if len(numbers) == 3:  # noqa: PLR2004
        yield from of_three(*numbers)


def _terms(numbers: Sequence[Operand]) -> set[Decimal]:
    if len(numbers) == 1:
        return set(numbers[0].readings)
    return {a * b for a in numbers[0].readings for b in numbers[1].readings}


def _ranges(message: Message) -> Iterator[tuple[Decimal, Decimal]]:
    """Find "between 30 and 50": what lies within was left to the model."""
    for one, two in pairwise(message.operands):
        low, high = one.readings[0], two.readings[0]
        meant = _RANGE.fullmatch(two.gap) or (_BETWEEN.search(one.gap) and " and " in two.gap)
        if meant and not (one.share or two.share) and low < high <= _WIDEST * low:
            yield low, high


def _from_all(messages: Sequence[Message]) -> Iterator[Decimal]:
    """Put any two numbers together that people said in different messages."""
    said = [one for message in messages for one in message.operands if not one.share][-2 * _FEW :]
    for one, two in combinations(said, 2):
        yield from of_two(one, two)
