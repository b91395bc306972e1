"""Tell what a call may have done, by what its tool is called and by what it was made with and returned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from reinforced_agent.policies.answers.claims import Claim
from reinforced_agent.policies.answers.facts import affirms
from reinforced_agent.policies.answers.objections import Deed, Evidence
from reinforced_agent.policies.answers.targets import ids_in, scalars, tokens_of
from reinforced_agent.policies.answers.verbs import LISTED, Verb, may_do, pieces_of, verbs_of
from reinforced_agent.tools.call import canonical_json
from reinforced_agent.tools.spec import ToolSpec


_PRONOUN: Final = re.compile(
    r"\b(?:it|that|this|them|these|those|one|everything|all|both|as (?:you )?requested|for you|your request)\b|^\W*$"
)
_WORD: Final = re.compile(r"[a-z]{3,}")
_COMMON: Final = frozenset(["the", "and", "for", "with", "from", "into", "that", "this", "new", "name", "type", "tool"])
_OBJECT: Final = re.compile(
    r"^(.*?)(?:\b(?:to|for|with|in|on|at|from|by|using|as|of|about|into|via|under|that)\b|[,.:;!(]|$)"
)
_ACTION: Final = 2
"""Words of an argument that may name what is to be done."""
_SAME: Final = tuple(
    frozenset(words.split())
    for words in (
        "meeting event appointment call sync session calendar",
        "email mail message note notification",
        "booking reservation order ticket trip",
        "payment transfer money transaction bill invoice",
        "file document report folder",
        "ticket issue case incident request",
        "reminder alarm alert",
        "card account",
    )
)
"""Words that may stand for one another."""
_TRAVEL: Final = frozenset(["booking", "reservation", "order", "flight", "ticket", "trip", "hotel", "room", "seat"])
_ANY_SAME: Final = (*_SAME, _TRAVEL)
"""The same, where it is only asked what a claim is about."""
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


def does(deed: Deed, verb: Verb, writes: Iterable[ToolSpec]) -> bool:
    """Tell whether a call did, or was to do, what a verb says."""
    kinds = frozenset(other.kind for other in verbs_of(deed.tool))
    if may_do(kinds, verb) or (not kinds & LISTED and not _is_direct(verb, writes)):
        return True
    spec = next((spec for spec in writes if spec.name == deed.tool), None)
    if spec is None:
        return False
    words = re.compile(rf"\b(?:{verb.base}|{verb.done})(?:s|ee|er)?\b", re.IGNORECASE)
    if words.search(spec.description.partition("\n")[0][:200]):
        return True
    said = [value for _, value in scalars(deed.arguments) if isinstance(value, str) and len(value.split()) <= _ACTION]
    keys = [key for key, _ in scalars(deed.arguments) if key.endswith("ee")]
    return affirms(deed.result, verb) or any(words.search(one) for one in (*said, *keys))


def _is_direct(verb: Verb, writes: Iterable[ToolSpec]) -> bool:
    """Tell whether there is a tool for just that."""
    return any(other.kind == verb.kind for spec in writes for other in verbs_of(spec.name))


def is_about(tools: Iterable[ToolSpec], words: str) -> bool:
    """Tell whether words are about what tools deal with, and not about something else; Chinese is not looked into."""
    said = words.lower().replace("e-mail", "email")
    if _PRONOUN.search(said) or _HAN.search(said):
        return True
    named = {_single(word) for word in _WORD.findall(said)}
    named |= {word for group in _ANY_SAME if group & named for word in group}
    return any(named & _things_of(spec.name, spec.description) for spec in tools) or bool(ids_in(words))


def other_thing(claim: Claim, good: Sequence[Deed], specs: Sequence[ToolSpec], evidence: Evidence) -> str:
    """Return the tool for a thing that a claim names, where only calls for other things were made; else nothing."""
    kinds = [frozenset(verb.kind for verb in verbs_of(deed.tool)) for deed in good]
    direct = all(some & LISTED and not some & {"update", "run"} for some in kinds)
    if not claim.own or not direct or _HAN.search(claim.target):
        return ""
    found = _OBJECT.search(claim.target.lower())
    named = {_single(word) for word in _WORD.findall(found[1] if found else "")}
    made = {deed.tool for deed in good}
    known = {word for deed in good for word in tokens_of(f"{canonical_json(dict(deed.arguments))}\n{deed.result}")}
    known |= {word for group in _SAME if group & known for word in group}
    descriptions = {spec.name: spec.description for spec in evidence.writes}
    known |= {word for tool in made for word in _things_of(tool, descriptions.get(tool, ""))}
    for spec in specs:
        things = frozenset(_single(piece) for piece in pieces_of(spec.name)[1:]) - _COMMON
        if spec.name not in made and any(word in things and word not in known for word in named):
            return spec.name
    return ""


@lru_cache(maxsize=4096)
def _things_of(name: str, description: str) -> frozenset[str]:
    """List the words for what a tool deals with."""
    words = [*pieces_of(name), *_WORD.findall(description.partition("\n")[0][:300].lower().replace("e-mail", "email"))]
    verb = next((word for word in words if any(word in one.names for one in verbs_of(name))), "")
    return frozenset(_single(word) for word in words if word not in _COMMON | {verb})


def _single(word: str) -> str:
    """Write a word in the singular, roughly."""
    return word.removesuffix("s")
