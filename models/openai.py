"""Any server with an OpenAI-compatible chat interface: nothing of a reply is lost, and what came goes back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Self

import openai
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, InvalidToolCall, ToolCall
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SecretStr, model_validator

from reinforced_agent.models.binding import CALL_FIELDS, RAW_CALLS
from reinforced_agent.models.connections import LoopBoundClient, bounded_client
from reinforced_agent.models.requests import AsyncRequests, Requests
from reinforced_agent.models.wire import (
    ADDED,
    JSONObject,
    UnreadableReplyError,
    extensions_of,
    extensions_of_call,
    message_of,
)


FIELDS: Final = "reinforced_agent_fields"
"""Key in `additional_kwargs`: the fields beside it that a server added to OpenAI's interface, and whose they are."""
REASONING: Final = ("reasoning_content", "reasoning", "reasoning_details")
"""Names under which servers send a model's reasoning, and want it back."""


class FaithfulChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` that loses nothing of a reply, whole or streamed, and sends back what a server added to it.

    The wire text of calls is kept: once decoded, a doubled key or a NaN can't be seen any more. Fields that OpenAI's
    own interface doesn't have (`reasoning_content` of DeepSeek, `reasoning_details` of OpenRouter, a call's
    `extra_content` of Gemini) stand in `additional_kwargs` and go back to the server they came from, which may refuse a
    request without them. The time-out bounds a request with everything that is tried again (`models.requests`).
    """

    @model_validator(mode="after")
    def _read_the_wire(self) -> Self:
        """Take requests over from the client."""
        retries = openai.DEFAULT_MAX_RETRIES if self.max_retries is None else self.max_retries
        seconds = self.request_timeout if isinstance(self.request_timeout, int | float) else None
        if self.root_client is not None and not isinstance(self.client, Requests):
            own = self.root_client.with_options(max_retries=0).chat.completions
            self.client = Requests(own, retries=retries, seconds=seconds)
        if self.root_async_client is not None and not isinstance(self.async_client, AsyncRequests):
            own = self.root_async_client.with_options(max_retries=0).chat.completions
            self.async_client = AsyncRequests(own, retries=retries, seconds=seconds)
        return self

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        """Make messages of a whole reply."""
        if not isinstance(response, dict | openai.BaseModel):
            why = "it is not JSON"
            raise UnreadableReplyError(why, str(response))
        plain = response if isinstance(response, dict) else response.model_dump(exclude_unset=True, warnings=False)
        choices = [{**choice, "message": message_of(choice["message"])} for choice in plain.get("choices") or ()]
        # Arguments that are no object would make LangChain's message fail; its calls are decoded below.
        bare = {**plain, "choices": [_without_calls(choice) for choice in choices]}
        result = super()._create_chat_result(bare if isinstance(response, dict) else response, generation_info)
        for choice, generation in zip(choices, result.generations, strict=True):
            message = generation.message
            if isinstance(message, AIMessage):
                calls = choice["message"].get("tool_calls") or []
                message.tool_calls, message.invalid_tool_calls = _decoded(calls)
                message.additional_kwargs.update(extensions_of(choice["message"]), **self._kept(choice["message"]))
            ended = {"finish_reason": choice.get("finish_reason") or None}
            logprobs = {"logprobs": choice["logprobs"]} if choice.get("logprobs") else {}
            generation.generation_info = {**(generation.generation_info or {}), **ended, **logprobs}
            if not logprobs:
                generation.generation_info.pop("logprobs", None)
        result.llm_output = {**(result.llm_output or {}), **self._told(plain)}
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """Make a piece of a message; the last one brings what is known only when all have come."""
        generation = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if generation is None or ADDED not in chunk:
            return generation
        message = generation.message
        message.additional_kwargs.update(chunk[ADDED])
        if (whole := chunk.get("whole")) is not None:
            choice = whole["choices"][0]
            message.additional_kwargs.update(self._kept(choice["message"]))
            message.response_metadata.update(self._told(whole))
            generation.generation_info = {**(base_generation_info or {}), "finish_reason": choice["finish_reason"]}
        return generation

    def _kept(self, message: JSONObject) -> dict[str, Any]:
        """Return what a message came with, as `additional_kwargs`."""
        calls = message.get("tool_calls") or []
        kept: dict[str, Any] = {}
        if calls:
            kept[RAW_CALLS] = [
                {"id": call.get("id"), "name": call["function"]["name"], "arguments": call["function"]["arguments"]}
                for call in calls
            ]
        if fields := {
            call.get("id") or f"#{at}": more for at, call in enumerate(calls) if (more := extensions_of_call(call))
        }:
            kept[CALL_FIELDS] = fields
        if (names := list(extensions_of(message))) or fields:
            kept[FIELDS] = {"names": names, "server": self._server(), "model": self.model_name}
        return kept

    def _told(self, body: JSONObject) -> dict[str, Any]:
        """Return what a reply says about itself, the same for a whole one and a streamed one."""
        tier = {"service_tier": body["service_tier"]} if body.get("service_tier") else {}
        return {
            "token_usage": body.get("usage") or None,
            "model_provider": "openai",
            "model_name": body.get("model") or self.model_name,
            "system_fingerprint": body.get("system_fingerprint") or "",
            "id": body.get("id"),
            **tier,
        }

    def _server(self) -> str:
        """Name the server."""
        client = self.root_client or self.root_async_client
        return "" if client is None else str(client.base_url.netloc, "ascii", "replace")

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Add to the messages what they came with."""
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        if "messages" in payload:
            told = self._convert_input(input_).to_messages()
            payload["messages"] = list(self._with_fields(told, payload["messages"]))
        return payload

    def _with_fields(self, told: Sequence[BaseMessage], sent: Sequence[JSONObject]) -> Iterator[JSONObject]:
        for message, plain in zip(told, sent, strict=True):
            yield self._with_own_fields(message, plain) if isinstance(message, AIMessage) else plain

    def _with_own_fields(self, message: AIMessage, plain: JSONObject) -> JSONObject:
        """Give a message back what its server added to it; another one might refuse what it doesn't know."""
        kept = message.additional_kwargs
        origin = kept.get(FIELDS)
        if not isinstance(origin, Mapping):
            # A message of another client, or of a host: reasoning goes to every server but OpenAI's own.
            names: Iterable[str] = () if self._server().endswith("openai.com") else REASONING
            return {**plain, **{name: kept[name] for name in names if kept.get(name) and _goes_back(kept[name])}}
        if origin.get("server") != self._server() and origin.get("model") != self.model_name:
            return plain
        fields = {name: kept[name] for name in origin.get("names", ()) if name in kept}
        by_call = kept.get(CALL_FIELDS) or {}
        calls = [
            {**(by_call.get(call.get("id")) or by_call.get(f"#{at}") or {}), **call}
            for at, call in enumerate(plain.get("tool_calls") or ())
        ]
        return {**plain, **fields, **({"tool_calls": calls} if calls else {})}


def _goes_back(value: Any) -> bool:
    """Tell whether reasoning is in a form of chats; OpenAI's Responses keep theirs as an object."""
    return isinstance(value, str | list)


def _without_calls(choice: JSONObject) -> JSONObject:
    message = {name: value for name, value in choice["message"].items() if name != "tool_calls"}
    return {**choice, "message": message}


def _decoded(calls: Iterable[JSONObject]) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    """Decode calls as LangChain does; what is no object is an invalid call."""
    good: list[ToolCall] = []
    bad: list[InvalidToolCall] = []
    for call in calls:
        name, text = call["function"]["name"], call["function"]["arguments"]
        try:
            arguments = json.loads(text, strict=False)
        except (TypeError, ValueError, RecursionError) as error:
            bad.append(invalid_tool_call(name=name, args=text, id=call.get("id"), error=str(error)))
            continue
        if isinstance(arguments, dict):
            good.append(tool_call(name=name or "", args=arguments, id=call.get("id")))
        else:
            bad.append(invalid_tool_call(name=name, args=text, id=call.get("id"), error="The arguments are no object."))
    return good, bad


def open_openai(
    name: str,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 60.0,
    max_retries: int = 2,
    streaming: bool | None = None,
) -> FaithfulChatOpenAI:
    """Make a model of an OpenAI-compatible server.

    Args:
        name: The model's name at the server.
        api_key: Key of the server; `None` takes `OPENAI_API_KEY`.
        base_url: Address of the server; `None` takes `OPENAI_BASE_URL`.
        headers: Headers of every request beside the usual ones.
        timeout: Seconds for one request with everything that is tried again; of a stream, for its beginning and
            between two pieces.
        max_retries: How often a request is tried again whose connection was refused or dropped, or whose status asks
            for it.
        streaming: Whether replies are asked for as streams: always, as some servers demand, or never; `None` asks for
            one where somebody listens.

    """
    return FaithfulChatOpenAI(
        **({} if streaming is None else {"streaming": streaming}),
        model=name,
        api_key=None if api_key is None else SecretStr(api_key),
        base_url=base_url,
        default_headers=headers,
        timeout=timeout,
        max_retries=max_retries,
        stream_usage=True,
        stream_chunk_timeout=timeout,
        http_client=bounded_client(),
        http_async_client=LoopBoundClient(),
    )
