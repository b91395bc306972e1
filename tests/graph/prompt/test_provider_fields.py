"""What a model's message came with goes back to its provider, unless it is the refused call itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command

from reinforced_agent import build_agent, resolve_model, tool
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.generation.proposal import record_of
from reinforced_agent.graph.prompt.messages import exchange, output_of, proposed_by
from reinforced_agent.graph.prompt.repair import repaired
from reinforced_agent.models.binding import RAW_CALLS
from reinforced_agent.policies.parsing import Answer, Calls, read
from reinforced_agent.policies.tool_names import NameIndex
from tests.models.chat_server import Call, ChatServer, Reply, called, running, said
from tests.models.playing import Playing


SIGNATURES = "__gemini_function_call_thought_signatures__"
CONFIG: Any = {"configurable": {"thread_id": "t"}}
ASK: Any = {"messages": [("user", "Pay the rent.")]}


@tool(risk="read")
def pay(amount: float) -> str:
    """Pay."""
    return f"paid {amount}"


@tool(risk="destructive")
def wire(amount: float) -> str:
    """Send money."""
    return f"sent {amount}"


def own(messages: Sequence[BaseMessage]) -> list[AIMessage]:
    return [message for message in messages if isinstance(message, AIMessage)]


def played(*messages: AIMessage, tools: Sequence[Any] = (pay,), turns: int = 1) -> Iterator[list[AIMessage]]:
    """Run turns with a model that plays messages; yield what it was shown of its own in each request."""
    model = Playing(messages=list(messages))
    agent = build_agent(model=model, tools=list(tools), checkpointer=strict_saver())
    for _ in range(turns):
        agent.invoke(ASK, CONFIG)
    assert model.messages == []
    yield from map(own, model.shown)


def strict_saver() -> InMemorySaver:
    """Keep threads as a database does that takes only plain data."""
    return InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=[]))


THOUGHT = {"type": "thinking", "thinking": "Rent is due.", "signature": "c2ln"}


def test_blocks_go_back_in_their_order_with_the_calls_as_they_were_taken() -> None:
    """Thoughts stand before and between the calls; types nobody knows are kept; ids agree with those of the calls."""
    first = AIMessage(
        [
            THOUGHT,
            {"type": "text", "text": "I pay.", "citations": [{"url": "x"}]},
            {"type": "tool_use", "id": "a", "name": "pay", "input": {"amount": 5}},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "tool_use", "id": "a", "name": "pay", "input": {"amount": "6"}},
            {"type": "brand_new", "payload": [1, None, {"k": "v"}]},
        ],
        tool_calls=[
            {"name": "pay", "args": {"amount": 5}, "id": "a"},
            {"name": "pay", "args": {"amount": "6"}, "id": "a"},
        ],
        response_metadata={"stop_reason": "tool_use", "container": {"id": "box"}},
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    )
    _, (told,) = played(first, AIMessage("Paid."))
    assert isinstance(told.content, list)
    blocks: list[Any] = told.content
    assert [block["type"] for block in blocks] == [block["type"] for block in first.content]  # type: ignore[index]
    assert [blocks[0], blocks[1], blocks[3], blocks[5]] == [first.content[at] for at in (0, 1, 3, 5)]
    calls = [block for block in blocks if block["type"] == "tool_use"]
    assert [block["id"] for block in calls] == [call["id"] for call in told.tool_calls]
    assert len({block["id"] for block in calls}) == 2
    assert [block["input"] for block in calls] == [call["args"] for call in told.tool_calls]
    assert (told.response_metadata, told.usage_metadata) == (first.response_metadata, first.usage_metadata)


def test_signatures_are_kept_by_the_new_ids_of_their_calls() -> None:
    """A client that numbers its calls anew in every message gives out ids that are in use."""

    def message(signature: str) -> AIMessage:
        call = {"name": "pay", "args": {"amount": 5 + len(signature)}, "id": "call_0", "type": "tool_call"}
        kwargs = {
            "function_call": {"name": "pay", "arguments": "{}"},
            SIGNATURES: {"call_0": signature},
            "thought": {"tool_call_id": "call_0", "note": "call_0"},
        }
        return AIMessage("", tool_calls=[call], additional_kwargs=kwargs)

    _, _, (first, second) = played(message("one"), message("three"), AIMessage("Paid."))
    ids = [message.tool_calls[0]["id"] for message in (first, second)]
    assert len(set(ids)) == 2
    assert [message.additional_kwargs[SIGNATURES] for message in (first, second)] == [
        {ids[0]: "one"},
        {ids[1]: "three"},
    ]
    assert second.additional_kwargs["thought"] == {"tool_call_id": ids[1], "note": "call_0"}
    assert "function_call" not in second.additional_kwargs


def test_items_of_responses_keep_their_place() -> None:
    """A reasoning item stands before its call; arguments that were set right are written anew."""
    first = AIMessage(
        [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "pay", "arguments": '{"amount": "5"}'},
            {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "pay", "arguments": '{"amount": 6}'},
        ],
        tool_calls=[
            {"name": "pay", "args": {"amount": "5"}, "id": "c1"},
            {"name": "pay", "args": {"amount": 6}, "id": "c2"},
        ],
    )
    _, (told,) = played(first, AIMessage("Paid."))
    blocks: list[Any] = list(told.content)
    reasoning, changed, same = blocks
    assert reasoning == first.content[0]
    assert json.loads(changed["arguments"]) == told.tool_calls[0]["args"]
    assert changed["call_id"] == "c1"
    assert same == first.content[2]


def test_a_call_that_leaked_does_not_go_back_as_text() -> None:
    """What the model wrote around it does, with its thoughts."""
    leaked = '<tool_call>{"name": "pay", "arguments": {"amount": 5}}</tool_call>'
    first = AIMessage([THOUGHT, {"type": "text", "text": leaked, "extras": {"signature": "s"}}])
    _, (told,) = played(first, AIMessage("Paid."))
    assert told.content == [THOUGHT]
    assert [call["args"] for call in told.tool_calls] == [{"amount": 5.0}]


def test_an_answer_keeps_its_thoughts_for_the_next_turn() -> None:
    """The history has them, and so has the next request; what is said is what the user read."""
    first = AIMessage(
        [THOUGHT, {"type": "text", "text": "It is paid."}], additional_kwargs={"reasoning_content": "Hm."}
    )
    _, (told,) = played(first, AIMessage("Again."), turns=2)
    assert (told.content, told.text) == (first.content, "It is paid.")
    assert told.additional_kwargs == first.additional_kwargs


def test_an_answer_that_is_sent_back_keeps_its_thoughts(server: ChatServer) -> None:
    """The model sees its own message while it writes another."""
    server.replies = [
        Reply("Done, all is paid.", reasoning="I just say so."),
        called("report_actions", '{"tools": ["wire"]}'),
        said("Nothing was paid."),
    ]
    from reinforced_agent import AnswerPolicy  # noqa: PLC0415  # used once

    agent = build_agent(model=resolve_model("openai:m"), tools=[wire], answers=AnswerPolicy(attest=True))
    assert agent.invoke(ASK)["messages"][-1].text == "Nothing was paid."
    assert server.requests[1]["messages"][-2]["reasoning_content"] == "I just say so."
    assert server.requests[2]["messages"][-2]["reasoning_content"] == "I just say so."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Run a server that insists on what it sent, and point the environment to it."""
    with running() as server:
        server.insists = True
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        yield server


SIGNED = {"extra_content": {"google": {"thought_signature": "c2ln"}}}


@pytest.mark.parametrize("mode", ["values", "messages"])
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_server_that_insists_on_its_reasoning_gets_it(server: ChatServer, field: str, mode: Any) -> None:
    """Beside the calls of the turn, also of those that were sent back, and with the answer in the next turn."""
    server.replies = [
        Reply(calls=[Call("pay", '{"amount": 5}')], reasoning="Rent is due.", reasoning_field=field),
        Reply(calls=[Call("pay", '{"amount": "x"}')], reasoning="Once more.", reasoning_field=field),
        Reply("Paid.", reasoning="That will do.", reasoning_field=field),
        said("Yes."),
    ]
    agent = build_agent(model=resolve_model("openai:m"), tools=[pay], checkpointer=strict_saver())
    for _ in range(2):
        for _ in agent.stream(ASK, CONFIG, stream_mode=mode):
            pass
    values = agent.get_state(CONFIG).values
    assert (values["turn"]["outcome"], values["messages"][-1].text) == ("answered", "Yes.")
    assert server.replies == []


@pytest.mark.parametrize("mode", ["values", "messages"])
@pytest.mark.parametrize("gaps", [(), ("id",)], ids=["ids", "no ids"])
def test_a_server_that_insists_on_signatures_gets_them(server: ChatServer, gaps: Any, mode: Any) -> None:
    """At the calls they came with, whatever ids these were given."""
    calls = [Call("pay", '{"amount": 5}', extra=SIGNED), Call("pay", '{"amount": 6}')]
    again = [Call("pay", '{"amount": 7}', extra={"extra_content": {"google": {"thought_signature": "bmV3"}}})]
    server.replies = [
        Reply(calls=calls, gaps=frozenset(gaps)),
        Reply(calls=again, gaps=frozenset(gaps)),
        said("Paid."),
    ]
    agent = build_agent(model=resolve_model("openai:m"), tools=[pay], checkpointer=strict_saver())
    for _ in agent.stream(ASK, CONFIG, stream_mode=mode):
        pass
    assert agent.get_state(CONFIG).values["messages"][-1].text == "Paid."
    first, second = (one["tool_calls"] for one in server.requests[2]["messages"] if one.get("tool_calls"))
    assert [call.get("extra_content") for call in first] == [SIGNED["extra_content"], None]
    assert second[0]["extra_content"] == again[0].extra["extra_content"]


def test_a_question_keeps_it_until_it_is_answered(server: ChatServer) -> None:
    """The state holds it once: in the proposal while it waits, in the history afterwards."""
    server.replies = [
        Reply(calls=[Call("wire", '{"amount": 5}', extra=SIGNED)], reasoning="A rather rare thought."),
        said("Sent."),
    ]
    agent = build_agent(model=resolve_model("openai:m"), tools=[wire], checkpointer=strict_saver())
    waiting = agent.invoke(ASK, CONFIG)
    assert str(agent.get_state(CONFIG).values).count("A rather rare thought.") == 1
    (question,) = waiting["__interrupt__"]
    approval = {"type": "approve", "token": question.value["calls"][0]["token"]}
    agent.invoke(Command(resume={question.id: {"decisions": [approval]}}), CONFIG)
    values = agent.get_state(CONFIG).values
    assert values["messages"][-1].text == "Sent."
    assert str(values).count("A rather rare thought.") == 1


def test_what_no_database_takes_is_left_out() -> None:
    """Objects of a client and numbers beyond 64 bits; everything beside them stays."""
    kwargs = {"parsed": object(), "big": 2**70, "half": "a\ud800", "kept": [1, 2.5, None, True, {"a": "b"}]}
    _, (told,) = played(AIMessage("Fine.", additional_kwargs=kwargs), AIMessage("Again."), turns=2)
    assert told.additional_kwargs == {"half": "a?", "kept": [1, 2.5, None, True, {"a": "b"}]}


def test_a_history_of_a_host_is_put_right_with_its_blocks() -> None:
    """Calls that get an id, or are left out, do so in the blocks as well."""
    blocks: list[Any] = [
        THOUGHT,
        {"type": "tool_use", "id": "a", "name": "pay", "input": {}},
        {"type": "tool_use", "id": "a", "name": "pay", "input": {}},
    ]
    calls: Any = [{"name": "pay", "args": {}, "id": "a"}, {"name": "pay", "args": {}, "id": "a"}]
    told = repaired([AIMessage(blocks, tool_calls=calls), ToolMessage("x", tool_call_id="a")], "en")[0]
    assert told.content == blocks[:2]


IDS = st.sampled_from(["a", "b", "call_0", "", " ", "x" * 300, "taken"])
NAMES = st.text("abcdefg_", min_size=1, max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
BESIDE = st.builds(
    lambda kind, fields: {**fields, "type": kind},
    st.sampled_from(["thinking", "redacted_thinking", "reasoning", "server_tool_use", "brand_new", "image"]),
    st.dictionaries(NAMES, VALUES, max_size=3),
)
CALLS = st.lists(st.tuples(IDS, st.dictionaries(NAMES, VALUES, max_size=2)), max_size=3)


@st.composite
def messages(draw: st.DrawFn) -> AIMessage:
    """Make a message as any provider's client might."""
    calls = draw(CALLS)
    blocks = [{"type": "tool_use", "id": call_id, "name": "pay", "input": args} for call_id, args in calls]
    for block in draw(st.lists(BESIDE, max_size=4)):
        blocks.insert(draw(st.integers(0, len(blocks))), block)
    words = draw(st.sampled_from(["", "Well.", "A b."]))
    blocks.insert(draw(st.integers(0, len(blocks))), {"type": "text", "text": words})
    kwargs = draw(st.dictionaries(NAMES, VALUES, max_size=3))
    signatures = {call_id: f"signature {at}" for at, (call_id, _) in enumerate(calls)}
    content: Any = draw(st.sampled_from([words, blocks]))
    return AIMessage(
        content,
        tool_calls=[{"name": "pay", "args": args, "id": call_id} for call_id, args in calls],
        additional_kwargs={**kwargs, SIGNATURES: signatures, "tool_calls": "raw", RAW_CALLS: None},
        response_metadata={"stop_reason": "tool_use" if calls else "end_turn", "more": draw(VALUES)},
    )


@given(messages())
def test_whatever_came_goes_back(message: AIMessage) -> None:
    """Blocks in their order, fields, metadata; each call block, signature and call under one id."""
    reading = read(output_of(message), NameIndex(["pay"]), taken=frozenset({"taken"}))
    proposal = proposed_by(message, reading, "m")
    records: dict[str, CallRecord] = {}
    match reading:
        case Calls(calls=calls, text=text):
            records = {call.id: record_of(call, 1) for call in calls}
            told = exchange({**proposal, "order": list(records), "content": text}, list(records.values()), "en")[0]
        case Answer(text=text):
            told = exchange({**proposal, "content": text}, [], "en")[0]
        case _:
            return
    assert isinstance(told, AIMessage)
    assert told.text.strip() == message.text.strip()
    assert [call["id"] for call in told.tool_calls] == list(records)
    if isinstance(message.content, list):
        assert isinstance(told.content, list)
        assert [kept(one) for one in told.content] == [kept(one) for one in message.content if kept(one) != "blank"]
        assert [one["id"] for one in told.content if one["type"] == "tool_use"] == list(records)  # type: ignore[index]
    given_ids = dict(zip([call["id"] for call in reversed(message.tool_calls)], reversed(records), strict=True))
    raw = {"tool_calls", RAW_CALLS, SIGNATURES}
    expected = {name: value for name, value in message.additional_kwargs.items() if name not in raw}
    assert {name: value for name, value in told.additional_kwargs.items() if name != SIGNATURES} == expected
    signatures = told.additional_kwargs.get(SIGNATURES, {})
    assert sorted(signatures.values()) == sorted(message.additional_kwargs[SIGNATURES].values())
    assert signatures.keys() <= records.keys() | given_ids.keys()
    assert told.response_metadata == message.response_metadata


def kept(block: Any) -> Any:
    """Return what of a block must stay as it was: its place where it is a call, all of it elsewhere."""
    if block["type"] == "tool_use":
        return "call"
    return "blank" if block["type"] == "text" and not block["text"] else block
