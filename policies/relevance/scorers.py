"""Scorers of proposals: how likely something is wrong with one, and the layer that asks once more, never refusing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any, Final, Literal, Self, TypeAlias, assert_never

from reinforced_agent.policies.messages.catalogue import in_language
from reinforced_agent.policies.relevance.features import Proposal, Proposed
from reinforced_agent.policies.relevance.messages import Hint, ask_again
from reinforced_agent.policies.relevance.tools import ToolIndex
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.text.language import is_plain_english
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.containers import typed_containers
from reinforced_agent.tools.spec import ToolSpec


LAYER: Final = "relevance"

_RAN: Final = frozenset({Status.DONE, Status.FAILED, Status.UNKNOWN, Status.SERVED, Status.ANSWERED})

Tree: TypeAlias = "float | tuple[int, float, Tree, Tree]"
"""A leaf, or a branch: position of a feature, threshold, where to go up to the threshold, and where above."""

_NUMBERS: Final = ("slope", "intercept", "threshold")


class ForestError(ValueError):
    """Data is no forest; the text says what is missing or of the wrong kind."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Groups of trees, each trained without one part of the data, so that this part can be judged fairly."""

    names: tuple[str, ...]
    """The features, in the order of a row."""
    folds: tuple[tuple[Tree, ...], ...]
    slope: float
    intercept: float
    """Turn the sum of the leaves into log odds (Platt, 1999)."""
    threshold: float
    """Probability from which it is worth asking again."""

    def probability(self, features: Mapping[str, float], *, fold: int | None = None) -> float:
        """Return the probability that something is wrong.

        Args:
            features: The numbers by name.
            fold: Ask only the trees that were trained without this part; without it, all together.

        """
        return 1 / (1 + exp(-(self.slope * self.sum(features, fold=fold) + self.intercept)))

    def sum(self, features: Mapping[str, float], *, fold: int | None = None) -> float:
        """Return the mean sum of the leaves of a group."""
        row = [features[name] for name in self.names]
        groups = self.folds if fold is None else (self.folds[fold],)
        total = 0.0
        for group in groups:
            for tree in group:
                node = tree
                while isinstance(node, tuple):
                    node = node[2] if row[node[0]] <= node[1] else node[3]
                total += node
        return total / len(groups)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read a forest.

        Raises:
            ForestError: When the data is none.

        """
        try:
            names = tuple(map(str, data["features"]))
            folds = tuple(tuple(_tree(tree, len(names)) for tree in group) for group in data["folds"])
            return cls(names, folds, **{name: float(data[name]) for name in _NUMBERS})
        except (KeyError, TypeError, ValueError) as error:
            msg = (
                f"This is no forest: {type(error).__name__}: {error}. Make one with `reinforced-agent train relevance`."
            )
            raise ForestError(msg) from error

    def to_json(self) -> dict[str, Any]:
        """Write the forest as plain data."""
        return {"features": self.names, "folds": self.folds, **{name: getattr(self, name) for name in _NUMBERS}}


def _tree(data: float | Sequence[Any], width: int) -> Tree:
    """Read one tree.

    Raises:
        ValueError: When a branch looks at a feature that there is not, or has another number of parts than four.

    """
    if isinstance(data, int | float):
        return float(data)
    feature, threshold, yes, no = data
    if feature not in range(width):
        msg = f"a branch looks at feature {feature!r} of {width}"
        raise ValueError(msg)
    return (int(feature), float(threshold), _tree(yes, width), _tree(no, width))


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


class RelevanceLayer:
    """Judges the first proposal of a turn: later ones follow from results, which the request doesn't tell."""

    __name__ = LAYER

    def __init__(self, specs: Iterable[ToolSpec], policy: Relevance) -> None:
        """Take the tools apart, if anybody will ask."""
        self._scorers = policy.scorers
        self._index = ToolIndex(specs if policy.scorers else ())

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Ask every scorer; the first objection counts."""
        if not self._scorers or not _is_first(situation):
            return Accept(layer=LAYER)
        asked = any(past.kind == ErrorKind.IRRELEVANT for past in situation.history)
        proposal = self._proposal(call, situation)
        least = 1.0
        for scorer in self._scorers:
            chance = scorer.score(proposal)
            if chance is None:
                continue
            least = min(least, 1.0 - chance)
            if chance >= scorer.threshold and not (asked and scorer.then == "revise"):
                return _objection(scorer, chance, proposal, call, situation)
        return Accept(layer=LAYER, score=least)

    def _proposal(self, call: Call, situation: Situation) -> Proposal:
        """Put the call and those beside it together."""
        beside = (Proposed(other.tool, other.arguments) for other in situation.beside)
        return Proposal(situation.request, (Proposed(call.tool, call.arguments), *beside), self._index, situation.said)


def _is_first(situation: Situation) -> bool:
    """Tell whether nothing has run yet in this turn."""
    return not any(past.status in _RAN for past in situation.history)


def _objection(scorer: Scorer, chance: float, proposal: Proposal, call: Call, situation: Situation) -> Verdict:
    """Do what the scorer says."""
    operator = f"{scorer.name}: wrong with probability {chance:.2f}, threshold {scorer.threshold:.2f}"
    message = _own_words(scorer.message, call.tool, situation.locale) or ask_again(
        call.tool, scorer.hints(proposal), situation.locale
    )
    match scorer.then:
        case "revise":
            return Revise(
                layer=LAYER, kind=ErrorKind.IRRELEVANT, message=message, operator=operator, score=1.0 - chance
            )
        case "ask":
            return Ask(layer=LAYER, kind=ErrorKind.IRRELEVANT, message=message, operator=operator, score=1.0 - chance)
        case "record":
            return Accept(layer=LAYER, score=1.0 - chance)
        case _:
            assert_never(scorer.then)


def _own_words(message: str | Mapping[str, str], tool: str, locale: str) -> str:
    """Return the scorer's own message in the language of the turn."""
    if isinstance(message, str):
        return message.replace("{tool}", tool)
    language = in_language(locale, "en", "zh")
    return message.get(language, message.get("en", "")).replace("{tool}", tool)
