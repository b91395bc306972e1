"""Look for orders to the model in a text of strangers; a hit destroys nothing, it says to be careful."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.screening.disguises import plain, readings
from reinforced_agent.policies.screening.patterns import Pattern
from reinforced_agent.policies.screening.policy import Screening


LONGEST_SCREENED: Final = 100_000
"""Characters; of a longer text the beginning and the end are looked at, as those are what is shown of it."""
_NEAR: Final = 900
"""Characters within which different patterns count together."""
_LONGEST_PASSAGE: Final = 200
"""Characters of a passage as it is told."""
_MOST_ORDINARY: Final = 0.6
"""What patterns weigh together that people use among people; below every sensible threshold."""
_ROUNDING: Final = 1e-6
_DISGUISED: Final = 0.5
"""What an encoding adds: right text has no reason to hide its orders."""
_QUOTED: Final = 0.3
"""What is left of the weight of a pattern that a text about attacks quotes."""
_ABOUT_ATTACKS: Final = re.compile(
    r"prompt[- ]injection|jailbreak(?:s|ing)\b|\battack(?:s|er|ers)?\b|\badversar|\bmalicious\b|\bvulnerab"
    r"|\bexploit|red[- ]team"
    r"|\bfor example\b|\be\.g\.|\bsuch as\b|\bphrases? like\b|\bowasp\b|提示词?注入|越狱|攻击|例如|比如"
)
_QUOTE: Final = re.compile(r"[\"'`«»「」『』]")


@dataclass(frozen=True, slots=True)
class Finding:
    """A passage that reads like orders to the model."""

    patterns: tuple[str, ...]
    """What was found in it, the heaviest first."""
    passage: str
    """The passage, shortened, as a reader would see it."""
    score: float
    """Weight of its patterns together."""
    disguise: str = ""
    """How it was hidden; empty where it stood in plain sight."""


@dataclass(frozen=True, slots=True)
class _Hit:
    pattern: Pattern
    start: int
    end: int
    weight: float


def screen(text: str, policy: Screening) -> Finding | None:
    """Return the worst passage of a text when it reaches the threshold; bounded in time, and never raises."""
    if not policy.screen or not policy.patterns or not text:
        return None
    found = list(_findings(_edges(text), policy))
    return max(found, key=lambda finding: finding.score, default=None)


def _edges(text: str) -> str:
    """Return the parts that are looked at."""
    half = LONGEST_SCREENED // 2
    return text if len(text) <= LONGEST_SCREENED else f"{text[:half]}\n{text[-half:]}"


def _findings(text: str, policy: Screening) -> Iterator[Finding]:
    for disguise, reading in readings(text):
        hits = _hits(plain(reading), policy.patterns)
        bonus = _DISGUISED if disguise in _ENCODINGS else 0.0
        best = _heaviest(hits)
        if best and _weight(best) + bonus >= policy.threshold - _ROUNDING:
            names = tuple(dict.fromkeys(hit.pattern.name for hit in sorted(best, key=lambda hit: -hit.weight)))
            yield Finding(names, _passage(reading, best), round(_weight(best) + bonus, 2), disguise)


_ENCODINGS: Final = frozenset(
    {"hidden tags", "rot13", "written backwards", "base64", "hexadecimal", "variation selectors"}
)


def _hits(text: str, patterns: Sequence[Pattern]) -> list[_Hit]:
    """Find every pattern everywhere, in the order of the text."""
    lowered = text.lower() if len(text.lower()) == len(text) else text
    hits = [
        _Hit(pattern, start, end, _weighed(pattern, lowered, start, end))
        for pattern in patterns
        for start, end in pattern.find(lowered)
    ]
    return sorted(hits, key=lambda hit: hit.start)


def _weighed(pattern: Pattern, text: str, start: int, end: int) -> float:
    """Weigh a hit; one that a text about attacks quotes counts for less."""
    if not pattern.quotable:
        return pattern.weight
    before, after = text[max(0, start - 250) : start], text[end : end + 60]
    quoted = len(_QUOTE.findall(before[-80:])) % 2 == 1 and _QUOTE.search(after) is not None
    return pattern.weight * _QUOTED if quoted and _ABOUT_ATTACKS.search(before + after) else pattern.weight


def _weight(hits: Sequence[_Hit]) -> float:
    """Add up different patterns; the same one counts once, and what people say to people only up to a bound."""
    best: dict[str, float] = {}
    ordinary: dict[str, float] = {}
    for hit in hits:
        kind = ordinary if hit.pattern.ordinary else best
        kind[hit.pattern.name] = max(kind.get(hit.pattern.name, 0.0), hit.weight)
    return sum(best.values()) + min(sum(ordinary.values()), _MOST_ORDINARY)


def _heaviest(hits: Sequence[_Hit]) -> list[_Hit]:
    """Return the hits near each other that weigh most together."""
    best: list[_Hit] = []
    for number, first in enumerate(hits):
        near = [hit for hit in hits[number : number + 100] if hit.end - first.start <= _NEAR]
        if _weight(near) > _weight(best):
            best = near
    return best


def _passage(text: str, hits: Sequence[_Hit]) -> str:
    """Cut a passage out, from the beginning of its sentence, in one line."""
    start = min(hit.start for hit in hits)
    border = max(text.rfind(mark, max(0, start - 60), start) for mark in ".!?\n。！？>")
    start = border + 1 if border >= 0 else start
    words = " ".join(text[start : start + 3 * _LONGEST_PASSAGE].split()).lstrip(" .,:;!?>)]")
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in words)
    return shown if len(shown) <= _LONGEST_PASSAGE else f"{shown[:_LONGEST_PASSAGE]}…"
