"""Say how much of a reply that is still being written can be shown: what can't turn out to be a call or a thought.

What was shown can't be taken back everywhere. From a character that can open one of the forms of `leaked` or a thought,
text is held until it is decided; where a form was opened, the rest waits for the end, when the whole message is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, Literal, TypeAlias

from reinforced_agent.policies.parsing.content import ANY_THOUGHT_END, LEADING_THOUGHT, showable
from reinforced_agent.policies.parsing.repair import OUTER
from reinforced_agent.policies.tool_names import NameIndex


Decision: TypeAlias = Literal["show", "wait", "hold"]
"""What is to be done from a character on: it opens nothing; more has to come before that is known; it opens a form, so
all that follows waits for the end."""

_MOST_UNDECIDED: Final = 400
"""Characters after which what is still undecided is held to the end."""
_LONGEST_TAG: Final = len("</think>") * 3
"""Characters that the longest closing tag of a thought needs, and room for white space in it."""

_SUSPECT: Final = re.compile(r"[<\[{\u25c1\n]|assistant", re.IGNORECASE)
"""Where one of the forms may open within a text."""
_TAG_NAME: Final = re.compile(r"/?[A-Za-z_:]{0,24}")
_CONTROL: Final = "|\uff5c"
"""Bars behind which control tokens have their name."""
_CALL_TAGS: Final = "tool_call|tool_calls|function_call|function_calls|function|invoke|parameter"
_MARKED_TAGS: Final = "antml:invoke|antml:parameter|antml:function_calls|seed:think|end_of_turn|s"
_THOUGHT_TAGS: Final = "think|thinking|thought|thoughts|reasoning"
_TAGS: Final = frozenset(f"{_CALL_TAGS}|{_MARKED_TAGS}|{_THOUGHT_TAGS}".split("|"))
_START_TAGS: Final = _TAGS | {"reflection", "scratchpad", "analysis"}
_BRACKETS: Final = ("[tool_calls]", "[think]", "[/think]")
_KIMI: Final = ("\u25c1think\u25b7", "\u25c1/think\u25b7")
_ASSISTANT: Final = "assistant"
_COMMENTARY: Final = f"{_ASSISTANT}commentary to="
_OBJECT: Final = re.compile(r'\{\s*+(?:"n|"?\Z)')
_CALL_HEAD: Final = '{"name":"'
_CALL_TAILS: Final = (',"arguments":', ',"parameters":')
_LONGEST_NAME: Final = 128
_LONGEST_FORM: Final = 32
"""Characters that tell each of the forms that are a fixed text."""
_FENCE: Final = re.compile(r"```(?P<label>\w*+)(?P<body>[^\w]\s*+)?+")
_RUN: Final = "tool_code"
_WORD: Final = re.compile(r"[\w.:-]*+")
_WRAPPERS: Final = ("print", "default_api", "functions", "tools")
_STEPS: Final = ("thought:", "action:", "thought\uff1a", "action\uff1a")


class StreamedText:
    """The text of one reply, as it comes."""

    def __init__(self, names: NameIndex) -> None:
        """Begin with nothing.

        Args:
            names: The registered tools; text that may be a call to one of them is held.

        """
        self._names = names
        self._words = tuple(_folded(name) for name in (*names.names, *_WRAPPERS))
        self._pending = ""
        self._shown: list[str] = []
        self._thinking = False
        self._held = False

    @property
    def shown(self) -> str:
        """Everything that could be shown so far."""
        return "".join(self._shown)

    def add(self, piece: str) -> str:
        """Take in what comes next, and return what can be shown now; empty where nothing can."""
        if self._held or not piece:
            return ""
        self._pending += piece
        if not self._shown and not self._begins():
            return ""
        end = self._settled()
        text = showable(self._pending[:end])
        self._pending = self._pending[end:]
        if len(self._pending) > _MOST_UNDECIDED:
            self._held = True
        if text:
            self._shown.append(text)
        return text

    def _begins(self) -> bool:
        """Skip white space and thoughts before the text; tell whether what is left begins with something to show."""
        while True:
            if self._thinking and not self._thought_ends():
                return False
            self._pending = self._pending.lstrip(OUTER)
            if not self._pending:
                return False
            if (opened := LEADING_THOUGHT.match(self._pending)) is None:
                break
            self._pending, self._thinking = self._pending[opened.end() :], True
        decision = self._start(self._pending)
        self._held = decision == "hold"
        return decision == "show"

    def _thought_ends(self) -> bool:
        """Drop a thought as far as it has come; tell whether it has ended."""
        closed = ANY_THOUGHT_END.search(self._pending)
        if closed is None:
            self._pending = self._pending[-_LONGEST_TAG:]
            return False
        self._pending, self._thinking = self._pending[closed.end() :], False
        return True

    def _settled(self) -> int:
        """Return how much of what is pending can be shown."""
        text = self._pending
        for suspect in _SUSPECT.finditer(text):
            decision = self._within(text, suspect.start(), suspect.group())
            if decision == "show":
                continue
            self._held = decision == "hold"
            return len(_without_end(text[: suspect.start()]))
        return len(_without_end(_without_open_word(text)))

    def _start(self, text: str) -> Decision:
        """Decide about the beginning of a message: forms that are calls only where they are the whole text."""
        match text[0]:
            case "{":
                return "hold"
            case "[":
                return self._list(text)
            case "`":
                return self._fenced(text)
            case "<":
                return _tag(text[1:_MOST_UNDECIDED], _START_TAGS)
            case "\u25c1":
                return _whole_or_part(text, _KIMI)
            case _:
                return _any((_step(text), self._python(text), _commentary(text)))

    def _list(self, text: str) -> Decision:
        """Decide about a bracket at the beginning: a token, or a list of calls."""
        inner = text[1:].lstrip()
        if not inner or inner[0] in "{[":
            return "hold" if inner else "wait"
        return _any((_whole_or_part(text, _BRACKETS), self._python(inner)))

    def _fenced(self, text: str) -> Decision:
        """Decide about a fence at the beginning, by what stands first in it."""
        if "```".startswith(text):
            return "wait"
        fence = _FENCE.match(text)
        if fence is None:
            return "show"
        if fence["body"] is None or fence.end() == len(text):
            return "wait"
        if fence["label"].lower() == _RUN or text[fence.end()] in "{[":
            return "hold"
        return self._python(text[fence.end() :])

    def _python(self, text: str) -> Decision:
        """Decide about a text that may be a call in the syntax of Python."""
        found = _WORD.match(text)
        word = found.group() if found else ""
        if not word or len(word) > _LONGEST_NAME:
            return "show"
        if len(word) == len(text):
            folded = _folded(word)
            return "wait" if any(known.startswith(folded) or folded in known for known in self._words) else "show"
        if text[len(word)] != "(":
            return "show"
        return "hold" if word in _WRAPPERS or self._names.resolve(word) is not None else "show"

    def _within(self, text: str, at: int, suspect: str) -> Decision:
        """Decide about a character within a message."""
        near = text[at : at + _MOST_UNDECIDED]
        match suspect:
            case "<":
                return _tag(near[1:], _TAGS)
            case "[":
                return _whole_or_part(near, _BRACKETS)
            case "{":
                return self._call_object(near)
            case "\n":
                return _step(near[1:].lstrip(" \t"), _STEPS[1::2])
            case "\u25c1":
                return _whole_or_part(near, _KIMI)
            case _:
                return _commentary(near)

    def _call_object(self, text: str) -> Decision:
        """Decide about a JSON object: one that begins as a call to a registered tool does."""
        if not _OBJECT.match(text):
            return "show"
        squeezed = "".join(text.split())
        if not squeezed.startswith(_CALL_HEAD):
            return "wait" if _CALL_HEAD.startswith(squeezed) else "show"
        name, quote, tail = squeezed[len(_CALL_HEAD) :].partition('"')
        if not quote:
            return "wait" if len(name) <= _LONGEST_NAME else "show"
        return "show" if self._names.resolve(name) is None else _whole_or_part(tail, _CALL_TAILS)


def _any(decisions: Iterable[Decision]) -> Decision:
    """Join decisions about several forms: one that is open counts, then one that may open."""
    taken = list(decisions)
    return "hold" if "hold" in taken else "wait" if "wait" in taken else "show"


def _whole_or_part(text: str, forms: Iterable[str]) -> Decision:
    """Decide by the texts with which forms begin, whatever the case of their letters."""
    lowered = text[:_LONGEST_FORM].lower()
    begun: Callable[[str], bool] = lowered.startswith
    if any(begun(form) for form in forms):
        return "hold"
    return "wait" if any(form.startswith(lowered) for form in forms) else "show"


def _step(text: str, labels: Iterable[str] = _STEPS) -> Decision:
    """Decide about a line by whether it begins with the label of a step."""
    emphasised = text.removeprefix("**")
    return "wait" if text == "*" else _whole_or_part(emphasised, labels)


def _commentary(text: str) -> Decision:
    """Decide about the one form that begins with a word."""
    return _whole_or_part(" ".join(text[:_MOST_UNDECIDED].split()), (_COMMENTARY,))


def _tag(rest: str, known: frozenset[str]) -> Decision:
    """Decide about an angle bracket by what follows it."""
    inner = rest.removeprefix("/")
    if not inner or (inner[0] == " " and len(inner) == 1):
        return "wait"
    if inner[0] in _CONTROL or (inner[0] == " " and inner[1] in _CONTROL):
        return "hold"
    found = _TAG_NAME.match(inner)
    name = found.group().lower() if found else ""
    if not name:
        return "show"
    if len(name) == len(inner):
        return "wait" if any(one.startswith(name) for one in known) else "show"
    return "hold" if name in known else "show"


def _without_end(text: str) -> str:
    """Leave out what may yet fall away: white space at the end, and half of a character of two halves."""
    if text and "\ud800" <= text[-1] <= "\udbff":
        text = text[:-1]
    return text.rstrip(OUTER)


def _without_open_word(text: str) -> str:
    """Leave out the beginning of the one word among the forms that no sign announces."""
    last = text[-len(_ASSISTANT) :].lower()
    longest = next((n for n in range(len(last), 0, -1) if _ASSISTANT.startswith(last[-n:])), 0)
    return text[: len(text) - longest]


def _folded(name: str) -> str:
    """Write a name without case and separators."""
    return "".join(filter(str.isalnum, name.casefold()))
