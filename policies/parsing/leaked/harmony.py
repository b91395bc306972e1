"""Messages in Harmony, the channels of gpt-oss: analysis is thought, final is said, commentary to a tool is a call.

`<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>` (OpenAI Harmony
response format). The recipient may stand in the role or in the channel part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reinforced_agent.policies.parsing.leaked.shape import Broken, Found, Leaked, TextCall, object_at, unreadable
from reinforced_agent.policies.text.json import skip_space


_HEADER = re.compile(
    r"(?:<\|start\|>(?P<role>[^<]{0,200}))?<\|channel\|>(?P<channel>[^<]{1,200})(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
)
_NEXT = re.compile(r"<\|(?:end|call|return|start|channel)\|>")
_TAIL = re.compile(r"(?:\s*+<\|(?:end|call|return)\|>)?\s*+")
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([\w.-]{1,128})")


@dataclass(frozen=True, slots=True)
class Channels:
    """A message taken apart by its channels."""

    thoughts: str
    """The analysis channel."""
    text: str
    """The final channel, and commentary to nobody."""
    found: Found
    """The calls of the commentary channel."""


def read_harmony(text: str) -> Channels | None:
    """Take a message apart; `None` if it doesn't start as Harmony does."""
    if not text.startswith(("<|start|>", "<|channel|>")) or not _HEADER.match(text):
        return None
    reader = _Reader([], [], [])
    position = 0
    while position < len(text):
        header = _HEADER.match(text, position)
        if header is None:
            return reader.channels(unreadable("leaked_beside_text"))
        end = reader.take(text, header)
        if isinstance(end, Broken):
            return reader.channels(end)
        position = end
    if not reader.calls:
        return reader.channels(None)
    return reader.channels(unreadable("leaked_beside_text") if reader.said else Leaked(tuple(reader.calls)))


@dataclass(frozen=True, slots=True)
class _Reader:
    """What was read so far."""

    thoughts: list[str]
    said: list[str]
    calls: list[TextCall]

    def take(self, text: str, header: re.Match[str]) -> int | Broken:
        """Read the body of one channel; returns the position behind it."""
        channel = header["channel"].split(maxsplit=1)
        kind = channel[0] if channel else ""
        recipient = _RECIPIENT.search(f"{header['role'] or ''} {header['channel']}")
        # A call from the analysis channel is one the model only thinks about.
        if recipient and kind != "analysis":
            return self._call(text, header.end(), recipient[1])
        body, end = _body(text, header.end())
        (self.thoughts if kind == "analysis" else self.said).append(body.strip())
        return end

    def _call(self, text: str, position: int, name: str) -> int | Broken:
        found = object_at(text, skip_space(text, position), name)
        if isinstance(found, Broken):
            return found
        self.calls.append(found[0])
        return _skip_tail(text, found[1])

    def channels(self, found: Found) -> Channels:
        """Close the reading."""
        return Channels("\n".join(self.thoughts), "\n\n".join(filter(None, self.said)), found)


def _body(text: str, position: int) -> tuple[str, int]:
    following = _NEXT.search(text, position)
    end = following.start() if following else len(text)
    return text[position:end], _skip_tail(text, end)


def _skip_tail(text: str, position: int) -> int:
    tail = _TAIL.match(text, position)
    return tail.end() if tail else position
