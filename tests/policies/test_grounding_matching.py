"""Values against what was said: in another spelling they count, made up they don't, and doubt lets them pass."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from reinforced_agent.policies.grounding import agrees, said_by_user
from reinforced_agent.policies.grounding.matching import Finding, find
from reinforced_agent.policies.grounding.said import Said


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("bob@corp.example", "Write to BOB@corp.example.", id="email-case"),
        pytest.param("bob@corp.example", "bob @ corp.example", id="email-spaces"),
        pytest.param("bob@corp.example", "it's bob at corp dot example", id="email-spoken"),
        pytest.param("bob@corp.example", "ｂｏｂ＠ｃｏｒｐ．ｅｘａｍｐｌｅ", id="email-full-width"),
        pytest.param("bob@corp.example", "请发到bob@corp.example，谢谢", id="email-in-chinese"),
        pytest.param("a@x.example, b@y.example", "to b@y.example and a@x.example", id="emails"),
        pytest.param("DE89370400440532013000", "IBAN de89 3704 0044 0532 0130 00", id="iban-grouped"),
        pytest.param("DE89 3704 0044 0532 0130 00", "DE89370400440532013000", id="iban-squeezed"),
        pytest.param("+49 30 1234567", "ring (030) 123-4567", id="phone-with-prefix"),
        pytest.param("5551234567", "+1 555-123-4567", id="phone-without-prefix"),
        pytest.param("A-1003", "refund order a1003", id="id-without-dash"),
        pytest.param("ORD-1003", "refund order 1003", id="id-with-added-letters"),
        pytest.param("#W2378156", "my order is W2378156", id="id-with-sign"),
        pytest.param("12345678", "account 1234-5678", id="account-grouped"),
        pytest.param(12345678, "account 1234 5678", id="account-as-number"),
        pytest.param(200, "send two hundred euros", id="number-in-words"),
        pytest.param(35000, "转3.5万元", id="number-in-chinese"),
        pytest.param(-5.0, "5 degrees below zero", id="sign-in-words"),
        pytest.param("200.00", "send 200 euros", id="number-as-text"),
        pytest.param("20 EUR", "pay 20 €", id="amount-with-unit"),
        pytest.param("€20", "20 euros", id="amount-with-sign"),
        pytest.param("5 km", "within five kilometers", id="distance"),
        pytest.param("2026-12-05", "on the 5th of December", id="date"),
        pytest.param("2026-12-05T15:00", "12/5/26 at 3", id="date-time"),
        pytest.param("Müller", "ask Muller", id="accents"),
        pytest.param("Li, Mia", "I'm Mia Li", id="words-in-another-order"),
        pytest.param("the New York office", "our office in New York", id="stop-words"),
        pytest.param("张三", "请转账给张三先生", id="chinese-name"),
        pytest.param("Don't panic", "don’t panic", id="apostrophe"),
    ],
)
def test_what_was_said_counts_in_every_spelling(value: Any, text: str) -> None:
    """A value is found however the user wrote it."""
    assert find(value, Said((text,))) is Finding.SAID


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("user@example.com", "I want to subscribe to ACME", id="email"),
        pytest.param("bob@corp.example", "Bob of Corp wants it", id="email-made-of-names"),
        pytest.param("bob@corp.example", "bigbob@corp.example", id="email-inside-another"),
        pytest.param("bob@corp.example", "bob@corp.example.org2", id="email-that-goes-on"),
        pytest.param("a@x.example, z@y.example", "to a@x.example", id="one-email-too-many"),
        pytest.param("DE89370400440532013000", "IBAN DE02 1203 0000 0000 2020 51", id="iban"),
        pytest.param("+49 30 1234567", "ring 030 1234568", id="phone"),
        pytest.param("ORD-1003", "refund order 11003", id="id-inside-another"),
        pytest.param("A-1003", "refund my last order", id="id"),
        pytest.param(100, "order 21003", id="number-inside-another"),
        pytest.param(50, "send some euros", id="amount"),
        pytest.param("50 EUR", "send some euros", id="amount-with-unit"),
        pytest.param("2026-12-05", "on the 6th of December", id="date"),
        pytest.param("John Smith", "book a table for me", id="name"),
        pytest.param("张三", "请帮我订票", id="chinese-name"),
    ],
)
def test_what_nobody_said_is_made_up(value: Any, text: str) -> None:
    """A value that only looks like what was said is not said."""
    assert find(value, Said((text,))) is Finding.UNSAID


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("DE", "I live in Germany", id="short-code"),
        pytest.param("2026-12-05", "let us meet tomorrow", id="day-by-word"),
        pytest.param("2026-12-05", "下周五见面", id="day-by-chinese-word"),
        pytest.param("17:30", "at half past five", id="time-of-day"),
        pytest.param(200, "Überweise bitte zweihundert Euro", id="number-in-another-language"),
        pytest.param("Beijing", "去北京的机票", id="name-in-another-script"),
        pytest.param("Пекин", "a flight to Beijing", id="script-that-is-not-read"),
        pytest.param("one two " * 20, "write a poem", id="composed-text"),
        pytest.param(10**4000, "a lot", id="number-too-long"),
        pytest.param(float("inf"), "a lot", id="infinite"),
    ],
)
def test_what_can_not_be_compared_is_in_doubt(value: Any, text: str) -> None:
    """Where the spelling may differ in ways nobody can compute, no verdict is given."""
    assert find(value, Said((text,))) is Finding.UNSURE


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(50, "20 for lunch and 30 for dinner", id="sum"),
        pytest.param(45, "I have 75 and keep 30", id="difference"),
        pytest.param(60, "three tickets at 20", id="product"),
        pytest.param(2000, "pay 20 euros", id="cents"),
        pytest.param(5000, "within 5 km", id="metres"),
    ],
)
def test_what_two_numbers_give_is_derived(value: float, text: str) -> None:
    """Sums, differences, products and other units of said numbers are told apart from inventions."""
    assert find(value, Said((text,))) is Finding.DERIVED


@pytest.mark.parametrize(
    "giant",
    [
        pytest.param("order 123456789012345678901234567890", id="id"),
        pytest.param("commit 1e30", id="hash-that-reads-as-a-power"),
        pytest.param("call 00491701234567890123456789", id="telephone"),
        pytest.param("hundred " * 15, id="hundreds"),
        pytest.param("one " + "hundred " * 20 + "five", id="hundreds-and-more"),
        pytest.param("trillion " * 30, id="trillions"),
        pytest.param("九九九九九九九九九九九九九九九九九九九九九九九九九九九九九", id="chinese-digits"),
        pytest.param("万亿亿亿亿五", id="chinese-scales"),
        pytest.param("0." + "3" * 39, id="many-decimals"),
    ],
)
@pytest.mark.parametrize("invented", [50, 57.3, 1234, 99.99, 3217])
def test_a_giant_number_proves_no_amount(giant: str, invented: float) -> None:
    """Beside an id or a hash nothing vanishes in rounding, so that an invented amount stays invented."""
    assert find(invented, Said(("please pay my bill", giant))) is Finding.UNSAID


_TOKENS = st.sampled_from(
    [
        *"0123456789.,'_ -/%e$€@:+一二三五十百千万亿点半元块角分折年月日",
        *("hundred ", "trillion ", "and ", "half ", "point ", "five ", "% off ", " days ago ", "百分之", "iban "),
        *("1e999", "9" * 30, "0." + "0" * 20 + "1", "A-", "12/31/"),
    ]
)


@given(
    text=st.lists(_TOKENS, max_size=40).map("".join) | st.text(max_size=80),
    value=st.integers() | st.floats() | st.text(max_size=20) | st.lists(_TOKENS, max_size=8).map("".join),
)
@example(text="hundred " * 20 + "five", value=50)
@example(text="1e999 and 1e-999", value=1e308)
def test_no_text_upsets_the_layer(text: str, value: str | float) -> None:
    """Whatever was said and proposed, there is a finding."""
    assert find(value, Said((text,), (text,))) in Finding


def test_only_what_people_said_is_completed() -> None:
    """People leave letters of an id out; a tool writes it in full, so that other digits of a result prove nothing."""
    assert find("HAT136", Said(("flight 136",))) is Finding.SAID
    assert find("HAT136", Said(("a flight",), ('{"price": 136}',))) is Finding.UNSAID


@pytest.mark.parametrize(
    ("reply", "agreed"),
    [
        pytest.param("Yes, please.", True, id="yes"),
        pytest.param("  ok!", True, id="ok"),
        pytest.param("Great, thanks. Go ahead", True, id="go-ahead"),
        pytest.param("That's right", True, id="right"),
        pytest.param("好的，谢谢", True, id="chinese"),
        pytest.param("没错", True, id="chinese-not-wrong"),
        pytest.param("No, use another one", False, id="no"),
        pytest.param("Yes, but not to that address", False, id="yes-but"),
        pytest.param("ok, use my card instead", False, id="something-else"),
        pytest.param("不行", False, id="chinese-no"),
        pytest.param("What does it cost?", False, id="question"),
        pytest.param("Yesterday was fine", False, id="longer-word"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_agreement_is_heard(reply: str, *, agreed: bool) -> None:
    """A reply agrees where it begins so and takes nothing back."""
    assert agrees(reply) is agreed


def test_what_the_user_agreed_to_counts_as_said() -> None:
    """The assistant's words count once the user agrees to them; tools and unanswered words don't."""
    turns = [
        ("user", "Book a flight"),
        ("assistant", "HAT136 for 120?"),
        ("tool", "HAT136"),
        ("user", "Yes"),
        ("assistant", "And a bag for 30?"),
        ("user", "No"),
        ("assistant", "Shall I pay?"),
    ]
    assert said_by_user(turns) == ("Book a flight", "HAT136 for 120?", "Yes", "No")


TEXTS = st.text(max_size=60)
VALUES = TEXTS | st.floats() | st.integers()


@given(VALUES, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=2))
@example("١٢٣", ["１２３"], [])
@example("2026-00-00", ["0/0/00"], [])
@example("@" * 50, ["@ at @ dot"], [])
@example("é\ud800", ["\ud800"], [])
@example("1e999", ["1e999 万亿亿亿"], [])
@example(5e-324, ["1/3", "十百千万亿半"], [])
def test_no_text_breaks_the_comparison(value: Any, texts: list[str], results: list[str]) -> None:
    """Whatever a model or a user writes, there is a finding."""
    assert find(value, Said(tuple(texts), tuple(results))) in Finding


@given(TEXTS, TEXTS, TEXTS)
@example("", "1", "")
@example("say ", "a@b.c, ", "now")
def test_a_text_that_was_copied_is_never_made_up(before: str, value: str, after: str) -> None:
    """What stands in the user's text word for word was said."""
    assert find(value, Said((f"{before} {value} {after}",))) is not Finding.UNSAID


@given(TEXTS, st.floats(allow_nan=False, allow_infinity=False) | st.integers(), TEXTS)
@example("", 1e16, "")
@example("", -0.0, "")
def test_a_number_that_was_copied_is_never_made_up(before: str, value: float, after: str) -> None:
    """A number that the user wrote as JSON does was said."""
    assume(not (before[-1:].isdigit() or after[:1].isdigit()))
    assert find(value, Said((f"{before} {value} {after}",))) in {Finding.SAID, Finding.UNSURE}


@given(st.integers(2, 10**6))
def test_thousands_and_decimals_never_hide_a_number(value: int) -> None:
    """Separators in either style leave the number what it is."""
    for written in (f"{value:,}", f"{value:,}".replace(",", "."), f"{value:,}.00", f"{value:_}"):
        assert find(value, Said((f"pay {written} now",))) is Finding.SAID
