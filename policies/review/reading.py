"""Read what a reviewing model said: a call of the verdict tool, or the same as JSON; anything else is no opinion.

A doubtful text never becomes an objection, and never an approval either: it counts as nothing said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, assert_never

from reinforced_agent.policies.parsing import (
    Answer,
    Calls,
    Decoded,
    ModelOutput,
    ReadCall,
    UnreadCall,
    Unusable,
    decode_arguments,
)
from reinforced_agent.policies.parsing import read as read_message
from reinforced_agent.policies.review.opinions import AskUser, Fault, Fix, Good, NoOpinion, Opinion
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.tools.spec import Risk, ToolSpec


VERDICT_TOOL: Final = "give_verdicts"
"""The tool through which a reviewing model hands in its verdicts; it is never run, and no other is offered."""

PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "array",
                "description": "One verdict for each call.",
                "items": {
                    "type": "object",
                    "properties": {
                        "call": {"type": "integer", "description": "Number of the call."},
                        "verdict": {"type": "string", "enum": ["good", "fix", "ask_user"]},
                        "fault": {"type": "string", "enum": [fault.value for fault in Fault]},
                        "field": {"type": "string", "description": "The argument concerned, if it is one."},
                        "reason": {"type": "string", "description": "One short sentence.", "maxLength": 300},
                        "score": {"type": "number", "description": "How sure you are that the call is right, 0 to 1."},
                    },
                    "required": ["call", "verdict"],
                },
            }
        },
        "required": ["verdicts"],
    }
)

SPEC: Final = ToolSpec(
    name=VERDICT_TOOL,
    description="Hand in your verdicts on the calls.",
    parameters=PARAMETERS,
    risk=Risk.READ,
)
_NAMES: Final = NameIndex([VERDICT_TOOL])

Word: TypeAlias = Literal["good", "fix", "ask_user"]
_WORDS: Final[Mapping[str, Word]] = {"good": "good", "fix": "fix", "ask_user": "ask_user"}
_FLAGS: Final[Mapping[str, bool]] = {"is_valid": True, "valid": True, "correct": True, "error": False}
"""Yes-or-no fields that some models write instead, and what "yes" means: whether the call is right."""

_FENCE: Final = re.compile(r"```[A-Za-z]*[^\S\n]*\n(.*?)```", re.DOTALL)
_LONGEST: Final = 100_000
"""Characters of a text that is looked at; a verdict is a few hundred."""
_MOST: Final = 2_000
"""Characters of a reason that are taken in; what the assistant is told of it is far shorter."""


def read_opinions(output: ModelOutput, count: int) -> tuple[Opinion, ...]:
    """Return one opinion for each of the reviewed calls, in order.

    Args:
        output: The message of the reviewing model.
        count: How many calls it was shown, which it knows by the numbers 1 to `count`.

    """
    verdicts = list(_verdicts(output))
    return tuple(_about(number, verdicts) for number in range(1, count + 1))


def _about(number: int, verdicts: Iterable[tuple[int | None, Opinion]]) -> Opinion:
    """Take the verdict on one call; one that names no call is about all, and two that differ cancel out."""
    own = list(dict.fromkeys(opinion for call, opinion in verdicts if call in (number, None)))
    if not own:
        return NoOpinion("silent" if any(True for _ in verdicts) else "unreadable")
    return own[0] if len({type(one) for one in own}) == 1 else NoOpinion("unreadable")


def _verdicts(output: ModelOutput) -> Iterator[tuple[int | None, Opinion]]:
    """List the verdicts of a message, each with the number of its call where it names one."""
    reading = read_message(output, _NAMES)
    match reading:
        case Calls(calls=calls):
            for call in calls:
                yield from _of_call(call)
        case Answer(text=text, complete=True) if len(text) <= _LONGEST:
            yield from _of_text(text)
        case Answer() | Unusable():
            return
        case _:
            assert_never(reading)


def _of_call(call: ReadCall | UnreadCall) -> Iterator[tuple[int | None, Opinion]]:
    """Take the verdicts out of a call of the verdict tool."""
    if isinstance(call, ReadCall) and _NAMES.resolve(call.name) is not None:
        yield from _of_data(call.arguments)


def _of_text(text: str) -> Iterator[tuple[int | None, Opinion]]:
    """Take the verdicts out of JSON; what is said in words is no verdict."""
    yield from next((found for body in _bodies(text) if (found := list(_of_json(body)))), [])


def _bodies(text: str) -> Iterator[str]:
    """List what may be JSON: fenced blocks, else all from the first to the last bracket."""
    if fences := _FENCE.findall(text):
        yield from fences
        return
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    end = max(text.rfind("}"), text.rfind("]"))
    if starts and end > min(starts):
        yield text[min(starts) : end + 1]


def _of_json(body: str) -> Iterator[tuple[int | None, Opinion]]:
    """Read one JSON text."""
    text = body.strip()
    decoded = decode_arguments(f'{{"verdicts": {text}}}' if text.startswith("[") else text)
    if isinstance(decoded, Decoded):
        yield from _of_data(decoded.arguments)


def _of_data(data: Mapping[str, Any]) -> Iterator[tuple[int | None, Opinion]]:
    """Take verdicts out of a list of them, or a single one out of an object."""
    listed = data.get("verdicts", data)
    for place, item in enumerate(listed if isinstance(listed, list) else [listed], 1):
        if isinstance(item, str) and isinstance(listed, list) and (word := _WORDS.get(_folded(item))) is not None:
            yield place, _opinion(word, {})
        elif isinstance(item, Mapping) and (word := _word_in(item)) is not None:
            yield _number(item.get("call")), _opinion(word, item)


def _word_in(item: Mapping[str, Any]) -> Word | None:
    """Find the verdict in an object; a word and a flag that contradict each other are none."""
    said = item.get("verdict")
    words = {_WORDS.get(_folded(said))} if isinstance(said, str) else set[Word | None]()
    for name, right_if in _FLAGS.items():
        if isinstance(item.get(name), bool):
            words.add("good" if item[name] is right_if else "fix")
    if words == {"ask_user", "fix"}:
        return "ask_user"
    return next(iter(words)) if len(words) == 1 else None


def _folded(word: str) -> str:
    """Write a word as the schema has it."""
    return "_".join(word.lower().split())


def _opinion(word: Word, item: Mapping[str, Any]) -> Opinion:
    """Make an opinion of a verdict and what stands beside it."""
    field, reason = _text(item.get("field")), _text(item.get("reason"))
    match word:
        case "good":
            return Good(_score(item.get("score"), 1.0))
        case "fix":
            return Fix(_fault(item.get("fault")), field, reason, _score(item.get("score"), 0.0))
        case "ask_user":
            return AskUser(field, reason, _score(item.get("score"), 0.0))
        case _:
            assert_never(word)


def _fault(value: object) -> Fault:
    """Read the kind of a fault."""
    return Fault(value) if isinstance(value, str) and value in set(Fault) else Fault.OTHER


def _text(value: object) -> str:
    """Take a text, and nothing else."""
    return value.strip()[:_MOST] if isinstance(value, str) else ""


def _score(value: object, otherwise: float) -> float:
    """Take a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return otherwise
    return float(value) if 0 <= value <= 1 else otherwise


def _number(value: object) -> int | None:
    """Read the number of a call; a text of digits is one, too. What names a call that nobody knows is about none."""
    if value is None:
        return None
    if isinstance(value, str):
        digits = value.strip().lstrip("#")
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 5 else 0  # noqa: PLR2004
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
