"""Layer 5: send calls back whose values somebody had to give and nobody did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import is_
from typing import Final

from reinforced_agent.policies.grounding.marks import Leaf, Mark, leaves, marks_of
from reinforced_agent.policies.grounding.matching import Finding, find
from reinforced_agent.policies.grounding.policy import Ground, GroundingPolicy, Kind
from reinforced_agent.policies.grounding.said import Said, Sources, values_of_facts
from reinforced_agent.policies.schema.spelling import first_sentence, path_text
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Revise, Verdict
from reinforced_agent.policies.wording.grounding import Missing, ask_for
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import ToolSpec


LAYER: Final = "grounding"

_SCORES: Final = {Finding.SAID: 1.0, Finding.UNSURE: 0.9, Finding.DERIVED: 0.8, Finding.UNSAID: 0.1}
_NOTHING_TO_CHECK: Final = Accept(layer=LAYER)
_WHOLE: Final = frozenset({Kind.EMAIL, Kind.ACCOUNT, Kind.PHONE, Kind.ID})
_DEFAULT: Final = re.compile(r"\bdefault\w*[^.;\n]*(?:\.[0-9][^.;\n]*)*|默认[^。；\n]*", re.IGNORECASE)


class _Same:
    """Stands for one tool description by identity, because a description can't be hashed."""

    __slots__ = ("policy", "spec")

    def __init__(self, spec: ToolSpec, policy: GroundingPolicy) -> None:
        self.spec, self.policy = spec, policy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.spec is self.spec and other.policy is self.policy

    def __hash__(self) -> int:
        return hash((id(self.spec), id(self.policy)))


@lru_cache(maxsize=4096)
def _marks(same: _Same) -> Mark:
    return marks_of(same.spec, same.policy)


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
            self._latest = latest = (told, _sources(situation))
        return latest[1]


@dataclass(frozen=True, slots=True)
class GroundingLayer:
    """Compares the grounded values of a call with what was said.

    Only what is certainly made up is objected to: a value that can't be compared, such as a word in a language that
    isn't read or a date where the user said "tomorrow", passes. So does every value where pictures were sent, or where
    it isn't known what was said.
    """

    policy: GroundingPolicy
    _heard: _Heard = field(default_factory=_Heard, init=False, repr=False, compare=False)

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Accept a call, or name all fields at once whose value nobody gave."""
        marks = _marks(_Same(situation.spec, self.policy))
        found = leaves(call.arguments, marks, situation.spec, self.policy)
        if not found:
            return _NOTHING_TO_CHECK
        sources = self._heard.sources(situation)
        if situation.unread or not (sources.user or sources.results):
            return Accept(layer=LAYER, score=_SCORES[Finding.UNSURE])
        judged = judge(found, sources)
        bad = {Finding.UNSAID, Finding.DERIVED} if self.policy.strict else {Finding.UNSAID}
        missing = [(leaf, finding) for leaf, finding in judged if finding in bad]
        score = min(_SCORES[finding] for _, finding in judged)
        return _revise(missing, call, situation, score) if missing else Accept(layer=LAYER, score=score)


check_grounding: Final = GroundingLayer(GroundingPolicy())
"""The layer of the default policy."""


def _sources(situation: Situation) -> Sources:
    """Sort what was said by who said it."""
    user = dict.fromkeys(text for text in (situation.request, *situation.said) if text)
    facts = values_of_facts(situation.facts)
    told = (*facts, *situation.trusted, *(text for _, text in situation.untrusted))
    results = (text for text in told if text not in user)
    return Sources(tuple(user), tuple(results))


def judge(found: Sequence[Leaf], sources: Sources) -> list[tuple[Leaf, Finding]]:
    """Look every grounded value up in what those said who may name it."""
    return [(leaf, _find(leaf, sources)) for leaf in found]


def _find(leaf: Leaf, sources: Sources) -> Finding:
    finding = find(leaf.value, sources.said_by_user)
    if leaf.ground is Ground.ANY and finding is not Finding.SAID and sources.results:
        finding = find(leaf.value, sources.said_by_any)
    if finding is Finding.DERIVED and leaf.mark.kind in _WHOLE:
        finding = Finding.UNSAID  # nobody computes an account
    if finding in {Finding.UNSAID, Finding.DERIVED} and _is_given_by_schema(leaf):
        return Finding.SAID
    return finding


def _is_given_by_schema(leaf: Leaf) -> bool:
    """Tell whether a description gives a value: as the default, or as a code in a list of meanings.

    An example of an address or an account gives nothing: it is what a model copies that doesn't know better.
    """
    description = leaf.mark.description
    lists_codes = not leaf.marked and not isinstance(leaf.value, str)
    texts = [description] if lists_codes else _DEFAULT.findall(description)
    return bool(description) and find(leaf.value, Said(tuple(texts))) is Finding.SAID


def _revise(missing: list[tuple[Leaf, Finding]], call: Call, situation: Situation, score: float) -> Revise:
    """Name every field once."""
    named = {path_text(leaf.path): (leaf, finding) for leaf, finding in missing}
    items = [
        Missing(
            field=field,
            code="derived" if finding is Finding.DERIVED else leaf.ground.value,
            required=leaf.mark.required,
            lookup=leaf.mark.lookup if leaf.ground is Ground.ANY else "",
            about=first_sentence(leaf.mark.description),
        )
        for field, (leaf, finding) in named.items()
    ]
    return Revise(
        layer=LAYER,
        kind=ErrorKind.UNGROUNDED_VALUE,
        message=ask_for(items, tool=call.tool, locale=situation.locale),
        operator=f"{call.tool}: " + "; ".join(f"{item.field} ({item.code}) given by nobody" for item in items),
        fields=tuple(named),
        missing=tuple(named),
        score=score,
    )
