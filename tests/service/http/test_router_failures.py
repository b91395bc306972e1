"""What clients of the router get where a request to the model ended a turn, as JSON and as events."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import build_agent
from reinforced_agent.service.http import replies
from tests.models.chat_server import called, failed, running, said
from tests.models.failures import FAILURES, KEY, Failure, failing, repaired
from tests.service.http.router import agent_of, decide, pay, say, use


EVENTS = {"accept": "text/event-stream"}


def detail_of(answer: httpx.Response) -> dict[str, Any]:
    """Return what a refusal says, which is the last event of a stream."""
    if answer.headers["content-type"].startswith("application/json"):
        return dict(answer.json()["detail"])
    *_, event, data = [line for line in answer.text.splitlines() if line]
    assert event == "event: error"
    return dict(json.loads(data.removeprefix("data: ")))


@pytest.mark.parametrize("headers", [{}, EVENTS], ids=["json", "events"])
@pytest.mark.parametrize("failure", FAILURES, ids=lambda one: one.name)
def test_each_failure_is_a_refusal_of_its_own(
    failure: Failure, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status, class, a sentence for the user and facts for the operator; what the provider wrote is in none of them."""
    with failing(failure, monkeypatch) as server:

        async def story(client: httpx.AsyncClient) -> Any:
            told = await say(client, **headers)
            thread = (await client.get("/threads/t")).json()
            repaired(server)
            return told, thread, await say(client, "Again.")

        agent = build_agent(model="openai:m", tools=[pay], checkpointer=InMemorySaver())
        told, thread, again = use(agent, story)
    assert told.status_code == (200 if headers else failure.status)
    detail = detail_of(told)
    assert (detail["error"], detail["model_error"]["kind"]) == (failure.outcome, failure.kind)
    assert detail["reason"].startswith(detail["model_error"]["sentence"].removesuffix("."))
    assert detail["model_error"]["operator"]
    assert (detail["answer"], thread["outcome"]) == (thread["answer"], failure.outcome)
    assert thread["model_error"]["kind"] == failure.kind
    for text in (KEY, "Sign in", "Slow down", "Incorrect API key"):
        assert text not in told.text
    assert (again.status_code, again.json()["answer"], again.json()["model_error"]) == (200, "Here I am.", None)


def test_no_two_of_them_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client can tell them apart by what it is told."""
    told = set()
    for failure in FAILURES:
        with failing(failure, monkeypatch):
            agent = build_agent(model="openai:m", tools=[pay], checkpointer=InMemorySaver())
            answer = use(agent, say)
            told.add((answer.status_code, detail_of(answer)["reason"]))
    assert len(told) == len(FAILURES)


@pytest.mark.parametrize("headers", [{}, EVENTS], ids=["json", "events"])
def test_when_to_come_again_is_told(headers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """As the header that clients know, and in the refusal; what has passed since then is taken off."""
    busy = next(one for one in FAILURES if one.name == "too many requests")
    later = datetime.now(UTC) + timedelta(seconds=500)

    async def story(client: httpx.AsyncClient) -> Any:
        message = {"text": "Pay.", "id": "m1"}
        first = await client.post("/threads/t/messages", json=message, headers=headers)
        monkeypatch.setattr(replies, "utc_now", lambda: later)
        return first, await client.post("/threads/t/messages", json=message, headers=headers)

    with failing(busy, monkeypatch):
        agent = build_agent(model="openai:m", tools=[pay], checkpointer=InMemorySaver())
        first, second = use(agent, story)
    waits = [detail_of(one)["model_error"]["retry_after"] for one in (first, second)]
    assert 1190 < waits[0] <= 1200
    assert 690 < waits[1] <= 701
    if not headers:
        assert [one.headers["retry-after"] for one in (first, second)] == [str(wait) for wait in waits]


def test_what_was_done_before_stands_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal says which calls there were, and what became of every write."""
    with running() as server:
        server.replies = [called("pay", '{"amount": 5}'), failed(402, "Pay first.")]
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)

        async def story(client: httpx.AsyncClient) -> Any:
            question = (await say(client)).json()["question"]
            return await decide(client, question, {"type": "approve"})

        told = use(build_agent(model="openai:m", tools=[pay], checkpointer=InMemorySaver()), story)
    detail = detail_of(told)
    assert (told.status_code, detail["model_error"]["kind"]) == (502, "credit")
    assert [one["result"] for one in detail["calls"]] == ["paid 5"]
    assert [one["outcome"] for one in detail["receipt"]["writes"]] == ["done"]


def test_an_answer_has_no_error() -> None:
    """Nor has a turn that ended for another reason."""
    assert use(agent_of("Hello."), say).json()["model_error"] is None


def test_a_reply_that_a_filter_left_nothing_of_is_refused_like_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same class and status, after one request."""
    with running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        server.replies = [said("", finish="content_filter")]
        agent = build_agent(model="openai:m", tools=[pay], checkpointer=InMemorySaver())
        told = use(agent, say)
        assert len(server.requests) == 1
    assert told.status_code == 422
    detail = detail_of(told)
    assert (detail["error"], detail["model_error"]["kind"]) == ("filtered", "filter")
