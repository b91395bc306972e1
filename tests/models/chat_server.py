"""A chat completions server on this computer: the same scripted reply goes out as one body or as a stream of pieces.

A request that says `"stream": true` gets server-sent events, any other one JSON body. What real servers leave out or do
differently is set on a reply (`Reply.gaps`, `Reply.ends`) or on the server (`only_streams`, `insists`, `refuses`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Literal, TypeAlias

from tests.models.serving import serving


USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
LONGEST_WAIT: Final = 30.0
"""Seconds after which a piece whose gate nobody opens is sent all the same, so that a failing test comes to an end."""

Gap: TypeAlias = Literal["index", "same index", "id in later pieces", "id", "id repeated", "role", "choices", "finish"]
"""What a reply lacks.

`index`: pieces of calls have none. `same index`: all calls have index 0. `id in later pieces`: `id` is null behind the
first piece of a call; `id`: it is null everywhere; `id repeated`: every piece of a call has it. `role`: no piece says
whose it is. `choices`: pieces without choices stand between the others, and a whole body has none at all. `finish`:
nothing says why the reply ended.
"""


@dataclass(frozen=True)
class Call:
    """One call of a reply."""

    name: str
    arguments: Any = "{}"
    """Wire text, or an object that is sent as it is."""
    id: str = ""
    """Empty for `call_0`, `call_1`, …"""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the call, such as Gemini's `extra_content` with its thought signature."""


@dataclass(frozen=True)
class Reply:
    """What the model says next."""

    content: str | None = None
    calls: Sequence[Call] = ()
    finish: str | None = None
    """Why it ended; `None` for `tool_calls` or `stop`, whichever fits."""
    reasoning: str = ""
    reasoning_field: str = "reasoning_content"
    refusal: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the message, such as `reasoning_details`; a stream sends each in one piece."""
    usage: Mapping[str, Any] | None = field(default_factory=lambda: USAGE)
    gaps: frozenset[Gap] = frozenset()
    ends: Literal["whole", "dropped", "silent"] = "whole"
    """`dropped`: the connection breaks; `silent`: the stream is closed properly, but without finish and `[DONE]`."""
    after: int = 1_000_000
    """Pieces of the stream, or characters of the body, behind which a reply that is not `whole` stops."""
    piece: int = 5
    """Characters of a piece of text."""
    gates: Mapping[int, threading.Event] = field(default_factory=dict)
    """What has to be set before the piece with this number is sent; 0 also holds a whole body back."""


@dataclass(frozen=True)
class Raw:
    """Bytes as they are, such as the page of a proxy."""

    body: str | bytes = ""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    behind: threading.Event | None = None
    """White space goes out until this is set, as proxies send it to keep a connection."""


def said(content: str, **more: Any) -> Reply:
    """Make a reply of a text."""
    return Reply(content=content, **more)


def called(name: str, arguments: Any = "{}", **more: Any) -> Reply:
    """Make a reply of one call."""
    return Reply(calls=(Call(name, arguments),), **more)


def failed(status: int, message: str, *, code: str = "", kind: str = "", **headers: str) -> Raw:
    """Make an error as OpenAI-compatible servers send it; underscores in names of headers are dashes."""
    error = {"message": message, "code": code or None, "type": kind or None}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Raw(json.dumps({"error": error}), status, "application/json", named)


class ChatServer(ThreadingHTTPServer):
    """Plays replies one after the other, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[Reply | Raw] = []
        self.requests: list[dict[str, Any]] = []
        """Bodies of the requests, refused ones included."""
        self.headers: list[dict[str, str]] = []
        """Headers of the requests; names are in small letters."""
        self.paths: list[str] = []
        self.only_streams = False
        """Whether a request without `"stream": true` is refused."""
        self.insists = False
        """Whether a request is refused in which a message of the model lacks what all replies so far came with, or a
        call its signature."""
        self.refuses: frozenset[str] = frozenset()
        """Fields of a request that are refused."""
        self.sent: list[int] = []
        """How many pieces of each reply have been sent; a whole body is one."""
        self._played: list[Reply] = []
        self._lock = threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet about clients that went away."""

    @property
    def address(self) -> str:
        """What a client is pointed to."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def asked(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Reply | Raw:
        """Keep a request and choose what is said."""
        with self._lock:
            self.paths.append(path)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            self.requests.append(body)
            if fault := self.fault(body):
                return failed(400, fault, kind="invalid_request_error")
            reply = self.replies.pop(0)
            if isinstance(reply, Reply):
                self._played.append(reply)
            return reply

    def fault(self, body: dict[str, Any]) -> str:
        """Say why a request is refused; empty for one that is fine."""
        if self.only_streams and not body.get("stream"):
            return "This model only supports streaming: set `stream` to true."
        if unknown := sorted(self.refuses & body.keys()):
            return f"Unrecognized request argument supplied: {unknown[0]}"
        if not self.insists:
            return ""
        told = [message for message in body["messages"] if message["role"] == "assistant"]
        fields = [_fields_of(reply) for reply in self._played]
        for name in set.intersection(*(set(one) for one in fields)) if fields else ():
            if any(message.get(name) not in [one[name] for one in fields] for message in told):
                return f"The `{name}` in the thinking mode must be passed back to the API."
        signed = [call for reply in self._played for call in reply.calls if call.extra]
        for sent in (call for message in told for call in message.get("tool_calls") or ()):
            owed = [call.extra for call in signed if _is_same(call, sent)]
            if owed and not any(sent.items() >= extra.items() for extra in owed):
                return f"Function call is missing {' and '.join(owed[0])}: signatures have to be sent back."
        return ""


def _fields_of(reply: Reply) -> dict[str, Any]:
    """Return what a reply came with beside OpenAI's own fields."""
    known = {"role", "content", "tool_calls", "refusal"}
    return {name: value for name, value in message_of(reply).items() if name not in known}


def _is_same(call: Call, sent: dict[str, Any]) -> bool:
    """Tell whether a call of a request is one that was proposed."""
    written = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    told = sent["function"]
    return bool(told["name"] == call.name and json.loads(told["arguments"]) == json.loads(written))


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    protocol_version = "HTTP/1.1"
    server: ChatServer

    def do_POST(self) -> None:  # the name that the base class calls
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.asked(self.path, dict(self.headers), body)
        at = len(self.server.sent)
        self.server.sent.append(0)
        match reply:
            case Raw():
                text = reply.body if isinstance(reply.body, bytes) else reply.body.encode()
                if reply.behind is not None:
                    self._drip(reply.behind)
                    return
                self._whole(text, reply.status, reply.kind, reply.headers)
            case Reply() if body.get("stream"):
                asked_for_usage = bool((body.get("stream_options") or {}).get("include_usage"))
                self._stream(reply, pieces_of(reply, usage=asked_for_usage), at)
                return
            case Reply():
                _wait(reply, 0)
                text = json.dumps(body_of(reply)).encode()
                self._whole(text, 200, "application/json", {}, None if reply.ends == "whole" else reply.after)
        self.server.sent[at] = 1

    def _whole(self, text: bytes, status: int, kind: str, headers: Mapping[str, str], until: int | None = None) -> None:
        """Send one body, or only its beginning."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text[:until])
        self.close_connection = until is not None

    def _drip(self, enough: threading.Event) -> None:
        """Send nothing but white space, and then close the connection."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        while not enough.wait(0.05):
            self.wfile.write(b" ")
        self.close_connection = True

    def _stream(self, reply: Reply, pieces: Sequence[dict[str, Any]], at: int) -> None:
        """Send pieces, each when its gate is open."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        stops = min(reply.after, len(pieces)) if reply.ends != "whole" else len(pieces)
        for number, piece in enumerate(pieces[:stops]):
            _wait(reply, number)
            self._chunk(f"data: {json.dumps(piece)}\n\n")
            self.server.sent[at] = number + 1
        if reply.ends == "dropped":
            self.close_connection = True
            return
        if reply.ends == "whole":
            _wait(reply, len(pieces))
            self._chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, text: str) -> None:
        """Send a piece of the body at once."""
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


def _wait(reply: Reply, number: int) -> None:
    if gate := reply.gates.get(number):
        gate.wait(LONGEST_WAIT)


def message_of(reply: Reply) -> dict[str, Any]:
    """Write the message of a reply."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.content, **reply.extra}
    if reply.reasoning:
        message[reply.reasoning_field] = reply.reasoning
    if reply.refusal:
        message["refusal"] = reply.refusal
    if reply.calls:
        message["tool_calls"] = [_wire(call, at, reply) for at, call in enumerate(reply.calls)]
    return message


def finish_of(reply: Reply) -> str | None:
    """Return why a reply ended."""
    if "finish" in reply.gaps:
        return None
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def body_of(reply: Reply) -> dict[str, Any]:
    """Write a reply as one body."""
    choice = {"index": 0, "finish_reason": finish_of(reply), "message": message_of(reply)}
    choices = [] if "choices" in reply.gaps else [choice]
    usage = {} if reply.usage is None else {"usage": dict(reply.usage)}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "m", "choices": choices, **usage}


def pieces_of(reply: Reply, *, usage: bool = True) -> list[dict[str, Any]]:
    """Write a reply as the pieces of a stream.

    Args:
        reply: What is said.
        usage: Whether the request asked for the count of tokens.

    """
    deltas: list[dict[str, Any]] = [{"content": ""}, *({name: value} for name, value in reply.extra.items())]
    deltas += [{reply.reasoning_field: text} for text in _cut(reply.reasoning, reply.piece)]
    deltas += [{"content": text} for text in _cut(reply.content or "", reply.piece)]
    deltas += [{"refusal": text} for text in _cut(reply.refusal, reply.piece)]
    for at, call in enumerate(reply.calls):
        deltas += [{"tool_calls": [piece]} for piece in _pieces_of_call(call, at, reply)]
    if "role" not in reply.gaps:
        deltas[0] = {"role": "assistant", **deltas[0]}
    chunks = [_chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    if "choices" in reply.gaps:
        chunks = [one for chunk in chunks for one in (_chunk([]), chunk)]
    if finish := finish_of(reply):
        chunks.append(_chunk([{"index": 0, "delta": {}, "finish_reason": finish}]))
    if usage and reply.usage is not None:
        chunks.append({**_chunk([]), "usage": dict(reply.usage)})
    return chunks


def _wire(call: Call, at: int, reply: Reply) -> dict[str, Any]:
    """Write a call as it stands in a whole body."""
    call_id = None if "id" in reply.gaps else call.id or f"call_{at}"
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call_id, "type": "function", "function": function, **call.extra}


def _pieces_of_call(call: Call, at: int, reply: Reply) -> list[dict[str, Any]]:
    """Cut a call: id and name come first, then the arguments piece by piece; an object comes in one."""
    whole = _wire(call, at, reply)
    objects = not isinstance(call.arguments, str)
    first = {**whole, "function": {"name": call.name, "arguments": call.arguments if objects else ""}}
    later: list[dict[str, Any]] = []
    for text in [] if objects else _cut(call.arguments, reply.piece):
        piece: dict[str, Any] = {"function": {"arguments": text}}
        if reply.gaps & {"id in later pieces", "id"}:
            piece["id"] = None
        elif "id repeated" in reply.gaps:
            piece["id"] = whole["id"]
        later.append(piece)
    if "index" in reply.gaps:
        return [first, *later]
    index = 0 if "same index" in reply.gaps else at
    return [{"index": index, **piece} for piece in (first, *later)]


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices}


def _cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@contextmanager
def running() -> Iterator[ChatServer]:
    """Run a server."""
    with serving(ChatServer()) as server:
        yield server
