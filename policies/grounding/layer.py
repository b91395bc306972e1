"""Layer 5: a marked field needs a value that was given; values of writes that nobody named become warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import is_
from typing import Final

from reinforced_agent.policies.grounding.marks import Leaf, Mark, leaves, marks_of
from reinforced_agent.policies.grounding.matching import Finding, Said, find, values_of_facts
from reinforced_agent.policies.grounding.messages import Missing, ask_for, warn_of
from reinforced_agent.policies.grounding.policy import Ground, GroundingPolicy
from reinforced_agent.policies.same import Same
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.text.folds import first_sentence, path_text
from reinforced_agent.policies.verdicts import Accept, CallWarning, ErrorKind, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import ToolSpec


LAYER: Final = "grounding"
UNNAMED: Final = "unnamed_value"
"""Code of the warning about a value that nobody named."""

_DOUBTED, _MADE_UP = 0.5, 0.1
"""Scores of a call with a value that nobody named: in an unmarked field, and in a marked one."""
_NOTHING_TO_COMPARE: Final = Accept(layer=LAYER)


@lru_cache(maxsize=4096)
def _marks(spec: Same[ToolSpec], policy: Same[GroundingPolicy]) -> Mark:
    return marks_of(spec.value, policy.value)


class Sources:
    """What was said, read once and only as far as somebody asks."""

    def __init__(self, situation: Situation) -> None:
        """Read nothing yet."""
        self._situation = situation

    @cached_property
    def _user(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for text in (self._situation.request, *self._situation.said) if text))

    @cached_property
    def user(self) -> Said:
        """What the user, the host and persons said."""
        return Said(self._user)

    @cached_property
    def anybody(self) -> Said:
        """What anybody said but the model."""
        situation = self._situation
        untrusted = (text for _, text in situation.untrusted)
        return Said((*self._user, *values_of_facts(situation.facts), *situation.trusted, *untrusted))


class _Heard:
    """Hands out one reading of what was said for all calls of a message, which are judged one after the other."""

    __slots__ = ("_latest",)

    def __init__(self) -> None:
        self._latest: tuple[tuple[object, ...], Sources] | None = None

    def sources(self, situation: Situation) -> Sources:
        """Return who said what; threads that cross here make one each."""
        told = (situation.request, situation.said, situation.facts, situation.trusted, situation.untrusted)
        latest = self._latest
        if latest is None or not all(map(is_, latest[0], told)):
            self._latest = latest = (told, Sources(situation))
        return latest[1]


@dataclass(frozen=True, slots=True)
class GroundingLayer:
    """Compares values of a call with what was said.

    A value that can't be compared, such as a date, passes. So does every value where pictures were sent, where it isn't
    known what was said, and in a field for which the user was asked just before: what they answered in their own words
    is not held against digits again.
    """

    policy: GroundingPolicy
    _heard: _Heard = field(default_factory=_Heard, init=False, repr=False, compare=False)

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Send a call back for marked fields whose value nobody gave, all at once; else warn of unmarked ones."""
        found = leaves(call.arguments, _marks(Same(situation.spec), Same(self.policy)), situation.spec, self.policy)
        if not found or situation.unread or not (situation.request or situation.said):
            return _NOTHING_TO_COMPARE
        unnamed = _unnamed(found, self._heard.sources(situation))
        made_up = [leaf for leaf in unnamed if leaf.marked and path_text(leaf.path) not in situation.asked]
        if made_up:
            return _revise(made_up, call, situation)
        if not unnamed:
            return _NOTHING_TO_COMPARE
        fields = dict.fromkeys(path_text(leaf.path) for leaf in unnamed)
        return Accept(layer=LAYER, score=_DOUBTED, warnings=tuple(_warning(name, situation) for name in fields))


def _unnamed(found: Sequence[Leaf], sources: Sources) -> list[Leaf]:
    """List the values that nobody named who may name them."""
    unsaid = [leaf for leaf in found if find(leaf.value, sources.user) is Finding.UNSAID]
    return [
        leaf for leaf in unsaid if leaf.ground is Ground.USER or find(leaf.value, sources.anybody) is Finding.UNSAID
    ]


def _warning(field: str, situation: Situation) -> CallWarning:
    return CallWarning(code=UNNAMED, field=field, message=warn_of(field, situation.locale))


def _revise(made_up: Sequence[Leaf], call: Call, situation: Situation) -> Revise:
    """Name every field once."""
    named = {path_text(leaf.path): leaf for leaf in made_up}
    items = [
        Missing(
            field=field,
            code=leaf.ground.value,
            required=leaf.mark.required,
            lookup=leaf.mark.lookup if leaf.ground is Ground.ANY else "",
            about=first_sentence(leaf.mark.description),
        )
        for field, leaf in named.items()
    ]
    return Revise(
        layer=LAYER,
        kind=ErrorKind.UNGROUNDED_VALUE,
        message=ask_for(items, tool=call.tool, locale=situation.locale),
        operator=f"{call.tool}: " + "; ".join(f"{item.field} ({item.code}) given by nobody" for item in items),
        fields=tuple(named),
        missing=tuple(named),
        score=_MADE_UP,
    )
