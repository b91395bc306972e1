"""A chat model that says what a script tells it to: for tests, notebooks and trying out policies."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr


_WORD = re.compile(r"\s*+\S++|\s++")


class ScriptError(ValueError):
    """A script can't be read, or has no further line; the text says where."""


class ScriptedModel(BaseChatModel):
    """Says its lines one after the other, whatever it is asked.

    A line is a text, an `AIMessage`, an exception to raise, or an object with `content`, `tool_calls`
    (`[{"name": ..., "arguments": {...} or "wire text", "id": ...}]`) and `finish_reason`.
    """

    lines: list[Any]
    """What to say, in order."""
    repeat_last: bool = False
    """Whether the last line is said again for ever, instead of an error."""
    n: int = 1
    """How many lines one request brings, as proposals beside each other."""

    _next: list[int] = PrivateAttr(default_factory=lambda: [0])
    """Where it is in the script; shared with copies, which are the same speaker."""
    _seen: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """Read a script: JSON Lines, one line of the script each.

        Raises:
            ScriptError: When the file is missing or a line isn't JSON.

        """
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            msg = f"The script {str(path)!r} can't be read: {error.strerror}. Give the path of a JSON Lines file."
            raise ScriptError(msg) from error
        return cls(
            lines=[_parse(line, number, path) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        )

    @property
    def seen(self) -> list[list[BaseMessage]]:
        """Return the messages of every request so far."""
        return self._seen

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> ScriptedModel:
        """Return the model itself: a script knows its tools."""
        del tools, kwargs
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Say the next line.

        Raises:
            ScriptError: When the script is at its end.

        """
        del stop, run_manager
        with self._lock:
            self._seen.append(list(messages))
            lines = [self._line() for _ in range(kwargs.get("n", self.n))]
        for line in lines:
            if isinstance(line, BaseException):
                raise line
        return ChatResult(generations=[ChatGeneration(message=_message(line)) for line in lines])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        """Say the next line word by word.

        Raises:
            ScriptError: When the script is at its end.

        """
        said = self._generate(messages, stop, run_manager, **{**kwargs, "n": 1})
        for piece in _pieces(said.generations[0].message):
            yield ChatGenerationChunk(message=piece)

    def _line(self) -> Any:
        """Return the next line and move on."""
        [place] = self._next
        at = min(place, len(self.lines) - 1) if self.repeat_last else place
        if not 0 <= at < len(self.lines):
            msg = f"The script has only {len(self.lines)} lines, but the model is asked once more: add a line."
            raise ScriptError(msg)
        self._next[0] += 1
        return self.lines[at]


def _parse(line: str, number: int, path: Path) -> Any:
    """Read one line of a script."""
    try:
        return json.loads(line)
    except ValueError as error:
        msg = f"Line {number} of the script {str(path)!r} is no JSON: {error}."
        raise ScriptError(msg) from error


def _message(line: Any) -> AIMessage:
    """Turn a line into the message a provider would deliver."""
    if isinstance(line, AIMessage):
        return line.model_copy(update={"id": None})
    if isinstance(line, str):
        return AIMessage(line)
    calls = line.get("tool_calls", [])
    return AIMessage(
        content=line.get("content") or "",
        tool_calls=[_call(item) for item in calls if isinstance(item["arguments"], dict)],
        invalid_tool_calls=[_wire_call(item) for item in calls if not isinstance(item["arguments"], dict)],
        response_metadata={"finish_reason": line.get("finish_reason", "tool_calls" if calls else "stop")},
    )


def _pieces(message: BaseMessage) -> Iterator[AIMessageChunk]:
    """Cut a message into what a provider would stream: its words, then its calls, then why it ended."""
    if not isinstance(message, AIMessage):
        msg = f"a script says messages of an assistant, not {type(message).__name__}"
        raise ScriptError(msg)
    if isinstance(message.content, str):
        yield from (AIMessageChunk(content=word) for word in _WORD.findall(message.content))
    calls: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
    ending = {"finish_reason": "tool_calls" if calls else "stop", **message.response_metadata}
    yield AIMessageChunk(
        content="" if isinstance(message.content, str) else message.content,
        tool_call_chunks=[
            tool_call_chunk(name=call["name"], args=_wire_text(call["args"]), id=call["id"], index=index)
            for index, call in enumerate(calls)
        ],
        additional_kwargs=message.additional_kwargs,
        response_metadata=ending,
        usage_metadata=message.usage_metadata,
    )


def _wire_text(arguments: Any) -> str:
    """Write arguments as they go over a wire."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _call(item: dict[str, Any]) -> Any:
    """Deliver a call with decoded arguments."""
    return tool_call(name=item["name"], args=item["arguments"], id=item.get("id", f"call-{uuid4().hex}"))


def _wire_call(item: dict[str, Any]) -> Any:
    """Deliver a call as wire text, for the reader to decode."""
    call_id = item.get("id", f"call-{uuid4().hex}")
    return invalid_tool_call(name=item["name"], args=item["arguments"], id=call_id, error=None)
