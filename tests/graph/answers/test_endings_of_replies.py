"""A refusal, and what a provider's filter stopped, are told as what they are, after one request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import Context, build_agent, resolve_model, tool
from tests.models.chat_server import Call, ChatServer, Reply, called, running, said
from tests.models.playing import Playing


CONFIG: Any = {"configurable": {"thread_id": "t"}}
REFUSED = "I can't help with that."
ran: list[float] = []


@tool(risk="read")
def pay(amount: float) -> str:
    """Pay."""
    ran.append(amount)
    return f"paid {amount}"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Run a server and point the environment to it."""
    with running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        ran.clear()
        yield server


def ask(model: Any, mode: Any = "values", said: str = "Pay the rent.") -> dict[str, Any]:
    agent = build_agent(model=model, tools=[pay], checkpointer=InMemorySaver())
    for _ in agent.stream({"messages": [("user", said)]}, CONFIG, stream_mode=mode):
        pass
    values: dict[str, Any] = agent.get_state(CONFIG).values
    return values


@pytest.mark.parametrize("mode", ["values", "messages"])
def test_a_refusal_is_the_answer(server: ChatServer, mode: Any) -> None:
    """One request, the model's own words, and a note for whoever reads the record."""
    server.replies = [Reply(refusal=REFUSED)]
    state = ask(resolve_model("openai:m"), mode)
    assert (state["turn"]["outcome"], state["messages"][-1].text) == ("answered", REFUSED)
    assert state["messages"][-1].additional_kwargs["refusal"] == REFUSED
    assert [one.get("ending") for one in state["turn"]["spoken"]] == ["refused"]
    assert len(server.requests) == 1


REFUSALS = {
    "Anthropic": AIMessage(REFUSED, response_metadata={"stop_reason": "refusal"}),
    "a block of Responses": AIMessage([{"type": "refusal", "refusal": REFUSED}]),
    "a field": AIMessage("", additional_kwargs={"refusal": REFUSED}),
    "a field beside a call": AIMessage(
        "", tool_calls=[{"name": "pay", "args": {"amount": 5}, "id": "a"}], additional_kwargs={"refusal": REFUSED}
    ),
    "Anthropic, with a call it had begun": AIMessage(
        [{"type": "text", "text": REFUSED}, {"type": "tool_use", "id": "a", "name": "pay", "input": {"amount": 5}}],
        tool_calls=[{"name": "pay", "args": {"amount": 5}, "id": "a"}],
        response_metadata={"stop_reason": "refusal"},
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_of_all_providers_are_answers(name: str) -> None:
    """No call of such a message runs, and none is told in the history."""
    ran.clear()
    state = ask(Playing(messages=[REFUSALS[name]]))
    assert (state["turn"]["outcome"], state["messages"][-1].text) == ("answered", REFUSED)
    assert (ran, state["messages"][-1].tool_calls) == ([], [])


@pytest.mark.parametrize(("locale", "word"), [("en", "declined"), ("zh-CN", "拒绝")])
def test_a_refusal_without_words_is_told_in_the_users_language(locale: str, word: str) -> None:
    """One plain sentence."""
    model = Playing(messages=[AIMessage("", response_metadata={"stop_reason": "refusal"})])
    agent = build_agent(model=model, tools=[pay])
    state = agent.invoke({"messages": [("user", "Pay the rent.")]}, context=Context(locale=locale))
    assert state["turn"]["outcome"] == "answered"
    assert word in state["messages"][-1].text


FILTERED = {
    "OpenAI": {"finish_reason": "content_filter"},
    "Responses": {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
    "Gemini": {"finish_reason": "SAFETY"},
    "Gemini, of a request": {"prompt_feedback": {"block_reason": "PROHIBITED_CONTENT"}},
    "Bedrock": {"stopReason": "guardrail_intervened"},
}


@pytest.mark.parametrize("provider", FILTERED)
def test_what_a_filter_left_nothing_of_ends_the_turn(provider: str) -> None:
    """One request; the user reads that it was a filter, the operator in whose words."""
    state = ask(Playing(messages=[AIMessage("", response_metadata=FILTERED[provider])]))
    assert state["turn"]["outcome"] == "filtered"
    assert "filter" in state["messages"][-1].text
    assert "filter" in state["turn"]["detail"]
    assert state["turn"]["model_error"]["kind"] == "filter"
    assert "output limit" not in state["messages"][-1].text


@pytest.mark.parametrize("mode", ["values", "messages"])
@pytest.mark.parametrize(
    ("finish", "noted", "unsaid"),
    [("content_filter", "filter", "limit"), ("length", "limit", "filter"), ("error", "failed", "limit")],
)
def test_half_an_answer_says_why_it_is_half(
    server: ChatServer, finish: str, noted: str, unsaid: str, mode: Any
) -> None:
    """The text that came is the answer, with a true note below it."""
    server.replies = [said("The rent is", finish=finish)]
    state = ask(resolve_model("openai:m"), mode)
    assert state["turn"]["outcome"] == "answered"
    text = state["messages"][-1].text
    assert text.startswith("The rent is\n")
    assert noted in text
    assert unsaid not in text


@pytest.mark.parametrize("mode", ["values", "messages"])
@pytest.mark.parametrize("finish", ["content_filter", "error", "length"])
def test_a_call_that_was_stopped_never_runs(server: ChatServer, finish: str, mode: Any) -> None:
    """However whole it looks; the model is told why."""
    server.replies = [called("pay", '{"amount": 5}', finish=finish), said("I won't.")]
    state = ask(resolve_model("openai:m"), mode)
    assert (ran, state["messages"][-1].text) == ([], "I won't.")
    feedback = server.requests[1]["messages"][-1]["content"]
    assert ("filter" in feedback) == (finish == "content_filter")


@pytest.mark.parametrize("mode", ["values", "messages"])
def test_half_a_stream_is_told_as_half(server: ChatServer, mode: Any) -> None:
    """A stream that just ends has no reason; what came of the text is marked, and a call isn't run."""
    server.replies = [said("The rent is due", ends="silent", after=3)]
    state = ask(resolve_model("openai:m").model_copy(update={"streaming": True}), mode)
    assert "broke off" in state["messages"][-1].text
    server.replies = [
        Reply(calls=[Call("pay", '{"amount": 5}')], ends="silent", after=4),
        said("I won't."),
    ]
    assert (
        ask(resolve_model("openai:m").model_copy(update={"streaming": True}), mode)["messages"][-1].text == "I won't."
    )
    assert ran == []
