"""Answer in plain words: small talk is written by the model, what a call brought is told value for value."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reinforced_agent.models.local.prompt import QUESTION, Attempt, Tool, Turn


CHAT = (
    Turn("Hello, is anybody there?", "Hello! How can I help you?"),
    Turn("Who painted the Mona Lisa?", "Leonardo da Vinci painted the Mona Lisa."),
    Turn("Thank you very much", "You are welcome."),
    Turn("Which animal is the largest on earth?", "The blue whale is the largest animal on earth."),
    Turn("What is a synonym of quick?", "A synonym of quick is fast."),
    Turn("Goodbye", "Goodbye, have a nice day!"),
)
"""Talk that needs no tool; also what the choice compares a request with."""
MOST_TOKENS = 70
"""Tokens of small talk at most."""
MOST_ITEMS = 8
"""Items of a list that are told; the rest is counted."""
LONGEST_RESULT = 1200
"""Characters of a result that are told."""
_FAILURE = re.compile(r"^`[^`]+` failed: |\b\w*(?:Error|Exception): ")
_ORDER = re.compile(r"(?:don't|do not|tell|explain|send|use|answer|say|call)\b", re.IGNORECASE)
_MARK = re.compile(r"\[(?:end of )?text of strangers [^\]\n]{1,80}\]")
_NOTICE = re.compile(r"\A\[(`[^\n]{1,400})\]\n")
"""What the graph says of a result that another tool gave."""


def chat_system(tools: Sequence[Tool], host: str) -> str:
    """Return the system text for talk without a tool."""
    offers = "; ".join(tool.description.rstrip(".") for tool in tools)
    can = f" You can do this with your tools: {offers}." if offers else ""
    return f"{host.strip()} You are a helpful assistant. Answer in one short sentence.{can}".strip()


def question(tool: Tool, names: Sequence[str]) -> str:
    """Ask for values in the words of their descriptions."""
    described = (str(tool.properties[name].get("description") or name.replace("_", " ")) for name in names)
    asked = "; ".join(words[:1].lower() + words[1:].rstrip(".") for words in described)
    return f"{QUESTION}{asked}. Which do you mean?"


def tell(attempts: Sequence[Attempt]) -> str:
    """Say what came of the newest calls, without a word of the model: a small one mixes values up."""
    return "\n".join(_reason(one.outcome) if one.failed else _result(one.outcome) for one in attempts)


def _reason(text: str) -> str:
    """Drop the sentences of a feedback that tell the model what to do; the user needs the reason."""
    sentences = re.split(r"(?<=[.!?])\s+", _FAILURE.sub("", text))
    return " ".join(one for one in sentences if not _ORDER.match(one)) or text


def _result(outcome: str) -> str:
    notice = _NOTICE.match(outcome)
    text = _MARK.sub("", outcome[notice.end() :] if notice else outcome).strip()
    try:
        told = "; ".join(_facts(json.loads(text))) or "nothing"
    except ValueError:
        told = text
    told = told if len(told) <= LONGEST_RESULT else f"{told[:LONGEST_RESULT]} …"
    ended = told if told.endswith((".", "!", "?", "…", "。")) else f"{told}."
    return f"{_reason(notice[1])} {ended}" if notice else ended


def _facts(value: Any, label: str = "") -> Iterator[str]:
    """Yield what a result says, each value beside the names of its fields."""
    match value:
        case Mapping():
            for key, inner in value.items():
                yield from _facts(inner, f"{label} {key.replace('_', ' ')}".strip())
        case [Mapping(), *_]:
            for number, item in enumerate(value[:MOST_ITEMS], 1):
                yield f"{label} {number}) {', '.join(_facts(item))}".strip()
            if len(value) > MOST_ITEMS:
                yield f"and {len(value) - MOST_ITEMS} more"
        case None | "":
            return
        case _:
            words = ", ".join(map(_plain, value)) or "none" if isinstance(value, list) else _plain(value)
            yield f"{label}: {words}" if label else words


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return " ".join(value.split())
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value, ensure_ascii=False)


def trim(text: str) -> str:
    """Cut a text that was stopped in the middle of a sentence after its last whole one."""
    ends = [match.end() for match in re.finditer(r"[.!?](?=\s|$)", text)]
    return text[: ends[-1]].strip() if ends else text.strip()
