"""What a tool declares about its failures."""

from __future__ import annotations

from dataclasses import dataclass

from reinforced_agent.tools.containers import typed_containers


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class FailureRules:
    """How the exceptions of a tool are to be understood, and how much of them the model sees."""

    mistakes: tuple[type[Exception], ...] = ()
    """Exceptions by which the tool says that the arguments were wrong; the model is told to correct them."""
    show_traceback: bool = False
    """Whether the model sees the traceback; only for tools of the house, whose code it may know."""
