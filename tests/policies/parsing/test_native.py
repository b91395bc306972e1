"""Native calls: what may be incomplete is refused, wrappers are unpacked, ids are unique."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reinforced_agent.policies.parsing import Calls, Ending, ModelOutput, ReadCall, UnreadCall, ending_of, read
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import RawCall
from tests.policies.parsing.bench import NAMES, native, outcome


GOOD = '{"guests": 2}'
READ = ("book_table", {"guests": 2})


@pytest.mark.parametrize("finish", ["length", "max_tokens", "MAX_TOKENS", "FinishReason.MAX_TOKENS", "model_length"])
@pytest.mark.parametrize("text", [GOOD, '{"guests": ', "", None, '{"guests": }'])
def test_a_cut_message_names_the_cut(finish: str, text: str | None) -> None:
    """At the output limit the last call is refused for that reason, even where its text is valid or otherwise wrong."""
    reading = native(text, finish=finish)
    assert isinstance(reading, Calls)
    (call,) = reading.calls
    assert isinstance(call, UnreadCall)
    assert [(problem.code, problem.kind) for problem in call.problems] == [("cut_off_limit", ErrorKind.TRUNCATED)]


def test_earlier_calls_of_a_cut_message_need_a_flawless_text() -> None:
    """Only a call whose text is strict JSON and that is followed by another one is shown to be complete."""
    cut = {"cut_off_limit"}
    assert outcome(native(GOOD, "", {"guests": 2}, f"```{GOOD}```", GOOD, finish="length")) == [
        READ,
        cut,
        cut,
        cut,
        cut,
    ]


@pytest.mark.parametrize(
    ("finish", "code"),
    [
        ("content_filter", "cut_off_filter"),
        ("SAFETY", "cut_off_filter"),
        ("error", "cut_off_stop"),
        ("MALFORMED_FUNCTION_CALL", "provider_malformed_call"),
        ("malformed_tool_use", "provider_malformed_call"),
    ],
)
def test_calls_of_a_message_that_went_wrong_are_refused(finish: str, code: str) -> None:
    """A filter or a fault of the provider leaves calls nobody can rely on."""
    assert outcome(native(GOOD, finish=finish)) == [{code}]


ENDINGS: dict[Ending, str] = {
    Ending.CUT: "max-tokens maxTokens max_new_tokens max_completion_tokens token_limit time_limit not_finished limit "
    "ERROR_LIMIT MAX_LENGTH FinishReason.MAX_OUTPUT_TOKENS finishReasonLength incomplete length",
    Ending.FILTERED: "content-filter contentFilter sensitive IMAGE_SAFETY FINISH_REASON_SAFETY "
    "IMAGE_PROHIBITED_CONTENT",
    Ending.STOPPED: "network_error insufficient_system_resource USER_CANCEL abort aborted timeout",
    Ending.REFUSED: "refusal Refusal FINISH_REASON_REFUSAL stopReason.REFUSAL",
    Ending.CALLED: "tool-calls toolCalls TOOL_CALL tool_use toolUse function-call function_call",
    Ending.MALFORMED: "malformed-function-call FinishReason.MALFORMED_FUNCTION_CALL malformed_json tool_use_failed",
    Ending.NATURAL: "stop STOP end_turn endTurn eos stop_sequence completed COMPLETE load unknown lengthy max_steps "
    "unlimited FINISH_REASON_UNSPECIFIED token tokens maximum errorless 停止 . - _",
}
REASONS = [(reason, ending) for ending, reasons in ENDINGS.items() for reason in reasons.split(" ")]


@pytest.mark.parametrize(("reason", "ending"), REASONS, ids=[reason for reason, _ in REASONS])
def test_endings_are_told_by_their_words(reason: str, ending: Ending) -> None:
    """Case, humps and dashes don't matter; words that tell an ending do so in reasons nobody has listed."""
    assert ending_of(reason) is ending


@pytest.mark.parametrize("finish", [None, "", "stop", "tool_calls", "end_turn", "lengthy", "unknown"])
def test_other_endings_say_nothing(finish: str | None) -> None:
    """An unknown or missing finish reason neither helps nor harms a call."""
    assert outcome(native(GOOD, finish=finish)) == [READ]


def test_siblings_are_read_one_by_one() -> None:
    """A broken call takes nothing away from the one beside it."""
    assert outcome(native('{"guests": NaN}', GOOD)) == [{"not_finite_number"}, READ]


def bundle(*uses: object) -> str:
    """Write the arguments of the parallel tool."""
    return json.dumps({"tool_uses": uses})


WATER = {"recipient_name": "functions.water_plants", "parameters": {"bed": 1}}
LIST = {"recipient_name": "list_beds", "parameters": {}}

WRAPPED: dict[str, tuple[str, str, object]] = {
    "nameless": ("", '{"name": "list_beds", "arguments": {}}', [("list_beds", {})]),
    "nameless with text": (" ", '{"name": "list_beds", "parameters": "{\\"a\\": 1}"}', [("list_beds", {"a": 1})]),
    "nameless, unregistered": ("", '{"name": "x", "arguments": {}}', [("", {"name": "x", "arguments": {}})]),
    "nameless, more fields": ("", '{"name": "list_beds", "a": 1}', [("", {"name": "list_beds", "a": 1})]),
    "nameless, broken inside": ("", '{"name": "list_beds", "arguments": "{"}', [{"cut_off_text"}]),
    "named": (
        "book_table",
        '{"name": "list_beds", "arguments": {}}',
        [("book_table", {"name": "list_beds", "arguments": {}})],
    ),
    "bundle": (
        "multi_tool_use.parallel",
        bundle(WATER, LIST),
        [("functions.water_plants", {"bed": 1}), ("list_beds", {})],
    ),
    "empty bundle": ("multi_tool_use.parallel", bundle(), [{"broken_bundle"}]),
    "bundle without parameters": (
        "multi_tool_use.parallel",
        bundle(LIST, {"recipient_name": "x"}),
        [{"broken_bundle"}],
    ),
    "bundle of bundles": (
        "multi_tool_use.parallel",
        bundle({"recipient_name": "multi_tool_use.parallel", "parameters": {}}),
        [{"broken_bundle"}],
    ),
    "bundle with an endless name": (
        "multi_tool_use.parallel",
        bundle({"recipient_name": "x" * 300, "parameters": {}}),
        [{"broken_bundle"}],
    ),
    "bundle with broken parameters": (
        "functions.multi_tool_use.parallel",
        bundle(LIST, {"recipient_name": "list_beds", "parameters": "{"}),
        [{"cut_off_text"}],
    ),
    "bundle with a list": (
        "multi_tool_use.parallel",
        bundle({"recipient_name": "list_beds", "parameters": [1]}),
        [{"arguments_not_object"}],
    ),
    "endless name": ("x" * 10_000, "{}", [{"unusable_name"}]),
    "half a pair in the name": ("x\ud800", "{}", [{"unusable_name"}]),
}


@pytest.mark.parametrize(("name", "arguments", "expected"), WRAPPED.values(), ids=WRAPPED)
def test_wrappers_are_unpacked_whole_or_not_at_all(name: str, arguments: str, expected: object) -> None:
    """A call inside a call is taken out where it is certain; an ordinary call stays as it is."""
    assert outcome(read(ModelOutput("", (RawCall("a", name, arguments),)), NAMES)) == expected


def ids(*native_ids: Any, taken: frozenset[str] = frozenset(), message: str = "m") -> list[str]:
    """Read calls with these ids and return the ids they got."""
    calls = tuple(RawCall(native_id, "list_beds", "{}") for native_id in native_ids)
    reading = read(ModelOutput("", calls, message_id=message), NAMES, taken=taken)
    assert isinstance(reading, Calls)
    return [call.id for call in reading.calls]


def test_good_ids_stay_byte_for_byte() -> None:
    """Ids that can serve are never touched, whatever they look like."""
    good = ["call_1", "functions.list_beds:0", " spaced ", "ü", "CALL_1"]
    assert ids(*good) == good


@pytest.mark.parametrize("bad", ["", "  ", None, 7, "x" * 300, "a\ud800"], ids=repr)
def test_bad_ids_are_replaced(bad: object) -> None:
    """An id nobody can answer to is replaced by one that every provider accepts."""
    (fresh,) = ids(bad)
    assert len(fresh) == 9
    assert fresh.isalnum()


def test_ids_are_unique_and_repeatable() -> None:
    """Doubled and used ids give way; the same message gives the same ids again, another message others."""
    first = ids("a", "a", "b", "", taken=frozenset({"b"}))
    assert first[0] == "a"
    assert len(set(first)) == 4
    assert "b" not in first
    assert first == ids("a", "a", "b", "", taken=frozenset({"b"}))
    assert set(first[1:]).isdisjoint(ids("", "", "", "", message="n"))
    assert set(first).isdisjoint(ids("a", "a", "b", "", taken=frozenset({"b", *first})))


def test_a_bundle_answers_the_id_of_its_wrapper() -> None:
    """The first call out of a bundle keeps the native id; all ids differ, and the repairs say why."""
    reading = read(ModelOutput("", (RawCall("a", "multi_tool_use.parallel", bundle(LIST, WATER)),)), NAMES)
    assert isinstance(reading, Calls)
    first, second = reading.calls
    assert isinstance(first, ReadCall)
    assert isinstance(second, ReadCall)
    assert first.id == "a" != second.id
    assert (first.repairs, second.repairs) == (("parallel_wrapper",), ("parallel_wrapper", "fresh_id"))
