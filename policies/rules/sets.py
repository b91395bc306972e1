"""A set of rules with what they share: the sources of facts and the functions of the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from reinforced_agent.policies.rules.base import Base as Rule
from reinforced_agent.policies.rules.facts import Observed, Source, chronicle, learned
from reinforced_agent.policies.rules.scene import Function, Knowledge, Stage
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Verdict
from reinforced_agent.tools.call import JSON, Call
from reinforced_agent.tools.containers import typed_containers


__all__ = ["Bound", "Rule", "RuleSet"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A rule as a layer, with what its set knows."""

    rule: Rule
    stage: Stage

    @property
    def __name__(self) -> str:
        """The name of the rule, for records."""
        return self.rule.name

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Judge a call."""
        return self.rule.judge(self.stage.scene(call, situation))


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class RuleSet:
    """Rules that belong together; iterating gives one layer a rule: `build_agent(policies=[*rules])`."""

    rules: tuple[Rule, ...] = ()
    sources: tuple[Source, ...] = ()
    """Which results become which facts."""
    host_facts: tuple[str, ...] = ()
    """The facts that come with the run's context."""
    tell_facts: bool = False
    """Whether the model is told, before every proposal, which of the facts that the rules refer to are known."""
    secret_facts: tuple[str, ...] = ()
    """The facts of which the model is told only that they are known."""
    functions: Mapping[str, Function] = field(default_factory=lambda: MappingProxyType({}))
    """What `Computed` names."""

    def __iter__(self) -> Iterator[Bound]:
        """Give every rule what the set knows."""
        stage = Stage(Knowledge(self.sources, self.functions))
        return (Bound(rule, stage) for rule in self.rules)

    def facts(self, calls: Iterable[Observed], *, up_to_date: bool = False) -> dict[str, JSON]:
        """Return what the calls of a thread establish, with what was done and what failed.

        Args:
            calls: All that have come back, oldest first.
            up_to_date: Whether those of the present turn are among them; otherwise the rules add these.

        """
        calls = tuple(calls)
        return learned(self.sources, calls) | chronicle(calls, up_to_date=up_to_date)
