"""Take a reply of a model as it comes, and put it together so that a call that was cut off can't look complete.

LangChain decodes the arguments of a streamed call before they are complete: what is cut off becomes an object with
fewer fields, and what is no JSON an empty one. Here the text of each call is kept as it came, and a stream that ended
without saying why it ended says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, closing
from typing import Any, Final, TypeAlias

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_core.messages.utils import message_chunk_to_message
from langchain_core.runnables import RunnableConfig

from reinforced_agent.models.binding import NOSTREAM, RAW_CALLS, parts


Hear: TypeAlias = Callable[[AIMessageChunk], object]
"""Is told of each piece of a reply as it comes."""

UNSAID: Final = "stream ended"
"""What is put in place of the reason of a reply whose stream ended without one."""

REASONS: Final = ("finish_reason", "stop_reason", "stopReason", "done_reason")
"""Under which names providers say why a reply ended; `stopReason` is Bedrock's."""
_ENDED: Final = frozenset({"completed", "incomplete", "failed", "cancelled"})
"""States in which OpenAI's Responses end; they have no reason."""


def streaming_form(model: BaseChatModel) -> BaseChatModel | None:
    """Return a model that can be asked for a stream while tools are bound; `None` where there is none.

    A host's `disable_streaming` or `streaming=False` stands.
    """
    inner = parts(model)[0]
    kind = type(inner)
    if kind._stream is BaseChatModel._stream and kind._astream is BaseChatModel._astream:  # noqa: SLF001  # LangChain asks the same
        return None
    refused = getattr(inner, "streaming", None) is False and "streaming" in inner.model_fields_set
    return None if refused or inner.disable_streaming else model


def always_streams(speaker: Any) -> bool:
    """Tell whether a model is set to be asked for streams alone, as some servers demand."""
    model = parts(speaker)[0]
    return getattr(model, "streaming", None) is True and not model.disable_streaming


def take(speaker: Any, shown: Sequence[BaseMessage], config: RunnableConfig, hear: Hear | None) -> AIMessage:
    """Make one request.

    Args:
        speaker: The model with what is bound to it.
        shown: The conversation.
        config: The configuration of the request.
        hear: Is told of each piece; `None` where nobody listens, so that a model isn't asked for a stream unless it
            is set to that.

    Raises:
        Exception: What the client raises, and what `hear` does.

    """
    if hear is None and not always_streams(speaker):
        said: AIMessage = speaker.invoke(shown, config)
        return said
    pieces: list[AIMessage] = []
    with closing(speaker.stream(shown, config)) as stream:
        for piece in stream:
            pieces.append(piece)
            if hear is not None and isinstance(piece, AIMessageChunk):
                hear(piece)
    return joined(pieces)


async def atake(speaker: Any, shown: Sequence[BaseMessage], config: RunnableConfig, hear: Hear | None) -> AIMessage:
    """Make one request in an event loop; see `take`.

    Raises:
        Exception: What the client raises, and what `hear` does.

    """
    if hear is None and not always_streams(speaker):
        said: AIMessage = await speaker.ainvoke(shown, config)
        return said
    pieces: list[AIMessage] = []
    async with aclosing(speaker.astream(shown, config)) as stream:
        async for piece in stream:
            pieces.append(piece)
            if hear is not None and isinstance(piece, AIMessageChunk):
                hear(piece)
    return joined(pieces)


def handlers_of(config: RunnableConfig) -> Sequence[BaseCallbackHandler]:
    """Return who is told about what is run with a configuration."""
    callbacks = config.get("callbacks")
    return callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or ()


def nostream(config: RunnableConfig, *tags: str) -> RunnableConfig:
    """Keep the tokens of a request, and its reply, from those who listen to the messages of a run."""
    return {**config, "tags": [*(config.get("tags") or ()), NOSTREAM, *tags]}


def joined(pieces: Sequence[AIMessage]) -> AIMessage:
    """Put the pieces of a reply together, its calls as the text that came.

    A model that can't stream hands its reply over whole.

    Raises:
        ValueError: When nothing came.

    """
    chunks = [piece for piece in pieces if isinstance(piece, AIMessageChunk)]
    if not chunks:
        if not pieces:
            msg = "the stream of the model ended before anything came"
            raise ValueError(msg)
        return pieces[-1]
    whole = add_ai_message_chunks(chunks[0], *chunks[1:])
    message = message_chunk_to_message(whole)
    if not isinstance(message, AIMessage):  # pragma: no cover  # a chunk of an assistant becomes its message
        msg = f"{type(message).__name__} is no message of an assistant"
        raise TypeError(msg)
    kept = dict(message.additional_kwargs)
    if whole.tool_call_chunks and not kept.get(RAW_CALLS):
        kept[RAW_CALLS] = [
            {"id": call["id"], "name": call["name"], "arguments": call["args"] or ""} for call in whole.tool_call_chunks
        ]
    metadata = {**message.response_metadata, **_ending(chunks, message.response_metadata)}
    return message.model_copy(update={"additional_kwargs": kept, "response_metadata": metadata})


def _ending(chunks: Sequence[AIMessageChunk], merged: dict[str, Any]) -> dict[str, str]:
    """Return why the reply ended: the last reason that was told, since LangChain strings several together."""
    told = {name: list(_told(name, chunks)) for name in REASONS}
    found = {name: values[-1] for name, values in told.items() if values}
    if found or any(merged.get(name) for name in REASONS) or merged.get("status") in _ENDED:
        return found
    return {REASONS[0]: UNSAID}


def _told(name: str, chunks: Sequence[AIMessageChunk]) -> Iterator[str]:
    return (str(value) for chunk in chunks if (value := chunk.response_metadata.get(name)))
