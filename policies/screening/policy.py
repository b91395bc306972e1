"""What happens to results that strangers may have written, as one value that a host can change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.screening.chinese import CHINESE
from reinforced_agent.policies.screening.english_authority import AUTHORITY
from reinforced_agent.policies.screening.english_deeds import DEEDS
from reinforced_agent.policies.screening.english_readers import READERS
from reinforced_agent.policies.screening.other_languages import OTHERS
from reinforced_agent.policies.screening.patterns import Pattern
from reinforced_agent.tools.containers import typed_containers


STANDARD_PATTERNS: Final = (*AUTHORITY, *DEEDS, *READERS, *CHINESE, *OTHERS)
"""Patterns in English and Chinese, and the commonest forms of seven other languages; what none of them knows is fenced
and cleaned all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Screening:
    """How results of tools with `untrusted_output` are treated.

    >>> vault = Pattern(name="names our vault", regex=r"open the vault", weight=1)
    >>> house = Screening(patterns=(*STANDARD_PATTERNS, vault))
    >>> off = Screening(fence=False, clean=False, screen=False)

    """

    fence: bool = True
    """Show the model where such a text begins and ends."""
    clean: bool = True
    """Take out what is hidden in it, and defuse what chat templates are made of."""
    screen: bool = True
    """Look for orders to the model."""
    patterns: tuple[Pattern, ...] = STANDARD_PATTERNS
    """What is looked for; put your own beside `STANDARD_PATTERNS`."""
    threshold: float = 1.0
    """Weight of different patterns near each other from which a text is suspicious."""

    def __post_init__(self) -> None:
        """Refuse what could only fail when it is too late.

        Raises:
            ValueError: On a threshold that every text reaches.
            re.error: On a pattern that is no regular expression.

        """
        if not self.threshold > 0:
            msg = f"The threshold of the screening is {self.threshold!r}: every text would reach it. Use more than 0."
            raise ValueError(msg)
        for pattern in self.patterns:
            pattern.compiled  # noqa: B018  # compiled when the agent is built
