"""What is fixed when a graph is built: the parts that every node is handed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeAlias

from langchain_core.language_models import BaseChatModel

from reinforced_agent.graph.records.record import ProposalRecord
from reinforced_agent.graph.resilience.breakers import Breakers
from reinforced_agent.graph.resilience.good_results import GoodResults
from reinforced_agent.graph.settings.guided import Guide
from reinforced_agent.graph.settings.reviewer import Reviewing
from reinforced_agent.graph.settings.sizes import Sizes
from reinforced_agent.graph.settings.strategy import Sampling
from reinforced_agent.ledger import Ledger
from reinforced_agent.policies.answers.policy import OFF, AnswerPolicy
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.planning import PlanBook
from reinforced_agent.policies.rules.facts import Learner
from reinforced_agent.policies.rules.gathering import HouseRules
from reinforced_agent.policies.untrusted import Screening
from reinforced_agent.tools.people import Person
from reinforced_agent.tools.toolset import Toolset


def utc_now() -> datetime:
    """Return the present time, with its zone."""
    return datetime.now(UTC)


Sink: TypeAlias = Callable[[Sequence[ProposalRecord]], object]
"""Takes the records of a turn when it has ended; one that raises is logged and fails nothing."""


ContextFor: TypeAlias = Callable[[Person], Any]
"""Makes the context that tools see of the person who asked."""


@dataclass(frozen=True, kw_only=True)
class Bindings:
    """The parts of one built graph."""

    model: BaseChatModel
    streaming: BaseChatModel | None = None
    """The model in a form that streams while tools are bound; `None` where it can't, or may not."""
    toolset: Toolset
    rules: RuleBook
    limits: Limits
    ledger: Ledger
    """Where approvals and effects are written down."""
    prompt: str
    """System prompt; empty for none."""
    screening: Screening = field(default_factory=Screening)
    """How text of strangers is treated."""
    plans: PlanBook | None = None
    """The rules about plans; `None` where nothing is planned."""
    house: HouseRules = field(default_factory=HouseRules)
    """The rules that the host brought."""
    sinks: tuple[Sink, ...] = ()
    """Where records go."""
    sizes: Sizes = field(default_factory=Sizes)
    """How much the model is shown."""
    conversation: str = ""
    """Whose results may be read, while calls run: the thread, or the turn where nothing is kept."""
    audience: str = ""
    """The end of references to results, while calls run: a mark of the requester's roles."""
    locale: str = "en"
    """Language of the turn, while calls run."""
    nested: bool = False
    """Whether the graph runs within another one, while calls run."""
    answers: AnswerPolicy = OFF
    """What final answers are held against."""
    guide: Guide | None = None
    """How replies are masked by the server of the model; `None` where they are not."""
    sampling: Sampling | None = None
    """How several proposals are asked for; `None` where it is always one."""
    reviewing: Reviewing | None = None
    """Who reviews calls before they run; `None` where nobody does."""
    positional_answers: bool = False
    """Whether a question may be answered without tokens, one decision for each call in order."""
    breakers: Breakers = field(default_factory=Breakers)
    """Which tools are left alone because they keep failing."""
    good_results: GoodResults = field(default_factory=GoodResults)
    """What `LastGood` tells again."""
    context_for: ContextFor | None = None
    """Makes the context that tools see; `None` where that of the run is kept with the turn."""
    now: Callable[[], datetime] = utc_now
    stopwatch: Callable[[], float] = time.monotonic
    """Seconds from any fixed point."""
    dice: Callable[[], float] = random.random
    """Numbers from 0 to 1 that spread out retries."""

    @property
    def learner(self) -> Learner | None:
        """Says which calls establish facts; `None` where no rule asks for any."""
        return self.house.learner

    @cached_property
    def tool_texts(self) -> tuple[str, ...]:
        """What the descriptions of the tools say, in which an answer may find its values."""
        return tuple(f"{spec.description}\n{spec.parameters}" for spec in self.toolset.values())
