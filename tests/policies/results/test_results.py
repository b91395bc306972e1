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

from reinforced_agent.policies.results import Bad, Expected, Fine, Suspicious, is_unfinished, judge_result
from reinforced_agent.policies.results.messages import CHINESE, ENGLISH, note, say
from reinforced_agent.policies.results.result import Brought
from reinforced_agent.policies.results.verdicts import REPORTS_ERROR, SILENT, UNFINISHED
from reinforced_agent.tools.result_rules import Completeness, Freshness, Range, ResultRules
from reinforced_agent.tools.results import as_text


NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
READ, WRITE = Expected(), Expected(changes=True)


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
    ("text", "verdict"),
    [
        pytest.param("3 degrees", "fine", id="text"),
        pytest.param("  ", "empty", id="blank"),
        pytest.param("[]", "none_found", id="empty-list"),
        pytest.param('{"user": null, "orders": []}', "none_found", id="object-of-nothing"),
        pytest.param("null", "none_found", id="null"),
        pytest.param("undefined", "none_found", id="undefined"),
        pytest.param("\x00\x01\x02PNG\x1a\x00\x00", "binary", id="binary"),
        pytest.param("%PDF-1.4\n%âãÏÓ\n1 0 obj", "binary", id="document"),
        pytest.param("\x1b[32m✓\x1b[0m 12 tests passed \x1b[90m(3 s)\x1b[0m", "fine", id="terminal"),
        pytest.param("|##        |\x08\x08\x08\x08 20%\n", "fine", id="progress-bar"),
        pytest.param("<app.Order object at 0x7f3c2a10>", "object_repr", id="name-of-an-object"),
        pytest.param("[object Object]", "object_repr", id="name-of-an-object-of-javascript"),
        pytest.param(
            "K\ufffdln, D\ufffdsseldorf, M\ufffdnchen: all three of these cities are in Germany.",
            "garbled",
            id="lost-letters",
        ),
        pytest.param("Köln, São Paulo, Zürich, ÃO", "fine", id="letters"),
        pytest.param('{"has_more": true, "items": [1]}', "more", id="has-more"),
        pytest.param('{"has_more": false, "items": [1]}', "fine", id="has-no-more"),
        pytest.param('{"nextToken": "x9", "items": [1]}', "more", id="next-token"),
        pytest.param('{"nextToken": null, "items": [1]}', "fine", id="no-next-token"),
        pytest.param('{"count": 9, "next": "https://a.test/2", "results": [1]}', "more", id="next-address"),
        pytest.param('{"total": 200, "items": [1, 2]}', "part_of", id="part-of-the-total"),
        pytest.param('{"total": 200, "items": [{"price": 100}, {"price": 100}]}', "fine", id="total-of-an-order"),
        pytest.param('{"total": 2, "items": [1, 2]}', "fine", id="all-of-the-total"),
        pytest.param('{"a": 1, "b": [1, 2', "breaks_off", id="cut-off"),
        pytest.param("[note] call back", "fine", id="bracket"),
        pytest.param('{"a": NaN}', "not_finite_inside", id="nan"),
        pytest.param("{" * 5_000, "fine", id="braces"),
    ],
)
def test_what_can_not_be_read_or_is_a_part_is_passed_on_with_a_note(text: str, verdict: str) -> None:
    """Nothing that lacks a declaration withholds what a read brought."""
    assert found(text) == verdict


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"status": 503}, id="state-of-a-site"),
        pytest.param({"status": 401, "body": {"error": "invalid_token"}}, id="answer-of-http"),
        pytest.param({"error": "not found"}, id="nothing-found"),
        pytest.param({"valid": False, "error": "checksum mismatch"}, id="validator"),
        pytest.param({"success": False, "errors": [{"file": "a.ts", "line": 4}]}, id="type-checker"),
        pytest.param({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}, id="rpc-that-was-asked"),
        pytest.param({"status": "failed", "reason": "out of memory"}, id="state-of-a-job"),
        pytest.param({"code": 404, "title": "Not Found"}, id="meaning-of-a-code"),
        pytest.param("ERROR: disk at 91 %", id="line-of-a-log"),
        pytest.param('Traceback (most recent call last):\n  File "x", line 1\nKeyError: 3', id="trace-in-a-log"),
        pytest.param("Sorry, something went wrong.", id="text-that-was-translated"),
        pytest.param("系统繁忙，请稍后再试", id="chinese-text"),
        pytest.param("Error 404 - The Lost Pages", id="title"),
        pytest.param(page("502 Bad Gateway"), id="page-that-was-fetched"),
        pytest.param("<Error><Code>NoSuchKey</Code></Error>", id="document"),
    ],
)
def test_a_read_that_reports_a_failure_is_a_result(value: Any) -> None:
    """What was asked for may be the failure of something else: the model is told the result alone."""
    verdict = judge_result(as_text(value), READ)
    assert not isinstance(verdict, Bad)
    assert not note(list(verdict.doubts) if isinstance(verdict, Suspicious) else [])


@pytest.mark.parametrize(
    ("value", "is_error"),
    [
        pytest.param({"error": "no such city"}, True, id="error"),
        pytest.param({"ok": False}, True, id="flag"),
        pytest.param({"status": "error", "message": "no key"}, True, id="state"),
        pytest.param({"error": None, "value": 3}, False, id="no-error"),
        pytest.param({"error": "rounding 0.1", "value": 3}, False, id="error-of-a-measurement"),
        pytest.param({"id": 7, "status": "failed"}, False, id="record"),
        pytest.param({"errors": 0}, False, id="count"),
    ],
)
def test_a_read_that_brings_nothing_but_an_error_is_known_as_one(value: Any, is_error: object) -> None:
    """Facts and rules are not built on it, though the model sees it."""
    assert (found(as_text(value)) == REPORTS_ERROR) is is_error


@pytest.mark.parametrize(
    ("value", "unfinished"),
    [
        pytest.param({"status": "queued"}, True, id="queued"),
        pytest.param({"id": 7, "state": "IN_PROGRESS", "percent": 40}, True, id="in-progress"),
        pytest.param({"job": {"id": 7, "status": "Running"}}, True, id="inside"),
        pytest.param([{"id": 1, "status": "done"}, {"id": 2, "status": "pending"}], True, id="one-of-a-list"),
        pytest.param({"name": "operations/7", "done": False}, True, id="operation"),
        pytest.param({"status": "completed"}, False, id="completed"),
        pytest.param({"note": "running late"}, False, id="words"),
        pytest.param("running", False, id="text"),
    ],
)
def test_what_is_still_under_way_is_known_by_its_status(value: Any, unfinished: object) -> None:
    """The same read may then be made again."""
    assert is_unfinished(as_text(value)) is unfinished
    assert (found(as_text(value)) == UNFINISHED) is unfinished


FAULT = '<S:Envelope xmlns:S="x"><S:Body><S:Fault><faultstring>no seats</faultstring></S:Fault></S:Body></S:Envelope>'


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param({"error": "no seats"}, "no seats", id="error"),
        pytest.param({"error": {"message": "no seats", "code": 7}}, "no seats", id="error-object"),
        pytest.param(
            {"errors": [{"message": "no seats", "path": ["book"]}], "data": {"book": None}}, "no seats", id="gql"
        ),
        pytest.param({"ok": False, "error": "no_seats"}, "no_seats", id="flag"),
        pytest.param({"success": "false", "message": "no seats"}, "no seats", id="flag-as-text"),
        pytest.param({"success": False}, "did not succeed", id="bare-flag"),
        pytest.param({"success": False, "seat": "4A", "message": "it is taken"}, "it is taken", id="flag-beside-data"),
        pytest.param({"isError": True, "content": [{"type": "text", "text": "no seats"}]}, "no seats", id="mcp"),
        pytest.param(
            {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no seats"}}, "no seats", id="json-rpc"
        ),
        pytest.param({"status": "error"}, "error", id="state"),
        pytest.param({"status": "failed", "reason": "no seats"}, "no seats", id="state-and-reason"),
        pytest.param({"state": "FAILED"}, "FAILED", id="state-in-capitals"),
        pytest.param({"booked": False, "error": "no seats"}, "no seats", id="nothing-done"),
        pytest.param({"statusCode": 409, "message": "no seats"}, "no seats", id="http"),
        pytest.param({"type": "about:blank", "title": "Conflict", "status": 409}, "Conflict", id="problem-details"),
        pytest.param({"code": 401, "message": "token expired"}, "token expired", id="http-code"),
        pytest.param({"errcode": 40013, "errmsg": "没有座位"}, "没有座位", id="error-code"),
        pytest.param({"response": {"error": "no seats"}}, "no seats", id="wrapped"),
        pytest.param(FAULT, "no seats", id="soap"),
        pytest.param("<?xml version='1.0'?><Error><Message>no seats</Message></Error>", "no seats", id="xml"),
    ],
)
def test_a_change_that_reports_its_failure_has_failed(value: Any, said: str) -> None:
    """A flag, or an envelope that names a failure and nothing else, is proof."""
    verdict = judge_result(as_text(value), WRITE)
    assert isinstance(verdict, Bad)
    assert (verdict.reported, said in verdict.doubt.facts["message"]) == (True, True)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"id": "p1", "status": "failed", "next_retry": "2026-03-12"}, id="record-of-a-failure"),
        pytest.param({"user": "troll", "action": "block", "denied": True}, id="denial-that-was-asked"),
        pytest.param({"id": 4, "status": "rejected"}, id="rejection-that-was-asked"),
        pytest.param({"ok": True, "error": None}, id="success"),
        pytest.param({"success": True, "error": "card expires soon"}, id="success-with-a-warning"),
        pytest.param({"errcode": 0, "errmsg": "ok"}, id="code-of-success"),
        pytest.param({"code": "OK", "message": "sent"}, id="code-in-words"),
        pytest.param({"error": 0, "status": "ok"}, id="count-of-errors"),
        pytest.param({"errors": {"total": 0}}, id="counts-of-errors"),
        pytest.param({"job": 3, "state": "queued", "error": None}, id="job"),
        pytest.param({"status": 201}, id="created"),
        pytest.param({"status": 503}, id="state-of-a-site"),
        pytest.param("Sorry, we could not send it.", id="regret"),
        pytest.param("Error: card declined", id="line"),
        pytest.param("支付失败，余额不足", id="chinese-text"),
        pytest.param("0 errors, 3 removed", id="count"),
        pytest.param(page("502 Bad Gateway"), id="page"),
    ],
)
def test_a_change_has_not_failed_by_words_alone(value: Any) -> None:
    """Neither free text nor the state of a record proves anything about the call, so its text is passed on as it is."""
    verdict = judge_result(as_text(value), WRITE)
    assert not isinstance(verdict, Bad)
    assert not note(list(verdict.doubts) if isinstance(verdict, Suspicious) else [])


def test_a_state_that_was_asked_for_is_no_failure() -> None:
    """A change that sets a state gives it back."""
    asked = Expected(changes=True, asked=frozenset({"failed"}))
    assert isinstance(judge_result('{"status": "failed"}', asked), Fine)


@pytest.mark.parametrize(
    ("value", "lost"),
    [
        pytest.param({"error": "upstream timed out"}, True, id="time-out"),
        pytest.param({"statusCode": 502, "message": "upstream"}, True, id="gateway"),
        pytest.param({"error": {"code": "DEADLINE_EXCEEDED", "message": "too slow"}}, True, id="grpc"),
        pytest.param({"error": "Connection reset by peer"}, True, id="lost-connection"),
        pytest.param({"error": "balance too low"}, False, id="refused"),
        pytest.param({"statusCode": 422, "message": "no such seat"}, False, id="mistake"),
    ],
)
def test_a_change_that_broke_under_way_may_have_been_made(value: Any, lost: object) -> None:
    """What the target refused was not done; what it lost may have been."""
    verdict = judge_result(as_text(value), WRITE)
    assert isinstance(verdict, Bad)
    assert verdict.lost is lost


def test_what_a_failed_change_says_beside_its_error_is_told() -> None:
    """Nothing of it is lost to the model."""
    verdict = judge_result('{"ok": false, "passed": 41, "failed": ["test_login"]}', WRITE)
    assert isinstance(verdict, Bad)
    assert "test_login" in verdict.doubt.facts["came"]


def test_an_error_is_the_failure_of_a_read_where_the_host_declared_what_serves_then() -> None:
    """What the tool is to be replaced for is declared, not guessed."""
    assert found('{"error": "rate limited"}', Expected(replaceable=True)) == "bad reported_error"
    assert found('{"id": 7, "status": "failed"}', Expected(replaceable=True)) == "fine"


def test_a_failed_result_of_mcp_is_a_failure_of_a_read_as_well() -> None:
    """Its flag speaks of the call itself."""
    assert found('{"content": [{"type": "text", "text": "no such city"}], "isError": true}') == "bad reported_error"


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
        pytest.param(page("502 Bad Gateway"), ResultRules(required=("temp",)), "bad page", id="page-for-data"),
        pytest.param(page("Offers"), ResultRules(freshness=Freshness("at", 60)), "no_time", id="page-for-anything"),
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
        pytest.param({"error": "no key"}, ResultRules(required=("temp",)), "bad required", id="error-for-data"),
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
    told = [doubt for doubt in doubts if doubt.code not in SILENT]
    assert all(say(doubt, locale) for doubt in told for locale in ("en", "zh"))


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
    data = Expected(ResultRules(form="text"), changes=True)
    for text in (unit * 20_000, "<html>" + unit * 20_000, unit * 60 + "x", f'{{"error": "{unit * 20_000}"}}'):
        judge_result(text, data)
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
