"""What a tool declares about its failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRules:
    """How the exceptions of a tool are to be understood, and how much of them the model sees."""

    mistakes: tuple[type[Exception], ...] = ()
    """Exceptions by which the tool says that the arguments were wrong; the model is told to correct them."""
    show_traceback: bool = False
    """Whether the model sees the traceback; only for tools of the house, whose code it may know."""

    def __post_init__(self) -> None:
        """Refuse what is no class of exceptions.

        Raises:
            TypeError: When `mistakes` holds anything else.

        """
        kinds: tuple[Any, ...] = self.mistakes
        if not all(isinstance(kind, type) and issubclass(kind, Exception) for kind in kinds):
            msg = f"FailureRules.mistakes is {self.mistakes!r}: write a tuple of exception classes."
            raise TypeError(msg)
