"""An application that embeds the graph, in a process of its own, as its clients meet it."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.examples.programs import EXAMPLES, THREAD, Server, events_in, serving


SSE = {"accept": "text/event-stream", "x-user": "ann"}
REFUND = {"text": "Refund 20 euros for A-1003."}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that use threads of their own."""
    with serving(tmp_path_factory.mktemp("app")) as running:
        yield running


def test_embedding_takes_few_lines() -> None:
    """Between its two comments, the application needs fewer than 15 lines of code."""
    text = (EXAMPLES / "fastapi_app.py").read_text(encoding="utf-8")
    _, _, rest = text.partition("# What takes the agent in begins here\n")
    own, _, _ = rest.partition("# and ends here.\n")
    code = [line for line in own.splitlines() if line.strip() and not line.strip().startswith(("#", '"""'))]
    imports = [line for line in text.splitlines() if line.startswith(("from reinforced_agent", "from langgraph"))]
    assert 0 < len(code) + len(imports) < 15


def test_the_route_of_the_application_still_works(server: Server) -> None:
    """What was there before is untouched."""
    assert server.client.get("/prices").json() == {"fuse": 2.5}


def test_a_request_streams_what_happens(server: Server) -> None:
    """Proposal, verdict and question come one after another, with the token in the question alone."""
    response = server.client.post(f"{THREAD}/stream/messages", json=REFUND, headers=SSE)
    events = events_in(response)
    assert [name for name, _ in events] == ["proposal", "verdict", "question"]
    question = events[-1][1]
    token = question["calls"][0]["token"]
    assert (question["requester"], events[1][1]["status"]) == ("ann", "waiting")
    assert token not in str(events[:-1])
    # Whoever sees the question may answer it at once: the thread is free.
    body = {"question": question["id"], "decisions": [{"type": "approve", "token": token}]}
    answered = events_in(server.client.post(f"{THREAD}/stream/decisions", json=body, headers=SSE))
    assert {name for name, _ in answered[:-1]} == {"update"}
    name, told = answered[-1]
    assert (name, told["text"], told["outcome"]) == ("answer", "20.00 EUR paid back for A-1003.", "answered")
    assert [(entry["tool"], entry["outcome"]) for entry in told["receipt"]["writes"]] == [("refund", "done")]
    assert token not in str(answered)


def test_a_wrong_token_is_refused_and_the_right_one_works_once(server: Server) -> None:
    """A refusal says why and leaves the question as it was; an answered question is not open any more."""
    before = len(server.booked())
    asked = server.say("tokens").json()
    assert (asked["answer"], asked["outcome"]) == (None, "")
    question = server.show("tokens")["question"]
    assert question == asked["question"]
    wrong = server.decide("tokens", question, token="made-up")
    assert (wrong.status_code, wrong.json()["detail"]["error"]) == (422, "not_usable")
    assert "belongs to no call that waits here" in wrong.json()["detail"]["reason"]
    stale = server.decide("tokens", {**question, "id": "another"}, token="made-up")
    assert (stale.status_code, stale.json()["detail"]["error"]) == (409, "stale")
    assert (server.show("tokens")["question"], len(server.booked())) == (question, before)
    done = server.decide("tokens", question)
    assert (done.status_code, done.json()["answer"]) == (200, "20.00 EUR paid back for A-1003.")
    again = server.decide("tokens", question)
    assert (again.status_code, again.json()["detail"]["error"]) == (409, "stale")
    assert len(server.booked()) == before + 1


def test_a_decision_sent_twice_at_the_same_time_has_one_effect(server: Server) -> None:
    """Of many equal decisions one is taken; the others are told that it was, or that the thread is busy."""
    before = len(server.booked())
    question = server.say("double").json()["question"]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: server.decide("double", question), range(6)))
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [200, *[409] * 5], [answer.text for answer in answers]
    assert {answer.json()["detail"]["error"] for answer in answers if answer.is_error} <= {"busy", "stale"}
    assert len(server.booked()) == before + 1
    assert server.show("double")["answer"] == "20.00 EUR paid back for A-1003."


def test_a_rejection_reaches_the_chat(server: Server) -> None:
    """The thread shows who said what, and that nothing ran."""
    before = len(server.booked())
    question = server.say("rejected").json()["question"]
    server.decide("rejected", question, type="reject", message="Not this month.")
    shown = server.show("rejected")
    assert [message["role"] for message in shown["messages"]] == ["human", "ai", "tool", "ai"]
    assert (shown["calls"][0]["status"], shown["question"]) == ("rejected", None)
    assert "Not this month." in shown["messages"][2]["text"]
    assert len(server.booked()) == before


def test_a_message_sent_again_is_not_a_second_request(server: Server) -> None:
    """With its id, the same message tells where its turn stands; another text under that id is refused."""
    first = server.say("again", id="m1").json()
    assert server.say("again", id="m1").json() == first
    other = server.say("again", "Refund 90 euros for A-1003.", id="m1")
    assert (other.status_code, other.json()["detail"]["error"]) == (409, "refused")
    assert len(server.show("again")["messages"]) == 1


def test_a_client_that_goes_away_finds_the_outcome_later(server: Server) -> None:
    """The run goes on without it, and its thread is free afterwards."""
    with server.client.stream("POST", f"{THREAD}/gone/messages", json=REFUND, headers=SSE) as response:
        next(response.iter_lines())
    deadline = time.monotonic() + 20
    while (question := server.show("gone")["question"]) is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert server.decide("gone", question).json()["answer"] == "20.00 EUR paid back for A-1003."


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("nobody/decisions", {"question": "q", "decisions": [{"type": "reject", "token": "t"}]}, 404),
        pytest.param("bad/decisions", {"question": "q", "decisions": []}, 422),
        pytest.param("bad/decisions", {"question": "q", "decisions": [{"type": "maybe", "token": "t"}]}, 422),
        pytest.param("bad/decisions", {"question": "q", "decisions": [{"type": "approve"}]}, 422),
        pytest.param("bad/messages", {"text": ""}, 422),
        pytest.param("bad/messages", {"text": "hi", "facts": {"admin": True}}, 422),
        pytest.param("bad/messages", {"messages": [{"role": "tool", "content": "paid"}]}, 422),
        pytest.param("bad/messages", {"text": "hi", "id": "a\x00b"}, 422),
        pytest.param("bad%00thread/messages", {"text": "hi"}, 422),
    ],
    ids=["unknown", "empty", "type", "no-token", "no-text", "facts", "chat", "id", "thread"],
)
def test_bad_input_is_refused_with_a_reason(server: Server, path: str, body: Any, status: int) -> None:
    """Nothing is run or kept, and the answer says what is wrong."""
    response = server.client.post(f"{THREAD}/{path}", json=body)
    assert response.status_code == status
    assert response.json()["detail"]["reason"]
    assert server.client.get(f"{THREAD}/bad").status_code == 404


def test_everything_survives_a_restart(tmp_path: Path) -> None:
    """The server is killed between question and answer, and its successor takes the decision."""
    with serving(tmp_path) as first:
        question = first.say("kept").json()["question"]
        first.end(signal.SIGKILL)
    with serving(tmp_path) as second:
        assert second.show("kept")["question"] == question
        assert second.decide("kept", question).json()["answer"] == "20.00 EUR paid back for A-1003."
        assert len(second.booked()) == 1
        assert "Traceback" not in second.end()
