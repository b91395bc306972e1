"""The repairs the reader makes: each is loss-free, applies only to what failed strictly, and is recorded by name."""

from __future__ import annotations

from enum import StrEnum


class Repair(StrEnum):
    """What was set right on the way from the raw call to its decoded arguments."""

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
