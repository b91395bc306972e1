"""The `react` protocol: `Thought`, `Action`, `Action Input`, `Observation`, `Final Answer` (Yao et al. 2022)."""

from __future__ import annotations

import re

from reinforced_agent.models.text.form import fence
from reinforced_agent.models.text.reply import Reply, WrittenCall, end_of_value, join, split_thinking
from reinforced_agent.models.text.words import Words


_LINE = r"^[ \t]*+(?:\*\*)?"
_COLON = r"[ \t]*+(?:\*\*)?[:\uff1a](?:\*\*)?[ \t]*+"
_INVENTED = re.compile(rf"{_LINE}Observation{_COLON}", re.MULTILINE)
_THOUGHT = re.compile(rf"(?:\*\*)?Thought{_COLON}")
_STEP = re.compile(rf"{_LINE}(?:(?P<action>Action)|(?P<final>Final Answer)){_COLON}", re.MULTILINE)
_CALL = re.compile(rf"[ \t]*+(?:\*\*)?Action{_COLON}(?P<name>[^\n]*+)\s*+(?:\*\*)?Action Input{_COLON}\s*+")
_AHEAD = re.compile(r"(?:\*\*)?(?:Thought|Final Answer)[ \t]*+(?:\*\*)?[:\uff1a]")
_NAME = re.compile(r"[\w.:/-]{1,256}")
_NO_TOOL = frozenset({"none", "null", "n/a", "na", "nothing", "finish", "final", "answer", "respond", "reply", "无"})
_OPENING = re.compile(r"```\w*+\s*+")
_CLOSING = re.compile(r"\s*+```")
_STOP_WORD = "Observation:"


class ReactForm:
    """Calls as `Action` and `Action Input` lines."""

    stops: tuple[str, ...] = ("\nObservation:", "\nObservation\uff1a")

    def rules(self, words: Words) -> str:
        """Explain the form to the model."""
        return words.react

    def call(self, call: WrittenCall, thought: str = "") -> str:
        """Write a call with the thought that led to it."""
        return join(thought and f"Thought: {thought}", f"Action: {call.name}", f"Action Input: {call.arguments}")

    def result(self, name: str, text: str) -> str:
        """Write a result; one of several lines is fenced, so that none of them passes for a step."""
        del name
        return f"Observation: {text}" if len(text.splitlines()) <= 1 else f"Observation:\n{fence(text)}"

    def answer(self, text: str, thought: str = "") -> str:
        """Write an answer with the thought that led to it."""
        return join(thought and f"Thought: {thought}", f"Final Answer: {text}")

    def read(self, text: str) -> Reply:
        """Take a reply apart: the first step decides whether it is a call or an answer."""
        invented = _INVENTED.search(text)
        kept, dropped = (text[: invented.start()], text[invented.start() :].strip()) if invented else (text, "")
        tagged, steps = split_thinking(kept)
        steps = steps.strip()
        label = _THOUGHT.match(steps)
        step = _STEP.search(steps)
        before = steps[label.end() if label else 0 : step.start() if step else len(steps)].strip()
        if step is None:
            return Reply("", join(tagged, before), (), dropped) if label else Reply(steps, tagged, (), dropped)
        if step["final"]:
            return Reply(steps[step.end() :].strip(), join(tagged, before), (), dropped)
        calls, ahead = _calls(steps, step.start()) if label or not before else ((), "")
        if calls:
            return Reply("", join(tagged, before), calls, join(ahead, dropped))
        return Reply(steps, tagged, (), dropped)


def _calls(text: str, position: int) -> tuple[tuple[WrittenCall, ...], str]:
    """Return the calls that stand from a position on, directly after each other, and what runs ahead of their results.

    Where the arguments of a call are no JSON, all that follows belongs to them: a step inside a string is no step.
    """
    calls: list[WrittenCall] = []
    while head := _CALL.match(text, position):
        name = head["name"].strip().strip("`*\"'").strip()
        if not _NAME.fullmatch(name) or name.lower() in _NO_TOOL:
            return (), ""
        end = _end_of_input(text, head.end())
        calls.append(WrittenCall(name, text[head.end() : end].strip()))
        rest = text[end:].strip()
        if _STOP_WORD.startswith(rest):
            return tuple(calls), ""
        if _AHEAD.match(rest):
            return tuple(calls), rest
        position = len(text) - len(text[end:].lstrip())
    return (), ""


def _end_of_input(text: str, start: int) -> int:
    """Return where the arguments end that begin at a position, fenced or not: at the end of the text if in doubt."""
    opening = _OPENING.match(text, start)
    end = end_of_value(text, opening.end() if opening else start)
    if opening is None or end is None:
        return len(text) if end is None else end
    closing = _CLOSING.match(text, end)
    return closing.end() if closing else len(text)
