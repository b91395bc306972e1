"""How feedback steers generation, as one setting, and which of several proposals is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, get_args


Word: TypeAlias = Literal["retry", "candidates", "guided", "guided+candidates"]
"""The strategies by name."""
Way: TypeAlias = Literal[
    "strict tools",
    "response_format",
    "vllm",
    "llama.cpp",
    "vllm grammar",
    "sglang grammar",
    "llama.cpp grammar",
]
"""How a server is told what the model may write: by the field of the request, or by whose it is."""
Guided: TypeAlias = Literal["off", "auto"] | Way
"""Whether what the model writes is masked, and how."""
When: TypeAlias = Literal["always", "after a failed try", "low confidence"]
"""When the model is asked for several proposals."""
Taken: TypeAlias = Literal["first valid", "best"]
"""Which of them is taken."""

_GUIDED: Final = ("off", "auto", *get_args(Way))
_MOST: Final = 32
"""Most proposals a turn may ask for at once."""


class StrategyError(ValueError):
    """A strategy can't be used; the message says why, and what is allowed."""


def _listed(words: Sequence[str]) -> str:
    """Write down what is allowed."""
    return " or ".join(repr(word) for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """How feedback steers generation; without anything set, a refused call is sent back and nothing else happens."""

    candidates: int = 1
    """How many proposals are asked for at once; 1 for a single one."""
    when: When = "after a failed try"
    """When several are asked for: in every step, once the newest proposal was sent back, or when it is unsure."""
    take: Taken = "first valid"
    """The first that passes the layers, or of those that do the one with the highest log P + weight x score."""
    weight: float = 1.0
    """Weight of the score of the layers against the log-probability of the whole message."""
    unsure_below: float = -0.5
    """Mean log-probability of a token under which the model counts as unsure; `low confidence` alone uses it."""
    guided: Guided = "off"
    """How a served model is kept to the tools on offer and their arguments while it writes; `auto` takes what fits the
    model. The embedded model is masked in any case."""
    temperature: float | None = None
    """Temperature of requests for several proposals; at 0 they would all be alike. `None` leaves the model's own."""

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            StrategyError: When one is out of range.

        """
        allowed: tuple[tuple[str, object, bool, str], ...] = (
            ("candidates", self.candidates, 1 <= self.candidates <= _MOST, f"1 to {_MOST}"),
            ("when", self.when, self.when in get_args(When), _listed(get_args(When))),
            ("take", self.take, self.take in get_args(Taken), _listed(get_args(Taken))),
            ("guided", self.guided, self.guided in _GUIDED, _listed(_GUIDED)),
            ("weight", self.weight, self.weight >= 0, "0 or more"),
            ("unsure_below", self.unsure_below, self.unsure_below <= 0, "0 or less, as log-probabilities are"),
            ("temperature", self.temperature, self.temperature is None or self.temperature > 0, "above 0, or None"),
        )
        for name, value, is_right, what in allowed:
            if not is_right:
                msg = f"Strategy({name}={value!r}) can't be used: write {what}."
                raise StrategyError(msg)

    @property
    def wants_logprobs(self) -> bool:
        """Whether the log-probabilities of the model count."""
        return self.candidates > 1 and (self.take == "best" or self.when == "low confidence")


_WORDS: Final[dict[str, Strategy]] = {
    "retry": Strategy(),
    "candidates": Strategy(candidates=3),
    "guided": Strategy(guided="auto"),
    "guided+candidates": Strategy(candidates=3, guided="auto"),
}


def strategy_of(given: Strategy | str) -> Strategy:
    """Return the strategy that is meant.

    Args:
        given: A strategy, one of the words, or a word with the way in which the server is told: `guided:vllm`,
            `guided:vllm+candidates`.

    Raises:
        StrategyError: When it is no strategy and no name of one.

    """
    if isinstance(given, Strategy):
        return given
    word, colon, rest = given.partition(":")
    way, plus, also = rest.partition("+")
    named = _WORDS.get(f"{word}{plus}{also}")
    if named is not None and not colon:
        return named
    if named is not None and word == "guided" and way in get_args(Way):
        return replace(named, guided=way)  # type: ignore[arg-type]  # is one of them
    msg = (
        f"strategy={given!r} is none: write {_listed(tuple(_WORDS))}, 'guided:WAY' or 'guided:WAY+candidates' "
        f"with {_listed(get_args(Way))}, or a Strategy."
    )
    raise StrategyError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One proposal, as far as choosing needs to know it."""

    key: str
    """The same for the same canonical calls, whatever their order of fields and ids."""
    kind: Literal["call", "answer", "unusable"]
    valid: bool
    """Whether all layers let it pass, or leave it to a person."""
    score: float = 0.0
    """What the layers think of it, from 0 to 1."""
    log_p: float = 0.0
    """Log-probability of the whole message; 0 where the model gives none."""
    kinds: tuple[str, ...] = ()
    """Error kinds of the objections."""
    votes: int = 1
    """How many proposals it stands for."""


def merge(candidates: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """Let the first of every kind of proposal stand for all that are the same, each with its position.

    Answers are not compared word by word: they all say that no call is needed, and are merged into the first.
    """
    first: dict[str, int] = {}
    merged: dict[int, Candidate] = {}
    for at, candidate in enumerate(candidates):
        key = "answer" if candidate.kind == "answer" else f"{candidate.kind} {candidate.key}"
        stands = first.setdefault(key, at)
        known = merged.get(stands)
        merged[stands] = candidate if known is None else replace(known, votes=known.votes + candidate.votes)
    return list(merged.items())


def settled(candidates: Sequence[Candidate], asked: int, strategy: Strategy) -> bool:
    """Tell whether what has come so far decides, so that the rest needn't be waited for."""
    if strategy.take != "first valid":
        return False
    return any(one.kind == "call" and one.valid for one in candidates) or _answers_win(candidates, asked)


def choose(candidates: Sequence[Candidate], strategy: Strategy) -> int:
    """Return the position of the proposal that is taken.

    An answer is taken when more than half of all proposals are answers, or when none is a call. Else a valid call; else
    the call that got furthest, whose feedback the model is then given.
    """
    merged = merge(candidates)
    answers = [at for at, one in merged if one.kind == "answer"]
    calls = [(at, one) for at, one in merged if one.kind == "call"]
    if answers and (not calls or _answers_win(candidates, len(candidates))):
        return answers[0]
    if not calls:
        return 0
    valid = [(at, one) for at, one in calls if one.valid]
    if valid and strategy.take == "first valid":
        return valid[0][0]
    return max(valid or calls, key=lambda item: (_worth(item[1], strategy), item[1].votes, -item[0]))[0]


def _answers_win(candidates: Sequence[Candidate], asked: int) -> bool:
    """Tell whether more than half of the proposals are answers."""
    return 2 * sum(one.votes for one in candidates if one.kind == "answer") > asked


def _worth(candidate: Candidate, strategy: Strategy) -> float:
    """Weigh what the model thinks of a proposal against what the layers think of it."""
    return candidate.log_p + strategy.weight * candidate.score


def affordable(wanted: int, per_request: int, left: int | None) -> int:
    """Return how many proposals the tokens that are left are enough for; one is always asked for.

    Args:
        wanted: How many are wanted.
        per_request: Tokens that the newest request took for one proposal; 0 where nobody knows.
        left: Tokens that are left; `None` without a bound.

    """
    if left is None or per_request <= 0:
        return wanted
    return max(1, min(wanted, left // per_request))
