"""What counts as said by the user in a conversation: own words, and what the user agreed to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final


_YES: Final = re.compile(
    r"\W*(?:(?:oh|great|perfect|thanks?|thank you|okay|ok|well|good)\W+)*"
    r"(?:yes|yeah|yep|yup|sure|okay|ok|correct|right|exactly|confirmed|confirm|i confirm|i agree|agreed|go ahead|"
    r"please do|please go ahead|please proceed|proceed|do it|absolutely|of course|definitely|sounds good|"
    r"that(?:'s| is|’s) (?:right|correct|fine|good|ok|it)|"
    r"(?:that|this|it) works|perfect|great|fine)\b"
    r"|\W*(?:是|对|對|好|可以|确认|確認|行(?!不)|没错|沒錯|同意|没问题|沒問題|嗯|就这|就這)",
    re.IGNORECASE,
)
_BUT: Final = re.compile(r"\b(?:but not|no|not|don't|don’t|instead|wrong)\b|不|别|錯|错(?!误)", re.IGNORECASE)
_CORRECT: Final = re.compile(r"没错|沒錯|不错|不錯|没问题|沒問題")
_PICK: Final = re.compile(
    r"\W*(?:i(?:'d| would)? (?:like|take|choose|want|prefer) |(?:let's|please) (?:take|use|do) )?"
    r"(?:the )?(?:first|second|third|fourth|fifth|last|former|latter|other|both|all|either|option|number|no\.|"
    r"[1-9]|one|two|three|four|that|this)(?: (?:one|two|of them|option|address|account|please|[1-9a-e]))*\W*"
    r"|\W*(?:我?(?:选|要|用))?(?:第[一二三四五六七八九0-9]+[个項项条條]?|前者|后者|後者|最后一个|都(?:要|可以|行)?|"
    r"[一二三四五六七八九0-9])(?:吧|的)?\W*",
    re.IGNORECASE,
)
"""A reply that only picks among what was offered."""
_LOOKED_AT: Final = 200
"""Characters in which a reply agrees or objects."""


def agrees(reply: str) -> bool:
    """Tell whether a reply begins with agreement and doesn't take it back at once, or picks among what was offered."""
    head = reply[:_LOOKED_AT]
    if len(reply) <= _LOOKED_AT and _PICK.fullmatch(head):
        return True
    agreement = _YES.match(head)
    return agreement is not None and _BUT.search(_CORRECT.sub("", head)) is None


def said_by_user(turns: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return what the user said, and what the assistant wrote where the user's next words agree to it.

    Args:
        turns: Role and text of each message, oldest first; roles other than `user` and `assistant` are passed over.

    """
    said: list[str] = []
    proposed = ""
    for role, text in turns:
        if role == "user":
            if proposed and agrees(text):
                said.append(proposed)
            said.append(text)
            proposed = ""
        elif role == "assistant" and text:
            proposed = text
    return tuple(said)
