"""The English phrases with which answers claim that something was done."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from reinforced_agent.policies.answers.verbs import Verb


_ADVERBS: Final = (
    r"(?:,? (?:now|just|also|already|all|both|each|since|successfully|then|therefore|indeed|gone ahead and"
    r"|went ahead and))*"
)
_DOER: Final = rf"\b(?:I|we)(?:'ve| have)?{_ADVERBS}"
_BETWEEN: Final = (
    r"(?:(?!\b(?:you|they|he|she|who|that|which|if|was|were|is|are|been|to|can|could|will|would|not)\b|n't)"
    r"[^.;:?!\n]){1,90}?"
)
_THING: Final = (
    r"(?:\b(?:your|the|this|that|it|they|these|those|both|all|everything|you|order|\w*#?\w*\d\w*)\b"
    r"[^.;:?!\n]{0,60}?|(?-i:\b[A-Z][a-z]+))"
)
_HAS_BEEN: Final = rf"\b(?:has|have|'ve|'s){_ADVERBS} been{_ADVERBS}"
_IS_SUCCESSFULLY: Final = rf"\b(?:was|were|is|are){_ADVERBS} successfully|^\W*successfully"
_WAS: Final = (
    rf"(?:{_THING} ?\b(?:was|were|got|is|are)|\b(?:that|it|everything|this)'s)(?: (?:now|all|both|already|hereby))*"
)
_NO_PAST: Final = r"\b(?! (?:by|when|if|once|within|only|on a)\b)"
"""What follows where something is said of others, or of any time."""
_NOUN_DONE: Final = (
    r"(?:processed|completed|complete|done|issued|initiated|confirmed|successful|finali[sz]ed|submitted|executed|filed"
    r"|arranged|being processed|in progress|underway|under way|on (?:its|the|their) way|taken care of|credited|through)"
)
_NOUN_BY: Final = (
    r"(?:processed|completed|done|issued|initiated|confirmed|finali[sz]ed|submitted|executed|filed|arranged|made|started"
    r"|put in|put through|placed|opened)"
)
_STATE: Final = r"\b(?:has been|have been|has|was|were|is|are|went)(?: (?:now|already|all|successfully|also|gone))*"
_OBJECT: Final = r"(?=\W*$|:|!| (?:your|the|a|an|it|them|both|all|to|for|this|that|\d|#|(?-i:[A-Z])|[\"“'`*]))"

GENERIC: Final = re.compile(
    r"^\W*(?:[\w ,']{1,25}[:!] )?(?:"
    r"(?:and |ok,? |okay,? |great,? |perfect,? )?(?:it'?s |that'?s |it is )?(?:all )?(?:done|all set|completed|sorted)"
    r"(?=\W*$|[,!.–—:-]| for you)"
    r"|(?:everything|it|this|that|all of (?:it|this|that)|your request)(?:'s| is| has been| have been| was)"
    r" (?:now |all )?(?:set|done|ready|completed|taken care of|handled|processed|sorted|arranged|fulfilled)\b"
    r"|you(?:'re| are) (?:now )?(?:all |good to )(?:set|go)\b"
    r"|(?:I|we)(?:'ve| have)?(?: now| just)?"
    r" (?:done|completed|handled|processed|taken care of|took care of|fulfilled)"
    r" (?:it|that|this|everything|your request|the request|all|what you asked)\b"
    r"|[^,.;:?!\n]{1,60}?\b(?:is|are)(?: now| already)? on (?:its|their|the) way\b"
    r"|[^,.;:?!\n]{1,60}?\bwent (?:out|through)\b"
    r"|consider it done\b|mission accomplished\b)",
    re.IGNORECASE,
)
"""Says that what was wanted is done, and not what."""


@lru_cache(maxsize=256)
def phrases_of(verb: Verb) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Compile how a thing is claimed, and whether by the one who did it."""
    found = [(_by_me(verb), True), (_passive(verb), False), (_bare(verb), False)]
    if verb.nouns:
        found += [(_noun_by_me(verb), True), (_noun(verb.nouns), False)]
    return tuple((re.compile(pattern, re.IGNORECASE), own) for pattern, own in found)


def _by_me(verb: Verb) -> str:
    """Match somebody who says that they did it: "I've cancelled", "I checked and cancelled", "I was able to cancel"."""
    did = rf"{_DOER} (?:{verb.done})\b|\b(?:I|we)\b{_BETWEEN}\b(?:and|then){_ADVERBS} (?:{verb.done})\b"
    able = r"\b(?:I|we)(?:'ve| was| were| have been|) (?:able to|managed to)(?: successfully)?"
    return rf"{did}|{able} (?:{verb.base})\b"


def _passive(verb: Verb) -> str:
    """Match what is said to have been done; what is set may have been so for long."""
    was = "" if verb.done == "set" else f"|{_WAS}"
    return rf"(?:{_HAS_BEEN}|{_IS_SUCCESSFULLY}{was}) (?:{verb.done}){_NO_PAST}"


def _bare(verb: Verb) -> str:
    """Match what is said without a verb before it: "Order cancelled.", "Cancelled your order"."""
    words = r"(?:(?:your|the)\s)?(?:[#\w'/-]+\s){0,4}"
    noun = rf"^[^\w\n]*(?!(?:all|ready|nothing|not|no)\b){words}(?:{verb.done})(?:[^\w\n]*$|,)"
    # "Set your address" is no past.
    alone = "" if verb.done in verb.names else rf"|^[^\w\n]*(?:\d+[.)]\s*)?(?:{verb.done}){_OBJECT}"
    return f"{noun}{alone}"


def _noun_by_me(verb: Verb) -> str:
    """Match its name: "I've processed your cancellation"."""
    nouns = f"{verb.nouns}|order" if verb.kind == "book" else verb.nouns
    return rf"{_DOER} {_NOUN_BY}\b[^.;:?!\n]{{0,25}}?\b(?:{nouns})\b"


def _noun(nouns: str) -> str:
    """Match its name, said of others: "Your refund is on its way"."""
    thing = (
        rf"(?<!of )(?<!for )\b(?:your|the|this|that|all|both)\b(?: (?!of\b|for\b)[\w#$.€-]+){{0,4}}? (?:{nouns})s?\b"
    )
    short = rf"^[^\w\n]*(?:{nouns}) (?:complete|completed|successful|done|confirmed|processed|submitted)\b"
    return rf"{thing}[^.,;:?!\n]{{0,40}}?{_STATE} {_NOUN_DONE}\b|{short}"
