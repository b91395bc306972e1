"""The text of a reply while it comes: shown at once, never a part of a call, and in the end what is stored."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from reinforced_agent import AnswerPolicy, ScriptedModel, build_agent, tool
from reinforced_agent.graph.agent import Agent
from reinforced_agent.models.openai import open_openai
from tests.models.chat_server import Call, ChatServer, Reply, called, running, said


ran: list[tuple[int, int]] = []


@tool(risk="read")
def add(a: int, b: int) -> str:
    """Add two numbers."""
    ran.append((a, b))
    return str(a + b)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Run a server and point the environment to it."""
    ran.clear()
    with running() as started:
        monkeypatch.setenv("OPENAI_BASE_URL", started.address)
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        yield started


def model_of(kind: str, **options: Any) -> Any:
    """Make a model: ours, or LangChain's own."""
    if kind == "ours":
        return open_openai("m", **options)
    model = ChatOpenAI(model="m", api_key=SecretStr("made-up"), max_retries=0, **options)
    return model.bind(temperature=0) if kind == "bound" else model


def agent_of(model: Any, **options: Any) -> Agent:
    """Build an agent with the one tool, which keeps threads."""
    return build_agent(model=model, tools=[add], checkpointer=InMemorySaver(), **options)


CONFIG: Any = {"configurable": {"thread_id": "t"}}
SAID: Any = {"messages": [HumanMessage("1 + 2?", id="u")]}
MODES = ["messages", "custom"]


def watch(agent: Agent, *, in_loop: bool = False) -> list[tuple[str, Any]]:
    """Run a turn and return what a listener gets."""

    async def listen() -> list[tuple[str, Any]]:
        return [part async for part in agent.astream(SAID, CONFIG, stream_mode=MODES)]

    if in_loop:
        return asyncio.run(listen())
    return list(agent.stream(SAID, CONFIG, stream_mode=MODES))


def pieces(parts: list[tuple[str, Any]]) -> list[AIMessageChunk]:
    """Return the pieces of text."""
    return [part[0] for mode, part in parts if mode == "messages" and isinstance(part[0], AIMessageChunk)]


def taken_back(parts: list[tuple[str, Any]]) -> set[str]:
    """Return the ids of the messages that are taken back."""
    return {part["id"] for mode, part in parts if mode == "custom" and part["type"] == "withdrawn"}


def on_screen(parts: list[tuple[str, Any]]) -> list[tuple[Any, ...]]:
    """Return what a client has on its screen in the end: the assistant's messages, in order."""
    shown: dict[str, BaseMessage] = {}
    for mode, part in parts:
        if mode == "custom" and part["type"] == "withdrawn":
            shown.pop(part["id"], None)
        elif mode == "messages" and isinstance(part[0], AIMessage):
            before = shown.get(part[0].id or "")
            shown[part[0].id or ""] = part[0] if before is None else before + part[0]  # type: ignore[assignment]
    return [told(message) for message in shown.values()]


def stored(agent: Agent) -> list[tuple[Any, ...]]:
    """Return the assistant's messages of the thread."""
    return [told(one) for one in agent.get_state(CONFIG).values["messages"] if isinstance(one, AIMessage)]


def told(message: Any) -> tuple[Any, ...]:
    """Shrink a message to what a client shows."""
    return message.id, message.text, [(call["name"], call["args"], call["id"]) for call in message.tool_calls]


CALL = '{"name": "add", "arguments": {"a": 1, "b": 2}}'
REPLIES: dict[str, list[Reply]] = {
    "an answer": [said("The sum of one and two is three.")],
    "a call": [called("add", '{"a": 1, "b": 2}'), said("It is three.")],
    "text beside a call": [
        Reply(content="Let me add these.", calls=[Call("add", '{"a": 1, "b": 2}')]),
        said("It is three."),
    ],
    "two calls": [
        Reply(calls=[Call("add", '{"a": 1, "b": 2}'), Call("add", '{"a": 3, "b": 4}')]),
        said("Three and seven."),
    ],
    "a call that is sent back": [
        Reply(content="Let me add.", calls=[Call("add", '{"a": "one"}')]),
        called("add", '{"a": 1, "b": 2}'),
        said("It is three."),
    ],
    "a leaked call": [said(f"<tool_call>{CALL}</tool_call>"), said("It is three.")],
    "a leaked call behind words": [said(f"I will add. <tool_call>{CALL}</tool_call>"), said("It is three.")],
    "a thought before the answer": [said("<think>1 + 2</think>\n\nIt is **three**.\n")],
    "a thought without its opening": [said("1 + 2 is easy\n</think>\n\nIt is three.")],
    "an answer as JSON": [said('{"sum": 3}')],
    "a doubled key": [called("add", '{"a": 1, "b": 2, "a": 4}'), said("I won't.")],
    "no number": [called("add", '{"a": NaN, "b": 2}'), said("I won't.")],
    "cut off": [called("add", '{"a": 1, "b": 2', finish="length"), said("I won't.")],
    "cut off, though it looks whole": [called("add", '{"a": 1, "b": 2}', finish="length"), said("I won't.")],
    "an answer that is cut off": [said("The sum of one and", finish="length")],
    "no index": [called("add", '{"a": 1, "b": 2}', gaps=frozenset({"index"})), said("It is three.")],
    "no ids": [called("add", '{"a": 1, "b": 2}', gaps=frozenset({"id"})), said("It is three.")],
}


@pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("name", REPLIES)
def test_a_stream_gives_the_same_state(server: ChatServer, name: str, in_loop: bool) -> None:  # noqa: FBT001
    """A server that streams and one that does not: the same calls run, and the thread says the same."""
    states = []
    for streamed in (False, True):
        server.replies = list(REPLIES[name])
        agent = agent_of(model_of("ours"))
        if streamed:
            watch(agent, in_loop=in_loop)
        else:
            agent.invoke(SAID, CONFIG)
        values = agent.get_state(CONFIG).values
        calls = [(one["status"], one.get("arguments"), one.get("feedback")) for one in values["calls"].values()]
        texts = [(one.type, one.text, len(getattr(one, "tool_calls", ()))) for one in values["messages"]]
        states.append((values["turn"]["outcome"], calls, texts, sorted(ran)))
        ran.clear()
    assert states[0] == states[1]
    assert [bool(one.get("stream")) for one in server.requests] == [False] * (len(server.requests) // 2) + [True] * (
        len(server.requests) // 2
    )


@pytest.mark.parametrize("kind", ["ours", "LangChain's"])
@pytest.mark.parametrize("name", [one for one in REPLIES if one not in {"no index", "a doubled key"}])
def test_a_client_ends_up_with_what_is_stored(server: ChatServer, name: str, kind: str) -> None:
    """The pieces of each message that was not taken back are the message of the thread, calls included."""
    server.replies = list(REPLIES[name])
    agent = agent_of(model_of(kind))
    parts = watch(agent)
    assert on_screen(parts) == stored(agent)


@pytest.mark.parametrize("name", ["a leaked call", "a leaked call behind words", "a thought before the answer"])
def test_nothing_of_a_call_or_a_thought_is_shown(server: ChatServer, name: str) -> None:
    """Not even for a moment."""
    server.replies = list(REPLIES[name])
    shown = "".join(piece.text for piece in pieces(watch(agent_of(model_of("ours")))))
    assert "<" not in shown
    assert "add{" not in shown.replace(" ", "")


def test_a_call_that_is_sent_back_takes_its_text_along(server: ChatServer) -> None:
    """So does a message that can't be used."""
    server.replies = [
        Reply(content="Let me add.", calls=[Call("add", '{"a": "one"}')]),
        said(f"I will add. <tool_call>{CALL}</tool_call>"),
        said("It is three."),
    ]
    agent = agent_of(model_of("ours"))
    parts = watch(agent)
    ids = {piece.id for piece in pieces(parts)}
    (kept,) = ids - taken_back(parts)
    assert len(ids) == 3
    assert agent.get_state(CONFIG).values["messages"][-1].id == kept


@pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
def test_text_is_shown_before_the_reply_has_ended(server: ChatServer, in_loop: bool) -> None:  # noqa: FBT001
    """The server waits with the rest until the client has the beginning."""
    gate = threading.Event()
    server.replies = [said("The sum is three, as everybody knows.", gates={4: gate})]
    agent = agent_of(model_of("ours"))

    def take(part: Any) -> None:
        if part[0].text and not gate.is_set():
            assert server.sent[0] <= 4
            gate.set()

    async def listen() -> None:
        async for part in agent.astream(SAID, CONFIG, stream_mode="messages"):
            take(part)

    if in_loop:
        asyncio.run(listen())
    else:
        for part in agent.stream(SAID, CONFIG, stream_mode="messages"):
            take(part)
    assert gate.is_set()
    assert stored(agent)[-1][1] == "The sum is three, as everybody knows."


@pytest.mark.parametrize("kind", ["ours", "LangChain's", "bound"])
@pytest.mark.parametrize("reply", [called("add", '{"a": 1, "b": 2}', ends="silent", after=5)], ids=["silent"])
def test_a_call_is_run_only_when_its_stream_says_that_it_is_whole(server: ChatServer, reply: Reply, kind: str) -> None:
    """A stream that just ends may have lost the rest."""
    server.replies = [reply, said("I won't.")]
    agent = agent_of(model_of(kind))
    watch(agent)
    assert ran == []
    assert stored(agent)[-1][1] == "I won't."


@pytest.mark.parametrize("kind", ["ours", "LangChain's"])
def test_a_server_that_never_says_why_it_ended_is_asked_without_a_stream(server: ChatServer, kind: str) -> None:
    """Its calls would never run otherwise; a whole body says by itself that it is whole."""
    unsaid = called("add", '{"a": 1, "b": 2}', gaps=frozenset({"finish"}))
    server.replies = [unsaid, unsaid, said("It is three.", gaps=frozenset({"finish"}))]
    agent = agent_of(model_of(kind))
    watch(agent)
    assert ran == [(1, 2)]
    assert [bool(one.get("stream")) for one in server.requests] == [True, False, False]
    assert stored(agent)[-1][1] == "It is three."


def test_a_connection_that_breaks_takes_back_what_was_shown(server: ChatServer) -> None:
    """The turn ends with an account, under another id."""
    server.replies = [said("The sum of one and two is three.", ends="dropped", after=4)]
    agent = agent_of(model_of("ours", max_retries=0))
    parts = watch(agent)
    assert {piece.id for piece in pieces(parts)} == taken_back(parts) != set()
    assert agent.get_state(CONFIG).values["turn"]["outcome"] == "model_down"
    assert on_screen(parts) == stored(agent)


@pytest.mark.parametrize("kind", ["ours", "LangChain's"])
@pytest.mark.parametrize("mode", ["values", "messages"])
def test_a_server_that_only_streams_can_be_used(server: ChatServer, mode: Any, kind: str) -> None:
    """Whether somebody listens or not."""
    server.only_streams = True
    server.replies = list(REPLIES["text beside a call"])
    model = model_of(kind).model_copy(update={"streaming": True})
    agent = agent_of(model)
    for _ in agent.stream(SAID, CONFIG, stream_mode=mode):
        pass
    assert ran == [(1, 2)]
    assert stored(agent)[-1][1] == "It is three."


@pytest.mark.parametrize(
    "options", [{"strategy": "candidates"}, {"answers": AnswerPolicy(attest=True)}], ids=["candidates", "attest"]
)
def test_what_must_be_known_whole_is_shown_at_the_end(server: ChatServer, options: dict[str, Any]) -> None:
    """One message, and no piece before it."""
    server.replies = [said("It is three.")] * 6
    agent = agent_of(model_of("ours"), **options)
    parts = watch(agent)
    assert pieces(parts) == []
    assert on_screen(parts) == stored(agent)


@pytest.mark.parametrize(
    "set_so", [{"disable_streaming": True}, {"disable_streaming": "tool_calling"}, {"streaming": False}], ids=str
)
def test_a_host_that_wants_no_streams_gets_none(server: ChatServer, set_so: dict[str, Any]) -> None:
    """What is set at the model stands."""
    server.replies = [said("It is three.")]
    watch(agent_of(model_of("LangChain's", **set_so)))
    assert not server.requests[0].get("stream")


def test_ids_stay_apart_where_a_server_gives_out_one_twice(server: ChatServer) -> None:
    """The second answer of a thread doesn't overwrite the first, nor is it shown under its id."""
    server.replies = [said("It is three."), said("It still is.")]
    agent = agent_of(model_of("ours"))
    watch(agent)
    again: Any = {"messages": [HumanMessage("Sure?", id="v")]}
    second = list(agent.stream(again, CONFIG, stream_mode=MODES))
    (first_id, first, _), (second_id, last, _) = stored(agent)
    assert (first, last) == ("It is three.", "It still is.")
    assert {piece.id for piece in pieces(second)} == {second_id} != {first_id}


def test_a_script_is_streamed_word_by_word() -> None:
    """So a page can be tried out without any model."""
    parts = watch(agent_of(ScriptedModel(lines=["It is three."])))
    assert [piece.text for piece in pieces(parts)] == ["It", " is", " three."]


def test_a_question_to_a_person_does_not_split_a_message() -> None:
    """Who listens to the run that goes on gets the message whole, with its calls."""

    @tool(risk="write")
    def note(text: str) -> str:
        """Write a note."""
        return f"noted {text}"

    line = {"content": "I note it.", "tool_calls": [{"name": "note", "arguments": {"text": "hi"}}]}
    agent = build_agent(model=ScriptedModel(lines=[line, "Noted."]), tools=[note], checkpointer=InMemorySaver())
    first = list(agent.stream({"messages": [("user", "note hi")]}, CONFIG, stream_mode=MODES))
    assert "".join(piece.text for piece in pieces(first)) == "I note it."
    (question,) = agent.get_state(CONFIG).interrupts
    from langgraph.types import Command  # noqa: PLC0415

    decided = {"decisions": [{"type": "approve", "token": question.value["calls"][0]["token"]}]}
    second = list(agent.stream(Command(resume={question.id: decided}), CONFIG, stream_mode=MODES))
    assert on_screen(second) == stored(agent)
