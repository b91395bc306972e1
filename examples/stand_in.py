"""A stand-in for a model, so that the examples need no key: it knows which calls go with which word of a request.

Set `REINFORCED_AGENT_MODEL`, for example to `openai:gpt-4o-mini`, and the examples use that model instead.
"""

import os
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class StandIn(BaseChatModel):
    """Proposes its calls one after another, then tells the last result; it remembers nothing but the chat."""

    calls: dict[str, list[dict[str, Any]]]
    """Word of a request, in lower case, and the calls that go with it, each `{"name": ..., "args": {...}}`."""

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def bind_tools(self, tools: Any, **_: Any) -> "StandIn":
        """Take the tools for known."""
        del tools
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        at = max(index for index, message in enumerate(messages) if message.type == "human")
        request, answered = messages[at].text.lower(), [m for m in messages[at:] if isinstance(m, ToolMessage)]
        calls = next((calls for word, calls in self.calls.items() if word in request), [])
        if len(answered) < len(calls):
            said = AIMessage("", tool_calls=[{"id": f"call-{len(messages)}", **calls[len(answered)]}])
        else:
            said = AIMessage(answered[-1].text if answered else "How can I help?")
        return ChatResult(generations=[ChatGeneration(message=said)])


def model_or(stand_in: StandIn) -> BaseChatModel | str:
    """Return the model that the environment names, or the stand-in."""
    return os.environ.get("REINFORCED_AGENT_MODEL") or stand_in
