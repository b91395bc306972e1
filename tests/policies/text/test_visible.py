"""Text of others is shown as it is: nothing hidden, nothing turned around, nothing disguised."""

from __future__ import annotations

import json
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.text.visible import exact_json, visible, written


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("\x1b[2J\x07", "<U+001B>[2J<U+0007>", id="escape-sequence"),
        pytest.param("\x1b]8;;http://x\x1b\\y", "<U+001B>]8;;http://x<U+001B>\\y", id="link-of-a-terminal"),
        pytest.param("a\x9b31m", "a<U+009B>31m", id="c1"),
        pytest.param("a\x7f\x85b", "a<U+007F><U+0085>b", id="delete-and-next-line"),
        pytest.param("gnp.\u202exe\u202c", "gnp.<U+202E>xe<U+202C>", id="override"),
        pytest.param("a\u2066b\u2069", "a<U+2066>b<U+2069>", id="isolate"),
        pytest.param("a\u200fb\u200e\u061c", "a<U+200F>b<U+200E><U+061C>", id="marks-of-direction"),
        pytest.param("pay\u200bpal\u2060\ufeff\u00ad", "pay<U+200B>pal<U+2060><U+FEFF><U+00AD>", id="zero-width"),
        pytest.param("a\u2028b\u2029c", "a<U+2028>b<U+2029>c", id="separators"),
        pytest.param("a\u3164\u115f\u1160\uffa0", "a<U+3164><U+115F><U+1160><U+FFA0>", id="hangul-fillers"),
        pytest.param("a\ufe00\U000e0101", "a<U+FE00><U+E0101>", id="variation-selectors"),
        pytest.param("a\U000e0041\U000e007f", "a<U+E0041><U+E007F>", id="tags"),
        pytest.param("a\ud800\ue000\uffff", "a<U+D800><U+E000><U+FFFF>", id="no-characters"),
        pytest.param("a\rb", "a<U+000D>b", id="carriage-return"),
        pytest.param("a\r\nb\tc", "a\nb    c", id="lines-and-tabs"),
        pytest.param("p\u0430yp\u0430l", "p<U+0430>yp<U+0430>l", id="cyrillic-in-latin"),
        pytest.param("\u0430\u0440\u0440\u04cf\u0435.com", "<U+0430><U+0440><U+0440><U+04CF><U+0435>.com", id="domain"),
        pytest.param("a@\u0440\u0430\u0443.com", "a@<U+0440><U+0430><U+0443>.com", id="address"),
        pytest.param("g\u03bfogle", "g<U+03BF>ogle", id="greek-in-latin"),
        pytest.param("\u13a2BM", "<U+13A2>BM", id="cherokee-in-latin"),
        pytest.param(
            "c\u0431\u0435\u0440\u0431\u0430\u043d\u043a",
            "<U+0063>\u0431\u0435\u0440\u0431\u0430\u043d\u043a",
            id="latin-in-cyrillic",
        ),
    ],
)
def test_what_hides_or_deceives_is_spelled_out(text: str, shown: str) -> None:
    """Its code stands in its place, whatever the terminal would have made of it."""
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The order A-1003 goes to Zürich, naïve café, Łódź, Việt Nam, İstanbul.", id="latin"),
        pytest.param("你好，世界。请使用Python编写3D程序，发到 ann@example.com。", id="chinese"),
        pytest.param("こんにちは。Ｔシャツを３枚、iPhoneも。", id="japanese"),
        pytest.param("안녕하세요. PDF파일을 보내 주세요.", id="korean"),
        pytest.param("مرحبا بالعالم، رقم الطلب \u200f(5)", id="arabic"),
        pytest.param("שלום עולם, הזמנה 5", id="hebrew"),
        pytest.param("Привет, Вера! Москва ждёт. Сосо, он, но. IT-отдел, USB-кабель, PDFфайл.", id="cyrillic"),
        pytest.param("Пишите на иван@пример.рф или на www.москва.com.", id="cyrillic-domain"),
        pytest.param("Ελληνικό κείμενο για την Αθήνα. Δt = 3, 5 kΩ, 2 μm.", id="greek"),
        pytest.param("हिन्दी में क्\u200dष, فارسی می\u200cخواهم", id="joiners"),
        pytest.param(
            "👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽 1\ufe0f\u20e3 🇩🇪 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067"
            "\U000e007f",
            id="emoji",
        ),
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    """No script and no emoji is marked for being what it is."""
    assert visible(text) == text
    assert json.loads(written(text)) == text


def test_every_character_that_a_terminal_could_obey_is_spelled_out() -> None:
    """Controls, separators, halves of pairs and characters for private use, each of them."""
    odd = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in {"Cc", "Cs", "Co", "Zl", "Zp"}
    ]
    assert [one for one in odd if one not in "\n\t" and one in visible(f"x{one}y")] == []


@given(st.text(st.characters() | st.sampled_from("\u202e\u200b\x1bаеpay.@\u200d\ufe0f👩\r\n")))
def test_what_was_shown_once_is_shown_alike_again(text: str) -> None:
    """It makes no difference how often a text passes, and it can always be printed."""
    once = visible(text)
    assert visible(once) == once
    once.encode()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_exact_json_means_the_same(value: Any) -> None:
    """A program reads what was written, and a terminal has nothing to obey."""
    text = exact_json(value)
    assert json.loads(text) == value
    assert "\x1b" not in text
    text.encode()


@pytest.mark.parametrize(
    ("value", "most", "shown"),
    [
        pytest.param("ann", None, '"ann"', id="text"),
        pytest.param('a"b\\c\nd\te', None, r'"a\"b\\c\nd\te"', id="escapes"),
        pytest.param("x" * 500, 400, f'"{"x" * 400}" … (500 characters)', id="long"),
        pytest.param({"b": 1, "a": [True, None, 2.5]}, None, '{"b": 1, "a": [true, null, 2.5]}', id="nested"),
        pytest.param({"body": "x" * 9, "to": "ann"}, 3, '{"body": "xxx" … (9 characters), "to": "ann"}', id="inside"),
        pytest.param([1, 2, 3], 2, "[1, 2] … (3 entries)", id="list"),
        pytest.param("a\u202eb", None, '"a<U+202E>b"', id="invisible"),
        pytest.param("a" + " " * 90 + "amount: 1", None, '"a<90 blanks>amount: 1"', id="blanks"),
    ],
)
def test_a_value_is_written_on_one_line(value: Any, most: int | None, shown: str) -> None:
    """Texts stand in quotes, and what is cut is counted outside of them."""
    assert written(value, most) == shown


@pytest.mark.parametrize(
    "unit", ["a\u200b", "\u0430b", "\ufe0f", "\u200d", "а.", "\x1b[", " \u200f", "🏴\U000e0067"], ids=ascii
)
def test_long_texts_take_time_in_proportion(unit: str) -> None:
    """Ten times the text takes no more than about ten times the time."""
    from time import process_time  # noqa: PLC0415

    def took(count: int) -> float:
        started = process_time()
        visible(unit * count)
        return process_time() - started

    took(1_000)
    assert took(50_000) < 40 * max(took(5_000), 0.002)
