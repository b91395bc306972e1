"""What a reply in a text protocol comes to, and where the values of its calls end."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as the model wrote it; nothing in it has been decoded."""

    name: str
    arguments: str
    """The text of the arguments."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply taken apart."""

    said: str
    """What is said to the user, or a text that doesn't have the form of the protocol."""
    thoughts: str = ""
    """What was only thought."""
    calls: tuple[WrittenCall, ...] = ()
    """The calls, if the reply has the form of one."""
    dropped: str = ""
    """What the model went on to write in place of the results it has to wait for."""


# Numbers stay text: only where a value ends matters here, and a number may be longer than Python reads.
_BOUNDARIES = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)
_THINKING = re.compile(r"\s*+<(think|thinking|thought|reasoning)>(?P<thoughts>.*?)</\1>", re.DOTALL | re.IGNORECASE)


def end_of_value(text: str, start: int) -> int | None:
    """Return where the JSON value that begins at a position ends, or `None` if no whole value stands there."""
    try:
        return _BOUNDARIES.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def split_thinking(text: str) -> tuple[str, str]:
    """Take the tagged thoughts off the beginning of a text; returns them and the rest."""
    found = _THINKING.match(text)
    return (found["thoughts"].strip(), text[found.end() :]) if found else ("", text)


def join(*texts: str) -> str:
    """Put texts under each other, without the empty ones."""
    return "\n".join(filter(None, texts))
