"""What counts as said by the user in a conversation: own words, and what the user agreed to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final


_YES: Final = re.compile(
    r"\W*(?:(?:oh|great|perfect|thanks?|thank you|okay|ok|well|good|h+m+|u[hm]+|a+h+|please|then|so)\W+)*"
    r"(?:ye+s+|yeah|yea|yep|yup|y|ya|aye|k|kk|sure|okay|ok|correct|right|exactly|confirmed|confirm|i confirm|i agree|"
    r"agreed|approved?|go ahead|go for it|please (?:do|go ahead|proceed)|proceed|do (?:it|so|that)|absolutely|"
    r"of course|definitely|certainly|by all means|affirmative|deal|alright|all right|cool|perfect|great|fine|"
    r"as you (?:say|said|suggest|suggested|propose|proposed)|whatever you (?:say|suggest|think|propose|recommend)|"
    r"sounds? (?:good|great|fine|right|perfect|ok|okay)|make it (?:so|happen)|"
    r"let(?:'s|’s| us) (?:do|go|take|book|pay) ?(?:that|it|this|for it|ahead|with (?:that|it|this))?|"
    r"(?:i'm|i am|i’m) (?:fine|ok|okay|happy|good) with (?:that|it|this)|"
    r"that(?:'s| is|’s|'ll|’ll| will) (?:right|correct|fine|good|ok|okay|alright|all right|it|do|great|perfect|work)|"
    r"(?:(?:that|this|it) )?works|s[ií]|claro|vale|oui|d'accord|ja|genau|gerne|sim|да|はい|네)\b"
    r"|\W*(?:是|对|對|好|可以|确认|確認|行(?!不)|没错|沒錯|没毛病|同意|没问题|沒問題|没意见|沒意見|嗯|那?就这|那?就這|成(?!\w)|"
    r"安排|妥|冲(?!\w)|麻烦了|麻煩了|继续|繼續|批准|通过|通過|(?:付|买|買|订|訂|转|轉|退|续|續|下单|下單)(?:吧|了|款吧)|按你[说說]的|就按|[听聽]你的|"
    r"照[办辦]|来吧|來吧|[办辦]吧|[当當]然|必[须須]的)"
    r"|\s*(?:\U0001f44d|\U0001f44c|\u2705|\u2714|\u2611|\U0001f197|\U0001f4af|\U0001f91d|\U0001f646)",
    re.IGNORECASE,
)
"""Words, signs and pictures with which people agree, in English, Chinese, and the plain yes of other languages."""
_BUT: Final = re.compile(r"\b(?:but not|no|not|don't|don’t|instead|wrong)\b|不|别|錯|错(?!误)", re.IGNORECASE)
_CORRECT: Final = re.compile(r"没错|沒錯|不错|不錯|没问题|沒問題|不用(?:再)?(?:问|确认)了?")
_PICK: Final = re.compile(
    r"\W*(?:i(?:'d| would)? (?:like|take|choose|want|prefer) |(?:let's|please) (?:take|use|do) )?"
    r"(?:the )?(?:first|second|third|fourth|fifth|last|former|latter|middle|[a-e]|other|both|cheap(?:er|est)|"
    r"low(?:er|est)|high(?:er|est)|larger|smaller|all|either|option|number|no\.|"
    r"[1-9]|one|two|three|four|that|this)(?: (?:one|two|of them|option|address|account|please|[1-9a-e]))*\W*"
    r"|\W*(?:我?(?:选|要|用))?(?:第[一二三四五六七八九0-9]+[个項项条條]?|中间[的那][个個]?|最?便宜的(?:那[个個])?|前者|后者|後者|最后一个|都(?:要|可以|行)?|"
    r"[一二三四五六七八九0-9])(?:吧|的)?\W*",
    re.IGNORECASE,
)
"""A reply that only picks among what was offered."""
_SENTENCE: Final = re.compile(r"[.!?。！？]\s*")
_YES_LATER: Final = re.compile(
    r"(?:yes|yeah|please (?:do|proceed|go ahead)|go ahead)\b|是的|好的?[，。！]|可以[，。！]", re.IGNORECASE
)
"""Agreement that a later sentence begins with; here only plain words count."""
_PLEASE: Final = re.compile(r"\W*please\W*", re.IGNORECASE)
_MOST_PICKED: Final = 4
"""Words, or three times as many Chinese signs, of a reply that names one of what was offered."""
_OFFERS: Final = re.compile(r"\bor\b|或|还是|還是|\n\s*(?:[-*]|[0-9a-e][.)])", re.IGNORECASE)
"""Words and lists with which a choice is offered."""
_LOOKED_AT: Final = 200
"""Characters in which a reply agrees or objects."""


def agrees(reply: str) -> bool:
    """Tell whether a reply begins with agreement and doesn't take it back at once, or picks among what was offered."""
    head = reply[:_LOOKED_AT]
    if len(reply) <= _LOOKED_AT and (_PICK.fullmatch(head) or _PLEASE.fullmatch(head)):
        return True
    agrees_first = _YES.match(head) is not None
    agrees_later = any(_YES_LATER.match(sentence) for sentence in _SENTENCE.split(head)[1:])
    return (agrees_first or agrees_later) and _BUT.search(_CORRECT.sub("", head)) is None


def _picks(reply: str, proposed: str) -> bool:
    """Tell whether a short reply only repeats words of what was offered, such as "express"."""
    bare = reply.strip().rstrip(".!。！").casefold()
    if not bare or "?" in bare or "？" in bare or _BUT.search(bare) or not _OFFERS.search(proposed):
        return False
    words = bare.split()
    offered = proposed.casefold()
    if not bare.isascii() and len(words) == 1:
        return 1 < len(bare) <= 3 * _MOST_PICKED and bare in offered
    named = [word for word in words if word not in {"the", "please", "then", "one", "a"}]
    return 0 < len(named) <= _MOST_PICKED and all(re.search(rf"\b{re.escape(word)}\b", offered) for word in named)


def said_by_user(turns: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return what the user said, and what the assistant wrote where the user's next words agree to it.

    Args:
        turns: Role and text of each message, oldest first; roles other than `user` and `assistant` are passed over.

    """
    said: list[str] = []
    proposed = ""
    for role, text in turns:
        if role == "user":
            if proposed and (agrees(text) or _picks(text, proposed)):
                said.append(proposed)
            said.append(text)
            proposed = ""
        elif role == "assistant" and text:
            proposed = text
    return tuple(said)
