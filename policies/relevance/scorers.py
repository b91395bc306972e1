"""Scorers of proposals: how likely something is wrong with one, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from reinforced_agent.policies.relevance.forest import Forest
from reinforced_agent.policies.relevance.proposals import Proposal
from reinforced_agent.policies.relevance.words import is_plain_english
from reinforced_agent.policies.wording.relevance import Hint
from reinforced_agent.tools.containers import typed_containers


class RelevanceError(ValueError):
    """A scorer can't be used; the text says what is allowed."""


Score: TypeAlias = Callable[[Proposal], float | None]
"""Probability from 0 to 1 that something is wrong with a proposal; `None` for no opinion."""
Hints: TypeAlias = Callable[[Proposal], Sequence[Hint]]


def no_hints(_proposal: Proposal) -> Sequence[Hint]:
    """Say nothing beyond the question."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Scorer:
    """One opinion on proposals."""

    name: str
    """Names it in records."""
    score: Score
    threshold: float
    """Probability from which it objects, from 0 to 1."""
    then: Literal["revise", "ask", "record"] = "revise"
    """Ask the model to look again, once a turn; ask a person; or only put the score on record."""
    message: str | Mapping[str, str] = ""
    """For the model or the person, or by language (`en`, `zh`); may hold `{tool}`."""
    hints: Hints = field(default=no_hints)
    """What looks odd about a proposal, told beside the question of its own."""

    def __post_init__(self) -> None:
        """Refuse what could never object, or never be quiet.

        Raises:
            RelevanceError: When the threshold is no probability, or there is no name.

        """
        if not (0.0 < self.threshold <= 1.0 and self.name):
            msg = (
                f"The scorer {self.name!r} has the threshold {self.threshold!r}: "
                f"give it a name, and a number above 0 up to 1."
            )
            raise RelevanceError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Relevance:
    """What is asked about proposals that no other layer objects to."""

    scorers: tuple[Scorer, ...] = ()
    """Asked in this order; empty switches the layer off."""


def trained(forest: Forest, *, threshold: float | None = None) -> Scorer:
    """Make a scorer of trained trees; it has no opinion on requests in other languages than English.

    Args:
        forest: The trees.
        threshold: Probability from which it asks; by default the one that came with the trees.

    """

    def score(proposal: Proposal) -> float | None:
        return forest.probability(proposal.features) if is_plain_english(proposal.request) else None

    return Scorer(
        name="relevance",
        score=score,
        threshold=forest.threshold if threshold is None else threshold,
        hints=odd_about,
    )


def odd_about(proposal: Proposal) -> list[Hint]:
    """Say what looks odd about a proposal: numbers left out, the same call twice."""
    found: list[Hint] = []
    if proposal.unused_numbers and proposal.features["left numbers share"]:
        found.append(("numbers", sorted(proposal.unused_numbers)))
    if proposal.features["calls same"]:
        found.append(("same", ()))
    return found
