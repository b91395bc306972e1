"""Write text under a grammar: at each step the best token that the grammar allows and nobody objects to."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reinforced_agent.models.local.engine import Engine, Reading


_QUOTED = re.compile(r'(?:[^"]++|"(?:[^"\\]++|\\.)*+")*+"(?P<value>(?:[^"\\]++|\\.?)*+)')
_BARE = re.compile(r'(?<![^\s\[\]{},:"])[^\s\[\]{},:"]++\Z')


@dataclass(frozen=True)
class Cursor:
    """A place in a JSON value under way."""

    text: str = ""
    """All that was written."""

    @cached_property
    def quoted(self) -> bool:
        """Whether a string stands open."""
        return _QUOTED.fullmatch(self.text) is not None

    @cached_property
    def value(self) -> str | None:
        """What is there of the innermost string, number or word; None between them."""
        if open_string := _QUOTED.fullmatch(self.text):
            return open_string["value"]
        bare = _BARE.search(self.text)
        return bare[0] if bare else None


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
    matcher, cursor, written = engine.matcher(guidance.grammar), Cursor(), 0
    while written < most:
        tokens = matcher.compute_ff_tokens()
        if not tokens:
            token = _best(engine, _scores(engine, reading, matcher, cursor, guidance), cursor, guidance)
            tokens = [] if token is None else [token]
        if not tokens or not matcher.consume_tokens(tokens):
            break
        written += len(tokens)
        cursor = Cursor(cursor.text + "".join(engine.token_texts[token] or "" for token in tokens))
        if matcher.is_stopped():
            break
        reading = engine.extend(reading, tokens)
    return Written(cursor.text, written, complete=matcher.is_accepting() or matcher.is_stopped())


def _scores(engine: Engine, reading: Reading, matcher: Any, cursor: Cursor, guidance: Guidance) -> Any:
    """Return the model's log-probabilities with the bonuses of what is wished; what the grammar forbids has none."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    scores = reading.logits[-1].log_softmax(-1)
    allowed = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), np.uint8), bitorder="little")[: len(scores)]
    for text, bonus in guidance.wishes(cursor).items():
        for token in _tokens(engine, cursor, text):
            scores[token] += bonus
    scores[torch.from_numpy(allowed == 0)] = -torch.inf
    return scores


def _best(engine: Engine, scores: Any, cursor: Cursor, guidance: Guidance) -> int | None:
    """Return the best token that nobody objects to; what is objected to loses its score."""
    while scores.max() > float("-inf"):
        token = int(scores.argmax())
        piece = "" if token == engine.end else engine.token_texts[token]
        # Without text it is a part of a character, which nobody can object to.
        if piece is None or not guidance.objects(cursor, piece):
            return token
        scores[token] = float("-inf")
    return None


def _tokens(engine: Engine, cursor: Cursor, text: str) -> list[int]:
    if text:
        token = engine.tokens_by_text.get(text)
        return [] if token is None else [token]
    return engine.closing_tokens if cursor.quoted else engine.ending_tokens
