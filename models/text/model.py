"""A chat model that calls tools although the model inside it only writes text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, BaseLLM, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult, Generation, LLMResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import SerializeAsAny, field_validator

from reinforced_agent.models.binding import RAW_CALLS, pairs_of
from reinforced_agent.models.text.completion import CompletionChatModel
from reinforced_agent.models.text.form import Form
from reinforced_agent.models.text.json_form import JsonForm
from reinforced_agent.models.text.prompt import brief
from reinforced_agent.models.text.react_form import ReactForm
from reinforced_agent.models.text.reply import Reply, join
from reinforced_agent.models.text.turns import Scribe
from reinforced_agent.models.text.words import words_for
from reinforced_agent.tools.spec import Example


TextProtocol: TypeAlias = Literal["json", "react"]
"""How calls are written: as one JSON object, or as `Thought`, `Action` and `Action Input` lines."""

TOLD = "text_protocol"
"""Key in `response_metadata` that holds the `protocol`, and what was `dropped` from the reply, if anything."""

_FORMS: dict[TextProtocol, Form] = {"json": JsonForm(), "react": ReactForm()}
_CUT = frozenset({"length", "max_tokens"})
_MOST_DROPPED = 2_000
"""Characters of a dropped text that are kept for the record."""


class TextToolModel(BaseChatModel):
    """Any chat or completion model that knows no tools, with tools.

    The tools stand in the prompt, calls and results are written as text, and nothing but plain user and assistant
    turns reaches the model inside. A reply in the form of the protocol is delivered as the wire text of its calls; what
    it invents after a call is dropped and noted under `text_protocol` in `response_metadata`; thoughts are kept apart
    in `additional_kwargs["reasoning_content"]`. Replies are never streamed: a call is known as one only at its end.
    """

    learns_from_examples: ClassVar[bool] = True
    """Tells the graph to hand over the examples of the tools."""

    inner: SerializeAsAny[BaseChatModel]
    """The model that writes; a LangChain completion model (`BaseLLM`) is taken as well."""
    protocol: TextProtocol = "json"
    """How calls are written."""
    locale: str = "en"
    """Language of the instructions: Chinese for `zh` and its variants, else English."""
    send_stop: bool = True
    """Whether the server is asked to stop before results; what comes after is dropped in any case."""
    system_turn: bool = True
    """Whether the model knows system turns; if not, the instructions open the first user turn."""

    @field_validator("inner", mode="before")
    @classmethod
    def _accept_completion(cls, inner: Any) -> Any:
        return CompletionChatModel(llm=inner) if isinstance(inner, BaseLLM) else inner

    @property
    def _llm_type(self) -> str:
        return "reinforced-agent-text-tools"

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        own = {name: getattr(self, name) for name in ("protocol", "locale", "send_stop", "system_turn")}
        return {"inner": dict(self.inner._identifying_params), **own}  # noqa: SLF001 - has no public name

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        examples: Mapping[str, Sequence[Example]] | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return a model that is told about these tools.

        Args:
            tools: OpenAI-format dictionaries, or anything that LangChain turns into them.
            tool_choice: None or "auto": a text protocol leaves the choice to the model.
            examples: By tool, requests with the arguments of their right calls.
            **kwargs: Further arguments of each request.

        Raises:
            ValueError: When a call is to be forced or forbidden.

        """
        if tool_choice not in (None, "auto"):
            msg = f"A text protocol can't enforce tool_choice={tool_choice!r}: leave it out, or bind fewer tools."
            raise ValueError(msg)
        formatted = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=formatted, examples=pairs_of(examples), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        examples: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Ask the model inside."""
        del run_manager
        turns = self._written(messages, tools, examples or {})
        return self._understood(self.inner.generate([turns], stop=self._stops(stop), **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        examples: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Ask the model inside, in an event loop."""
        del run_manager
        turns = self._written(messages, tools, examples or {})
        return self._understood(await self.inner.agenerate([turns], stop=self._stops(stop), **kwargs))

    def _written(
        self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]], examples: Mapping[str, Any]
    ) -> list[BaseMessage]:
        """Write the conversation for the model inside."""
        form, words = _FORMS[self.protocol], words_for(self.locale)
        briefing = brief(tools, examples, form, words)
        return Scribe(form, words).write(messages, briefing, system_turn=self.system_turn)

    def _stops(self, stop: Sequence[str] | None) -> list[str] | None:
        """Return where the server has to stop."""
        own = _FORMS[self.protocol].stops if self.send_stop else ()
        return [*(stop or ()), *own] or None

    def _understood(self, result: LLMResult) -> ChatResult:
        """Take every reply apart."""
        said = [self._read(message_of(generation)) for generation in result.generations[0]]
        return ChatResult(generations=[ChatGeneration(message=one) for one in said], llm_output=result.llm_output)

    def _read(self, message: AIMessage) -> AIMessage:
        """Hand on what a reply says."""
        return hand_on(message, _FORMS[self.protocol], self.protocol)


def hand_on(message: AIMessage, form: Form, protocol: str) -> AIMessage:
    """Hand on the calls of a reply as wire text, and its thoughts apart; native calls are left as they are.

    Args:
        message: The reply.
        form: How calls are written in it.
        protocol: What the form is called in `response_metadata`.

    """
    if message.tool_calls or message.invalid_tool_calls or RAW_CALLS in message.additional_kwargs:
        return message
    reply = form.read(message.text)
    more = dict(message.additional_kwargs)
    if reply.thoughts:
        more["reasoning_content"] = join(str(more.get("reasoning_content") or ""), reply.thoughts)
    if reply.calls:
        more[RAW_CALLS] = [{"id": None, "name": call.name, "arguments": call.arguments} for call in reply.calls]
    metadata = _metadata(message.response_metadata, reply, protocol)
    changed = {"content": reply.said, "additional_kwargs": more, "response_metadata": metadata}
    return message.model_copy(update=changed)


def _metadata(given: Mapping[str, Any], reply: Reply, protocol: str) -> dict[str, Any]:
    """Note what was dropped; where the output limit fell into that, what was kept is whole."""
    told: dict[str, Any] = {"protocol": protocol}
    if not reply.dropped:
        return {**given, TOLD: told}
    told["dropped"] = reply.dropped[:_MOST_DROPPED]
    ended = {"finish_reason": "stop"} if given.get("finish_reason") in _CUT else {}
    return {**given, **ended, TOLD: told}


def message_of(generation: Generation) -> AIMessage:
    """Return the message of a generation."""
    message = getattr(generation, "message", None)
    return message if isinstance(message, AIMessage) else AIMessage(generation.text)
