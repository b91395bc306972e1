"""A model that can't be used as it is set up: what the user reads, and what the operator gets to know."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from reinforced_agent import LogSink, ScriptedModel
from reinforced_agent.evaluation.report.service import measure_service
from reinforced_agent.evaluation.report.sources import Loaded
from reinforced_agent.graph.settings.reviewer import Reviewer
from tests.graph.house import House, call, calls
from tests.graph.records.masks import alike


class Refused(Exception):  # noqa: N818  # stands for any error of a client
    """A refusal of a provider."""

    def __init__(self, status: int, words: str = "Incorrect API key provided: sk-abcdefghijklmnopqrstuvwx") -> None:
        """Carry the status."""
        super().__init__(words)
        self.status_code = status


def name(error: Exception) -> str:
    """Name an error in the id of a test."""
    return str(getattr(error, "status_code", type(error).__name__))


@pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("options", [{}, {"planning": "always"}], ids=["proposal", "plan"])
@pytest.mark.parametrize("error", [Refused(401), Refused(404), Refused(422), TypeError("no text")], ids=name)
def test_a_turn_ends_as_misconfigured(
    error: Exception,
    options: dict[str, Any],
    in_loop: bool,  # noqa: FBT001
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The user is not told to try again later, and one entry of the log at ERROR says what to do."""
    house = House(error, **options)
    if in_loop:
        said: Any = {"messages": [("user", "please")]}
        house.result = asyncio.run(house.agent.ainvoke(said, house.config))
    else:
        house.say()
    assert house.outcome == "misconfigured"
    assert "later" not in house.answer
    assert "tell whoever runs this service" in house.answer
    assert "What to do: " in house.result["turn"]["detail"]
    (entry,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert type(error).__name__ in entry.getMessage()


def test_it_is_told_in_the_language_of_the_user() -> None:
    """So is the next step."""
    house = House(Refused(401)).say(context={"locale": "zh-CN"})
    assert "请告知本服务的管理者" in house.answer


def test_a_key_that_the_server_quotes_is_told_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """It stands neither in the log nor in what is kept."""
    house = House(Refused(401)).say()
    assert "sk-abcdef" not in caplog.text
    assert "sk-abcdef" not in str(house.agent.get_state(house.config))
    assert "[hidden]" in alike(house.result["turn"]["detail"])


def test_the_log_says_where_a_mistake_in_code_is(caplog: pytest.LogCaptureFixture) -> None:
    """Only whoever can mend it needs the traceback, and a refusal of a provider has no use for it."""
    House(TypeError("no text")).say()
    assert "Traceback" in caplog.text
    caplog.clear()
    House(Refused(401)).say()
    assert "Traceback" not in caplog.text


def test_what_was_done_before_is_told() -> None:
    """The account says that it must not be done again."""
    note = call("send_note", {"to": "ann", "text": "hi"}, "c1")
    house = House(calls(note), Refused(400)).say("Write to Ann.").decide({"type": "approve"})
    assert (house.outcome, house.effects) == ("misconfigured", [("ann", "hi")])
    assert "must not be done again" in house.answer


def test_it_is_put_on_record_and_counted() -> None:
    """The turn counts as one that ended so, and the failed request not as a message of the model."""
    records: list[Any] = []
    House(calls(call("read_ledger", {"page": 1}, "c1")), Refused(403), sinks=[records.extend, LogSink()]).say()
    assert [(one.kind, one.problem, one.outcome) for one in records] == [
        ("call", "", "misconfigured"),
        ("failed", "access", "misconfigured"),
    ]
    assert (records[-1].last, records[-1].is_valid) == (True, False)
    numbers = measure_service(Loaded(source="here", records=records)).as_json()
    assert (numbers["outcomes"], numbers["turns"], numbers["proposals"]) == ({"misconfigured": 1}, 1, 1)


def test_the_first_request_may_fail_so() -> None:
    """A service with a wrong key reports its turns, though the model never said a word."""
    records: list[Any] = []
    House(Refused(401), sinks=[records.extend]).say()
    numbers = measure_service(Loaded(source="here", records=records)).as_json()
    assert (numbers["outcomes"], numbers["proposals"]) == ({"misconfigured": 1}, 0)
    assert json.dumps(numbers)


@pytest.mark.parametrize("error", [ConnectionError("no route"), Refused(429), Refused(503)], ids=name)
def test_what_may_pass_ends_as_before(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """The user is told to send the request again later, and nobody is alarmed."""
    house = House(error).say()
    assert house.outcome == "model_down"
    assert "later" in house.answer
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


def test_the_next_turn_may_work() -> None:
    """What was mended in the meantime works without building the thread anew."""
    house = House(Refused(401), "Hello.").say().say("again")
    assert (house.outcome, house.answer) == ("answered", "Hello.")


def test_a_reviewer_with_a_wrong_key_is_an_error_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """It only doubts, so the run goes on without it; but it won't come back by itself."""
    reviewer = Reviewer(model=ScriptedModel(lines=[Refused(401)]))
    house = House(calls(call("send_note", {"to": "ann", "text": "hi"}, "c1")), "Not sent.", reviewer=reviewer).say()
    assert house.question
    (entry,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert "sk-abcdef" not in entry.getMessage()
