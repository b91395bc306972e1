"""Choose between the tools and a plain answer by multiplying experts that look at the request from different sides.

The channel expert asks the other way round: how likely is this request among the requests that each tool is for,
P(request | tool)? This needs no calibration, since no name is ever generated that could be preferred for its own sake
(Min et al. 2022, "Noisy Channel Language Model Prompting for Few-Shot Text Classification"). The overlap expert counts
the words that a request shares with a tool, rare words more.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reinforced_agent.models.local.engine import Reading
from reinforced_agent.models.local.prompt import Tool, Turn


ANSWER = ""
"""Name of the option to call no tool."""
OVERLAP = 1.0
"""Weight of the overlap expert; chosen on development requests."""
SHORTLIST = 8
"""Tools that the channel expert is asked about; the others lost on words alone."""

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


@dataclass(frozen=True)
class Overlap:
    """The overlap expert for one set of options."""

    vocabulary: Mapping[str, set[str]]
    """Words of each option."""

    @classmethod
    def of(cls, tools: Sequence[Tool], chat: Sequence[Turn]) -> "Overlap":
        """Collect the words of names, descriptions, parameters and examples."""
        found = {tool.name: words(_about(tool)) for tool in tools}
        return cls({**found, ANSWER: words(" ".join(turn.request for turn in chat))})

    def scores(self, request: str) -> dict[str, float]:
        """Return the sum of the weights of the words that the request shares with each option."""
        said = words(request)
        weights = {word: self._weight(word) for word in said}
        return {name: sum(weights[word] for word in said & known) for name, known in self.vocabulary.items()}

    def _weight(self, word: str) -> float:
        """Return the inverse document frequency of a word, smoothed."""
        count = sum(word in known for known in self.vocabulary.values())
        return math.log((len(self.vocabulary) + 1) / (count + 0.5))


def _about(tool: Tool) -> str:
    parameters = " ".join(f"{name} {schema.get('description', '')}" for name, schema in tool.properties.items())
    return " ".join([tool.name, tool.description, parameters, *(turn.request for turn in tool.examples)])


def channel(reading: Reading, before: Reading, request: Sequence[int]) -> float:
    """Return log P(request | what was read before), in nats.

    Args:
        reading: of the request, with the scores after each token.
        before: of what stands before it.
        request: its tokens.
    """
    import torch  # noqa: PLC0415 - heavy, and optional

    logits = torch.cat([before.logits[-1:], reading.logits[:-1]]).log_softmax(-1)
    return float(logits.gather(1, torch.tensor([list(request)]).T).sum())


def normalise(scores: Mapping[str, float]) -> dict[str, float]:
    """Turn scores into log-probabilities in nats."""
    highest = max(scores.values())
    total = highest + math.log(sum(math.exp(score - highest) for score in scores.values()))
    return {name: score - total for name, score in scores.items()}
