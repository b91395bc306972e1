"""Hold what an answer claims to have been done against what was done: in this turn, and to what it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from reinforced_agent.policies.answers.claims import Claim, claims_in, trimmed
from reinforced_agent.policies.answers.doing import does, is_about, other_thing
from reinforced_agent.policies.answers.facts import vouches
from reinforced_agent.policies.answers.objections import Deed, Evidence, Undone, Why
from reinforced_agent.policies.answers.requests import asks_for
from reinforced_agent.policies.answers.targets import (
    compact,
    ids_in,
    strange_amount,
    strange_han_name,
    strange_ids,
    strange_name,
    tokens_of,
)
from reinforced_agent.policies.answers.verbs import FIRM, LASTING, VERBS, Verb, is_close, verbs_of
from reinforced_agent.tools.call import canonical_json
from reinforced_agent.tools.spec import ToolSpec


_BY_NAME: Final = frozenset(["create", "post", "open", "enroll", "write"])
"""Kinds whose object may be the name of another thing that is done."""
_LEAST: Final = 4
"""Letters that a word may have without naming a thing."""
_AUTOMATIC: Final = re.compile(
    r"\b(?:confirmation|receipt|invoice|voucher|link|code|password|otp|instructions|notification|label)s?\b|确认邮件|验证码",
    re.IGNORECASE,
)
"""What others send by themselves after something was done."""
_OF_TEXT: Final = re.compile(
    r"\b(?:results?|options?|list|regards|ordered .* by|sorted|search|answer|draft|table)\b", re.IGNORECASE
)
_PERSONAL: Final = re.compile(r"\b(?:your|refund|payment|transfer)\b|[$€£¥]", re.IGNORECASE)
_TROUBLE: Final = re.compile(
    r"\b(?:not|fail\w*|unable|unfortunately|except|however|error|only|but|problem|issue|still|remain\w*|declined|rejected"
    r"|could|cannot|without|pending|unclear|uncertain)\b|n't\b|未|没|失败|无法|除|只|但|不",
    re.IGNORECASE,
)


def undone(answer: str, evidence: Evidence) -> Iterator[Undone]:
    """List the claims, each tool once, that no tool has made true."""
    told: set[str] = set()
    court = _Court(answer, evidence)
    for claim in claims_in(answer, court.acts):
        found = court.object_to(claim)
        if found is not None and found.tool not in told:
            told.add(found.tool)
            yield found


@dataclass(frozen=True)
class _Court:
    """Judges the claims of one answer."""

    answer: str
    evidence: Evidence

    @cached_property
    def acts(self) -> Mapping[Verb, list[ToolSpec]]:
        """What the tools do, and by which of them; one whose name has no verb that is known says nothing."""
        acts: dict[Verb, list[ToolSpec]] = {}
        for spec in self.evidence.writes:
            for verb in verbs_of(spec.name)[:1]:
                acts.setdefault(verb, []).append(spec)
        listed = list(acts.items())
        for verb in VERBS:
            # What is claimed in another word is claimed all the same.
            close = [spec for other, specs in listed if is_close(verb, other) for spec in specs]
            if verb not in acts and close:
                acts[verb] = close
        return acts

    @cached_property
    def deeds(self) -> tuple[Deed, ...]:
        """The calls that count: reading that failed leaves nothing undone."""
        names = {spec.name for spec in self.evidence.writes}
        return tuple(deed for deed in self.evidence.deeds if deed.outcome == "done" or deed.tool in names)

    def object_to(self, claim: Claim) -> Undone | None:
        """Say what is wrong with a claim; `None` where it holds."""
        if claim.verb is None:
            return self._general(claim)
        specs = self.acts[claim.verb]
        if not self._concerns(claim, specs):
            return None
        deeds = self._deeds_of(claim, claim.verb)
        good = self._good(claim, deeds)
        if good:
            return self._of_target(claim, good, deeds)
        if self._is_told(claim, self._ids(claim)):
            return None
        return self._missing(claim, deeds, specs)

    def _deeds_of(self, claim: Claim, verb: Verb) -> list[Deed]:
        """List the calls that did, or were to do, what a claim says: "I requested a refund" may be a refund."""
        verbs = [verb]
        if verb.kind in _BY_NAME:
            verbs += [other for other in VERBS if other.kind not in _BY_NAME and other.wish.search(claim.target)]
        writes = self.evidence.writes
        return [deed for deed in self.deeds if any(does(deed, one, writes) for one in verbs)]

    def _concerns(self, claim: Claim, specs: Sequence[ToolSpec]) -> bool:
        """Tell whether a claim is about what the tools do, and not about the answer itself or something else."""
        if claim.verb is None:
            return True
        asked = asks_for(self.evidence.request, self.evidence.offer, claim.verb)
        if self._is_automatic(claim):
            return False
        if claim.state and not asked and not self._has_tried(claim.verb):
            return False
        if is_about(specs, claim.target):
            return True
        if _OF_TEXT.search(claim.about) or (claim.verb.kind in _BY_NAME and not self._shares(claim)):
            return False
        if claim.verb.kind not in FIRM:
            return asked
        return asked or _PERSONAL.search(claim.about) is not None

    def _is_automatic(self, claim: Claim) -> bool:
        """Tell whether it is said that others sent something that follows what was done."""
        sent = not claim.own and claim.verb is not None and claim.verb.kind == "send"
        return sent and _AUTOMATIC.search(claim.sentence) is not None and any(not deed.earlier for deed in self.deeds)

    def _shares(self, claim: Claim) -> bool:
        """Tell whether a claim names a thing that the request names."""
        asked = {word for word in tokens_of(self.evidence.request) if len(word) > _LEAST}
        return not asked.isdisjoint(tokens_of(claim.about.lower()))

    def _good(self, claim: Claim, deeds: Sequence[Deed]) -> list[Deed]:
        """Keep the calls that may have made a claim true."""
        done = [deed for deed in deeds if deed.outcome == "done"]
        before = [deed for deed in done if deed.earlier]
        now = [deed for deed in done if not deed.earlier]
        if not before or claim.verb is None:
            return now
        if claim.is_earlier or not asks_for(self.evidence.request, self.evidence.offer, claim.verb):
            return done
        if claim.verb.kind in LASTING:
            named = {compact(one) for one in ids_in(claim.about) or ids_in(self.evidence.request)}
            return [*now, *(deed for deed in before if named & _words(deed))]
        return now

    def _ids(self, claim: Claim) -> tuple[str, ...]:
        """List the ids that a claim is about: its own, or those that were asked for."""
        named = ids_in(claim.about)
        if named or claim.verb is None:
            return named
        asked = asks_for(self.evidence.request, self.evidence.offer, claim.verb)
        return ids_in(self.evidence.request) if asked else ()

    def _is_told(self, claim: Claim, ids: Sequence[str]) -> bool:
        """Tell whether results or people say what the answer says."""
        if claim.verb is None or (claim.is_earlier and not self._has_tried(claim.verb)):
            return True
        return not claim.own and vouches(self._told(claim.verb), claim.verb, ids)

    def _told(self, verb: Verb) -> Iterator[str]:
        """List the texts that may vouch for a thing: who asks for it doesn't say that it was done."""
        request = self.evidence.request
        wished = asks_for(request, "", verb)
        return (text for text in self.evidence.told if not (wished and text == request))

    def _has_tried(self, verb: Verb) -> bool:
        """Tell whether a call of this turn was to do a thing."""
        return any(not deed.earlier and does(deed, verb, self.evidence.writes) for deed in self.deeds)

    def _missing(self, claim: Claim, deeds: Sequence[Deed], specs: Sequence[ToolSpec]) -> Undone:
        """Say that nothing has made a claim true, and what is known instead."""
        now = [deed for deed in deeds if not deed.earlier]
        unknown = [deed for deed in now if deed.outcome == "unknown"]
        if unknown:
            return _undone(unknown[-1].tool, claim, "unknown")
        earlier = [deed for deed in deeds if deed.earlier and deed.outcome == "done"]
        if earlier:
            return _undone(earlier[-1].tool, claim, "earlier")
        tried = {deed.tool for deed in now}
        best = sorted(specs, key=lambda spec: (spec.name not in tried, not is_about([spec], claim.target)))
        return _undone(best[0].name, claim, "never")

    def _of_target(self, claim: Claim, good: Sequence[Deed], deeds: Sequence[Deed]) -> Undone | None:
        """Compare what a claim names with what the calls were directed at."""
        tool = good[-1].tool
        strange = self._strange(claim, good)
        strange = [one for one in strange if not self._is_told(claim, [one])]
        if strange:
            unknown = [deed for deed in deeds if deed.outcome == "unknown" and compact(strange[0]) in _words(deed)]
            return _undone(unknown[-1].tool, claim, "unknown") if unknown else _undone(tool, claim, "other", strange)
        if thing := other_thing(claim, good, self.acts[claim.verb] if claim.verb else [], self.evidence):
            return _undone(thing, claim, "never")
        return self._of_part(claim, [deed for deed in deeds if not deed.earlier])

    def _strange(self, claim: Claim, good: Sequence[Deed]) -> list[str]:
        """List what a claim names that no call was directed at."""
        words = frozenset().union(*(_words(deed) for deed in good))
        arguments = [deed.arguments for deed in good]
        results = "\n".join(deed.result for deed in good)
        strange = strange_ids(claim.about, arguments, words, results)
        if claim.verb is not None and claim.verb.kind in {"pay", "refund", "post", "create"}:
            amount = strange_amount(claim.about, arguments, results)
            strange += [amount] if amount else []
        name = strange_name(claim.about, self.evidence.request, arguments, words)
        name = name or strange_han_name(claim.about, arguments)
        strange += [name] if name else []
        return strange or self._asked_for(claim, good, words)

    def _asked_for(self, claim: Claim, good: Sequence[Deed], words: frozenset[str]) -> list[str]:
        """List what was asked for by id and not done, where the claim names no id."""
        request = self.evidence.request
        arguments = [deed.arguments for deed in good if not deed.earlier]
        if claim.verb is None or not arguments or ids_in(claim.about):
            return []
        if not asks_for(request, "", claim.verb):
            return []
        strange = strange_ids(request, arguments, words)
        strange = [one for one in strange if not any(compact(one) in tokens_of(text) for text in self.evidence.results)]
        met = any(compact(one) in words for one in ids_in(request))
        if not met:
            return strange
        return [one for one in strange if claim.is_whole and one not in self.answer]

    def _of_part(self, claim: Claim, now: Sequence[Deed]) -> Undone | None:
        """Object to a claim about several things of which some failed, where the answer has no word about that."""
        failed = [deed for deed in now if deed.outcome != "done" and not deed.made_good]
        if not failed or not claim.is_whole or ids_in(claim.about) or _TROUBLE.search(self.answer):
            return None
        why: Why = "unknown" if failed[-1].outcome == "unknown" else "part"
        return _undone(failed[-1].tool, claim, why)

    def _general(self, claim: Claim) -> Undone | None:
        """Judge a "Done!": something has to be done by then, and nothing that was tried may have failed."""
        now = [deed for deed in self.deeds if not deed.earlier and verbs_of(deed.tool)]
        open_ = [deed for deed in now if deed.outcome != "done" and not deed.made_good]
        if any(deed.outcome == "done" for deed in self.deeds if not deed.earlier):
            if not open_ or _TROUBLE.search(self.answer):
                return None
            return _undone(open_[-1].tool, claim, "unknown" if open_[-1].outcome == "unknown" else "part")
        if open_:
            return _undone(open_[-1].tool, claim, "unknown" if open_[-1].outcome == "unknown" else "never")
        asked = (verb for verb in self.acts if asks_for(self.evidence.request, self.evidence.offer, verb))
        request = self.evidence.request
        wanted = [spec for verb in asked for spec in self.acts[verb] if verb.kind in FIRM or is_about([spec], request)]
        return _undone(wanted[0].name, claim, "never") if wanted else None


def _words(deed: Deed) -> frozenset[str]:
    """List the words that a call was made with and returned."""
    return tokens_of(f"{canonical_json(dict(deed.arguments))}\n{deed.result}")


def _undone(tool: str, claim: Claim, why: Why, values: Sequence[str] = ()) -> Undone:
    return Undone(tool, trimmed(claim.sentence), why, tuple(dict.fromkeys(values)))
