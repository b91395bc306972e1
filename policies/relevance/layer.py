"""The layer that asks once more when a proposal hardly fits the request; it never refuses alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, assert_never

from reinforced_agent.policies.relevance.proposals import Proposal, Proposed
from reinforced_agent.policies.relevance.scorers import Relevance, Scorer
from reinforced_agent.policies.relevance.tools import ToolIndex
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Revise, Verdict
from reinforced_agent.policies.wording.relevance import ask_again
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import ToolSpec


LAYER: Final = "relevance"

_RAN: Final = frozenset({Status.DONE, Status.FAILED, Status.UNKNOWN, Status.SERVED, Status.ANSWERED})


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
    language = "zh" if locale.lower().startswith("zh") else "en"
    return message.get(language, message.get("en", "")).replace("{tool}", tool)
