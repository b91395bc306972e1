"""Hostile proposals: valid calls built from a JSON Schema, and what models and gateways make of them.

Each proposal knows the call it came from and what a careful reader may make of it, so one property covers all of them.
Needs Hypothesis, which comes with the `evaluation` extra.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from hypothesis import strategies as st

from benchmarks.fuzz.samples import Arguments, Schema, arguments_for
from reinforced_agent.policies.parsing import ModelOutput
from reinforced_agent.tools.call import JSON, RawCall


class Fate(StrEnum):
    """What a careful reader may make of a proposal."""

    READ = "read"
    """Nothing is lost: it must be read, with the original arguments."""
    READ_OR_REFUSED = "read_or_refused"
    """Nothing is certain to be lost: the original arguments or a refusal, but no other arguments."""
    REFUSED = "refused"
    """Something is lost or in doubt: it must not be read."""
    ANY = "any"
    """A random text: only exceptions are wrong."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A model message that started as a valid call."""

    output: ModelOutput
    """The message to read."""
    tool: str
    """The tool of the original call."""
    arguments: Arguments
    """The arguments of the original call."""
    mutation: str
    """What was done to it."""
    fate: Fate
    """What a careful reader may make of it."""


def proposals(tools: Mapping[str, Schema], mutations: Sequence[str] = ()) -> st.SearchStrategy[Proposal]:
    """Build proposals for any of the tools, from untouched to unrecognisable.

    Args:
        tools: Name of each tool → JSON Schema of its parameters.
        mutations: Names from `MUTATIONS`; all of them if empty.

    """
    return st.sampled_from(sorted(tools)).flatmap(
        lambda tool: arguments_for(tools[tool]).flatmap(
            lambda arguments: _mutated(tool, arguments, mutations or MUTATIONS)
        )
    )


@dataclass(frozen=True, slots=True)
class _Wire:
    """Mutated arguments, or a mutated content."""

    text: str | Arguments
    fate: Fate
    leaked: bool = False
    finish: str | None = "tool_calls"


_Mutation: TypeAlias = Callable[[str, Arguments, st.DrawFn], _Wire]


def _mutated(tool: str, arguments: Arguments, mutations: Sequence[str]) -> st.SearchStrategy[Proposal]:
    @st.composite
    def build(draw: st.DrawFn) -> Proposal:
        mutation = draw(st.sampled_from(mutations))
        wire = _MUTATIONS[mutation](tool, arguments, draw)
        calls = () if wire.leaked else (RawCall("call_1", tool, wire.text),)
        content = wire.text if wire.leaked and isinstance(wire.text, str) else ""
        return Proposal(ModelOutput(content, calls, wire.finish, "m1"), tool, arguments, mutation, wire.fate)

    return build()


def _json(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)


def _native(change: Callable[[str], str], fate: Fate) -> _Mutation:
    return lambda _tool, arguments, _draw: _Wire(change(_json(arguments)), fate)


_SLOT = re.compile("%(CALL|NAME|ARGS)%")


def _leak(template: str, fate: Fate = Fate.READ) -> _Mutation:
    def leak(tool: str, arguments: Arguments, _draw: st.DrawFn) -> _Wire:
        parts = {"CALL": _json({"name": tool, "arguments": arguments}), "NAME": tool, "ARGS": _json(arguments)}
        text = _SLOT.sub(lambda slot: parts[slot[1]], template)
        return _Wire(text, fate, leaked=True, finish="stop")

    return leak


def _truncated(_tool: str, arguments: Arguments, draw: st.DrawFn) -> _Wire:
    text = _json(arguments)
    return _Wire(text[: draw(st.integers(1, len(text) - 1))], Fate.REFUSED)


def _truncated_leak(tool: str, arguments: Arguments, draw: st.DrawFn) -> _Wire:
    text = f"<tool_call>{_json({'name': tool, 'arguments': arguments})}</tool_call>"
    return _Wire(
        text[: draw(st.integers(len("<tool_call>{"), len(text) - 1))], Fate.REFUSED, leaked=True, finish="stop"
    )


def _doubled_key(_tool: str, arguments: Arguments, draw: st.DrawFn) -> _Wire:
    key = draw(st.sampled_from(sorted(arguments))) if arguments else "a"
    inner = _json(arguments)[1:-1]
    parts = [f"{_json(key)}: 1", *([inner] if inner else [f"{_json(key)}: 2"])]
    return _Wire("{" + ", ".join(parts) + "}", Fate.REFUSED)


def _poisoned(poison: str) -> _Mutation:
    """Add a field whose value no careful reader lets pass."""

    def poisoned(_tool: str, arguments: Arguments, _draw: st.DrawFn) -> _Wire:
        inner = _json(arguments)[1:-1]
        return _Wire("{" + inner + (", " if inner else "") + f'"zz": {poison}' + "}", Fate.REFUSED)

    return poisoned


def _different_objects(_tool: str, arguments: Arguments, _draw: st.DrawFn) -> _Wire:
    return _Wire(_json(arguments) + _json({**arguments, "zz": 1}), Fate.REFUSED)


def _scrambled(_tool: str, arguments: Arguments, draw: st.DrawFn) -> _Wire:
    text = _json(arguments)
    start, length = draw(st.integers(0, len(text))), draw(st.integers(0, 3))
    return _Wire(text[:start] + draw(st.text(max_size=3)) + text[start + length :], Fate.ANY)


def _scrambled_content(tool: str, arguments: Arguments, draw: st.DrawFn) -> _Wire:
    fragments = [*_FRAGMENTS, tool, _json(arguments), _json({"name": tool, "arguments": arguments})]
    pieces = draw(st.lists(st.one_of(st.sampled_from(fragments), st.text(max_size=5)), max_size=8))
    return _Wire("".join(pieces), Fate.ANY, leaked=True, finish=draw(st.sampled_from(_FINISHES)))


_FINISHES = (None, "stop", "tool_calls", "length", "MAX_TOKENS", "content_filter", "MALFORMED_FUNCTION_CALL", "?")
_FRAGMENTS = (
    "<tool_call>", "</tool_call>", "<function=", "</function>", "<parameter=a>", "</parameter>", "[TOOL_CALLS]",
    "[ARGS]", "<think>", "</think>", "<|python_tag|>", "<|channel|>", "commentary to=functions.", "analysis",
    "<|message|>", "<|call|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>", "Thought: ",
    "\nAction: ", "\nAction Input: ", "\nObservation: ", "Final Answer: ", "```json\n", "\n```",
    '<|DSML|invoke name="', '">', "</|DSML|invoke>", "{", "}", "[", "]", ",", ":", '"', "'", "\\", "\n",
    "\ud800", "\u200b", "NaN", "1e999",
)  # fmt: skip

_MUTATIONS: dict[str, _Mutation] = {
    "untouched": _native(lambda text: text, Fate.READ),
    "indented": _native(lambda text: json.dumps(json.loads(text), indent=2), Fate.READ),
    "escaped": _native(lambda text: json.dumps(json.loads(text)), Fate.READ),
    "spaced": _native(lambda text: f" \n{text}\t\n", Fate.READ),
    "marked": _native(lambda text: f"\ufeff{text}\u3000", Fate.READ),
    "fenced": _native(lambda text: f"```json\n{text}\n```", Fate.READ),
    "fenced_inline": _native(lambda text: f"```{text}```", Fate.READ),
    "double_encoded": _native(json.dumps, Fate.READ),
    "triple_encoded": _native(lambda text: json.dumps(json.dumps(text)), Fate.REFUSED),
    "raw_control": _native(lambda text: text.replace("\\n", "\n").replace("\\t", "\t"), Fate.READ_OR_REFUSED),
    "literal_escapes": _native(lambda text: f"{{\\n{text[1:-1]}\\n}}\\n", Fate.READ),
    "python": _native(lambda text: repr(json.loads(text)), Fate.READ_OR_REFUSED),
    "as_object": lambda _tool, arguments, _draw: _Wire(arguments, Fate.READ),
    "repeated": _native(lambda text: text * 2, Fate.READ),
    "different_objects": _different_objects,
    "doubled_key": _doubled_key,
    "truncated": _truncated,
    "truncated_fence": _native(lambda text: f"```json\n{text}", Fate.REFUSED),
    "garbage_behind": _native(lambda text: f"{text} and so on", Fate.REFUSED),
    "garbage_before": _native(lambda text: f"Here it is: {text}", Fate.REFUSED),
    "bracket_too_many": _native(lambda text: f"{text}}}", Fate.REFUSED),
    "in_list": _native(lambda text: f"[{text}]", Fate.REFUSED),
    "deep": _poisoned('{"a":' * 3000 + "1" + "}" * 3000),
    "huge_integer": _poisoned("9" * 5000),
    "nan": _poisoned("NaN"),
    "overflow": _poisoned("-1e999"),
    "surrogate": _poisoned('"\\ud83d"'),
    "raw_surrogate": _poisoned('"\udc00"'),
    "expression": _poisoned('__import__("os").getcwd()'),
    "leaked_bare": _leak("%CALL%"),
    "leaked_fenced": _leak("```json\n%CALL%\n```"),
    "leaked_list": _leak("[%CALL%]"),
    "leaked_python_tag": _leak("<|python_tag|>%CALL%"),
    "leaked_tag": _leak("<tool_call>\n%CALL%\n</tool_call>"),
    "leaked_function": _leak("<function=%NAME%>%ARGS%</function>"),
    "leaked_mistral": _leak("[TOOL_CALLS][%CALL%]"),
    "leaked_mistral_named": _leak("[TOOL_CALLS]%NAME%%ARGS%"),
    "leaked_harmony": _leak("<|channel|>commentary to=functions.%NAME% <|constrain|>json<|message|>%ARGS%<|call|>"),
    "leaked_kimi": _leak("<|tool_call_begin|>functions.%NAME%:0<|tool_call_argument_begin|>%ARGS%<|tool_call_end|>"),
    "leaked_react": _leak("Thought: hm\nAction: %NAME%\nAction Input: %ARGS%"),
    "leaked_after_reasoning": _leak("<think>now</think><tool_call>%CALL%</tool_call>"),
    "leaked_in_reasoning": _leak("<think><tool_call>%CALL%</tool_call></think>", Fate.REFUSED),
    "leaked_in_open_reasoning": _leak("<think>%CALL%", Fate.REFUSED),
    "leaked_in_prose": _leak("I will call it: <tool_call>%CALL%</tool_call>", Fate.REFUSED),
    "leaked_with_invention": _leak("Action: %NAME%\nAction Input: %ARGS%\nObservation: done", Fate.REFUSED),
    "leaked_truncated": _truncated_leak,
    "scrambled": _scrambled,
    "scrambled_content": _scrambled_content,
}

MUTATIONS = tuple(sorted(_MUTATIONS))
"""The names of all mutations."""
