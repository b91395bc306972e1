"""Choose between the tools and a plain answer by two opinions that are multiplied.

The first asks the other way round: how likely is this request among the requests that each tool is for,
P(request | tool)? This needs no calibration, since no name is ever generated that could be preferred for its own sake
(Min et al. 2022, "Noisy Channel Language Model Prompting for Few-Shot Text Classification"). The second counts the
words that a request shares with a tool, rare words more.
"""

import math
import re
from collections.abc import Mapping, Sequence

from reinforced_agent.models.local.prompt import Tool, Turn


ANSWER = ""
"""Name of the option to call no tool."""
OVERLAP = 1.5
"""Weight of the shared words; chosen on development requests."""
CALLS = 0.25
"""Nats for each token of a request by which a call is preferred to an answer; chosen on development requests."""
SHORTLIST = 8
"""Tools that the model is asked about; the others lost on words alone."""

SMALL = frozenset(
    {"a", "an", "and", "are", "at", "be", "by", "for", "from", "has", "in", "is", "it", "of", "the", "to"}
)
"""Words that add nothing of their own."""


def words(text: str) -> set[str]:
    """Return the words of a text in lower case; names are split at underscores, dots and capitals."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return {_stem(word) for word in re.findall(r"[^\W_]+", spaced.lower())}


def _stem(word: str) -> str:
    return re.sub(r"(?:ing|ed|es|e|s)$", "", word) if len(word) > 3 else word  # noqa: PLR2004


def vocabulary(tools: Sequence[Tool], chat: Sequence[Turn]) -> dict[str, set[str]]:
    """Return the words of each option: of names, descriptions, parameters and examples, and of small talk."""
    found = {ANSWER: words(" ".join(turn.request for turn in chat))}
    for tool in tools:
        parameters = (f"{name} {schema.get('description', '')}" for name, schema in tool.properties.items())
        requests = (turn.request for turn in tool.examples)
        found[tool.name] = words(" ".join([tool.name, tool.description, *parameters, *requests]))
    return found


def shared(request: str, known: Mapping[str, set[str]]) -> dict[str, float]:
    """Return the weight of the words that a request shares with each option, by smoothed inverse frequency."""
    said = words(request)
    counts = {word: sum(word in one for one in known.values()) for word in said}
    weights = {word: math.log((len(known) + 1) / (count + 0.5)) for word, count in counts.items()}
    return {name: sum(weights[word] for word in said & one) for name, one in known.items()}


def normalise(scores: Mapping[str, float]) -> dict[str, float]:
    """Turn scores into log-probabilities in nats."""
    highest = max(scores.values())
    total = highest + math.log(sum(math.exp(score - highest) for score in scores.values()))
    return {name: score - total for name, score in scores.items()}


def weigh(heard: Mapping[str, float], overlap: Mapping[str, float], tokens: int) -> dict[str, float]:
    """Return the log-probability, in nats, of each option.

    Whether anything is called is decided first. There a request of n tokens counts as one observation, not as n: else
    the model would always be sure of itself.

    Args:
        heard: log P(request | option), by option; ANSWER may be one of them.
        overlap: weights of the words that the request shares with each option.
        tokens: length of the request.
    """
    scores = {name: heard[name] + OVERLAP * overlap[name] for name in heard}
    answer = scores.pop(ANSWER, None)
    if answer is None or not scores:
        return normalise(scores or {ANSWER: 0.0})
    odds = (max(scores.values()) - answer) / tokens + CALLS
    either = normalise({"call": odds, ANSWER: 0.0})
    return {**{name: score + either["call"] for name, score in normalise(scores).items()}, ANSWER: either[ANSWER]}


def best_of(odds: Mapping[str, float]) -> str:
    """Return the likeliest option; ANSWER if it is at least as likely as all tools together."""
    tools = [name for name in odds if name != ANSWER]
    if not tools or odds.get(ANSWER, -math.inf) >= math.log(0.5):
        return ANSWER
    return max(tools, key=lambda name: odds[name])
