"""Answer in plain words: small talk without a tool, or what a tool returned, with no number that it did not return."""

import json
import re
from collections.abc import Sequence
from typing import Any

from reinforced_agent.models.local.conversation import Attempt
from reinforced_agent.models.local.prompt import Tool, Turn


CHAT = (
    Turn("Hello, is anybody there?", "Hello! How can I help you?"),
    Turn("Who painted the Mona Lisa?", "Leonardo da Vinci painted the Mona Lisa."),
    Turn("Thank you very much", "You are welcome."),
    Turn("Which animal is the largest on earth?", "The blue whale is the largest animal on earth."),
    Turn("What is a synonym of quick?", "A synonym of quick is fast."),
    Turn("Goodbye", "Goodbye, have a nice day!"),
)
"""Talk that needs no tool; also what the choice compares a request with."""
REPORTS = (
    Turn(
        "Question: When does the train from Basel to Bern leave?\nResult: from: Basel; to: Bern; departs: 14:07; "
        "platform: 6; note: winter timetable",
        "The train from Basel to Bern departs at 14:07, platform 6 (winter timetable).",
    ),
    Turn("Question: How many kilometres are 5 miles?\nResult: 8.05", "5 miles are 8.05 kilometres."),
    Turn("Question: Which rooms are free tonight?\nResult: nothing", "Nothing was found."),
    Turn(
        "Question: How cold are the freezers?\nResult: name: north; now c: -18; lowest c: -25 | name: south; "
        "now c: -21; lowest c: -30",
        "The freezer north is now at -18 °C, lowest -25 °C; south is now at -21 °C, lowest -30 °C.",
    ),
    Turn(
        "Question: Book a table for Mr Klein\nResult: status: booked; table: 4; name: Klein",
        "The table 4 is booked, name Klein.",
    ),
    Turn(
        "Question: What do you know of book B-12?\nResult: id: B-12; title: Emma; author: Jane Austen; copies: 3",
        "Book B-12 has the title Emma, author Jane Austen, copies 3.",
    ),
)
"""How results are reported; made-up tools, so that any toolset can follow."""
PROBLEMS = (
    Turn(
        "Question: Show me album 7\nProblem: there is no album 7",
        "There is no album 7.",
    ),
    Turn(
        "Question: Delete the old photos\nProblem: A person rejected this call; it was not run.",
        "A person rejected this call; it was not run.",
    ),
    Turn(
        "Question: Pay the rent\nProblem: `pay` gave no answer. It is UNKNOWN whether it took effect.",
        "`pay` gave no answer. It is UNKNOWN whether it took effect.",
    ),
    Turn(
        "Question: Play some jazz\nProblem: `play_music` failed 2 times and is not available any more.",
        "`play_music` failed 2 times and is not available any more.",
    ),
)
"""How failures are reported: in the words of the reason, since a small model that explains begins to guess."""
MOST_TOKENS = 70
_LONGEST_RESULT = 1200
_FAILURE = re.compile(r"^`[^`]+` failed: |\b\w*(?:Error|Exception): ")
_ORDER = re.compile(r"(?:don't|do not|tell|explain|send|use|answer|say|call)\b", re.IGNORECASE)


def chat_system(tools: Sequence[Tool], host: str) -> str:
    """Return the system text for talk without a tool."""
    offers = "; ".join(tool.description.rstrip(".") for tool in tools)
    can = f" You can do this with your tools: {offers}." if offers else ""
    return f"{host.strip()} You are a helpful assistant. Answer in one short sentence.{can}".strip()


REPORT_SYSTEM = "Tell the user in one short sentence what the tool returned. Use the numbers and names of the result."
PROBLEM_SYSTEM = "Tell the user what the problem is, in the words of the problem."


def report(request: str, attempts: Sequence[Attempt]) -> str:
    """Write the newest outcomes as the model is shown them."""
    lines = [
        f"Problem: {_reason(attempt.outcome)}" if attempt.failed else f"Result: {_flat(attempt.outcome)}"
        for attempt in attempts
    ]
    return "\n".join([f"Question: {request}", *lines])


def _reason(text: str) -> str:
    """Drop the sentences of a feedback that tell the model what to do; the user needs the reason."""
    sentences = re.split(r"(?<=[.!?])\s+", _FAILURE.sub("", text))
    return " ".join(one for one in sentences if not _ORDER.match(one)) or text


def _flat(text: str) -> str:
    """Write JSON as `key: value` pairs, which a small model reads with fewer slips."""
    try:
        flat = _pairs(json.loads(text))
    except ValueError:
        flat = text
    return flat if len(flat) <= _LONGEST_RESULT else f"{flat[:_LONGEST_RESULT]} …"


def _pairs(value: Any) -> str:
    match value:
        case dict():
            kept = {key: inner for key, inner in value.items() if inner not in (None, "", [], {})}
            return "; ".join(f"{key.replace('_', ' ')}: {_pairs(inner)}" for key, inner in kept.items())
        case list():
            nested = any(isinstance(inner, dict) for inner in value)
            return (" | " if nested else ", ").join(map(_pairs, value)) or "nothing"
        case str():
            return value
        case _:
            return json.dumps(value)


def trim(text: str) -> str:
    """Cut a text that was stopped in the middle of a sentence after its last whole one."""
    ends = [match.end() for match in re.finditer(r"[.!?](?=\s|$)", text)]
    return text[: ends[-1]].strip() if ends else text.strip()
