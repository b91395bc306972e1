"""Each way in which a request to the model fails: what the user reads, the operator gets, and is put on record."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from reinforced_agent import Context, Limits, ScriptedModel, build_agent
from reinforced_agent.evaluation.report.service import measure_service
from reinforced_agent.evaluation.report.sources import Loaded
from tests.graph.house import House, call, calls
from tests.models.chat_server import Raw, Reply, called, failed, running, said
from tests.models.failures import FAILURES, KEY, Failure, failing, repaired


ASK: Any = {"messages": [("user", "Good morning.")]}
THREAD: Any = {"configurable": {"thread_id": "t"}}
WAYS = ["invoke", "ainvoke", "stream"]


def run(agent: Any, way: str, asked: Any = ASK, **options: Any) -> dict[str, Any]:
    """Run in one of the ways in which a graph is run; the state at the end is the same."""
    if way == "ainvoke":
        return dict(asyncio.run(agent.ainvoke(asked, THREAD, **options)))
    if way == "stream":
        for _ in agent.stream(asked, THREAD, stream_mode="messages", **options):
            pass
        return dict(agent.get_state(THREAD).values)
    return dict(agent.invoke(asked, THREAD, **options))


def agent_for(**options: Any) -> Any:
    """Build an agent on the model that the environment points to."""
    return build_agent(model="openai:m", tools=[], checkpointer=InMemorySaver(), **options)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("failure", FAILURES, ids=lambda one: one.name)
def test_each_failure_is_told_as_what_it_is(
    failure: Failure, way: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Outcome, class, log and record agree; the key stands nowhere, and the thread goes on afterwards."""
    records: list[Any] = []
    with failing(failure, monkeypatch) as server:
        agent = agent_for(sinks=[records.extend])
        state = run(agent, way)
        assert len(server.requests) == 1
        repaired(server)
        assert run(agent, way)["messages"][-1].text == "Here I am."
    turn, error = state["turn"], state["turn"]["model_error"]
    assert (turn["outcome"], error["kind"]) == (failure.outcome, failure.kind)
    assert error["sentence"].lower() in state["messages"][-1].text.lower()
    assert error["operator"]
    assert ("later" in state["messages"][-1].text) == (failure.name == "outage")
    assert (records[0].kind, records[0].problem, bool(records[0].error)) == ("failed", failure.kind, True)
    level = logging.ERROR if failure.outcome == "misconfigured" else logging.WARNING
    assert [one.levelno for one in caplog.records if one.levelno >= logging.WARNING] == [level]
    assert KEY not in f"{state}{records}{caplog.text}"


def test_no_two_failures_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """In either language, users read another sentence for each."""
    told: dict[str, set[str]] = {"en": set(), "zh-CN": set()}
    for failure in FAILURES:
        for locale, sentences in told.items():
            with failing(failure, monkeypatch):
                state = agent_for().invoke(ASK, THREAD, context=Context(locale=locale))
                sentences.add(state["turn"]["model_error"]["sentence"])
    assert [len(sentences) for sentences in told.values()] == [len(FAILURES)] * 2


@pytest.mark.parametrize(
    ("reply", "kind", "outcome"),
    [
        pytest.param(
            Raw("<html>no route</html>", 502, headers={"x-should-retry": "false"}), "page", "model_down", id="502"
        ),
        pytest.param(Raw("<html>blocked</html>", 403), "page", "misconfigured", id="403"),
        pytest.param(Raw("<html>hi</html>", kind="application/json"), "page", "misconfigured", id="called-json"),
        pytest.param(Raw("It works!", kind="text/plain"), "page", "misconfigured", id="text"),
        pytest.param(said("Half of a", ends="dropped", after=20), "connection", "model_down", id="dropped"),
    ],
)
@pytest.mark.parametrize("way", WAYS)
def test_what_comes_in_place_of_a_reply(
    reply: Raw | Reply, kind: str, outcome: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page with a status of the gateway's own trouble may be gone later, any other not."""
    if way == "stream" and isinstance(reply, Reply):
        pytest.skip("what of a stream had come is a reply that was cut off")
    with failing(Failure("", reply, kind, outcome, 0, 0), monkeypatch) as server:
        turn = run(agent_for(), way)["turn"]
        assert (turn["outcome"], turn["model_error"]["kind"]) == (outcome, kind)
        if kind == "page":
            assert f"{server.address}/chat/completions" in turn["detail"]


def test_the_operator_is_told_what_came_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The title of a page, as all that others wrote, stays in the detail of the turn and in the log."""
    page = next(one for one in FAILURES if one.name == "page")
    with failing(page, monkeypatch):
        turn = agent_for().invoke(ASK, THREAD)["turn"]
    assert "Sign in to the company" in turn["detail"]
    assert "Sign in" not in str(turn["model_error"])
    assert "page of HTML" in turn["model_error"]["operator"]


def test_a_host_s_own_client_is_read_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that the host built says no less, but where a page came with success."""
    for failure in FAILURES:
        with failing(failure, monkeypatch) as server:
            model = ChatOpenAI(model="m", base_url=server.address, api_key=SecretStr(KEY), max_retries=0)
            turn = build_agent(model=model, tools=[]).invoke(ASK)["turn"]
            assert (turn["outcome"], turn["model_error"]["kind"]) == (failure.outcome, failure.kind)
            assert KEY not in str(turn)


@pytest.mark.parametrize("way", WAYS)
def test_a_short_wait_that_a_provider_names_is_kept(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked again once the time is over, and nobody reads of it."""
    busy = failed(429, "Slow down.", code="rate_limit_exceeded", retry_after_ms="30")
    with running() as server:
        server.replies = [busy, busy, said("Now.")]
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        state = run(agent_for(), way)
    assert (state["turn"]["outcome"], state["messages"][-1].text) == ("answered", "Now.")
    assert state["turn"]["seconds"] >= 0.06


@pytest.mark.parametrize("way", WAYS)
def test_a_wait_past_the_end_of_the_run_is_told(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for what can't be waited for: the user reads when to come again."""
    busy = failed(429, "Slow down.", code="rate_limit_exceeded", retry_after="40")
    with running() as server:
        server.replies = [busy]
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        state = run(agent_for(limits=Limits(seconds=20)), way)
    assert (state["turn"]["outcome"], state["turn"]["model_error"]["wait"]) == ("model_down", 40)
    assert "in 40 seconds" in state["messages"][-1].text


def test_candidates_wait_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several proposals at once are asked for again, too."""
    with running() as server:
        server.replies = [failed(429, "Slow down.", retry_after_ms="20"), *[said("Now.")] * 3]
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        house = House()
        agent = build_agent(model="openai:m", tools=house.tools(), strategy="candidates")
        for ask in (agent.invoke, lambda asked: asyncio.run(agent.ainvoke(asked))):
            assert ask(ASK)["messages"][-1].text == "Now."
            server.replies = [failed(429, "Slow down.", retry_after_ms="20"), *[said("Now.")] * 3]


def test_a_plan_that_fails_is_told_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is what was done before it."""
    with failing(FAILURES[0], monkeypatch):
        state = build_agent(model="openai:m", tools=House().tools(), planning="always").invoke(ASK)
    assert state["turn"]["model_error"]["kind"] == "access"


def test_what_was_done_before_an_outage_is_not_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next step is not to send the whole request again, whenever the provider can be asked again."""
    with running() as server:
        server.replies = [
            called("send_note", '{"to": "ann", "text": "hi"}'),
            failed(429, "Slow down.", retry_after="900"),
        ]
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        house = House()
        house.agent = build_agent(model="openai:m", tools=house.tools(), checkpointer=InMemorySaver())
        house.say("Write to ann.").decide({"type": "approve"})
    assert (house.outcome, house.effects) == ("model_down", [("ann", "hi")])
    assert "must not be done again" in house.answer


def test_turns_that_a_request_ended_count_in_the_report() -> None:
    """An outage is a turn that was not resolved, whether or not the model said something before."""
    records: list[Any] = []
    note = call("read_ledger", {"page": 1}, "c1")
    for lines in (["Hello."], [ConnectionError("no route")], [calls(note), ConnectionError("no route")]):
        House(*lines, sinks=[records.extend]).say()
        records[-1] = records[-1].model_copy(update={"thread": str(len(records))})
    renamed = [one.model_copy(update={"thread": records[-1].thread}) if one.kind == "call" else one for one in records]
    numbers = measure_service(Loaded(source="here", records=renamed)).as_json()
    assert numbers["outcomes"] == {"model_down": 2, "answered": 1}
    assert (numbers["headlines"]["resolution"]["value"], numbers["headlines"]["resolution"]["n"]) == (
        pytest.approx(1 / 3, abs=1e-6),
        3,
    )
    assert numbers["model_failed"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert numbers["failures"] == {"connection": 2}


class TestMistakesOfTheHost:
    """Code of the host that is wrong is no trouble of the model."""

    @pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
    @pytest.mark.parametrize("options", [{}, {"planning": "always"}, {"strategy": "candidates"}], ids=str)
    def test_they_are_raised(self, options: dict[str, Any], in_loop: bool) -> None:  # noqa: FBT001
        """A model of the host's own that breaks says so to the host."""
        agent = build_agent(model=_Broken(lines=["Hello."]), tools=House().tools(), **options)
        with pytest.raises(AttributeError, match="no_such_thing"):
            asyncio.run(agent.ainvoke(ASK)) if in_loop else agent.invoke(ASK)

    def test_a_counter_of_tokens_that_breaks_is_the_host_s(self) -> None:
        """It is called by this package, before the model is."""

        def count(text: str) -> list[int]:
            return [0] * len(text) if "Good morning" not in text else text + 1  # type: ignore[operator]

        model = ScriptedModel(lines=["Hello."], custom_get_token_ids=count, profile={"max_input_tokens": 50})
        agent = build_agent(model=model, tools=[])
        with pytest.raises(TypeError, match="concatenate"):
            agent.invoke({"messages": [("user", "Good morning. " * 50)]})

    @pytest.mark.parametrize("raised", [KeyError("choices"), ValueError("no JSON"), ConnectionError("gone")], ids=repr)
    def test_what_data_may_have_caused_ends_the_turn(self, raised: Exception) -> None:
        """A reply without a field, or none at all, is nothing that the host can have known."""
        agent = build_agent(model=_Broken(lines=["Hello."], raised=raised), tools=[])
        assert agent.invoke(ASK)["turn"]["outcome"] in {"misconfigured", "model_down"}

    def test_what_a_library_raises_ends_the_turn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A client that stumbles over what a server sent is no code of the host."""
        with running() as server:
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            server.replies = [Raw('{"choices": [7]}', kind="application/json")]
            model = ChatOpenAI(model="m", base_url=server.address, max_retries=0)
            turn = build_agent(model=model, tools=[]).invoke(ASK)["turn"]
        assert turn["outcome"] in {"misconfigured", "model_down"}
        assert turn["detail"]


class _Broken(ScriptedModel):
    """A model of a host."""

    raised: Any = None

    def _generate(self, *_: Any, **__: Any) -> Any:
        """Break."""
        if self.raised is not None:
            raise self.raised
        return self.no_such_thing  # type: ignore[attr-defined]
