"""What tools return is judged before the model sees it: served otherwise, tried again, or told with its doubt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from reinforced_agent import Alternative, ApprovalPolicy, ApprovalRule, FailureRules, Risk, ToolSpec
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


def test_an_error_that_was_returned_is_not_tried_again() -> None:
    """The tool has answered: no such thing."""
    tool, runs = returning({"error": "no such city"})
    assert (story(tool).status("c1"), len(runs)) == ("failed", 1)


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
    ],
)
def test_what_can_be_right_is_passed_on(result: Any, told: str) -> None:
    """The model is told what to make of it; no message is empty."""
    house = story(returning(result)[0])
    assert house.status("c1") == "done"
    assert told in house.told("c1")


@pytest.mark.parametrize(
    ("result", "told"),
    [
        pytest.param({"status": "failed", "reason": "out of memory"}, "out of memory", id="state-of-a-job"),
        pytest.param("ERROR: disk at 91 %", "disk at 91 %", id="level-of-a-log"),
        pytest.param("Sorry, something went wrong.", "reads like an error", id="complaint"),
    ],
)
def test_what_may_be_an_error_is_passed_on_with_a_note(result: Any, told: str) -> None:
    """The model sees the whole of it, and what to think of."""
    house = story(returning(result)[0])
    assert house.status("c1") == "done"
    assert told in house.told("c1")
    assert "[this " in house.told("c1")


@pytest.mark.parametrize(
    ("result", "told"),
    [
        pytest.param({"error": "no such city"}, "does not exist: check it", id="not-found"),
        pytest.param({"code": 401, "message": "token expired"}, "Don't try again; tell the user", id="credentials"),
        pytest.param("Error: city must not be empty", "correct what it says", id="mistake"),
    ],
)
def test_an_error_that_was_returned_says_what_can_be_done(result: Any, told: str) -> None:
    """As one that was raised."""
    assert told in story(returning(result)[0]).told("c1")


def test_a_returned_error_that_may_pass_is_tried_again() -> None:
    """A read alone, within its attempts."""
    tool, runs = returning({"error": "Too many requests"}, {"temp": 9})
    assert (story(tool).status("c1"), len(runs)) == ("done", 2)


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
    tool, _ = returning({"error": "no such page\u200b\u2060\U000e0041"}, untrusted_output=True)
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
        pytest.param(KeyError("quota exceeded"), "en", "too many calls", id="words"),
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
