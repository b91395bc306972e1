"""Replies of OpenAI-compatible servers in every shape: nothing is lost, and streamed or not they say the same."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import openai
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.utils import message_chunk_to_message

from reinforced_agent.models.binding import CALL_FIELDS, RAW_CALLS
from reinforced_agent.models.openai import FaithfulChatOpenAI, open_openai
from reinforced_agent.models.wire import UnreadableReplyError
from tests.models.chat_server import (
    Call,
    ChatServer,
    Gap,
    Raw,
    Reply,
    body_of,
    called,
    failed,
    pieces_of,
    running,
    said,
)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """Run a server."""
    with running() as server:
        yield server


def model_of(server: ChatServer, **settings: Any) -> FaithfulChatOpenAI:
    return open_openai("m", api_key="made-up", base_url=server.address, **settings)


def aggregated(pieces: Sequence[AIMessageChunk]) -> AIMessage:
    whole = pieces[0]
    for piece in pieces[1:]:
        whole += piece
    message = message_chunk_to_message(whole)
    assert isinstance(message, AIMessage)
    return message


async def collected(pieces: AsyncIterator[AIMessageChunk]) -> list[AIMessageChunk]:
    return [piece async for piece in pieces]


def content_of(message: AIMessage) -> dict[str, Any]:
    """Return everything a message says, but for the id that LangChain gives it anew."""
    return message.model_dump(exclude={"id"})


WAYS: dict[str, Callable[[FaithfulChatOpenAI], AIMessage]] = {
    "whole": lambda model: model.invoke("Hi"),
    "whole in a loop": lambda model: asyncio.run(model.ainvoke("Hi")),
    "streamed": lambda model: aggregated(list(model.stream("Hi"))),
    "streamed in a loop": lambda model: aggregated(asyncio.run(collected(model.astream("Hi")))),
    "always streamed": lambda model: model.model_copy(update={"streaming": True}).invoke("Hi"),
}
SIGNED = Call("pay", '{"amount": 5}', extra={"extra_content": {"google": {"thought_signature": "c2ln"}}})
REPLIES = {
    "text": said("It is five o'clock."),
    "a call": called("pay", '{"amount": 5, "memo": "rent"}'),
    "two calls": Reply(calls=[Call("pay", '{"amount": 5}'), Call("look", '{"at": ["a", {"b": 1}]}')]),
    "an object as arguments": Reply("Well.", calls=[Call("pay", {"amount": 5, "note": "é"}), Call("pay", {})]),
    "reasoning beside a call": Reply("Let me pay.", calls=[Call("pay", '{"amount": 5}')], reasoning="Rent is due."),
    "reasoning under another name": Reply("Fine.", reasoning="Hm, let me see.", reasoning_field="reasoning"),
    "reasoning with details": Reply(
        "Fine.", extra={"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Hm.", "signature": "s"}]}
    ),
    "a signature at a call": Reply(calls=[SIGNED, Call("look", "{}")]),
    "a refusal": Reply(refusal="I can't help with that."),
    "filtered": said("It is", finish="content_filter"),
    "no usage": said("Fine.", usage=None),
}
GAPS: tuple[tuple[Gap, ...], ...] = (
    (),
    ("index",),
    ("same index",),
    ("id in later pieces",),
    ("id repeated",),
    ("id",),
    ("role",),
    ("finish",),
    ("index", "id in later pieces", "role", "finish"),
)


@pytest.mark.parametrize("gaps", GAPS, ids=" and ".join)
@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_says_the_same_whole_and_streamed(server: ChatServer, name: str, gaps: tuple[Gap, ...]) -> None:
    """Calls, reasoning, refusal, reason, usage and fields that nobody knows are the same, whatever the pieces lack."""
    reply = REPLIES[name]
    server.replies = [Reply(**{**vars(reply), "gaps": frozenset(gaps)})] * len(WAYS)
    model = model_of(server)
    heard = {way: content_of(take(model)) for way, take in WAYS.items()}
    for way, message in heard.items():
        assert message == heard["whole"], way


def test_what_a_reply_brings_is_there(server: ChatServer) -> None:
    """The same on every way is not nothing on every way."""
    server.replies = [REPLIES["reasoning beside a call"], REPLIES["a refusal"], REPLIES["a signature at a call"]]
    model = model_of(server)
    paying, refusing, signed = (WAYS["streamed"](model) for _ in range(3))
    assert paying.additional_kwargs["reasoning_content"] == "Rent is due."
    assert paying.additional_kwargs[RAW_CALLS] == [{"id": "call_0", "name": "pay", "arguments": '{"amount": 5}'}]
    assert paying.response_metadata["finish_reason"] == "tool_calls"
    assert paying.usage_metadata is not None
    assert paying.usage_metadata["input_tokens"] == 10
    assert refusing.additional_kwargs["refusal"] == "I can't help with that."
    assert signed.additional_kwargs[CALL_FIELDS] == {"call_0": SIGNED.extra}


@pytest.mark.parametrize("gaps", GAPS[:6], ids=" and ".join)
def test_every_piece_says_to_which_call_it_belongs(server: ChatServer, gaps: tuple[Gap, ...]) -> None:
    """Put together by index, the pieces are the calls as they were written; an id is told once."""
    calls = [Call("pay", '{"amount": 5}'), Call("pay", {"amount": 6})]
    server.replies = [Reply(calls=calls, gaps=frozenset(gaps))]
    pieces = [chunk for piece in model_of(server).stream("Hi") for chunk in piece.tool_call_chunks]
    texts, ids = {0: "", 1: ""}, {0: "", 1: ""}
    for piece in pieces:
        assert piece["index"] is not None
        texts[piece["index"]] += piece["args"] or ""
        ids[piece["index"]] += piece["id"] or ""
    if gaps != ("id",):
        assert ids == {0: "call_0", 1: "call_1"}
    assert texts == {0: '{"amount": 5}', 1: '{"amount": 6}'}


def test_counts_in_every_piece_are_not_added_up(server: ChatServer) -> None:
    """Some servers repeat the count of tokens, or the reason, with every piece."""
    chunks = pieces_of(said("A rather long answer."))
    told = [{**chunk, "usage": {"prompt_tokens": 3, "completion_tokens": at}} for at, chunk in enumerate(chunks)]
    for chunk in told:
        for choice in chunk["choices"]:
            choice["finish_reason"] = "stop"
    server.replies = [events(*told)]
    message = WAYS["streamed"](model_of(server))
    assert message.usage_metadata is not None
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]) == (3, len(told) - 1)
    assert (message.text, message.response_metadata["finish_reason"]) == ("A rather long answer.", "stop")


def events(*pieces: dict[str, Any], end: str = "data: [DONE]\n\n") -> Raw:
    return Raw("".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + end, kind="text/event-stream")


def test_a_server_that_takes_no_notice_of_stream_is_understood(server: ChatServer) -> None:
    """A whole body in place of a stream, and a stream in place of a whole body, are read as what they are."""
    reply = REPLIES["reasoning beside a call"]
    whole = Raw(json.dumps(body_of(reply)), kind="application/json")
    server.replies = [reply, whole, events(*pieces_of(reply))]
    model = model_of(server)
    expected, from_body, from_events = model.invoke("Hi"), WAYS["streamed"](model), model.invoke("Hi")
    assert content_of(from_body) == content_of(from_events) == content_of(expected)


@pytest.mark.parametrize("way", ["whole", "whole in a loop", "streamed", "streamed in a loop"])
@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param(Raw("<html><title>Sign in</title></html>"), "Sign in", id="a page"),
        pytest.param(Raw("<html>" + "x" * 100_000), "xxx", id="a long page"),
        pytest.param(Raw("<html>Bad gateway</html>", 502), "Bad gateway", id="a page with an error"),
        pytest.param(Raw("no route", 404, "text/plain"), "no route", id="a text with an error"),
        pytest.param(Raw("", kind="application/json"), "empty", id="nothing"),
        pytest.param(Raw("null", kind="application/json"), "null", id="null"),
        pytest.param(Raw("{}", kind="application/json"), "{}", id="no choices"),
        pytest.param(Raw('{"choices": null}', kind="application/json"), "null", id="null as choices"),
        pytest.param(Raw('{"choices": []}', kind="application/json"), "[]", id="empty choices"),
        pytest.param(Raw('{"choices": [{}]}', kind="application/json"), "[{}]", id="a choice without a message"),
        pytest.param(Raw("{", kind="application/json"), "{", id="half an object"),
        pytest.param(Raw("data: {oops\n\n", kind="text/event-stream"), "oops", id="events that are no JSON"),
        pytest.param(Raw("data: [DONE]\n\n", kind="text/event-stream"), "DONE", id="no events"),
        pytest.param(Raw("It works!", kind="text/plain"), "It works!", id="a text"),
    ],
)
def test_what_is_no_reply_is_an_error_that_shows_it(server: ChatServer, raw: Raw, shown: str, way: str) -> None:
    """It carries what came, cut short, with status and type."""
    server.replies = [raw] * 3
    with pytest.raises(UnreadableReplyError) as caught:
        WAYS[way](model_of(server, max_retries=0))
    assert shown in str(caught.value)
    assert len(str(caught.value)) < 1_000
    assert (caught.value.status_code, caught.value.content_type) == (raw.status, raw.kind)


@pytest.mark.parametrize("way", ["whole", "streamed"])
def test_an_error_told_with_a_status_of_success_keeps_its_code(server: ChatServer, way: str) -> None:
    """The table of errors reads it from the body."""
    server.replies = [failed(200, "You are out of credit.", code="insufficient_quota")]
    with pytest.raises(openai.APIError, match="out of credit") as caught:
        WAYS[way](model_of(server))
    assert caught.value.code == "insufficient_quota"


@pytest.mark.parametrize("way", ["streamed", "streamed in a loop"])
def test_a_stream_that_just_ends_says_so(server: ChatServer, way: str) -> None:
    """Half an answer is not taken for a whole one; a connection that breaks is an error."""
    server.replies = [said("Half an answer", ends="silent", after=2)]
    assert WAYS[way](model_of(server)).response_metadata["finish_reason"] == "stream_broken"
    server.replies = [said("Half an answer", ends="dropped", after=2)]
    with pytest.raises(openai.APIConnectionError):
        WAYS[way](model_of(server))


@pytest.mark.parametrize("way", ["whole", "streamed", "whole in a loop"])
def test_what_came_with_a_message_goes_back(server: ChatServer, way: str) -> None:
    """A server that insists on its own fields gets them, beside the calls they came with."""
    server.insists = True
    reply = Reply(calls=[SIGNED], reasoning="Rent is due.", extra={"reasoning_details": [{"type": "x", "data": "y"}]})
    server.replies = [reply, said("Paid.")]
    model = model_of(server)
    message = WAYS[way](model)
    assert message.tool_calls
    result = ToolMessage("paid", tool_call_id="call_0")
    assert model.invoke([HumanMessage("Pay"), message, result]).text == "Paid."
    sent = server.requests[1]["messages"][1]
    assert sent["reasoning_content"] == "Rent is due."
    assert sent["tool_calls"][0]["extra_content"] == SIGNED.extra["extra_content"]


def test_fields_of_one_server_don_t_go_to_another(server: ChatServer) -> None:
    """Another one might refuse what it doesn't know; reasoning of a host's own messages goes along."""
    message = AIMessage("Fine.", additional_kwargs={"reasoning_content": "Hm."})
    server.replies = [Reply("Fine.", reasoning="Hm."), said("a"), said("b"), said("c")]
    own = model_of(server).invoke("Hi")
    elsewhere = own.model_copy(
        update={
            "additional_kwargs": {
                **own.additional_kwargs,
                "reinforced_agent_fields": {"names": ["reasoning_content"], "server": "elsewhere", "model": "other"},
            }
        }
    )
    for told in (own, elsewhere, message):
        model_of(server).invoke([HumanMessage("Hi"), told, HumanMessage("And?")])
    assert ["reasoning_content" in request["messages"][1] for request in server.requests[1:]] == [True, False, True]


@pytest.mark.parametrize("way", ["streamed", "streamed in a loop"])
def test_a_server_that_can_t_count_is_asked_without(server: ChatServer, way: str) -> None:
    """The field that asks for the count of tokens is left out from then on."""
    server.refuses = frozenset({"stream_options"})
    server.replies = [said("Fine."), said("Fine.")]
    model = model_of(server)
    assert [WAYS[way](model).text for _ in range(2)] == ["Fine."] * 2
    assert ["stream_options" in request for request in server.requests] == [True, False, False]


@pytest.mark.parametrize("way", ["whole", "whole in a loop", "streamed", "streamed in a loop"])
def test_a_slow_reply_is_waited_for_once(server: ChatServer, way: str) -> None:
    """The time-out bounds the request; it is not made again."""
    gate = threading.Event()
    server.replies = [Reply("Late.", gates={0: gate, 1: gate})] * 3
    started = time.monotonic()
    with pytest.raises((openai.APITimeoutError, TimeoutError)):
        WAYS[way](model_of(server, timeout=0.3, max_retries=2))
    gate.set()
    assert len(server.requests) == 1
    assert time.monotonic() - started < 5.0


@pytest.mark.parametrize("way", ["whole", "whole in a loop"])
def test_bytes_that_go_on_coming_don_t_stretch_the_time(server: ChatServer, way: str) -> None:
    """A proxy that keeps the connection alive with white space is given up like one that is silent."""
    enough = threading.Event()
    server.replies = [Raw("{}", kind="application/json", behind=enough)]
    with pytest.raises(openai.APITimeoutError):
        WAYS[way](model_of(server, timeout=0.4, max_retries=2))
    enough.set()
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", ["whole", "whole in a loop", "streamed", "streamed in a loop"])
@pytest.mark.parametrize(
    ("error", "requests"),
    [
        pytest.param(failed(429, "slow down"), 3, id="busy"),
        pytest.param(failed(503, "later"), 3, id="trouble"),
        pytest.param(failed(503, "no", x_should_retry="false"), 1, id="told not to"),
        pytest.param(failed(429, "later", retry_after="1"), 1, id="a time that the run waits for"),
        pytest.param(failed(429, "pay", code="insufficient_quota", retry_after="0"), 1, id="no credit"),
        pytest.param(failed(401, "who?"), 1, id="key"),
        pytest.param(failed(400, "what?"), 1, id="request"),
    ],
)
def test_a_request_is_made_again_where_that_may_help(server: ChatServer, error: Raw, requests: int, way: str) -> None:
    """Where the server asks for it, and there is time."""
    server.replies = [error] * 3
    with pytest.raises(openai.APIStatusError):
        WAYS[way](model_of(server, max_retries=2))
    assert len(server.requests) == requests


def test_a_second_attempt_that_succeeds_is_the_reply(server: ChatServer) -> None:
    """Retrying is for something."""
    server.replies = [failed(503, "later"), said("Fine.")]
    assert model_of(server).invoke("Hi").text == "Fine."
