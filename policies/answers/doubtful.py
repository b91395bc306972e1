"""What answers have to say about calls whose outcome nobody knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from reinforced_agent.policies.answers.claims import trimmed
from reinforced_agent.policies.answers.objections import Deed, Evidence, Uncertain, Undone


_UNSURE: Final = re.compile(
    r"\b(?:unknown|uncertain|unclear|not (?:certain|sure|clear|known)|may have|might|whether"
    r"|can(?:no|')t (?:confirm|tell|say|be sure)|could(?: not|n't) (?:confirm|verify|determine)"
    r"|look(?:ed)? up|verified|verify|check (?:whether|with|if)|unconfirmed)\b"
    r"|未知|不确定|无法确[认定]|不清楚|核实|查询|查证|确认是否|是否|可能",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:not|never|fail\w*|unable|unsuccessful|declined|didn't|wasn't|hasn't|couldn't|nothing)\b|未|没有?|失败|无法",
    re.IGNORECASE,
)


def uncertain(answer: str, evidence: Evidence) -> Iterator[Uncertain]:
    """List the calls of the turn whose outcome is unknown, where the answer doesn't say so."""
    if _UNSURE.search(answer) is None:
        tools = (deed.tool for deed in evidence.deeds if deed.outcome == "unknown" and not _is_over(deed))
        yield from (Uncertain(tool) for tool in dict.fromkeys(tools))


def _is_over(deed: Deed) -> bool:
    """Tell whether the doubt about a call is of an earlier turn, or was cleared by what was read since."""
    return deed.earlier or deed.made_good


def denied(answer: str, evidence: Evidence) -> Iterator[Undone]:
    """List the calls whose outcome is unknown where the answer says that they had no effect."""
    if _UNSURE.search(answer):
        return
    for deed in evidence.deeds:
        if deed.outcome == "unknown" and not _is_over(deed) and (found := _denial(answer)):
            yield Undone(deed.tool, trimmed(found), "unknown")


def _denial(answer: str) -> str:
    """Return the first sentence that says that something did not happen."""
    sentences = re.split(r"(?<=[.!?。！？])\s*|\n+", answer)
    return next((sentence for sentence in sentences if _DENIED.search(sentence)), "")
