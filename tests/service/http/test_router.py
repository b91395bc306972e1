"""The router within the process: who may use it, what it refuses, and what it says when something is broken."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from typing import Any

import httpx
import pytest
from fastapi import HTTPException, Request
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from reinforced_agent import ApprovalPolicy, ApprovalRule, Context, Ledger, LedgerError, tool
from reinforced_agent.service.http.router import agent_router
from tests.service.http.router import PAID, PAY, agent_of, decide, say, use


def by_header(request: Request) -> Context:
    """Name the person by a header, and turn away who gives none."""
    if "x-user" not in request.headers:
        raise HTTPException(401, {"error": "who", "reason": "Log in first."})
    return Context(user_id=request.headers["x-user"], roles=(request.headers.get("x-role", ""),))


class _OnlySync(BaseCheckpointSaver[Any]):
    """A checkpointer without async methods."""


@pytest.mark.parametrize(
    ("checkpointer", "said"),
    [
        pytest.param(None, "is missing", id="none"),
        pytest.param("sqlite", "is SqliteSaver, which can't serve", id="sqlite"),
        pytest.param(_OnlySync(), "is _OnlySync, which can't serve", id="sync"),
    ],
)
def test_a_checkpointer_that_can_not_serve_is_refused_at_once(checkpointer: Any, said: str) -> None:
    """The router says which to give, before the first request comes."""
    with SqliteSaver.from_conn_string(":memory:") as saver:
        given = saver if checkpointer == "sqlite" else checkpointer
        agent = agent_of(checkpointer=given, ledger=Ledger())
        with pytest.raises(ValueError, match=f"{said}.*AsyncSqliteSaver or AsyncPostgresSaver"):
            agent_router(agent)


def test_who_asks_and_who_decides_is_on_record() -> None:
    """The person of the message is the requester, that of the decision the decider; both may be found out async."""

    async def person(request: Request) -> Context:
        await asyncio.sleep(0)
        return by_header(request)

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client, **{"x-user": "ann"})).json()["question"]
        return asked, await decide(client, asked, {"type": "approve"}, **{"x-user": "bob"})

    agent = agent_of(PAY, "Paid.")
    asked, answered = use(agent, story, person)
    assert (asked["requester"], answered.json()["answer"], PAID) == ("ann", "Paid.", [5])
    calls = agent.get_state({"configurable": {"thread_id": "t"}}).values["calls"]
    assert calls["c1"]["decision"]["by"]["user_id"] == "bob"


def test_who_is_turned_away_learns_nothing_else() -> None:
    """The answer of the host comes before any other objection, and nothing runs."""

    async def story(client: httpx.AsyncClient) -> list[httpx.Response]:
        bad = await client.post("/threads/t/messages", json={"nonsense": 1})
        return [bad, await say(client), await client.get("/threads/nobody")]

    answers = use(agent_of("Never said."), story, by_header)
    assert [answer.status_code for answer in answers] == [401, 401, 401]
    assert answers[0].json()["detail"]["reason"] == "Log in first."


def test_a_decision_of_somebody_who_may_not_take_it_is_refused() -> None:
    """The reason is the policy's, the question waits on, and the right person may still answer."""

    async def story(client: httpx.AsyncClient) -> list[httpx.Response]:
        asked = (await say(client, **{"x-user": "ann"})).json()["question"]
        no = await decide(client, asked, {"type": "approve"}, **{"x-user": "ann"})
        assert PAID == []
        again = no.json()["detail"]["question"]
        assert again == (await client.get("/threads/t", headers={"x-user": "ann"})).json()["question"]
        return [no, await decide(client, again, {"type": "approve"}, **{"x-user": "bob", "x-role": "boss"})]

    policy = ApprovalPolicy(write=ApprovalRule(roles=("boss",)))
    no, yes = use(agent_of(PAY, "Paid.", approvals=policy), story, by_header)
    assert (no.status_code, no.json()["detail"]["error"]) == (422, "not_usable")
    assert "boss" in no.json()["detail"]["reason"]
    assert (yes.status_code, PAID) == (200, [5])


def test_decisions_may_come_one_by_one() -> None:
    """A decision about one of two calls is taken, and the other one waits on."""
    both = {"tool_calls": [*PAY["tool_calls"], {"name": "pay", "arguments": {"amount": 7}, "id": "c2"}]}

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client)).json()["question"]
        rest = (await decide(client, asked, {"type": "reject"})).json()["question"]
        assert [call["call_id"] for call in rest["calls"]] == ["c2"]
        edit = {"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 3}}}
        edited = (await decide(client, rest, edit)).json()
        return edited if edited["answer"] else (await decide(client, edited["question"], {"type": "approve"})).json()

    assert use(agent_of(both, "Paid."), story)["answer"] == "Paid."
    assert PAID == [3]


def test_a_run_that_was_cut_off_goes_on_with_the_same_message() -> None:
    """A client that repeats its message gets the answer of the turn that it began."""
    inside, release = threading.Event(), threading.Event()

    @tool(risk="read")
    def hold() -> str:
        """Hold."""
        inside.set()
        release.wait(20)
        return "held"

    async def story(client: httpx.AsyncClient) -> Any:
        message = {"text": "Hold.", "id": "m1"}
        first = asyncio.create_task(client.post("/threads/t/messages", json=message))
        await asyncio.to_thread(inside.wait, 20)
        (run,) = [task for task in asyncio.all_tasks() if "_Desk._run" in repr(task.get_coro())]
        run.cancel()
        assert (await first).status_code == 503
        release.set()
        cut_off = (await client.get("/threads/t")).json()
        return cut_off, (await client.post("/threads/t/messages", json=message)).json()

    held = {"tool_calls": [{"name": "hold", "arguments": {}, "id": "c1"}]}
    cut_off, done = use(agent_of(held, "Held.", tools=[hold]), story)
    assert (cut_off["answer"], cut_off["outcome"], cut_off["question"]) == (None, "", None)
    assert (done["answer"], done["outcome"]) == ("Held.", "answered")


def test_a_second_run_of_a_thread_is_told_that_it_is_busy() -> None:
    """It gets 409 with the reason, and the first one is not disturbed."""
    inside, release = threading.Event(), threading.Event()

    @tool(risk="read")
    def hold() -> str:
        """Hold."""
        inside.set()
        release.wait(20)
        return "held"

    async def story(client: httpx.AsyncClient) -> Any:
        first = asyncio.create_task(say(client))
        await asyncio.to_thread(inside.wait, 20)
        second = await say(client)
        streamed = await say(client, accept="text/event-stream")
        release.set()
        return await first, second, streamed

    held = {"tool_calls": [{"name": "hold", "arguments": {}, "id": "c1"}]}
    first, *others = use(agent_of(held, "Held.", tools=[hold]), story)
    assert first.json()["answer"] == "Held."
    for busy in others:
        assert (busy.status_code, busy.json()["detail"]["error"]) == (409, "busy")
        assert "running already" in busy.json()["detail"]["reason"]


def test_a_decision_that_comes_just_too_late_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else was faster, after the thread was looked at: the late one is told, and nothing runs twice."""
    agent = agent_of(PAY, "Paid.")
    look = agent.aget_state

    async def story(client: httpx.AsyncClient) -> httpx.Response:
        asked = (await say(client)).json()["question"]

        async def slow_look(config: Any) -> Any:
            monkeypatch.setattr(agent, "aget_state", look)
            snapshot = await look(config)
            decision = {"type": "approve", "token": asked["calls"][0]["token"]}
            await agent.ainvoke(Command(resume={asked["id"]: {"decisions": [decision]}}), config)
            return snapshot

        monkeypatch.setattr(agent, "aget_state", slow_look)
        return await decide(client, asked, {"type": "reject"})

    late = use(agent, story)
    assert (late.status_code, late.json()["detail"]["error"], PAID) == (409, "stale", [5])


@pytest.mark.parametrize(
    ("broken", "status", "error"),
    [
        pytest.param(LedgerError("The ledger postgresql://secret-host can't be used."), 503, "ledger", id="ledger"),
        pytest.param(OSError("secret-host is away"), 500, "internal", id="anything"),
    ],
)
def test_what_is_broken_is_told_without_internals(
    broken: Exception, status: int, error: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The client learns what it may do, the operator what happened, and the question waits until it is mended."""
    agent = agent_of(PAY, "Paid.")

    def fail(*_: Any) -> None:
        raise broken

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client)).json()["question"]
        with monkeypatch.context() as while_broken:
            while_broken.setattr(agent.ledger.approvals, "look_up", fail)
            refused = await decide(client, asked, {"type": "approve"})
        return refused, await decide(client, asked, {"type": "approve"})

    refused, mended = use(agent, story)
    assert (refused.status_code, refused.json()["detail"]["error"]) == (status, error)
    assert "secret-host" not in refused.text
    assert "secret-host" in caplog.text
    assert (mended.json()["answer"], PAID) == ("Paid.", [5])


def test_without_the_extra_one_sentence_says_what_to_install() -> None:
    """The library loads without it, and the router names what is missing and the extra."""
    program = (
        "import sys, reinforced_agent.graph.build\n"
        "assert 'fastapi' not in sys.modules\n"
        "for missing in ('fastapi', 'sse_starlette'):\n"
        "    sys.modules[missing] = None\n"
        "    try:\n"
        "        import reinforced_agent.service.http.router\n"
        "    except ModuleNotFoundError as error:\n"
        "        print(error)\n"
        "    del sys.modules[missing]\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        f"The router needs {missing!r}, which is not installed; run: pip install 'reinforced-agent[service]'"
        for missing in ("fastapi", "sse_starlette")
    ], done.stderr


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"], ids=["json", "events"])
def test_a_model_that_can_not_be_used_is_no_success(accept: str) -> None:
    """The client is told to turn to whoever runs the service, without what the provider said, and again on a repeat."""
    message = {"text": "Pay.", "id": "m1"}

    async def story(client: httpx.AsyncClient) -> Any:
        told = [
            await client.post("/threads/t/messages", json=message, headers={"accept": accept}),
            await client.post("/threads/t/messages", json=message, headers={"accept": accept}),
        ]
        return told, (await client.get("/threads/t")).json()

    told, thread = use(agent_of(TypeError("secret of the host")), story)
    for answer in told:
        assert answer.status_code == (502 if accept == "application/json" else 200)
        detail = answer.json()["detail"] if accept == "application/json" else last_event(answer.text, "error")
        assert (detail["error"], detail["answer"]) == ("misconfigured", thread["answer"])
        assert "tell whoever runs it" in detail["reason"]
        assert "secret of the host" not in answer.text
    assert thread["outcome"] == "misconfigured"


def last_event(text: str, name: str) -> Any:
    """Return the data of the last event, which must have this name."""
    *_, event, data = [line for line in text.splitlines() if line]
    assert event == f"event: {name}"
    return json.loads(data.removeprefix("data: "))
