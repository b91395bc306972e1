"""Write the prompts of the embedded model: the constant text around a request, in the model's own chat format."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)
_MARK = "REQUEST-STANDS-HERE"


class Example(Protocol):
    """A request and the arguments of a right call for it."""

    @property
    def request(self) -> str:
        """What a user writes."""

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Arguments of the right call."""


class Turn(NamedTuple):
    """Something said to the model and its reply."""

    request: str
    reply: str


@dataclass(frozen=True)
class Frame:
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


def write_arguments(arguments: Mapping[str, Any]) -> str:
    """Write arguments as the model is shown them and writes them itself."""
    return json.dumps(dict(arguments), ensure_ascii=False)


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
