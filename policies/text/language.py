"""Return whether a text is English."""

from __future__ import annotations

import re
from typing import Final


_FUNCTION_WORDS: Final = frozenset(
    word
    for line in (
        "a an the of in on at for to and or with by from s is are was were be been it its this that these",
        "those i me my we us our you your he him she his her they them their what which who whom how when",
        "where why can could would will shall should do does did have has had if as than then so not no any",
        "some all each into about over under between per up out more most also just only but there",
    )
    for word in line.split()
)
"""Words that hold English sentences together."""


_TOKEN: Final = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)?|[^\x00-\x7f]+")


_LAST_LATIN: Final = "\u024f"


_FEWEST_WORDS: Final = 4
"""A shorter request, such as "yes" or "the second one", says too little."""


_ENGLISH_SHARE: Final = 0.15
"""Function words among the words of an English request, at least."""


def is_plain_english(text: str) -> bool:
    """Tell whether a text is an English sentence or two; anything else can't be judged by its words."""
    words = _TOKEN.findall(text.lower())
    if len(words) < _FEWEST_WORDS or any(word[0] > _LAST_LATIN for word in words):
        return False
    return sum(word in _FUNCTION_WORDS for word in words) >= _ENGLISH_SHARE * len(words)
