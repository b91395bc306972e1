"""A chat model that plays whole messages, as the clients of providers make them."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Playing(BaseChatModel):
    """Plays messages as a provider's client makes them, and keeps what it is shown."""

    messages: list[AIMessage]
    shown: list[list[BaseMessage]] = []  # noqa: RUF012  # a field of Pydantic

    @property
    def _llm_type(self) -> str:
        return "playing"

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        """Take any tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.shown.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self.messages.pop(0))])
