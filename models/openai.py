"""Any server with an OpenAI-compatible chat interface, with its calls kept as wire text."""

from __future__ import annotations

from typing import Any

import openai
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from reinforced_agent.models.binding import RAW_CALLS
from reinforced_agent.models.connections import LoopBoundClient


class FaithfulChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` that keeps the wire text of calls: once decoded, a doubled key or a NaN can't be seen any more."""

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        """Add the wire text to the messages made from a response."""
        result = super()._create_chat_result(response, generation_info)
        plain = response if isinstance(response, dict) else response.model_dump(warnings=False)
        for choice, generation in zip(plain["choices"], result.generations, strict=True):
            if calls := _wire_calls(choice):
                generation.message.additional_kwargs[RAW_CALLS] = calls
        return result


def _wire_calls(choice: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of one choice as they were sent."""
    return [
        {
            "id": call.get("id"),
            "name": (call.get("function") or {}).get("name"),
            "arguments": (call.get("function") or {}).get("arguments"),
        }
        for call in choice["message"].get("tool_calls") or []
    ]


def open_openai(
    name: str, *, api_key: str | None = None, timeout: float = 60.0, max_retries: int = 2
) -> FaithfulChatOpenAI:
    """Make a model of an OpenAI-compatible server; its address comes from `OPENAI_BASE_URL`.

    Args:
        name: The model's name at the server.
        api_key: Key of the server; `None` takes `OPENAI_API_KEY`.
        timeout: Seconds for one request.
        max_retries: How often a dropped or refused connection is tried again.

    """
    return FaithfulChatOpenAI(
        model=name,
        api_key=None if api_key is None else SecretStr(api_key),
        timeout=timeout,
        max_retries=max_retries,
        http_async_client=LoopBoundClient(),
    )
