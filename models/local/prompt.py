"""What the embedded model is shown: what a conversation asks for now, and the constant text around a request."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage


CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)
_MARK = "REQUEST-STANDS-HERE"
QUESTION = "I can do that, but something is missing: "
"""How the model begins when it asks back."""
_GRAPH_QUESTION = "To go on, I need "
_MOST_WORDS = 8
"""Words up to which a message is taken for the answer to a question, and not for a request of its own."""


class Turn(NamedTuple):
    """Something said to the model and its reply."""

    request: str
    reply: str


class Frame(NamedTuple):
    """The text before and after a request; what stands before is the same for every request and is read once."""

    head: str
    tail: str


@dataclass(frozen=True)
class Tool:
    """What the model knows of one tool."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments."""
    examples: tuple[Turn, ...] = ()
    """Requests with the arguments of their right calls, as JSON."""

    @property
    def properties(self) -> Mapping[str, Any]:
        """Schema of each argument."""
        found: Mapping[str, Any] = self.parameters.get("properties") or {}
        return found


def frame(tokenizer: Any, system: str, turns: Sequence[Turn]) -> Frame:
    """Return what stands around a request that follows `system` and `turns`.

    The chat template of the model is used; a model without one is talked to in ChatML.
    """
    messages = [{"role": "system", "content": system}]
    for turn in turns:
        messages.append({"role": "user", "content": turn.request})
        messages.append({"role": "assistant", "content": turn.reply})
    messages.append({"role": "user", "content": _MARK})
    template = tokenizer.chat_template or CHATML
    text = tokenizer.apply_chat_template(messages, chat_template=template, tokenize=False, add_generation_prompt=True)
    head, _, tail = text.rpartition(_MARK)
    return Frame(head, tail)


def tool_frame(tokenizer: Any, tool: Tool, history: Sequence[Turn] = ()) -> Frame:
    """Return the frame in which a request is turned into the arguments of one tool."""
    lines = [f"You use the tool {tool.name}: {tool.description}", "Write its arguments as JSON:"]
    required = tool.parameters.get("required") or ()
    lines += [describe(name, schema, optional=name not in required) for name, schema in tool.properties.items()]
    return frame(tokenizer, "\n".join(lines), [*tool.examples, *history])


def describe(name: str, schema: Any, *, optional: bool) -> str:
    """Describe one parameter in one line."""
    schema = schema if isinstance(schema, Mapping) else {}
    options = [schema, *(schema.get("anyOf") or [])]
    values = next((option["enum"] for option in options if option.get("enum")), None)
    kind = next((option["type"] for option in options if isinstance(option.get("type"), str)), "value")
    notes = [kind, *(["optional"] if optional else []), *([f"one of {', '.join(map(str, values))}"] if values else [])]
    return f"- {name} ({', '.join(notes)}): {schema.get('description', '')}".rstrip(": ")


@dataclass(frozen=True)
class Attempt:
    """A call that was proposed for the present request, with its outcome."""

    tool: str
    arguments: dict[str, Any]
    outcome: str
    """The result, or why there is none."""
    failed: bool


@dataclass(frozen=True)
class Situation:
    """What the model has to respond to."""

    request: str
    """The newest words of the user."""
    attempts: tuple[Attempt, ...] = ()
    """Calls for this request, oldest first."""
    newest: tuple[Attempt, ...] = ()
    """Those of the newest proposal."""
    said: tuple[Turn, ...] = ()
    """Earlier requests with the plain answers they got."""
    called: tuple[tuple[str, Turn], ...] = ()
    """Earlier requests with the tool that was called and its arguments as JSON."""
    system: str = ""
    """What the host says to the model."""


def read_conversation(messages: Sequence[BaseMessage]) -> Situation:
    """Take a conversation apart; only the newest user message is a request, all before it is history."""
    starts = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
    system = "\n".join(message.text for message in messages if isinstance(message, SystemMessage))
    if not starts:
        return Situation("", system=system)
    said, called = list[Turn](), list[tuple[str, Turn]]()
    for start, end in itertools.pairwise(starts):
        request, part = messages[start].text, messages[start + 1 : end]
        called += [
            (attempt.tool, Turn(request, json.dumps(attempt.arguments, ensure_ascii=False)))
            for attempt in _attempts(part)
            if not attempt.failed
        ]
        said += [Turn(request, message.text) for message in part[-1:] if isinstance(message, AIMessage)]
    part = messages[starts[-1] + 1 :]
    proposals = [place for place, message in enumerate(part) if isinstance(message, AIMessage) and message.tool_calls]
    return Situation(
        _with_request(messages[starts[-1]].text, said),
        tuple(_attempts(part)),
        tuple(_attempts(part[proposals[-1] :])) if proposals else (),
        tuple(said),
        tuple(called),
        system,
    )


def _with_request(text: str, said: Sequence[Turn]) -> str:
    """Put the request before a short answer to what was asked back about it."""
    asked = bool(said) and said[-1].reply.startswith((QUESTION, _GRAPH_QUESTION))
    is_answer = asked and "?" not in text and len(text.split()) <= _MOST_WORDS
    return f"{_with_request(said[-1].request, said[:-1])} {text}" if is_answer else text


def _attempts(messages: Sequence[BaseMessage]) -> list[Attempt]:
    outcomes = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return [
        Attempt(call["name"], dict(call["args"]), outcome.text, outcome.status == "error")
        for call in calls
        if (outcome := outcomes.get(call["id"] or ""))
    ]
