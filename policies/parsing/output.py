"""What the reader takes in and what it hands on: one model message, and one reading of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from reinforced_agent.policies.parsing.finish_reason import Ending
from reinforced_agent.policies.verdicts import Problem
from reinforced_agent.tools.call import JSON, RawCall


class Repair(StrEnum):
    """What was set right on the way to the decoded arguments: loss-free, and only where reading failed strictly."""

    NO_ARGUMENTS = "no_arguments"
    """Nothing, blank text (in quotes or not) or `null` was read as the empty object."""
    OUTER_SPACE = "outer_space"
    """A byte order mark or white space unknown to JSON was dropped around the text."""
    FENCE = "fence"
    """The code fence around the whole text was dropped."""
    DOUBLE_ENCODING = "double_encoding"
    """The text was a JSON string that held the JSON text of the object."""
    CONTROL_CHARACTERS = "control_characters"
    """Raw line breaks or tabs inside strings were kept as they are."""
    LITERAL_ESCAPES = "literal_escapes"
    """A written-out backslash-n or -t between tokens was read as white space."""
    REPEATED_OBJECT = "repeated_object"
    """The same object came several times in a row and was taken once."""
    PYTHON_LITERAL = "python_literal"
    """The text was a Python dict: other quotes, other constants, a comma before a closing bracket."""
    NESTED_CALL = "nested_call"
    """A call without a name held the whole call in its arguments."""
    PARALLEL_WRAPPER = "parallel_wrapper"
    """A wrapper for parallel calls was unpacked into ordinary calls."""
    UNTYPED_VALUES = "untyped_values"
    """The text format knows no types, so each value is a string."""
    FRESH_ID = "fresh_id"
    """The provider's id was missing or in use; a new one was made."""


HARMLESS = frozenset({Repair.FRESH_ID.value, Repair.OUTER_SPACE.value})
"""Repairs that touch neither the tool nor any argument; a rule about repaired calls may pass them over."""


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """One message of a model, free of any framework."""

    content: str
    """The text of the message; empty when there was none."""
    calls: tuple[RawCall, ...] = ()
    """The calls that the provider delivered as such, readable or not."""
    finish_reason: str | None = None
    """Why the model stopped, in the provider's own word."""
    message_id: str = ""
    """Seed of the ids made for calls that have none."""
    reasoning: str = ""
    """Thoughts that the provider delivered apart from the content; never a source of calls."""
    refusal: str = ""
    """What the model says in declining, where the provider delivers that apart from the content."""


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call whose arguments are one certain object; neither its name nor its arguments are checked yet."""

    id: str
    """Unique in the conversation: the provider's id byte for byte, or a fresh one where that can't be used."""
    name: str
    """The tool name as written."""
    arguments: dict[str, JSON]
    """The decoded arguments."""
    repairs: tuple[str, ...] = ()
    """The repairs it took, see `policies.parsing.repairs.Repair`; empty for a flawless call."""
    origin: Literal["native", "text"] = "native"
    """Whether the provider delivered it as a call or the reader found it written out as text."""
    position: int | None = field(default=None, compare=False)
    """Which of the provider's calls it was read from, counted from 0; `None` where it was found in the text."""


@dataclass(frozen=True, slots=True)
class UnreadCall:
    """A native call that can't be read; its problems are answered to its id."""

    id: str
    """Unique in the conversation, as for a call that was read."""
    name: str
    """The tool name as written, shortened when it is absurdly long."""
    problems: tuple[Problem, ...]
    """What is wrong with it, the true cause first."""
    position: int | None = field(default=None, compare=False)
    """Which of the provider's calls it is, counted from 0."""


@dataclass(frozen=True, slots=True)
class Calls:
    """The message proposes calls."""

    calls: tuple[ReadCall | UnreadCall, ...]
    """The proposed calls in their order, at least one."""
    text: str = ""
    """What the model said beside them, without reasoning and without call markup."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The message is an answer."""

    text: str
    """What the model says to the user."""
    thoughts: str = ""
    """Reasoning found in the content; not for the user and never a source of calls."""
    ending: Ending = Ending.NATURAL
    """How it ended; one that was refused or filtered may have no text."""

    @property
    def complete(self) -> bool:
        """False when the output limit, a filter or a fault cut the answer off."""
        return self.ending not in (Ending.CUT, Ending.FILTERED, Ending.STOPPED)


@dataclass(frozen=True, slots=True)
class Unusable:
    """The message is neither an answer nor a call that could be answered by its id: ask the model again."""

    problems: tuple[Problem, ...]
    """What is wrong with it, the true cause first."""


Reading: TypeAlias = Calls | Answer | Unusable
"""What one message turned out to be."""
