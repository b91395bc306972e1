"""A completion server as a chat model: the turns are written under each other, and the model goes on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, BaseLLM
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult, Generation, LLMResult
from pydantic import SecretStr, SerializeAsAny


_USER, _ASSISTANT = "User", "Assistant"
_LABEL = re.compile(rf"^(?={_USER}:|{_ASSISTANT}:)", re.MULTILINE)
_NEXT_TURN = f"\n{_USER}:"
_MOST_INVENTED = 2_000
"""Characters of an invented turn that are kept for the record."""


class CompletionChatModel(BaseChatModel):
    """Any LangChain completion model behind a chat interface.

    It is stopped where it begins to write the user's next turn. A reply that goes on is cut there, and what was cut off
    stands under `invented_turn` in `response_metadata`.
    """

    llm: SerializeAsAny[BaseLLM]
    """What completes the text."""

    @property
    def _llm_type(self) -> str:
        return "reinforced-agent-completion"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return dict(self.llm._identifying_params)  # noqa: SLF001 - the key of LangChain's caches has no public name

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Complete the conversation."""
        del run_manager
        return _as_chat(self.llm.generate([write_transcript(messages)], stop=[*(stop or ()), _NEXT_TURN], **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Complete the conversation in an event loop."""
        del run_manager
        result = await self.llm.agenerate([write_transcript(messages)], stop=[*(stop or ()), _NEXT_TURN], **kwargs)
        return _as_chat(result)


def write_transcript(messages: Sequence[BaseMessage]) -> str:
    """Write turns as a transcript that ends where the assistant has the word.

    A line of a message that looks like the beginning of a turn is moved in by one space: it can't pass for one.
    """
    return "\n\n".join([*map(_write, messages), f"{_ASSISTANT}:"])


def _write(message: BaseMessage) -> str:
    if isinstance(message, SystemMessage):
        return message.text
    speaker = _ASSISTANT if isinstance(message, AIMessage) else _USER
    return f"{speaker}: {_LABEL.sub(' ', message.text)}"


def _as_chat(result: LLMResult) -> ChatResult:
    """Turn completions into chat messages."""
    usage = _usage((result.llm_output or {}).get("token_usage") or {})
    generations = [ChatGeneration(message=_message(generation, usage)) for generation in result.generations[0]]
    return ChatResult(generations=generations, llm_output=result.llm_output)


def _message(generation: Generation, usage: UsageMetadata | None) -> AIMessage:
    """Cut a completion where the user's turn begins; what was written before is whole, whatever cut the rest off."""
    said, label, invented = generation.text.partition(_NEXT_TURN)
    metadata = {key: value for key, value in (generation.generation_info or {}).items() if value is not None}
    if label:
        metadata = {**metadata, "finish_reason": "stop", "invented_turn": invented[:_MOST_INVENTED].strip()}
    return AIMessage(said.strip(), response_metadata=metadata, usage_metadata=usage)


def _usage(counted: dict[str, Any]) -> UsageMetadata | None:
    """Translate the server's count of tokens."""
    if not {"prompt_tokens", "completion_tokens"} <= counted.keys():
        return None
    read, wrote = int(counted["prompt_tokens"]), int(counted["completion_tokens"])
    return UsageMetadata(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)


def open_completion(
    name: str,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
    most_tokens: int = 1024,
    timeout: float = 60.0,
    max_retries: int = 2,
) -> CompletionChatModel:
    """Make a model of a server's `/completions`.

    Args:
        name: The model's name at the server.
        api_key: Key of the server; `None` takes `OPENAI_API_KEY`.
        base_url: Address of the server; `None` takes `OPENAI_BASE_URL`.
        headers: Headers of every request beside the usual ones.
        most_tokens: Most tokens of a reply; servers fall back to 16 where nothing is said.
        timeout: Seconds for one request with everything that is tried again.
        max_retries: How often a request is tried again whose connection was refused or dropped, or whose status asks
            for it.

    """
    import openai  # noqa: PLC0415  # slow to import, as the next three
    from langchain_openai import OpenAI  # noqa: PLC0415

    from reinforced_agent.models.connections import LoopBoundClient, bounded_client  # noqa: PLC0415
    from reinforced_agent.models.requests import AsyncCompletions, Completions  # noqa: PLC0415

    told: dict[str, Any] = {
        "api_key": api_key,
        "base_url": base_url,
        "default_headers": headers,
        "timeout": timeout,
        "max_retries": 0,
    }
    client = openai.OpenAI(**told, http_client=bounded_client())
    in_loops = openai.AsyncOpenAI(**told, http_client=LoopBoundClient())
    llm = OpenAI(
        model=name,
        api_key=None if api_key is None else SecretStr(api_key),
        temperature=0,
        max_tokens=most_tokens,
        client=Completions(client.completions, retries=max_retries, seconds=timeout),
        async_client=AsyncCompletions(in_loops.completions, retries=max_retries, seconds=timeout),
    )
    return CompletionChatModel(llm=llm)
