"""Replies of OpenAI-compatible servers as they come over the wire, brought into one shape.

Servers differ: arguments come as an object, pieces of calls without `index`, `id` as null, the count of tokens in every
piece or in none, a page of a proxy in place of JSON. What can be read is brought into the shape of OpenAI's interface,
whole and streamed alike; what can't becomes an error that says what came.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeAlias

import openai


JSONObject: TypeAlias = dict[str, Any]

ADDED: Final = "reinforced_agent_added"
"""Key of a piece under which `Pieces` puts what LangChain doesn't read out of it."""

BROKEN: Final = "stream_broken"
"""Why a reply ended whose stream came to its end before it did."""

_MOST_SHOWN: Final = 500
"""Characters of an unreadable reply that its error shows."""
_KNOWN: Final = frozenset(
    {"role", "content", "tool_calls", "function_call", "refusal", "audio", "annotations", "parsed", "name", "id"}
)
"""Fields of a message in OpenAI's own interface; all others are extensions of a server."""
_KNOWN_OF_CALLS: Final = frozenset({"id", "type", "function", "index"})
_JOINED: Final = frozenset({"text", "summary", "data", "content", "thinking"})
"""Texts in extensions that are objects: these come in pieces, every other one is told anew."""
_DONE: Final = "[DONE]"
_NO_JSON: Final = "it is not JSON"
_NO_OBJECT: Final = "it is not a JSON object"
_NO_CHOICE: Final = "it has no choice that says anything"
_NO_PIECE: Final = "a stream without any piece of a reply"


class UnreadableReplyError(ValueError):
    """What came is no reply of a model: the page of a proxy, for instance, or nothing at all."""

    def __init__(self, why: str, text: str, response: Any = None) -> None:
        """Say what came, cut to a length that a log can take.

        Args:
            why: What it is instead.
            text: The body.
            response: What the HTTP client returned; `None` where that isn't known any more.

        """
        self.response = response
        self.status_code: int | None = None if response is None else response.status_code
        self.content_type = "" if response is None else response.headers.get("content-type", "")
        self.text = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
        shown = repr(self.text) if text else "an empty body"
        came = f"HTTP status {self.status_code or 'not known'}, content type {self.content_type or 'not told'}"
        super().__init__(
            f"The server's reply can't be read: {why} ({came}): {shown}. "
            "Check the address of the server, and what stands between it and this program."
        )


def body_of(response: Any) -> JSONObject:
    """Read a whole reply of a chat, and bring it into shape; one that came as a stream is put together.

    Args:
        response: What the HTTP client returned, read to its end.

    Raises:
        UnreadableReplyError: When it is no chat completion.
        openai.APIError: When the server tells an error with a status that means success.

    """
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        return _from_events(response.text, response)
    body = checked(response, "message")
    return {**body, "choices": [{**choice, "message": message_of(choice["message"])} for choice in body["choices"]]}


def checked(response: Any, part: str) -> JSONObject:
    """Read a body whose choices have a part; see `body_of`."""
    text = response.text
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableReplyError(_NO_JSON, text, response) from error
    if not isinstance(body, dict):
        raise UnreadableReplyError(_NO_OBJECT, text, response)
    if problem := body.get("error"):
        raise error_of(problem, response)
    choices = body.get("choices")
    holds = dict if part == "message" else str
    if not isinstance(choices, list) or not choices or not all(_has(part, holds, one) for one in choices):
        raise UnreadableReplyError(_NO_CHOICE, text, response)
    return body


def _has(part: str, kind: type, choice: object) -> bool:
    return isinstance(choice, dict) and isinstance(choice.get(part), kind)


def _from_events(text: str, response: Any) -> JSONObject:
    """Read a reply that came in pieces although it was asked for as a whole."""
    pieces, said = Pieces(response, head=text[: _MOST_SHOWN + 1].encode("utf-8", "replace")), JSONObject()
    for line in text.splitlines():
        field_name, _, data = line.partition(":")
        if field_name != "data":
            continue
        if pieces.done or data.strip().startswith(_DONE):
            pieces.done = True
            continue
        try:
            piece = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise _no_json(data, response) from error
        if not isinstance(piece, dict):
            raise _no_json(data, response)
        if problem := piece.get("error"):
            raise error_of(problem, response)
        for name, value in ((pieces.shaped(piece) or {}).get("choices") or [{}])[0].get("delta", {}).items():
            if name in ("content", "refusal"):
                said[name] = _joined(said.get(name), value)
    whole: JSONObject = pieces.last()["whole"]
    choice = whole["choices"][0]
    return {**whole, "choices": [{**choice, "message": message_of({"content": None, **choice["message"], **said})}]}


def error_of(problem: Any, response: Any) -> openai.APIError:
    """Make the error that a server tells in a body, or in a piece of a stream."""
    message = problem.get("message") if isinstance(problem, dict) else problem
    text = message if isinstance(message, str) and message else json.dumps(problem)
    return openai.APIError(text[:_MOST_SHOWN], request=response.request, body=problem)


def unreadable(error: openai.APIStatusError) -> UnreadableReplyError | None:
    """Return what to raise in place of an error that came with something else than JSON; `None` for any other."""
    if isinstance(error.body, dict | list):
        return None
    text = error.body if isinstance(error.body, str) else ""
    return UnreadableReplyError("an error without a JSON body", text, error.response)


def message_of(message: JSONObject) -> JSONObject:
    """Bring a message into shape: it is the assistant's, and arguments of calls are text."""
    calls = message.get("tool_calls")
    shaped = [_call_of(call) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return {**message, "role": "assistant", "tool_calls": shaped or None}


def extensions_of(message: JSONObject) -> JSONObject:
    """Return the fields of a message that OpenAI's own interface doesn't have, such as `reasoning_content`."""
    return {name: value for name, value in message.items() if name not in _KNOWN and value not in (None, "", [], {})}


def extensions_of_call(call: JSONObject) -> JSONObject:
    """Return the fields of a call that OpenAI's own interface doesn't have, such as Gemini's `extra_content`."""
    return {name: value for name, value in call.items() if name not in _KNOWN_OF_CALLS and value is not None}


def _call_of(call: JSONObject) -> JSONObject:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    return {**call, "function": {"name": _text(function.get("name")), "arguments": _text(function.get("arguments"))}}


def _text(value: Any) -> str | None:
    """Return a text as it is, anything else as its JSON text."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(slots=True)
class _Call:
    """A call as far as it has come."""

    id: str | None = None
    name: str | None = None
    arguments: str | None = None
    extensions: JSONObject = field(default_factory=dict)


@dataclass(slots=True)
class Pieces:
    """Brings the pieces of one stream into shape: each says to which call it belongs, and tells nothing twice.

    What LangChain would add up wrongly (counts of tokens, reasons, extensions that are objects) comes once, in a piece
    of its own behind the others.
    """

    response: Any
    """What the HTTP client returned."""
    done: bool = False
    """Whether the server said that this is all."""
    head: bytes = b""
    """How the body begins, for who has to be told that it is no stream."""
    _calls: list[_Call] = field(default_factory=list)
    _by_index: dict[int, int] = field(default_factory=dict)
    _extensions: JSONObject = field(default_factory=dict)
    _told: JSONObject = field(default_factory=dict)
    _finish: str | None = None
    _any: bool = False

    def shaped(self, piece: JSONObject) -> JSONObject | None:
        """Return a piece in shape; `None` where it has nothing to say."""
        for name in ("id", "model", "system_fingerprint", "service_tier", "usage"):
            if piece.get(name):
                self._told[name] = piece[name]
        choices = piece.get("choices")
        choice = next((one for one in choices or () if isinstance(one, dict) and not one.get("index")), None)
        if choice is None:
            return None
        self._any = True
        delta = choice.get("delta") or choice.get("message") or {}
        finish = choice.get("finish_reason") or None
        self._finish = finish or self._finish
        texts = self._extended(delta)
        kept = {name: delta[name] for name in ("content", "refusal") if delta.get(name)}
        calls = [self._shaped_call(call) for call in delta.get("tool_calls") or () if isinstance(call, dict)]
        shaped = {"role": "assistant", **kept, **({"tool_calls": calls} if calls else {})}
        added = {**texts, **({"refusal": delta["refusal"]} if delta.get("refusal") else {})}
        told = {name: choice[name] for name in ("logprobs",) if choice.get(name)}
        return {**piece, "usage": None, "choices": [{"delta": shaped, "finish_reason": None, **told}], ADDED: added}

    def last(self) -> JSONObject:
        """Return the piece behind all others, with what is known only now.

        Raises:
            UnreadableReplyError: When nothing of a reply came.

        """
        if not self._any:
            raise UnreadableReplyError(_NO_PIECE, self.head.decode("utf-8", "replace"), self.response)
        finish = self._finish or (None if self.done else BROKEN)
        objects = {name: value for name, value in self._extensions.items() if not isinstance(value, str)}
        message = {"tool_calls": [self._whole_call(call) for call in self._calls] or None, **self._extensions}
        choice = {"delta": {"role": "assistant"}, "finish_reason": finish}
        whole = {**self._told, "choices": [{"message": message, "finish_reason": finish}]}
        return {**self._told, "choices": [choice], ADDED: objects, "whole": whole}

    def _whole_call(self, call: _Call) -> JSONObject:
        return {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}, **call.extensions}

    def _extended(self, delta: JSONObject) -> JSONObject:
        """Keep the extensions of a piece; those that are text go on with it."""
        texts: JSONObject = {}
        for name, value in extensions_of(delta).items():
            self._extensions[name] = _joined(self._extensions.get(name), value)
            if isinstance(value, str) and isinstance(self._extensions[name], str):
                texts[name] = value
        return texts

    def _shaped_call(self, piece: JSONObject) -> JSONObject:
        """Say to which call a piece belongs, with id and name where they are new."""
        shaped = _call_of(piece)
        call_id, function = piece.get("id") or None, shaped["function"]
        at = self._place(piece.get("index"), call_id, function["name"])
        call = self._calls[at]
        new_id = call_id if call.id is None else None
        new_name = None if function["name"] == call.name else function["name"]
        arguments = function["arguments"]
        call.id = call.id or call_id
        call.name = f"{call.name or ''}{new_name}" if new_name else call.name
        call.arguments = arguments if call.arguments is None else call.arguments + (arguments or "")
        call.extensions |= extensions_of_call(piece)
        return {"index": at, "id": new_id, "function": {"name": new_name or None, "arguments": arguments}}

    def _place(self, index: Any, call_id: str | None, name: str | None) -> int:
        """Find the call of a piece by its index, else by its id; a name without either begins a new one."""
        at = self._by_index.get(index) if isinstance(index, int) else self._unnumbered(call_id, name)
        if at is None or (call_id and self._calls[at].id not in (None, call_id)):
            known = [place for place, call in enumerate(self._calls) if call_id and call.id == call_id]
            at = known[0] if known else len(self._calls)
        if at == len(self._calls):
            self._calls.append(_Call())
        if isinstance(index, int):
            self._by_index[index] = at
        return at

    def _unnumbered(self, call_id: str | None, name: str | None) -> int | None:
        if not self._calls or (not call_id and name):
            return None
        return len(self._calls) - 1


def _joined(before: Any, piece: Any) -> Any:
    """Put pieces of an extension together."""
    if isinstance(before, str) and isinstance(piece, str):
        return before + piece
    if isinstance(before, list) and isinstance(piece, list):
        joined = list(before)
        for entry in piece:
            at = next((place for place, known in enumerate(joined) if _goes_on(known, entry)), None)
            if at is None:
                joined.append(entry)
            else:
                joined[at] = _joined(joined[at], entry)
        return joined
    if isinstance(before, dict) and isinstance(piece, dict):
        fresh = {name: value for name, value in piece.items() if value is not None}
        parts = {
            name: _joined(before[name], value) for name, value in fresh.items() if name in before and name in _JOINED
        }
        return {**before, **fresh, **parts}
    return piece


def _goes_on(known: Any, entry: Any) -> bool:
    """Tell whether an entry of a list goes on with one that came before."""
    if not isinstance(known, dict) or not isinstance(entry, dict):
        return False
    return entry.get("index") is not None and all(known.get(name) == entry.get(name) for name in ("index", "type"))


class _Watching:
    """Reads events as another decoder does; notes how the body begins, and that the server said that this is all."""

    def __init__(self, decoder: Any, pieces: Pieces) -> None:
        self._decoder = decoder
        self._pieces = pieces

    def _seen(self, data: bytes) -> bytes:
        if len(self._pieces.head) <= _MOST_SHOWN:
            self._pieces.head += data[: _MOST_SHOWN + 1]
        return data

    def iter_bytes(self, iterator: Iterator[bytes]) -> Iterator[Any]:
        for event in self._decoder.iter_bytes(self._seen(data) for data in iterator):
            self._pieces.done |= event.data.startswith(_DONE)
            yield event

    async def aiter_bytes(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[Any]:
        async for event in self._decoder.aiter_bytes(self._seen(data) async for data in iterator):
            self._pieces.done |= event.data.startswith(_DONE)
            yield event


class ShapedStream:
    """The pieces of one stream, in shape."""

    def __init__(self, stream: openai.Stream[Any]) -> None:
        """Read a stream that has been opened."""
        self._stream = stream
        self._pieces = _watched(stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[JSONObject]:
        """Yield the pieces, and one behind them.

        Raises:
            UnreadableReplyError: When what comes are no pieces of a reply.

        """
        response = self._stream.response
        if not _is_stream(response):
            response.read()
            yield from _as_pieces(response)
            return
        try:
            for piece in self._stream:
                if (shaped := self._pieces.shaped(_plain(piece, response))) is not None:
                    yield shaped
        except json.JSONDecodeError as error:
            raise _no_json(error.doc, response) from error
        yield self._pieces.last()


class AsyncShapedStream:
    """The pieces of one stream in an event loop, in shape; see `ShapedStream`."""

    def __init__(self, stream: openai.AsyncStream[Any]) -> None:
        """Read a stream that has been opened."""
        self._stream = stream
        self._pieces = _watched(stream)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stream.close()

    async def __aiter__(self) -> AsyncIterator[JSONObject]:
        response = self._stream.response
        if not _is_stream(response):
            await response.aread()
            for piece in _as_pieces(response):
                yield piece
            return
        try:
            async for piece in self._stream:
                if (shaped := self._pieces.shaped(_plain(piece, response))) is not None:
                    yield shaped
        except json.JSONDecodeError as error:
            raise _no_json(error.doc, response) from error
        yield self._pieces.last()


def _watched(stream: Any) -> Pieces:
    pieces = Pieces(stream.response)
    stream._decoder = _Watching(stream._decoder, pieces)  # noqa: SLF001  # the end of a stream is told to nobody else
    return pieces


def _is_stream(response: Any) -> bool:
    """Tell whether a body may be read as events; a server that tells no type is believed."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return not kind or kind.endswith(("event-stream", "ndjson", "octet-stream", "text/plain"))


def _as_pieces(response: Any) -> Iterator[JSONObject]:
    """Read a whole reply that came although a stream was asked for."""
    body = body_of(response)
    pieces = Pieces(response, done=True)
    if (shaped := pieces.shaped(body)) is not None:
        yield shaped
    yield pieces.last()


def _plain(piece: Any, response: Any) -> JSONObject:
    """Return a piece as it came."""
    if not hasattr(piece, "model_dump"):
        raise _no_json(repr(piece), response)
    plain: JSONObject = piece.model_dump(exclude_unset=True, warnings=False)
    return plain


def _no_json(text: str, response: Any) -> UnreadableReplyError:
    return UnreadableReplyError("a piece of the stream is no JSON object", text, response)
