"""The `json` protocol: a call is one JSON object and nothing else, a result is a fenced message of its own."""

from __future__ import annotations

import json
import re

from reinforced_agent.models.text.form import fence
from reinforced_agent.models.text.reply import Reply, WrittenCall, end_of_value, split_thinking
from reinforced_agent.models.text.words import Words


_RESULT = "TOOL RESULT"
_INVENTED = re.compile(rf"^[ \t*#]*+{_RESULT}\b", re.MULTILINE)
FENCED = re.compile(r"```[ \t]*+(?:json|tool_call)?+[ \t]*+\n?(?P<body>.*)```", re.DOTALL | re.IGNORECASE)
"""A reply that is nothing but a fenced block."""
_HEAD = re.compile(r'\{\s*+"name"\s*+:\s*+"(?P<name>[^"\\]{1,256})"\s*+,\s*+"(?:arguments|parameters)"\s*+:\s*+')
_TAIL = re.compile(r"\s*+\}\s*+")
_BETWEEN = re.compile(r"[,;]?\s*+")


class JsonForm:
    """Calls as JSON objects."""

    stops: tuple[str, ...] = (f"\n{_RESULT}",)

    def rules(self, words: Words) -> str:
        """Explain the form to the model."""
        return words.json

    def call(self, call: WrittenCall, thought: str = "") -> str:
        """Write a call; what was said beside it is left out, since the form allows nothing else."""
        del thought
        return f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {call.arguments}}}'

    def result(self, name: str, text: str) -> str:
        """Write a result between fences."""
        return f"{_RESULT} ({name}):\n{fence(text)}"

    def answer(self, text: str, thought: str = "") -> str:
        """Write an answer as it is."""
        del thought
        return text

    def read(self, text: str) -> Reply:
        """Take a reply apart; calls are taken only from a reply that is nothing else."""
        invented = _INVENTED.search(text)
        kept, dropped = (text[: invented.start()], text[invented.start() :]) if invented else (text, "")
        thoughts, said = split_thinking(kept)
        calls = _calls(said.strip())
        return Reply("" if calls else said.strip(), thoughts, calls, dropped.strip())


def _calls(text: str) -> tuple[WrittenCall, ...]:
    """Return the calls of a text that is a call object, several in a row or a list of them, fenced or not."""
    fenced = FENCED.fullmatch(text)
    body = fenced["body"].strip() if fenced else text
    if body.startswith("[") and body.endswith("]"):
        body = body[1:-1].strip()
    calls: list[WrittenCall] = []
    position = 0
    while head := _HEAD.match(body, position):
        end = end_of_value(body, head.end())
        tail = _TAIL.match(body, end) if end is not None else None
        if end is None or tail is None:
            return _broken(body, head) if not calls and end is None else ()
        calls.append(WrittenCall(head["name"], body[head.end() : end]))
        position = tail.end()
        if position == len(body):
            return tuple(calls)
        between = _BETWEEN.match(body, position)
        position = between.end() if between else position
    return ()


def _broken(body: str, head: re.Match[str]) -> tuple[WrittenCall, ...]:
    """Hand on arguments that are no JSON, if the object around them is closed; the reader says what is wrong."""
    return (WrittenCall(head["name"], body[head.end() : -1].strip()),) if body.endswith("}") else ()
