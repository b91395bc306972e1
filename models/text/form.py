"""The form that calls and results have in a text protocol; what a protocol has to provide."""

from __future__ import annotations

import re
from typing import Literal, Protocol, TypeAlias

from reinforced_agent.models.text.reply import Reply, WrittenCall
from reinforced_agent.models.text.words import Words


Role: TypeAlias = Literal["system", "user", "assistant"]
Turn: TypeAlias = tuple[Role, str]
"""Who speaks, and what is said."""


class Form(Protocol):
    """One way of writing calls and results as text."""

    stops: tuple[str, ...]
    """Texts at which the server has to stop the model, because what follows is not the model's to write."""

    def rules(self, words: Words) -> str:
        """Explain the form to the model."""

    def call(self, call: WrittenCall, thought: str = "") -> str:
        """Write a call as the model writes it."""

    def result(self, name: str, text: str) -> str:
        """Write the result of a call as the model is shown it."""

    def answer(self, text: str, thought: str = "") -> str:
        """Write an answer as the model writes it."""

    def read(self, text: str) -> Reply:
        """Take a reply apart."""


_TICKS = re.compile(r"`{3,}")


def fence(text: str) -> str:
    """Put a text between fences that are longer than any in it, so that it can't close them."""
    longest = max((len(found) for found in _TICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}\n{text}\n{ticks}"
