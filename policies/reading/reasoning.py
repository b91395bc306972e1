"""Keep a model's reasoning apart from what it says: drafts of calls in it are thoughts and never executed.

Formats: `<think>` (DeepSeek-R1, Qwen3) and its relatives, `[THINK]` (Mistral), `<|START_THINKING|>` (Cohere),
`◁think▷` (Kimi-VL), `<|begin_of_thought|>` (OpenThinker), `<reflection>` and other tags that prompts ask for. Chat
templates often write the opening tag themselves, so that the output starts in the middle of a thought.
"""

from __future__ import annotations

import re
from typing import NamedTuple


_NAME = r"(?:think|thinking|thought|thoughts|reasoning|seed:think)"
_OPEN = rf"(?:<{_NAME}\s*+>|\[THINK\]|<\|START_THINKING\|>|<\|begin_of_thought\|>|\u25c1think\u25b7)"
_CLOSE = rf"(?:</{_NAME}\s*+>|\[/THINK\]|<\|END_THINKING\|>|<\|end_of_thought\|>|\u25c1/think\u25b7)"
_LEADING_OPEN = re.compile(rf"\s*+{_OPEN}", re.IGNORECASE)
_ANY_CLOSE = re.compile(_CLOSE, re.IGNORECASE)
_SOMETHING = re.compile(r"\S")
# Names that an answer in XML may use too: thoughts only at the start, and only if something follows them.
_LEADING_PLAIN = re.compile(r"\s*+<(reflection|scratchpad|analysis)\s*+>", re.IGNORECASE)
# A tag right after a quote or a backtick is mentioned, not used.
_USED_TAG = rf"(?<![`'\"\u201c\u2018\u300c])(?:(?P<open>{_OPEN})|(?P<close>{_CLOSE}))"
_TAG = re.compile(_USED_TAG, re.IGNORECASE)
_TAG_OR_FENCE = re.compile(rf"{_USED_TAG}|(?P<fence>^```)", re.IGNORECASE | re.MULTILINE)
_PLAIN_CLOSE = {name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in ("reflection", "scratchpad", "analysis")}


class Speech(NamedTuple):
    """A text taken apart."""

    text: str
    """What is said."""
    thoughts: str = ""
    """What was only thought."""


def split_leading(content: str) -> Speech:
    """Take off the reasoning at the start of a message; an unclosed block is reasoning to its end.

    Only the start is touched, so a text that mentions the tags further on, in a string of a call for instance, stays
    as it is.
    """
    thoughts: list[str] = []
    position = 0
    while opened := _LEADING_OPEN.match(content, position) or _LEADING_PLAIN.match(content, position):
        plain = opened.lastindex is not None
        closed = (_PLAIN_CLOSE[opened[1].lower()] if plain else _ANY_CLOSE).search(content, opened.end())
        if plain and closed and not _SOMETHING.search(content, closed.end()):
            break
        end = closed.start() if closed else len(content)
        thoughts.append(content[opened.end() : end].strip())
        position = closed.end() if closed else len(content)
    return Speech(content[position:], "\n".join(thoughts))


def split_lost_opening(text: str) -> Speech | None:
    """Take off reasoning whose opening tag stood in the prompt: all up to the first tag, if that is a closing one."""
    if "/" not in text and "<|" not in text:
        return None
    first = _TAG.search(text)
    if first is None or not first["close"]:
        return None
    return Speech(text[first.end() :], text[: first.start()].strip())


def split_everywhere(text: str) -> Speech:
    """Take closed blocks out of the middle of a text, and an unclosed one that starts a line.

    Good for showing a text; not for reading calls, since a block may as well stand inside a string.
    """
    if "<" not in text and "[" not in text and "\u25c1" not in text:
        return Speech(text)
    said: list[str] = []
    thoughts: list[str] = []
    position = 0
    while opened := _next_opening(text, position):
        closed = _ANY_CLOSE.search(text, opened.end())
        if closed is None and text[: opened.start()].rpartition("\n")[2].strip():
            break
        said.append(text[position : opened.start()])
        thoughts.append(text[opened.end() : closed.start() if closed else len(text)].strip())
        position = closed.end() if closed else len(text)
    return Speech("".join([*said, text[position:]]), "\n".join(thoughts))


def _next_opening(text: str, position: int) -> re.Match[str] | None:
    """Find the next opening tag outside fenced code; what is fenced is shown, not thought."""
    fenced = False
    for found in _TAG_OR_FENCE.finditer(text, position):
        if found["fence"]:
            fenced = not fenced
        elif found["open"] and not fenced:
            return found
    return None
