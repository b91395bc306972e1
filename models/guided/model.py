"""A chat model of a server that masks: each request says what may be written, each reply is read accordingly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult, LLMResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr, SerializeAsAny

from reinforced_agent.models.binding import pairs_of, unstreamed
from reinforced_agent.models.guided.heeding import FORMS, GUIDED, Masking, Told, heeds
from reinforced_agent.models.guided.memory import Memory, may_refuse
from reinforced_agent.models.text.form import Form
from reinforced_agent.models.text.model import TextToolModel, hand_on, message_of
from reinforced_agent.models.text.prompt import brief
from reinforced_agent.models.text.turns import Scribe
from reinforced_agent.models.text.words import words_for
from reinforced_agent.tools.spec import Example


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One way to make a request."""

    speaker: BaseChatModel
    messages: list[BaseMessage]
    options: dict[str, Any]
    masking: Masking | None = None
    """What is sent; `None` for nothing."""

    @property
    def form(self) -> Form | None:
        """How calls are written in the reply; `None` where they are native."""
        return FORMS.get(self.masking["written"]) if self.masking else None


class GuidedChatModel(BaseChatModel):
    """Any model of an OpenAI-compatible server that masks what the model writes.

    A request that brings a `masking` is sent with it; every other one is left to the model as it is. Where calls and
    answers are written as JSON, they are taken out of it; such a reply is known only at its end, so it isn't streamed.
    """

    learns_from_examples: ClassVar[bool] = True
    """Tells the graph to hand over the examples of the tools."""

    inner: SerializeAsAny[BaseChatModel]
    """The model that writes."""
    plain: SerializeAsAny[BaseChatModel]
    """The model to ask where nothing is masked: the same one, or a text protocol around it."""
    locale: str = "en"
    """Language of the instructions where calls are written as text."""
    system_turn: bool = True
    """Whether the model knows system turns."""
    _memory: Memory = PrivateAttr(default_factory=Memory)

    @classmethod
    def around(cls, model: BaseChatModel) -> GuidedChatModel:
        """Put a model under masks; of a text protocol, the model inside writes."""
        if not isinstance(model, TextToolModel):
            return cls(inner=model, plain=model, profile=model.profile)
        inner = model.inner
        return cls(inner=inner, plain=model, locale=model.locale, system_turn=model.system_turn, profile=inner.profile)

    @property
    def _llm_type(self) -> str:
        return "reinforced-agent-guided"

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        return {"plain": dict(self.plain._identifying_params)}  # noqa: SLF001 - has no public name

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        examples: Mapping[str, Sequence[Example]] | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return a model that may call these tools.

        Args:
            tools: OpenAI-format dictionaries, or anything that LangChain turns into them.
            examples: By tool, requests with the arguments of their right calls; shown where calls are written as text.
            **kwargs: Further arguments of each request, such as `masking`.

        """
        formatted = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=formatted, examples=pairs_of(examples), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Ask the server, and once more without a mask if it refuses that."""
        del run_manager
        first, second = self._attempts(messages, stop, kwargs)
        try:
            return self._understood(first, first.speaker.generate([first.messages], **first.options), kwargs)
        except Exception as error:
            if second is None or not may_refuse(error):
                raise
            result = second.speaker.generate([second.messages], **second.options)
            self._learn(kwargs, error)
            return self._understood(second, result, kwargs)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Ask the server in an event loop, and once more without a mask if it refuses that."""
        del run_manager
        first, second = self._attempts(messages, stop, kwargs)
        try:
            return self._understood(first, await first.speaker.agenerate([first.messages], **first.options), kwargs)
        except Exception as error:
            if second is None or not may_refuse(error):
                raise
            result = await second.speaker.agenerate([second.messages], **second.options)
            self._learn(kwargs, error)
            return self._understood(second, result, kwargs)

    def _attempts(
        self, messages: list[BaseMessage], stop: list[str] | None, kwargs: Mapping[str, Any]
    ) -> tuple[_Attempt, _Attempt | None]:
        """Say how to ask, and how to ask if the server refuses that."""
        plain = self._plainly(messages, stop, kwargs)
        masking: Masking | None = kwargs.get("masking")
        if masking is None or self._memory.declines(kwargs.get("tools") or ()):
            return plain, None
        if masking["written"] == "native calls":
            return self._strictly(plain, masking), plain
        return self._in_writing(messages, stop, kwargs, masking), plain

    def _plainly(self, messages: list[BaseMessage], stop: list[str] | None, kwargs: Mapping[str, Any]) -> _Attempt:
        """Ask without a mask."""
        options = {name: value for name, value in kwargs.items() if name not in _OWN}
        if kwargs.get("tools"):
            own = {"examples": kwargs.get("examples") or {}} if isinstance(self.plain, TextToolModel) else {}
            options |= {"tools": kwargs["tools"], **own, **unstreamed(self.plain)}
        return _Attempt(self.plain, messages, {"stop": stop, **options})

    def _strictly(self, plain: _Attempt, masking: Masking) -> _Attempt:
        """Ask with strict tools, in place of those that can be strict and of which some may have been left out."""
        strict = {name: found for name, found in masking["strict"].items() if name not in self._memory.tools}
        offered = [tool for tool in plain.options["tools"] if tool["function"]["name"] in masking["names"]]
        tools = [_strict_tool(tool, strict) for tool in offered]
        sent: Masking = {**masking, "strict": strict}
        return _Attempt(self.inner, plain.messages, {**plain.options, "tools": tools}, sent)

    def _in_writing(
        self, messages: list[BaseMessage], stop: list[str] | None, kwargs: Mapping[str, Any], masking: Masking
    ) -> _Attempt:
        """Ask for calls as text: the tools stand in the prompt, and the mask in the request."""
        form, words = FORMS[masking["written"]], words_for(self.locale)
        briefing = brief(kwargs.get("tools") or (), kwargs.get("examples") or {}, form, words)
        turns = Scribe(form, words).write(messages, briefing, system_turn=self.system_turn)
        options = {name: value for name, value in kwargs.items() if name not in _OWN}
        options["extra_body"] = {**_body_of(self.inner), **(options.get("extra_body") or {}), **masking["body"]}
        return _Attempt(self.inner, turns, {"stop": stop, **options}, masking)

    def _learn(self, kwargs: Mapping[str, Any], error: Exception) -> None:
        """Note that the mask was refused."""
        masking: Masking = kwargs["masking"]
        self._memory.learn(kwargs.get("tools") or (), masking["strict"], error, masking["way"])

    def _understood(self, attempt: _Attempt, result: LLMResult, kwargs: Mapping[str, Any]) -> ChatResult:
        """Read every reply of a response."""
        wished: Masking | None = kwargs.get("masking")
        said = [self._read(message_of(generation), attempt, wished) for generation in result.generations[0]]
        return ChatResult(generations=[ChatGeneration(message=one) for one in said], llm_output=result.llm_output)

    def _read(self, message: AIMessage, attempt: _Attempt, wished: Masking | None) -> AIMessage:
        """Read one reply, and say how it was asked for."""
        if wished is None:
            return message
        masking = attempt.masking
        heeded = masking is None or heeds(message, masking)
        if masking is not None:
            self._memory.took(masking["way"], heeded=heeded)
        if (form := attempt.form) is not None:
            message = hand_on(message, form, "json")
        told: Told = {
            "way": wished["way"],
            "sent": masking is not None,
            "heeded": heeded,
            "strict": list(masking["strict"]) if masking else [],
        }
        return message.model_copy(update={"response_metadata": {**message.response_metadata, GUIDED: told}})


_OWN: Final = frozenset({"tools", "examples", "masking"})
"""What a request brings for this model alone."""


def _strict_tool(tool: Mapping[str, Any], strict: Mapping[str, Any]) -> dict[str, Any]:
    """Make a tool strict, where its parameters can be."""
    function = tool["function"]
    if function["name"] not in strict:
        return dict(tool)
    return {**tool, "function": {**function, "parameters": strict[function["name"]], "strict": True}}


def _body_of(model: Any) -> dict[str, Any]:
    """Return what a host has its model send beside the usual fields."""
    return dict(getattr(getattr(model, "llm", model), "extra_body", None) or {})
