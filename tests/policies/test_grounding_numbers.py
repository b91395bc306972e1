"""Numbers and dates in texts: in digits and in words, English and Chinese, in every reading they may have."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from reinforced_agent.policies.grounding.dates import Day, dates_in, dates_of_value, is_named
from reinforced_agent.policies.grounding.folding import fold, is_foreign
from reinforced_agent.policies.grounding.numerals import numbers_in


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("pay 1,000 euros", "1000", id="comma-for-thousands"),
        pytest.param("zahle 1.000 euro", "1000", id="point-for-thousands"),
        pytest.param("1.000", "1", id="point-may-be-decimal"),
        pytest.param("payer 1 000 euros", "1000", id="space-for-thousands"),
        pytest.param("payer 1\u202f000 euros", "1000", id="narrow-space-for-thousands"),
        pytest.param("1'000'000 Franken", "1000000", id="apostrophe-for-thousands"),
        pytest.param("1_000", "1000", id="underscore-for-thousands"),
        pytest.param("付款１，０００元", "1000", id="full-width"),
        pytest.param("٢٠٠", "200", id="arabic-digits"),
        pytest.param("12,34,567 rupees", "1234567", id="indian-groups"),
        pytest.param("1,234.56", "1234.56", id="comma-and-point"),
        pytest.param("1.234,56", "1234.56", id="point-and-comma"),
        pytest.param("2,5 km", "2.5", id="decimal-comma"),
        pytest.param(".5 mm", "0.5", id="no-zero-before-the-point"),
        pytest.param("20€", "20", id="currency-behind"),
        pytest.param("$20.", "20", id="currency-before-and-full-stop"),
        pytest.param("-12 degrees", "12", id="sign"),
        pytest.param("3e-4", "0.0003", id="power"),
        pytest.param("1/4 of it", "0.25", id="fraction"),
        pytest.param("items 3,7,11", "7", id="list"),
        pytest.param("20%", "0.2", id="percent-as-share"),
        pytest.param("20 %", "20", id="percent-as-number"),
        pytest.param("12.5 percent", "0.125", id="percent-in-words"),
        pytest.param("a salary of 50k", "50000", id="thousands-by-letter"),
        pytest.param("3.5 million", "3500000", id="millions-by-word"),
        pytest.param("2m people", "2000000", id="millions-by-letter"),
        pytest.param("5 lakhs", "500000", id="lakh"),
        pytest.param("the 5th of may", "5", id="ordinal-in-digits"),
        pytest.param("two hundred", "200", id="english-hundreds"),
        pytest.param("one hundred and twenty-five", "125", id="english-and"),
        pytest.param("twelve thousand three hundred", "12300", id="english-thousands"),
        pytest.param("three and a half million", "3500000", id="english-half"),
        pytest.param("two and a half hours", "2.5", id="english-half-alone"),
        pytest.param("half a million", "500000", id="english-half-of"),
        pytest.param("one point two five", "1.25", id="english-point"),
        pytest.param("a hundred thousand", "100000", id="english-article"),
        pytest.param("two dozen eggs", "24", id="english-dozen"),
        pytest.param("twenty percent", "0.2", id="english-percent"),
        pytest.param("the second item", "2", id="english-ordinal"),
        pytest.param("do it twice", "2", id="english-twice"),
        pytest.param("five, seven, nine", "7", id="english-list"),
        pytest.param("one two three", "2", id="english-words-side-by-side"),
        pytest.param("一百二十元", "120", id="chinese-hundreds"),
        pytest.param("两千零五", "2005", id="chinese-zero"),
        pytest.param("十五个", "15", id="chinese-ten-first"),
        pytest.param("二十", "20", id="chinese-tens"),
        pytest.param("3.5万", "35000", id="chinese-mixed"),
        pytest.param("三点五万", "35000", id="chinese-point"),
        pytest.param("三万五", "35000", id="chinese-colloquial"),
        pytest.param("两百五", "250", id="chinese-colloquial-hundreds"),
        pytest.param("一亿二千万", "120000000", id="chinese-hundred-million"),
        pytest.param("二零二六年", "2026", id="chinese-digit-by-digit"),
        pytest.param("百分之二十", "0.2", id="chinese-percent"),
        pytest.param("百分之20", "0.2", id="chinese-percent-of-digits"),
        pytest.param("打五折，一半", "0.5", id="chinese-half"),
        pytest.param("两个半小时，三千半", "3500", id="chinese-half-of-a-step"),
        pytest.param("壹佰元整", "100", id="chinese-banking-numerals"),
    ],
)
def test_a_number_is_read_however_it_is_written(text: str, number: str) -> None:
    """Every way to write a number gives the number."""
    assert Decimal(number) in numbers_in(fold(text))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("order 21003", "100", id="inside-a-longer-number"),
        pytest.param("1,234", "234", id="group-of-thousands"),
        pytest.param("version 1.25", "25", id="decimals"),
        pytest.param("someone", "1", id="inside-a-word"),
        pytest.param("weight of ten stones", "8", id="no-number-inside-weight"),
        pytest.param("twenty and five", "20", id="part-of-a-phrase"),
        pytest.param("一百二十", "100", id="part-of-a-numeral"),
        pytest.param("pay me", "0", id="no-number-at-all"),
    ],
)
def test_what_was_not_said_is_not_read(text: str, number: str) -> None:
    """Parts of a number or a word are not numbers of their own."""
    assert Decimal(number) not in numbers_in(fold(text))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2026-12-05", id="iso"),
        pytest.param("20261205", id="compact"),
        pytest.param("on 5 December 2026", id="day-first"),
        pytest.param("the 5th of December, 2026", id="day-first-in-full"),
        pytest.param("Dec 5th 2026", id="month-first-short"),
        pytest.param("December 5, 2026", id="month-first"),
        pytest.param("december 5", id="without-a-year"),
        pytest.param("5.12.2026", id="points"),
        pytest.param("12/5/26", id="american"),
        pytest.param("5/12/26", id="european"),
        pytest.param("12/5", id="short"),
        pytest.param("2026年12月5日", id="chinese"),
        pytest.param("12月5号", id="chinese-without-a-year"),
        pytest.param("２０２６年１２月５日", id="chinese-full-width"),
    ],
)
def test_a_date_is_read_however_it_is_written(text: str) -> None:
    """Every common form names the same day."""
    assert is_named(frozenset({Day(2026, 12, 5)}), dates_in(fold(text)))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2026-12-06", id="another-day"),
        pytest.param("5 December 2025", id="another-year"),
        pytest.param("5 November", id="another-month"),
        pytest.param("December 2026", id="only-the-month"),
        pytest.param("room 12-5-1 at 1999", id="a-number-with-dashes"),
        pytest.param("13/14/26", id="no-date"),
    ],
)
def test_another_date_is_not_the_same(text: str) -> None:
    """What differs in year, month or day names another day."""
    assert not is_named(frozenset({Day(2026, 12, 5)}), dates_in(fold(text)))


def test_a_month_stands_for_its_first_and_last_days() -> None:
    """Whoever says a month means a span that begins and ends there."""
    said = dates_in("in december 2026")
    named = [day for day in range(1, 32) if is_named(frozenset({Day(2026, 12, day)}), said)]
    assert named == [1, 28, 29, 30, 31]


@pytest.mark.parametrize(
    ("value", "days"),
    [
        pytest.param("2026-12-05", [date(2026, 12, 5)], id="date"),
        pytest.param("2026-12-05T15:00:00Z", [date(2026, 12, 5)], id="date-and-time"),
        pytest.param("2026-12-05 15:00", [date(2026, 12, 5)], id="date-space-time"),
        pytest.param("2026-12-05 to 2026-12-07", [date(2026, 12, 5), date(2026, 12, 7)], id="span"),
        pytest.param("1.2.3", [], id="version"),
        pytest.param("tomorrow", [], id="word"),
        pytest.param("2026-13-05", [], id="impossible"),
    ],
)
def test_a_value_is_a_date_only_where_it_looks_like_one(value: str, days: list[date]) -> None:
    """Dates, times of a day and spans are recognised; versions and words aren't."""
    found = [{(day.year, day.month, day.day) for day in readings} for readings in dates_of_value(value)]
    assert len(found) == len(days)
    assert all((day.year, day.month, day.day) in readings for readings, day in zip(found, days, strict=True))


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        pytest.param("Send two hundred euros to Bob", False, id="english"),
        pytest.param("给张三转两百块", False, id="chinese"),
        pytest.param("Überweise bitte zweihundert Euro nach Łódź", True, id="german"),
        pytest.param("Переведи двести рублей Бобу", True, id="russian"),
        pytest.param("مائتان", True, id="arabic"),
        pytest.param("refund A-1003", False, id="few-words"),
        pytest.param("Ask Zoë to meet me in Łódź", False, id="english-with-foreign-names"),
    ],
)
def test_a_language_that_is_not_read_is_noticed(text: str, *, foreign: bool) -> None:
    """English and Chinese are read, and few words get the benefit of the doubt."""
    assert is_foreign(fold(text)) is foreign
