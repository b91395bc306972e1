"""What happens to results of tools with `untrusted_output`, as one value that a host can change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from reinforced_agent.tools.containers import typed_containers


Classifier: TypeAlias = Callable[[str], bool | float | str]
"""Tells whether a text reads like orders to the model: yes or no, a probability, or the passage itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Screening:
    """How results of tools with `untrusted_output` are treated.

    >>> house = Screening(classifier=lambda text: "open the vault" in text.casefold())
    >>> off = Screening(fence=False, clean=False, screen=False)

    """

    fence: bool = True
    """Show the model where such a text begins and ends."""
    clean: bool = True
    """Take out what is hidden in it, and defuse what chat templates are made of."""
    screen: bool = True
    """Look for text that reads like orders to the model; what is found is a warning on later writes, nothing more."""
    classifier: Classifier | None = None
    """Looks too, at 100,000 characters at most: true, a probability of 0.5 and more, and a passage become a warning.
    One that raises makes a warning as well, because nobody has looked then."""
