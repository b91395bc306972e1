"""How runs of the router end: every stream with a last event, every question for the person who may answer it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import ApprovalPolicy, ApprovalRule, Planning, tool
from reinforced_agent.service.http.router import agent_router
from tests.examples.programs import events_in
from tests.service.http.router import PAID, PAY, agent_of, decide, say, use
from tests.service.http.test_router import by_header


BOTH: Any = {"tool_calls": [*PAY["tool_calls"], {"name": "pay", "arguments": {"amount": 7}, "id": "c2"}]}
HOLD: Any = {"tool_calls": [{"name": "hold", "arguments": {}, "id": "c1"}]}
MESSAGE = {"text": "Pay.", "id": "m1"}
THREAD: Any = {"configurable": {"thread_id": "t"}}
ANN, BOSS = {"x-user": "ann"}, {"x-user": "eve", "x-role": "boss"}
SECONDS = 20.0
"""How long a stream may take to end; it takes a fraction of a second."""


class Holding:
    """A tool that a test keeps busy."""

    def __init__(self) -> None:
        """Let nobody in yet."""
        self.inside, self.release = threading.Event(), threading.Event()

        @tool(risk="read")
        def hold() -> str:
            """Hold."""
            self.inside.set()
            self.release.wait(SECONDS)
            return "held"

        self.tool = hold


@pytest.fixture
def holding() -> Iterator[Holding]:
    """Make a tool that holds, and let it go after the test."""
    made = Holding()
    yield made
    made.release.set()


async def stream(client: httpx.AsyncClient, path: str, body: Any, **headers: str) -> list[tuple[str, Any]]:
    """Send a request for events, and return them when the last one has come."""
    sending = client.post(f"/threads/t/{path}", json=body, headers={"accept": "text/event-stream", **headers})
    return events_in(await asyncio.wait_for(sending, SECONDS))


def test_a_stream_ends_where_a_question_is_all_that_comes() -> None:
    """A run that was cut off just before its question goes on with the same message, and the question is the end."""
    agent = agent_of(PAY, "Paid.")
    said = HumanMessage(MESSAGE["text"], id=MESSAGE["id"])
    agent.invoke({"messages": [said]}, THREAD, interrupt_before=["approve"])

    async def story(client: httpx.AsyncClient) -> Any:
        return await stream(client, "messages", MESSAGE)

    ((name, question),) = use(agent, story)
    assert (name, question["calls"][0]["call_id"]) == ("question", "c1")


def test_a_stream_ends_where_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without a single part tells how the thread stands."""
    agent = agent_of(PAY, "Paid.")

    async def no_part(*_: Any, **__: Any) -> Any:
        nothing: list[Any] = []
        for part in nothing:
            yield part

    async def story(client: httpx.AsyncClient) -> Any:
        await client.post("/threads/t/messages", json=MESSAGE)
        monkeypatch.setattr(agent, "astream", no_part)
        return await stream(client, "messages", {"text": "More."})

    ((name, _),) = use(agent, story)
    assert name == "question"


class Dying(InMemorySaver):
    """A store that fails for good after so many checkpoints, as if the process had died."""

    left: int | None = None

    def put(self, *arguments: Any, **more: Any) -> Any:
        """Store a checkpoint, or fail."""
        if self.left == 0:
            msg = "the process is dead"
            raise OSError(msg)
        self.left = None if self.left is None else self.left - 1
        return super().put(*arguments, **more)


@pytest.mark.parametrize("stored", range(5))
def test_a_message_sent_again_gets_its_answer_wherever_its_run_was_cut_off(stored: int) -> None:
    """Also where the last node's work was stored, but the state after it was not; until then there is no answer."""
    agent = agent_of("Hi.", "Hello.", "Hello.", checkpointer=Dying())
    agent.invoke({"messages": [HumanMessage("Hi?")]}, THREAD)
    # Where checkpoints are read strictly, the agent has a copy of the store.
    agent.checkpointer.left = stored
    with pytest.raises(OSError, match="dead"):
        agent.invoke({"messages": [HumanMessage(MESSAGE["text"], id=MESSAGE["id"])]}, THREAD)
    agent.checkpointer.left = None

    async def story(client: httpx.AsyncClient) -> Any:
        before = (await client.get("/threads/t")).json()
        return before, (await client.post("/threads/t/messages", json=MESSAGE)).json()

    before, after = use(agent, story)
    if before["messages"][-1]["text"] == MESSAGE["text"]:
        assert (before["answer"], before["outcome"]) == (None, "")
    assert (after["answer"], after["outcome"]) == ("Hello.", "answered")


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_a_run_that_is_stopped_is_told_as_such(accept: str, holding: Holding) -> None:
    """The client learns that the run was cut off, and how to go on."""

    async def story(client: httpx.AsyncClient) -> Any:
        sending = asyncio.create_task(client.post("/threads/t/messages", json=MESSAGE, headers={"accept": accept}))
        await asyncio.to_thread(holding.inside.wait, SECONDS)
        (run,) = [task for task in asyncio.all_tasks() if "_Desk._run" in repr(task.get_coro())]
        run.cancel()
        holding.release.set()
        return await asyncio.wait_for(sending, SECONDS)

    told = use(agent_of(HOLD, "Held.", tools=[holding.tool]), story)
    name, detail = events_in(told)[-1] if told.status_code == 200 else ("error", told.json()["detail"])
    assert (name, detail["error"]) == ("error", "stopped")
    assert "send this again" in detail["reason"]


@pytest.mark.parametrize(
    ("fruitless", "who"),
    [
        pytest.param({"type": "approve"}, ANN, id="role-missing"),
        pytest.param(
            {"type": "edit", "edited_action": {"name": "pay", "args": {"amount": "five"}}}, BOSS, id="not-valid"
        ),
    ],
)
def test_a_question_can_be_answered_by_its_first_id_as_long_as_it_waits(fruitless: Any, who: dict[str, str]) -> None:
    """What somebody else tried in vain doesn't take the question away from the person who may answer it."""

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client, **ANN)).json()["question"]
        for _ in range(2):
            refused = await decide(client, asked, fruitless, **who)
            assert (refused.status_code, PAID) == (422, [])
        return await decide(client, asked, {"type": "approve"}, **BOSS)

    policy = ApprovalPolicy(write=ApprovalRule(roles=("boss",)))
    answered = use(agent_of(PAY, "Paid.", approvals=policy), story, by_header)
    assert (answered.status_code, PAID) == (200, [5])


def test_what_waits_on_after_a_part_was_decided_can_be_answered_by_the_first_id() -> None:
    """The decision about the second of two calls counts, though the first was decided meanwhile by somebody else."""

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client)).json()["question"]
        await decide(client, asked, {"type": "reject"})
        return await decide(client, {**asked, "calls": asked["calls"][1:]}, {"type": "approve"})

    answered = use(agent_of(BOTH, "Paid."), story)
    assert (answered.status_code, PAID) == (200, [7])


def test_an_answer_that_also_names_a_decided_call_is_stale() -> None:
    """Nothing of it counts: who sent it did not know what had been decided."""

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client)).json()["question"]
        await decide(client, asked, {"type": "reject"})
        return await decide(client, asked, {"type": "approve"}, {"type": "approve"})

    late = use(agent_of(BOTH, "Paid."), story)
    assert (late.status_code, late.json()["detail"]["error"], PAID) == (409, "stale", [])


def test_an_old_id_never_answers_the_next_question() -> None:
    """An answer that comes again when another call waits decides nothing about it."""
    more = {"tool_calls": [{"name": "pay", "arguments": {"amount": 7}, "id": "c2"}]}

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client)).json()["question"]
        following = (await decide(client, asked, {"type": "approve"})).json()["question"]
        assert following["calls"][0]["call_id"] == "c2"
        return await decide(client, asked, {"type": "approve"})

    late = use(agent_of(PAY, more, "Paid."), story)
    assert (late.status_code, late.json()["detail"]["error"], PAID) == (409, "stale", [5])


def test_a_decision_about_a_plan_is_taken() -> None:
    """A plan is asked about and agreed to like a call, also after somebody else tried in vain."""
    look = {"id": "1", "tool": "pay", "purpose": "settle the bill", "arguments": {"amount": 5}}
    handed_in = {"tool_calls": [{"name": "propose_plan", "arguments": {"steps": [look]}, "id": "p"}]}
    planning = Planning(mode="always", approve=ApprovalRule(roles=("boss",)))

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client, **ANN)).json()["question"]
        refused = await decide(client, asked, {"type": "approve"}, **ANN)
        return refused, await decide(client, asked, {"type": "approve"}, **BOSS)

    refused, agreed = use(agent_of(handed_in, PAY, "Paid.", planning=planning), story, by_header)
    assert (refused.status_code, refused.json()["detail"]["error"]) == (422, "not_usable")
    assert "boss" in refused.json()["detail"]["reason"]
    assert agreed.status_code == 200
    assert agreed.json()["question"]["calls"][0]["tool"] == "pay"


def serve(
    story: Callable[[FastAPI, httpx.AsyncClient], Awaitable[Any]], agent: Any, *, late: bool, grace: float
) -> Any:
    """Let a story use the router of an agent in an application whose lifespan the story enters.

    Args:
        story: What is done.
        agent: What the router serves.
        late: Whether the application includes the router in its own lifespan.
        grace: Seconds for runs under way.

    """

    async def main() -> Any:
        router = agent_router(agent, grace=grace)

        @asynccontextmanager
        async def own(app: FastAPI) -> AsyncIterator[None]:
            if not late:
                yield
                return
            app.include_router(router)
            async with router.lifespan_context(app):
                yield

        app = FastAPI(lifespan=own)
        if not late:
            app.include_router(router)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://app") as client:
            return await story(app, client)

    return asyncio.run(main())


@pytest.mark.parametrize("late", [False, True], ids=["included-before", "included-in-the-lifespan"])
def test_runs_under_way_end_before_the_application_does(*, late: bool, holding: Holding) -> None:
    """A run whose client has gone away is not lost when the server is restarted."""
    agent = agent_of(HOLD, "Held.", tools=[holding.tool])

    async def story(app: FastAPI, client: httpx.AsyncClient) -> None:
        async with app.router.lifespan_context(app):
            sending = asyncio.create_task(client.post("/threads/t/messages", json=MESSAGE))
            await asyncio.to_thread(holding.inside.wait, SECONDS)
            sending.cancel()
            asyncio.get_running_loop().call_later(0.05, holding.release.set)

    serve(story, agent, late=late, grace=SECONDS)
    assert agent.get_state(THREAD).values["turn"]["outcome"] == "answered"


def test_a_run_that_takes_too_long_is_cut_off_and_goes_on_later(
    holding: Holding, caplog: pytest.LogCaptureFixture
) -> None:
    """The application ends in time, the operator is told, and the same message goes on with the run."""
    agent = agent_of(HOLD, "Held.", tools=[holding.tool])

    async def story(app: FastAPI, client: httpx.AsyncClient) -> Any:
        async with app.router.lifespan_context(app):
            sending = asyncio.create_task(client.post("/threads/t/messages", json=MESSAGE))
            await asyncio.to_thread(holding.inside.wait, SECONDS)
        holding.release.set()
        refused = await client.post("/threads/other/messages", json=MESSAGE)
        async with app.router.lifespan_context(app):
            return await sending, refused, await client.post("/threads/t/messages", json=MESSAGE)

    cut_off, refused, again = serve(story, agent, late=False, grace=0.05)
    for told in (cut_off, refused):
        assert (told.status_code, told.json()["detail"]["error"]) == (503, "stopped")
    assert "1 runs did not end within 0.05 seconds" in caplog.text
    assert (again.json()["answer"], again.json()["outcome"]) == ("Held.", "answered")


def test_a_router_whose_lifespan_was_not_entered_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    """The operator learns that runs under way would be lost, and what to write instead."""

    async def story(client: httpx.AsyncClient) -> None:
        for _ in range(2):
            await say(client)

    use(agent_of("Hi.", "Hi."), story)
    assert caplog.text.count("router.lifespan_context(app)") == 1
