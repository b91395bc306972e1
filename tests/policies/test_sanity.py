"""What a tool returned is told to be fine, to need a warning, or to be of no use; by declaration and by plain signs."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from reinforced_agent.policies.sanity import Bad, Expected, Fine, Suspicious, judge_result
from reinforced_agent.policies.sanity.brought import Brought
from reinforced_agent.policies.wording.results import CHINESE, ENGLISH, say
from reinforced_agent.tools.result_rules import Completeness, Freshness, Range, ResultRules


NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
READ, WRITE, WEB = Expected(), Expected(changes=True), Expected(strangers=True)


class Weather(BaseModel):
    """A result as a model."""

    temp: float


def found(text: str, expected: Expected = READ) -> str:
    """Judge a text and write the verdict short."""
    match judge_result(text, expected, NOW):
        case Fine():
            return "fine"
        case Suspicious(doubts=doubts):
            return "+".join(doubt.code for doubt in doubts)
        case Bad(doubt=doubt):
            return f"bad {doubt.code}"


def page(title: str) -> str:
    """Write a page of HTML."""
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body>x</body></html>"


@pytest.mark.parametrize(
    ("text", "expected", "verdict"),
    [
        pytest.param("3 degrees", READ, "fine", id="text"),
        pytest.param('{"status": "open"}', READ, "fine", id="status"),
        pytest.param('{"status": "error", "message": "no key"}', READ, "bad reported_error", id="status-error"),
        pytest.param('{"error": "no key"}', READ, "bad reported_error", id="error"),
        pytest.param('{"error": {"message": "no key"}}', READ, "bad reported_error", id="error-object"),
        pytest.param('{"success": false, "error": "balance too low"}', WRITE, "bad reported_error", id="no-success"),
        pytest.param('{"isError": true, "data": null, "msg": "no"}', READ, "bad reported_error", id="is-error"),
        pytest.param('{"statusCode": 502, "message": "upstream"}', READ, "bad reported_error", id="http-in-body"),
        pytest.param('{"success": false}', READ, "unsuccessful", id="bare-no-of-a-read"),
        pytest.param('{"success": false}', WRITE, "bad reported_error", id="bare-no-of-a-write"),
        pytest.param('{"success": false, "seat": "4A"}', WRITE, "bad reported_error", id="no-beside-data-of-a-write"),
        pytest.param('{"success": false, "seat": "4A"}', READ, "unsuccessful", id="no-beside-data-of-a-read"),
        pytest.param('{"error": "rounding 0.1", "value": 3}', READ, "fine", id="error-of-a-measurement"),
        pytest.param('{"error": null, "value": 3}', READ, "fine", id="no-error"),
        pytest.param('{"error": null, "success": true}', WRITE, "fine", id="success"),
        pytest.param('{"id": 7, "status": "failed", "reason": "declined"}', READ, "fine", id="record-of-a-failure"),
        pytest.param('{"code": 404, "name": "Lot 404"}', READ, "fine", id="code-that-is-a-number-of-something"),
        pytest.param("Error: user not found", READ, "bad reported_error", id="error-line"),
        pytest.param("错误：没有此订单", READ, "bad reported_error", id="error-line-chinese"),
        pytest.param("Errors: 3\nWarnings: 9", READ, "fine", id="report-about-errors"),
        pytest.param("Error rates fell by 3 %.", READ, "fine", id="text-about-errors"),
        pytest.param(
            'Traceback (most recent call last):\n  File "x", line 1\nKeyError: 3',
            READ,
            "bad reported_error",
            id="trace",
        ),
        pytest.param(page("502 Bad Gateway"), READ, "bad error_page", id="error-page"),
        pytest.param(page("502 Bad Gateway"), WEB, "error_page", id="error-page-of-a-browser"),
        pytest.param(page("Sign in to Acme"), READ, "login_page", id="login-page"),
        pytest.param(page("Fortune 500 companies"), READ, "fine", id="page"),
        pytest.param(page("Errors in Python"), READ, "fine", id="page-about-errors"),
        pytest.param("  ", READ, "empty", id="blank"),
        pytest.param("[]", READ, "none_found", id="empty-list"),
        pytest.param("\x00\x01\x02PNG\x1a\x00\x00", READ, "bad binary", id="binary"),
        pytest.param("<app.Order object at 0x7f3c2a10>", READ, "bad object_repr", id="name-of-an-object"),
        pytest.param('{"order": "<Order object at 0x7f3c2a10>"}', READ, "object_inside", id="object-inside"),
        pytest.param("KÃ¶ln, DÃ¼sseldorf, MÃ¼nchen", READ, "garbled", id="mojibake"),
        pytest.param("Köln, São Paulo, Zürich, ÃO", READ, "fine", id="letters"),
        pytest.param('{"has_more": true, "items": [1]}', READ, "more", id="has-more"),
        pytest.param('{"has_more": false, "items": [1]}', READ, "fine", id="has-no-more"),
        pytest.param('{"nextToken": "x9", "items": [1]}', READ, "more", id="next-token"),
        pytest.param('{"nextToken": null, "items": [1]}', READ, "fine", id="no-next-token"),
        pytest.param('{"count": 9, "next": "https://a.test/2", "results": [1]}', READ, "more", id="next-address"),
        pytest.param('{"total": 200, "items": [1, 2]}', READ, "part_of", id="part-of-the-total"),
        pytest.param('{"total": 200, "items": [{"price": 100}, {"price": 100}]}', READ, "fine", id="total-of-an-order"),
        pytest.param('{"total": 2, "items": [1, 2]}', READ, "fine", id="all-of-the-total"),
        pytest.param('{"a": 1, "b": [1, 2', READ, "breaks_off", id="cut-off"),
        pytest.param("[note] call back", READ, "fine", id="bracket"),
        pytest.param('{"a": NaN}', READ, "not_finite_inside", id="nan"),
        pytest.param("{" * 5_000, READ, "fine", id="braces"),
    ],
)
def test_what_needs_no_declaration_is_seen(text: str, expected: Expected, verdict: str) -> None:
    """Only what plainly is no answer is refused; what can be a right answer passes, with a word where it needs one."""
    assert found(text, expected) == verdict


TEMPERATURES = ResultRules(ranges=(Range("days.temp", -50, 60, "°C"),), required=("days.date",))


@pytest.mark.parametrize(
    ("value", "rules", "verdict"),
    [
        pytest.param({"days": [{"date": "x", "temp": 4}]}, TEMPERATURES, "fine", id="in-range"),
        pytest.param({"days": [{"date": "x", "temp": 999}]}, TEMPERATURES, "bad range", id="out-of-range"),
        pytest.param({"days": [{"date": None, "temp": 4}]}, TEMPERATURES, "bad required", id="null"),
        pytest.param({"days": [{"temp": 4}]}, TEMPERATURES, "bad required", id="missing"),
        pytest.param({"t": 4}, ResultRules(schema={"required": ["temp"]}), "bad schema", id="schema"),
        pytest.param({"temp": 4}, ResultRules(schema={"required": ["temp"]}), "fine", id="fits-schema"),
        pytest.param({"temp": "hot"}, ResultRules(schema=Weather), "bad schema", id="model"),
        pytest.param({"temp": 4}, ResultRules(schema=Weather), "fine", id="fits-model"),
        pytest.param(
            {"n": 4}, ResultRules(checks=(lambda data: "odd" if data["n"] > 3 else None,)), "bad check", id="check"
        ),
        pytest.param({"n": 4}, ResultRules(warnings=(lambda _: "a preview",)), "warned", id="warning"),
        pytest.param({"n": 4}, ResultRules(checks=(lambda data: data["m"],)), "bad check", id="check-that-breaks"),
        pytest.param([], ResultRules(may_be_empty=False), "bad nothing", id="never-empty"),
        pytest.param("", ResultRules(may_be_empty=False), "bad nothing", id="never-blank"),
        pytest.param("plain", ResultRules(form="json"), "bad not_json", id="no-json"),
        pytest.param(page("Offers"), ResultRules(form="text"), "bad page", id="page-for-text"),
        pytest.param({"at": "2026-03-01T11:30:00Z"}, ResultRules(freshness=Freshness("at", 3_600)), "fine", id="fresh"),
        pytest.param(
            {"at": "2026-03-01T08:00:00Z"}, ResultRules(freshness=Freshness("at", 3_600)), "stale", id="stale"
        ),
        pytest.param(
            {"at": 1_700_000_000}, ResultRules(freshness=Freshness("at", 60, refuse=True)), "bad stale", id="refused"
        ),
        pytest.param({"at": "?"}, ResultRules(freshness=Freshness("at", 3_600)), "no_time", id="no-time"),
        pytest.param({"n": 9, "rows": [1]}, ResultRules(completeness=Completeness("n", "rows")), "part_of", id="part"),
        pytest.param({"go": "x"}, ResultRules(completeness=Completeness(more="go")), "more", id="more"),
        pytest.param("Guten Tag", ResultRules(language="zh"), "language", id="other-script"),
        pytest.param("今天天气很好", ResultRules(language="zh"), "fine", id="own-script"),
        pytest.param('{"error": "no key"}', ResultRules(undeclared=False), "fine", id="switched-off"),
    ],
)
def test_declarations_are_kept(value: Any, rules: ResultRules, verdict: str) -> None:
    """A result is held against what its tool says about it."""
    text = value if isinstance(value, str) else json.dumps(value)
    assert found(text, Expected(rules)) == verdict


def test_a_range_names_place_value_and_bounds() -> None:
    """The words say all that is needed, in both languages."""
    verdict = judge_result('{"days": [{"date": "x", "temp": 999}]}', Expected(TEMPERATURES))
    assert isinstance(verdict, Bad)
    assert say(verdict.doubt) == "days.temp is 999, outside of -50 … 60 °C"
    assert say(verdict.doubt, "zh-CN") == "days.temp 为 999，超出范围 -50 … 60 °C"


@pytest.mark.parametrize(
    ("rules", "flaw"),
    [
        pytest.param(ResultRules(ranges=(Range("t"),)), "no bound", id="no-bound"),
        pytest.param(ResultRules(ranges=(Range("t", 9, 1),)), "upside down", id="upside-down"),
        pytest.param(ResultRules(schema={"type": "nmber"}), "schema", id="schema"),
        pytest.param(ResultRules(schema={"$ref": "https://a.test/x"}), "schema", id="foreign-reference"),
        pytest.param(ResultRules(freshness=Freshness("at", 0)), "above zero", id="no-time"),
        pytest.param(ResultRules(completeness=Completeness(total="n")), "`items`", id="no-items"),
        pytest.param(TEMPERATURES, "", id="sound"),
    ],
)
def test_a_declaration_that_can_not_work_is_named(rules: ResultRules, flaw: str) -> None:
    """A mistake is found when the tools are put together."""
    assert (flaw in rules.flaw()) if flaw else not rules.flaw()


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@given(st.text() | JSON_VALUES.map(json.dumps), st.booleans())
def test_any_text_gets_a_verdict(text: str, changes: bool) -> None:  # noqa: FBT001  # drawn
    """Whatever a tool returns, it is judged and can be told in both languages."""
    verdict = judge_result(text, Expected(TEMPERATURES, changes=changes), NOW)
    doubts = verdict.doubts if isinstance(verdict, Suspicious) else (verdict.doubt,) if isinstance(verdict, Bad) else ()
    assert all(say(doubt, locale) for doubt in doubts for locale in ("en", "zh"))


@pytest.mark.parametrize("key", ["error", "data", "errors", "message"])
def test_a_deeply_nested_object_is_judged(key: str) -> None:
    """No depth breaks off the judgement."""
    for depth in (100, 450, 900, 2_000):
        assert judge_result(f'{{"{key}": ' * depth + "null" + "}" * depth) is not None


@pytest.mark.parametrize(
    "unit", ["<script>", "<!--", "<", "\x1b[", "\x1b]0;", "Error ", "a.", "sorry ", "\u00e9", "锟斤", "{", "- "]
)
def test_hostile_text_is_judged_in_time(unit: str) -> None:
    """No text makes a pattern search without end; the bound is far above what is needed."""
    started = time.process_time()
    for text in (unit * 20_000, "<html>" + unit * 20_000, unit * 60 + "x"):
        judge_result(text)
    assert time.process_time() - started < 5  # seconds


@pytest.mark.parametrize(
    "text", ["x" * 10_000_000, "[" + "1," * 5_000_000 + "1]", "<" * 10_000_000], ids=["text", "list", "tags"]
)
def test_a_huge_result_is_not_decoded_unless_somebody_declared_something(text: str) -> None:
    """Signs are looked for at the beginning only."""
    brought = Brought(text)
    assert isinstance(judge_result(brought), Fine)
    assert "data" not in vars(brought)


def test_both_languages_have_the_same_texts() -> None:
    """Nothing is said in one language only."""
    assert ENGLISH.keys() == CHINESE.keys()
