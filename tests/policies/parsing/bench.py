"""The tools and messages that the tests of the reader share."""

from __future__ import annotations

from collections.abc import Mapping

from reinforced_agent.policies.parsing import Answer, Calls, ModelOutput, ReadCall, Reading, UnreadCall, Unusable, read
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.tools.call import JSON, RawCall


NAMES = NameIndex(["book_table", "water_plants", "list_beds", "send_postcard"])
"""The registered tools."""


def native(
    *arguments: str | Mapping[str, JSON] | None, finish: str | None = "tool_calls", content: str = ""
) -> Reading:
    """Read a message with one native call of `book_table` for each argument text."""
    calls = tuple(RawCall(f"id{index}", "book_table", text) for index, text in enumerate(arguments))
    return read(ModelOutput(content, calls, finish, "m"), NAMES)


def written(content: str, finish: str | None = "stop", reasoning: str = "") -> Reading:
    """Read a message without native calls."""
    return read(ModelOutput(content, (), finish, "m", reasoning), NAMES)


def outcome(reading: Reading) -> object:
    """Shrink a reading to what a table can hold: names and arguments, or codes of problems, or the text."""
    match reading:
        case Calls(calls):
            return [_call(call) for call in calls]
        case Answer(text):
            return text
        case Unusable(problems):
            return {problem.code for problem in problems}


def _call(call: ReadCall | UnreadCall) -> object:
    if isinstance(call, ReadCall):
        return call.name, call.arguments
    return {problem.code for problem in call.problems}
