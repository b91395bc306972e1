"""Write text under a grammar: at each step the best token that the grammar allows and no expert forbids."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
    branches: bool = False
    """Whether the places are wanted where the text might have gone on otherwise."""


@dataclass(frozen=True)
class Branch:
    """A place where a text might have gone on otherwise."""

    tokens: tuple[int, ...]
    """Those before it, and the second best of the place."""
    log_p: float
    """Natural log of the probability of these tokens, under the masks and with the experts."""


@dataclass(frozen=True)
class Written:
    """A text that was written."""

    text: str
    tokens: int
    """How many tokens it has."""
    complete: bool
    """Whether the grammar was satisfied before the tokens ran out."""
    log_p: float = 0.0
    """Natural log of its probability, under the masks and with the experts; what a grammar leaves no choice is sure."""
    branches: tuple[Branch, ...] = ()
    """Where it might have become another text."""


@dataclass(frozen=True)
class _Choice:
    """A token, and the next best one where there is any."""

    token: int
    log_p: float
    second: int | None = None
    second_log_p: float = 0.0


@dataclass
class _Draft:
    """A text under way."""

    tokens: list[int] = field(default_factory=list)
    cursor: Cursor = field(default_factory=Cursor)
    log_p: float = 0.0
    branches: list[tuple[str, Branch]] = field(default_factory=list)
    """Each with the text it would begin with."""

    def add(self, engine: Engine, tokens: Sequence[int]) -> None:
        """Go on with tokens."""
        self.tokens += tokens
        self.cursor.feed("".join(engine.token_texts[token] or "" for token in tokens))

    def branch(self, engine: Engine, choice: _Choice) -> None:
        """Note the second best token."""
        piece = None if choice.second is None else engine.token_texts[choice.second]
        if choice.second is not None and piece:
            # The two signs that may end a value mean the same.
            ended = self.cursor.value is not None and not self.cursor.quoted and piece[0] in ",}"
            begun = (self.cursor.text + piece).rstrip(",}") + ("," if ended else "")
            self.branches.append((begun, Branch((*self.tokens, choice.second), self.log_p + choice.second_log_p)))

    def written(self, *, complete: bool) -> Written:
        """Return what was written; branches that spell the same text in other tokens are none."""
        whole = f"{self.cursor.text[:-1]},"
        branches = tuple(branch for begun, branch in self.branches if not whole.startswith(begun))
        return Written(self.cursor.text, len(self.tokens), complete, self.log_p, branches)


def write(engine: Engine, reading: Reading, guidance: Guidance, most: int, begin: Sequence[int] = ()) -> Written:
    """Write after `reading`, greedily, at most `most` tokens; the reading is used up.

    Args:
        engine: The model.
        reading: What stands before.
        guidance: What has a say beside the model.
        most: Tokens of the text at most.
        begin: Tokens that it begins with; they must fit the grammar.
    """
    matcher, draft = engine.matcher(guidance.grammar), _Draft()
    waiting = list(begin)
    while len(draft.tokens) < most:
        tokens = matcher.compute_ff_tokens()
        if not tokens:
            choice = _choose(engine, reading, matcher, draft.cursor, guidance, waiting[:1])
            if choice is None:
                break
            tokens = [choice.token]
            draft.branch(engine, choice)
            draft.log_p += choice.log_p
        if not matcher.consume_tokens(tokens):
            break
        draft.add(engine, tokens)
        waiting = list(begin[len(draft.tokens) :])
        if matcher.is_stopped():
            break
        reading = engine.extend(reading, tokens)
    return draft.written(complete=matcher.is_accepting() or matcher.is_stopped())


def _choose(
    engine: Engine, reading: Reading, matcher: Any, cursor: Cursor, guidance: Guidance, wanted: Sequence[int]
) -> _Choice | None:
    """Choose the best token that nobody forbids, or take the one that is wanted."""
    scores = _scores(engine, reading, matcher, cursor, guidance)
    best = wanted[0] if wanted else _best(engine, scores, cursor, guidance)
    if best is None:
        return None
    everything = float(scores.logsumexp(-1))
    log_p = float(scores[best]) - everything
    scores[best] = float("-inf")
    second = _best(engine, scores, cursor, guidance) if guidance.branches and not wanted else None
    return _Choice(best, log_p, second, 0.0 if second is None else float(scores[second]) - everything)


def _scores(engine: Engine, reading: Reading, matcher: Any, cursor: Cursor, guidance: Guidance) -> Any:
    """Return the model's log-probabilities with the bonuses of the experts; what the grammar forbids has none."""
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
    """Return the best token that no expert objects to; what is objected to loses its score."""
    while scores.max() > float("-inf"):
        token = int(scores.argmax())
        # A token without text is the end, or a part of a character, which nobody can object to.
        piece = engine.token_texts[token]
        ending = token == engine.end
        if not ending and piece is None:
            return token
        if not guidance.objects(cursor, "" if ending else piece or ""):
            return token
        scores[token] = float("-inf")
    return None


def _tokens(engine: Engine, cursor: Cursor, text: str) -> list[int]:
    if text:
        token = engine.tokens_by_text.get(text)
        return [] if token is None else [token]
    return engine.closing_tokens if cursor.quoted else engine.ending_tokens
