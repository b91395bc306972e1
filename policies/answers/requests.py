"""Tell whether a request asks that something be done, or asks about it, or is about something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from reinforced_agent.policies.answers.verbs import Verb
from reinforced_agent.policies.grounding.dialogue import agrees


_SENTENCES: Final = re.compile(r"(?<=[.!?。！？；])\s*|\n+")
_CLAUSES: Final = re.compile(r"[,;，；、]|\b(?:and|but|then)\b")
_ABOUT_STATE: Final = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|hi|hello|wait|sorry|thanks|thank you)\W+)*"
    r"(?:did|have|has|had|was|were|is|are|when|why|who|what|which|how|do you"
    r"|tell me (?:if|whether|when|what|how)|can you (?:tell|confirm|check))\b"
    r"|[了过][吗没]|是否已|有没有|什么时候|为什么|怎么",
    re.IGNORECASE,
)
_NO_WISH: Final = re.compile(
    r"(?:\b(?:did|not|never|no|already|have|has|had|you|was|were|is|instead of|without"
    r"|the|my|your|this|that|an|a|our|last|of|about|each|any|status|new)"
    r"|n't|#)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_WISHED: Final = re.compile(r"\b(?:want|need|like|get|have|please|wish|see)\b[^.?!]{0,40}$", re.IGNORECASE)
_NO_WISH_HAN: Final = re.compile(r"(?:已经?|不要|不用|别|没有?|无需)[^，。]{0,4}$")
_DONE_HAN: Final = re.compile(r"^(?:了|过|的)")
_TO_ME: Final = re.compile(r"(?:tell|inform|text|message) (?:me|us)\b", re.IGNORECASE)
"""Asks for an answer, and not that something be sent."""
_DECLINES: Final = re.compile(
    r"^\W*(?:no|nope|not|nothing|never mind|thanks|thank you|that'?s (?:all|it)|不|没有|谢|算了)", re.IGNORECASE
)


@lru_cache(maxsize=1024)
def asks_for(request: str, offer: str, verb: Verb) -> bool:
    """Tell whether a request, or what it agrees to, wants a thing done now.

    Args:
        request: What the user wrote.
        offer: What the assistant had said before.
        verb: The thing.

    """
    if any(_wishes(sentence, verb) for sentence in _SENTENCES.split(request)):
        return True
    if not offer or request.rstrip().endswith(("?", "？")) or _DECLINES.match(request):
        return False
    asked = list(_questions(offer))
    return (bool(asked) or agrees(request)) and any(_names(sentence, verb) for sentence in asked or [offer])


def _questions(text: str) -> Iterator[str]:
    """List what a text asks or offers."""
    for sentence in _SENTENCES.split(text):
        if sentence.rstrip().endswith(("?", "？")) or re.search(
            r"\b(?:confirm|would you like|shall I|let me know|please)\b|请|是否", sentence, re.IGNORECASE
        ):
            yield sentence


def _names(sentence: str, verb: Verb) -> bool:
    """Tell whether a sentence is about a thing."""
    return verb.wish.search(sentence) is not None or re.search(verb.chinese, sentence) is not None


def _wishes(sentence: str, verb: Verb) -> bool:
    """Tell whether a sentence wants a thing done."""
    if _ABOUT_STATE.search(sentence):
        return False
    for clause in _CLAUSES.split(sentence):
        for found in verb.wish.finditer(clause):
            if not _NO_WISH.search(clause[: found.start()]) and not _TO_ME.match(clause[found.start() :]):
                return True
        done = re.finditer(rf"\b(?:{verb.done})\b", clause, re.IGNORECASE)
        if any(_WISHED.search(clause[: found.start()]) for found in done):
            return True
        for found in re.finditer(verb.chinese, clause):
            if not _NO_WISH_HAN.search(clause[: found.start()]) and not _DONE_HAN.match(clause[found.end() :]):
                return True
    return False
