"""Tell a model about tools in words: how to call, what there is, and turns that show the form.

Examples are turns rather than a part of the instructions: the embedded model (135M parameters), asked for a product and
for the weather, called no tool in either protocol when examples were told, and the right one each time when they were
shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reinforced_agent.models.text.form import Form, Turn
from reinforced_agent.models.text.reply import WrittenCall
from reinforced_agent.models.text.words import Talk, Words


Examples = Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]]
"""By tool, requests with the arguments of their right calls."""

OF_ONE_TOOL = 2
"""Most examples of one tool that are shown."""
OF_ALL_TOOLS = 12
"""Most examples of tools that are shown; a context of a few thousand tokens has to hold the conversation too."""
NOBODYS_TOOL = "example_dictionary"
"""Name of the tool in the made-up example."""


def write_arguments(arguments: Mapping[str, Any]) -> str:
    """Write arguments as JSON, with characters of all languages as they are."""
    return json.dumps(dict(arguments), ensure_ascii=False, default=str)


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a model is told before the conversation."""

    instructions: str = ""
    """What is added to the system text; empty without tools."""
    turns: tuple[Turn, ...] = ()
    """Examples, as turns that end with the assistant."""


def brief(tools: Sequence[Mapping[str, Any]], examples: Examples, form: Form, words: Words) -> Briefing:
    """Return what a model has to be told to use tools in a form.

    Args:
        tools: OpenAI-format dictionaries.
        examples: What the tools themselves declare; they are shown after a made-up exchange that has a result.
        form: How calls are written.
        words: The language.

    """
    functions = [tool["function"] for tool in tools]
    if not functions:
        return Briefing()
    names = [function["name"] for function in functions]
    offered = "\n".join([words.tools, *(_describe(function, words) for function in functions)])
    made_up = _unused(names)
    shown = [*_made_up(made_up, form, words), *_declared(names, examples, form, words)]
    turns = (*shown, *_talk(words.thanks, form, words))
    count = sum(role == "assistant" for role, _ in turns)
    warning = f"{words.examples.format(count=count)} {words.nobodys.format(name=made_up)}"
    return Briefing("\n\n".join([form.rules(words), offered, warning]), turns)


def _describe(function: Mapping[str, Any], words: Words) -> str:
    """Describe one tool: name, purpose, schema."""
    schema = json.dumps(function.get("parameters") or {}, ensure_ascii=False)
    purpose = " ".join(str(function.get("description") or "").split())
    return f"- {function['name']}: {purpose}\n  {words.parameters} {schema}"


def _declared(names: Sequence[str], examples: Examples, form: Form, words: Words) -> list[Turn]:
    """Show the examples that tools declare: the first of every tool, a greeting, then the second of each."""
    rounds = [
        [(name, *given) for name in names for given in examples.get(name, ())[turn : turn + 1]]
        for turn in range(OF_ONE_TOOL)
    ]
    turns: list[Turn] = []
    left = OF_ALL_TOOLS
    for shown in rounds:
        if turns and shown[:left]:
            turns += _talk(words.greeting, form, words)
        for name, request, arguments in shown[:left]:
            turns += _call(request, WrittenCall(name, write_arguments(arguments)), form, words)
        left -= len(shown[:left])
    return turns


def _made_up(name: str, form: Form, words: Words) -> list[Turn]:
    """Show the form with a tool that doesn't exist: should its call be copied, it can't run."""
    told = words.made_up
    turns = _call(told.request, WrittenCall(name, write_arguments({"word": told.word})), form, words)
    return [*turns, ("user", form.result(name, told.result)), ("assistant", form.answer(told.answer, told.thought))]


def _unused(names: Sequence[str]) -> str:
    """Return a name that no tool has."""
    name = NOBODYS_TOOL
    while name in names:
        name += "_"
    return name


def _call(request: str, call: WrittenCall, form: Form, words: Words) -> list[Turn]:
    """Show a request and the call it leads to."""
    return [("user", request), ("assistant", form.call(call, words.calls.format(name=call.name)))]


def _talk(talk: Talk, form: Form, words: Words) -> list[Turn]:
    """Show a request that needs no tool."""
    return [("user", talk.request), ("assistant", form.answer(talk.answer, words.needs_none))]
