"""Write text under a grammar: at each step the best token that the grammar allows and no expert forbids."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reinforced_agent.models.local.cursor import Cursor
from reinforced_agent.models.local.engine import Engine, Reading


Wishes = Callable[[Cursor], Mapping[str, float]]
"""Texts that should follow, with the natural log of their bonus; the empty text stands for the end of a value."""
Objection = Callable[[Cursor, str], bool]
"""Whether a text must not follow; the empty text stands for the end of everything."""


@dataclass(frozen=True)
class Guidance:
    """What has a say beside the model."""

    grammar: str
    """What may be written at all, for llguidance."""
    wishes: Wishes = lambda _: {}
    objects: Objection = lambda _cursor, _text: False


@dataclass(frozen=True)
class Written:
    """A text that was written."""

    text: str
    tokens: int
    """How many tokens it has."""
    complete: bool
    """Whether the grammar was satisfied before the tokens ran out."""


def write(engine: Engine, reading: Reading, guidance: Guidance, most: int) -> Written:
    """Write after `reading`, greedily, at most `most` tokens; the reading is used up."""
    matcher = engine.matcher(guidance.grammar)
    cursor, written = Cursor(), 0
    while written < most:
        tokens = matcher.compute_ff_tokens() or _choose(engine, reading, matcher, cursor, guidance)
        if not tokens or not matcher.consume_tokens(tokens):
            break
        written += len(tokens)
        cursor.feed("".join(engine.token_texts[token] or "" for token in tokens))
        if matcher.is_stopped():
            break
        reading = engine.extend(reading, tokens)
    return Written(cursor.text, written, matcher.is_accepting() or matcher.is_stopped())


def _choose(engine: Engine, reading: Reading, matcher: Any, cursor: Cursor, guidance: Guidance) -> list[int]:
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    scores = reading.logits[-1].log_softmax(-1)
    allowed = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), np.uint8), bitorder="little")[: len(scores)]
    for text, bonus in guidance.wishes(cursor).items():
        for token in _tokens(engine, cursor, text):
            scores[token] += bonus
    scores[torch.from_numpy(allowed == 0)] = -torch.inf
    while scores.max() > -torch.inf:
        token = int(scores.argmax())
        # A token without text is the end, or a part of a character, which nobody can object to.
        piece = engine.token_texts[token]
        ending = token == engine.end
        if not ending and piece is None:
            return [token]
        if not guidance.objects(cursor, "" if ending else piece or ""):
            return [token]
        scores[token] = -torch.inf
    return []


def _tokens(engine: Engine, cursor: Cursor, text: str) -> list[int]:
    if text:
        token = engine.tokens_by_text.get(text)
        return [] if token is None else [token]
    return engine.closing_tokens if cursor.quoted else engine.ending_tokens
