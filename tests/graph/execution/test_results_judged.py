"""What tools return is judged before the model sees it: served otherwise, tried again, or told with its doubt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from reinforced_agent import (
    Alternative,
    ApprovalPolicy,
    ApprovalRule,
    Establishes,
    FailureRules,
    Risk,
    StaticAnswer,
    ToolSpec,
)
from reinforced_agent.policies.rules import After, RuleSet
from reinforced_agent.tools.result_rules import Range, ResultRules
from tests.graph.house import House, call, calls


UNASKED = ApprovalPolicy(write=ApprovalRule(ask=False))
HOT = ResultRules(ranges=(Range("temp", -50, 60, "°C"),))
ERROR_PAGE = "<!doctype html><html><head><title>503 Service Unavailable</title></head></html>"


def returning(*results: Any, **declared: Any) -> tuple[ToolSpec, list[int]]:
    """Make a tool that returns one thing after the other, and count its runs."""
    left, runs = list(results), []

    def run(_arguments: Any) -> Any:
        runs.append(1)
        return left.pop(0) if left[1:] else left[0]

    declared.setdefault("risk", Risk.READ)
    return ToolSpec(name="look", description="Look.", parameters={"type": "object"}, run=run, **declared), runs


def story(tool: ToolSpec, *more: ToolSpec, say: str = "please", answer: str = "Done.") -> House:
    """Let the model call the tool once."""
    return House(calls(call("look", {}, "c1")), answer, tools=[tool, *more], approvals=UNASKED).say(say)


def test_a_read_out_of_range_is_tried_again() -> None:
    """A second attempt that is right is all the model sees."""
    tool, runs = returning({"temp": 999}, {"temp": 9}, result=HOT)
    house = story(tool)
    assert (house.status("c1"), house.told("c1"), len(runs)) == ("done", '{"temp": 9}', 2)


def test_a_read_that_stays_bad_is_told_with_what_is_wrong() -> None:
    """The model never sees the value that can't be right as a result."""
    tool, runs = returning({"temp": 999}, result=HOT)
    house = story(tool)
    assert (house.status("c1"), len(runs)) == ("failed", 3)
    assert "temp is 999, outside of -50 … 60 °C" in house.told("c1")


def test_a_bad_result_is_served_by_the_fallback() -> None:
    """The chain of the tool is gone down as after an error."""
    other = ToolSpec(
        name="other", description="Look.", parameters={"type": "object"}, risk=Risk.READ, run=lambda _: "12"
    )
    tool, _ = returning({"temp": 999}, result=HOT, fallbacks=(Alternative("other"),))
    house = story(tool, other)
    assert house.status("c1") == "served"
    assert "12" in house.told("c1")


@pytest.mark.parametrize(
    ("result", "status", "told"),
    [
        pytest.param({"temp": 999}, "done", "don't repeat it. But temp is 999", id="done-in-doubt"),
        pytest.param({"success": False, "error": "balance too low"}, "failed", "balance too low", id="reported"),
        pytest.param(ERROR_PAGE, "unknown", "UNKNOWN", id="error-page"),
    ],
)
def test_a_write_with_a_bad_result_is_never_tried_again(result: Any, status: str, told: str) -> None:
    """It has happened, or said that it failed, or nobody knows; each is told as it is."""
    tool, runs = returning(result, risk="write", result=HOT)
    house = story(tool)
    assert (house.status("c1"), len(runs)) == (status, 1)
    assert told in house.told("c1")


@pytest.mark.parametrize(
    ("result", "told"),
    [
        pytest.param(None, "returned nothing", id="none"),
        pytest.param("", "returned nothing", id="blank"),
        pytest.param([], "nothing was found, which can be the right answer", id="empty-list"),
        pytest.param(b"\xff\x00", "2 bytes of binary data", id="bytes"),
        pytest.param({"error": None, "value": 3}, '"value": 3', id="no-error"),
        pytest.param({"items": [1], "has_more": True}, "there is more", id="one-page"),
        pytest.param("\x00\x01\x02", "binary data that can't be read", id="binary"),
    ],
)
def test_what_can_be_right_is_passed_on(result: Any, told: str) -> None:
    """The model is told what to make of it; no message is empty."""
    house = story(returning(result)[0])
    assert house.status("c1") == "done"
    assert told in house.told("c1")


@pytest.mark.parametrize(
    "result",
    [
        pytest.param('{"status": 503}', id="state-of-a-site"),
        pytest.param('{"error": "not found"}', id="nothing-found"),
        pytest.param('{"valid": false, "error": "checksum mismatch"}', id="validator"),
        pytest.param("ERROR: disk at 91 %", id="line-of-a-log"),
        pytest.param("Sorry, something went wrong.", id="text"),
        pytest.param("502 Bad Gateway", id="status-line"),
        pytest.param(ERROR_PAGE, id="page"),
    ],
)
def test_a_read_that_reports_a_failure_of_something_else_is_passed_on_as_it_is(result: str) -> None:
    """The model is told the result alone."""
    tool, runs = returning(result)
    house = story(tool)
    assert (house.status("c1"), house.told("c1"), len(runs)) == ("done", result, 1)


@pytest.mark.parametrize("result", ["Sorry, we could not send it.", "发送失败", "Error: card declined"])
def test_what_a_write_returned_is_not_judged_by_its_words(result: str) -> None:
    """It is passed on, and the answer stays as it is."""
    tool, _ = returning(result, risk="write")
    house = story(tool, answer="It may not have been sent.")
    assert (house.status("c1"), house.told("c1"), house.answer) == ("done", result, "It may not have been sent.")


def test_what_a_failed_write_returned_is_told_whole() -> None:
    """The reason may stand in any field."""
    tool, _ = returning({"ok": False, "passed": 41, "failed": ["test_login"]}, risk="write")
    house = story(tool)
    assert (house.status("c1"), "test_login" in house.told("c1")) == ("failed", True)


def test_a_write_that_gives_back_the_state_it_was_to_set_is_done() -> None:
    """A state that the call names is no report of its failure."""
    spec = ToolSpec(
        name="look",
        description="Set a state.",
        parameters={"type": "object", "properties": {"state": {"type": "string"}}},
        run=lambda arguments: {"status": arguments["state"]},
    )
    house = House(calls(call("look", {"state": "failed"}, "c1")), "Done.", tools=[spec], approvals=UNASKED).say()
    assert house.status("c1") == "done"


def test_an_error_is_served_by_what_the_host_declared_for_it() -> None:
    """A read with fallbacks is known to fail at times."""
    tool, runs = returning({"error": "rate limited"}, fallbacks=(StaticAnswer("Call the desk."),))
    assert (story(tool).status("c1"), len(runs)) == ("served", 1)


@pytest.mark.parametrize(
    ("result", "told"),
    [
        pytest.param({"statusCode": 404, "message": "no such city"}, "does not exist: check it", id="not-found"),
        pytest.param({"code": 401, "message": "token expired"}, "Don't try again; tell the user", id="credentials"),
        pytest.param({"error": {"code": "INVALID_ARGUMENT", "message": "x"}}, "correct what it says", id="mistake"),
    ],
)
def test_an_error_that_was_returned_says_what_can_be_done(result: Any, told: str) -> None:
    """As one that was raised."""
    assert told in story(returning(result, risk="write")[0]).told("c1")


def test_a_returned_error_that_may_pass_is_tried_again() -> None:
    """A read alone, within its attempts."""
    busy = {"statusCode": 429, "message": "slow down"}
    tool, runs = returning(busy, {"temp": 9}, fallbacks=(StaticAnswer("Call the desk."),))
    assert (story(tool).status("c1"), len(runs)) == ("done", 2)


def test_no_fact_is_made_of_an_error() -> None:
    """A rule that wants the tool first, or a fact it establishes, is not met by an error in place of a result."""
    spec, _ = returning({"error": "no such user"}, establishes=(Establishes(fact="user"),))
    pay = ToolSpec(name="pay", description="Pay.", parameters={"type": "object"}, run=lambda _: "paid")
    house = House(
        calls(call("look", {}, "c1")),
        calls(call("pay", {}, "c2")),
        "No.",
        tools=[spec, pay],
        approvals=UNASKED,
        policies=RuleSet(rules=(After(name="look-first", tools=("pay",), after=("look",)),)),
    ).say()
    assert (house.status("c1"), house.status("c2")) == ("done", "revise")
    assert "user" not in house.result.get("facts", {})


def test_a_write_that_reports_a_time_out_is_unknown() -> None:
    """It may have been done all the same, as with a time-out that is raised."""
    tool, runs = returning({"error": "upstream timed out"}, risk="write")
    assert (story(tool).status("c1"), len(runs)) == ("unknown", 1)


def test_what_came_in_place_of_a_result_is_told() -> None:
    """The reason is never dropped."""
    tool, _ = returning({"note": "the sensor is switched off"}, result=ResultRules(required=("temp",)))
    assert "the sensor is switched off" in story(tool).told("c1")


def test_what_strangers_wrote_in_an_error_is_cleaned() -> None:
    """What nobody sees is taken out of the reason, too."""
    error = {"error": "no such page\u200b\u2060\U000e0041"}
    tool, _ = returning(error, untrusted_output=True, risk="write")
    assert "no such page" in story(tool).told("c1")
    assert "\u2060" not in story(tool).told("c1")


def test_a_tool_message_marked_as_error_is_a_failure() -> None:
    """As tools of LangChain return it."""
    tool, _ = returning(ToolMessage("no such city", tool_call_id="x", status="error"))
    house = story(tool)
    assert (house.status("c1"), "no such city" in house.told("c1")) == ("failed", True)


def raising(error: Exception) -> Callable[[Any], Any]:
    """Make a tool that raises."""

    def run(_arguments: Any) -> Any:
        raise error

    return run


def test_an_exception_without_words_is_told_by_its_type() -> None:
    """No message is empty."""
    spec = ToolSpec(
        name="look", description="Look.", parameters={"type": "object"}, risk=Risk.READ, run=raising(KeyError())
    )
    assert "KeyError" in story(spec).told("c1")


@pytest.mark.parametrize(
    ("error", "locale", "told"),
    [
        pytest.param(FileNotFoundError("order 9"), "en", "does not exist: check it", id="not-found"),
        pytest.param(PermissionError("key expired"), "en", "Don't try again; tell the user", id="credentials"),
        pytest.param(ValueError("amount below 1"), "en", "correct what it says, and call again", id="declared-mistake"),
        pytest.param(PermissionError("key expired"), "zh", "无权执行", id="chinese"),
    ],
)
def test_a_failure_says_what_can_be_done(error: Exception, locale: str, told: str) -> None:
    """The model is told whether to correct the call, to wait, or to leave it."""
    spec = ToolSpec(
        name="look",
        description="Look.",
        parameters={"type": "object"},
        risk=Risk.READ,
        run=raising(error),
        failures=FailureRules(mistakes=(ValueError,)),
    )
    house = House(calls(call("look", {}, "c1")), "Done.", tools=[spec])
    house.say(context={"user_id": "ann", "locale": locale})
    assert told in house.told("c1")
    assert "Traceback" not in house.told("c1")


def test_a_tool_of_the_house_may_show_its_traceback() -> None:
    """Only where it is declared."""
    rules = FailureRules(show_traceback=True)
    spec = ToolSpec(
        name="look",
        description="x",
        parameters={"type": "object"},
        risk=Risk.READ,
        run=raising(KeyError()),
        failures=rules,
    )
    assert "in run" in story(spec).told("c1")
