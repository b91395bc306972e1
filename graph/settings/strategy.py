"""What a strategy needs of the model: a way to ask for several proposals."""

from __future__ import annotations

from dataclasses import dataclass, field

from langchain_core.language_models import BaseChatModel

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.models.candidates import Asking, has_one_voice, repeats_itself
from reinforced_agent.policies.guiding.strategy import Strategy, strategy_of


_logger = masking_logger(__name__)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one graph asks for several proposals."""

    strategy: Strategy
    asking: Asking = field(default_factory=Asking)
    repeats: bool = False
    """Whether what the model says when asked once comes again when it is asked for several proposals."""


def sampling_for(model: BaseChatModel, given: Strategy | str) -> Sampling | None:
    """Return how several proposals are asked for; `None` where one is enough, or all would be the same.

    Raises:
        StrategyError: When it is no strategy and no name of one.

    """
    strategy = strategy_of(given)
    if strategy.candidates == 1:
        return None
    if has_one_voice(model):
        _logger.warning(
            "The model says the same whenever it is asked the same: it is asked for one proposal at a time."
        )
        return None
    asking = Asking(logprobs=strategy.wants_logprobs, temperature=strategy.temperature)
    return Sampling(strategy, asking, repeats_itself(model))
