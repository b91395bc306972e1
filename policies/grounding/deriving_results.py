"""Compute with the results of tools: totals of columns and orders, within a record, and with what people said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations, islice
from typing import Final

from reinforced_agent.policies.grounding.operands import Operand, Record
from reinforced_agent.policies.grounding.operations import Message, heads_in, implied_numbers, is_head, of_two, shared


_PAIRED: Final = 6
"""Numbers of one record of which any two are put together."""
_WHOLE_COLUMN: Final = 6
"""Values of one column of which any selection may be meant; of more, all of them, all but one, or two."""
_MOST_PAIRS: Final = 24
"""Values of a longer column of which any two are put together."""
_ADDED: Final = 4
"""Numbers of one record up to which they are added up as prices, such as a fare and a bag."""
_MOST_CROSSED: Final = 60
"""Numbers of results that are put together with what the user said."""
_MOST_SAID: Final = 16
"""Numbers of people, the latest ones, that are put together with results."""
_COUNTS: Final = re.compile(r"qty|quantit|count|units|pieces|number_of|数量|件数|人数|passengers|guests|nights")


def from_results(messages: Sequence[Message], records: Sequence[Record]) -> Iterator[tuple[Decimal, bool]]:
    """Compute with results: totals, within a record, and with what people said; `True` where it is plain."""
    columns = list(_columns(records))
    for column in columns:
        yield sum(column, Decimal(0)), True
        yield from ((number, len(column) <= _WHOLE_COLUMN) for number in _selections(column))
    for record in records:
        yield from ((number, len(record.operands) <= 3) for number in _within(record))  # noqa: PLR2004
    yield from ((total, True) for total in _orders(records))
    yield from _crossed(messages, records, columns)


def _columns(records: Sequence[Record]) -> Iterator[list[Decimal]]:
    """Collect the values of fields of one name, except shares and counts."""
    found: dict[str, list[Decimal]] = {}
    for record in records:
        for operand in record.operands:
            if not operand.share and not _COUNTS.search(operand.label):
                found.setdefault(operand.label, []).append(operand.readings[0])
    yield from (column for column in found.values() if len(column) > 1)


def _selections(column: Sequence[Decimal]) -> Iterator[Decimal]:
    """Add up what may be meant by "these": any of a few; two, or all but one, of many."""
    whole = sum(column, Decimal(0))
    if len(column) <= _WHOLE_COLUMN:
        for size in range(2, len(column)):
            yield from (sum(chosen, Decimal(0)) for chosen in combinations(column, size))
        yield from (abs(a - b) for a, b in combinations(column, 2))
        return
    yield from (whole - one for one in column)
    for a, b in combinations(column[:_MOST_PAIRS], 2):
        yield from (a + b, abs(a - b))


def _within(record: Record) -> Iterator[Decimal]:
    """Compute within one record: two numbers, or the total of a few, with its percentages."""
    numbers = [one for one in record.operands if not one.share]
    shares = [one.readings[0] for one in record.operands if one.share]
    if len(numbers) > _PAIRED:
        return
    for one, two in combinations(numbers, 2):
        yield from of_two(one, two)
    yield sum((one.readings[0] for one in numbers), Decimal(0))
    for number in [one.readings[0] for one in numbers]:
        yield from shared(number, shares)


def _orders(records: Sequence[Record]) -> Iterator[Decimal]:
    """Add up the lines of an order, price times quantity, with and without what is charged beside them."""
    lines = [line for record in records if (line := _line(record)) is not None]
    if not lines:
        return
    total = sum(lines, Decimal(0))
    yield total
    beside = (record for record in records if _line(record) is None and len(record.operands) <= _PAIRED)
    extras = [one.readings[0] for record in beside for one in record.operands if not one.share]
    yield from (total + extra for extra in extras)


def _line(record: Record) -> Decimal | None:
    """Multiply the one price of a record with its one quantity."""
    counts = [one.readings[0] for one in record.operands if _COUNTS.search(one.label)]
    prices = [one.readings[0] for one in record.operands if not one.share and not _COUNTS.search(one.label)]
    return counts[0] * prices[0] if len(counts) == len(prices) == 1 else None


def _crossed(
    messages: Sequence[Message], records: Sequence[Record], columns: Sequence[Sequence[Decimal]]
) -> Iterator[tuple[Decimal, bool]]:
    """Put what people said together with single numbers and totals of results, the latest first."""
    said = [one for message in messages for one in message.operands][-_MOST_SAID:]
    numbers = [one for record in reversed(records) for one in record.operands][:_MOST_CROSSED]
    totals = list(_totals(records, columns))
    few = len(said) * len(numbers) <= _MOST_SAID
    whole = Message(" ".join(message.text for message in messages), ())
    for number in (number for other in (*totals, *numbers) for number in other.readings):
        yield from ((result, few) for result in _by_words(number, whole, said))
    yield from ((result, few) for record in records[-_MOST_CROSSED:] for result in _with_extras(record, said))
    for other in (*totals, *numbers):
        for one in said:
            plain = few or ((one.share or other.share) and (other in totals or len(numbers) <= _MOST_SAID))
            yield from ((result, plain) for result in _of_pair(one, other))


def _totals(records: Sequence[Record], columns: Sequence[Sequence[Decimal]]) -> Iterator[Operand]:
    """Add up columns, the lines of an order, and the prices of one record."""
    yield from (Operand((sum(column, Decimal(0)),)) for column in columns)
    yield from (Operand((total,)) for total in islice(_orders(records), 1))
    for record in records:
        plain = [one.readings[0] for one in record.operands if not one.share]
        if 1 < len(plain) <= _ADDED:
            yield Operand((sum(plain, Decimal(0)),))


def _by_words(number: Decimal, whole: Message, said: Sequence[Operand]) -> Iterator[Decimal]:
    """Share a number of a result, take it by the year or month, or buy several of it at a discount."""
    implied = [Decimal(one) for one in implied_numbers(whole.text)]
    yield from (number / one for one in (*heads_in(whole, said), *implied))
    yield from (number * one for one in implied)
    shares = [share for one in said if one.share for share in one.readings]
    if shares:
        counts = (count for one in said if not one.share for count in one.readings if is_head(count))
        yield from (result for count in counts for result in shared(count * number, shares))


def _with_extras(record: Record, said: Sequence[Operand]) -> Iterator[Decimal]:
    """Add several of one price to another, such as a room and breakfast for two."""
    prices = [one.readings[0] for one in record.operands if not one.share]
    if len(prices) == 2:  # noqa: PLR2004 - with more prices too many sums would be reached
        counts = [count for one in said if not one.share for count in one.readings if is_head(count)]
        yield from (a + b * count for count in counts for a, b in (prices, reversed(prices)))


def _of_pair(one: Operand, other: Operand) -> Iterator[Decimal]:
    """Put a number that was said together with one of a result."""
    share, number = (one, other) if one.share else (other, one)
    if share.share:
        for total in number.readings:
            yield from shared(total, share.readings)
    else:
        yield from of_two(one, other)
        yield from (a / b for a in one.readings for b in other.readings if b != b.to_integral_value())  # a rate
