"""The layers of a replay by name: the standard ones, which can be switched off, and packs of further rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from reinforced_agent.policies.approval import ApprovalPolicy, ApprovalRule
from reinforced_agent.policies.approval.risk import LAYER as RISK
from reinforced_agent.policies.approval.risk import TAINT
from reinforced_agent.policies.grounding import LAYER as GROUNDING
from reinforced_agent.policies.grounding import GroundingPolicy
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.repetition import LAYER as REPETITION
from reinforced_agent.policies.schema.validate import LAYER as ARGUMENTS
from reinforced_agent.policies.situation import Layer
from reinforced_agent.policies.tool_names import LAYER as ROUTING
from reinforced_agent.policies.untrusted import Screening
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import ToolSpec


FORMAT: Final = "format"
SCREEN: Final = "screen"
"""The look for orders to the model in untrusted content; without it, only where values come from is left."""

Message: TypeAlias = Mapping[str, Any]
"""One recorded message."""


def no_facts(_messages: Sequence[Message]) -> Mapping[str, JSON]:
    """Know nothing."""
    return {}


@dataclass(frozen=True, slots=True)
class Pack:
    """Rules beyond the standard layers, as a host would bring them."""

    layers: Callable[[Sequence[ToolSpec]], Sequence[Layer]]
    """Makes the layers for the tools of a domain; their verdicts carry layer names of their own."""
    facts: Callable[[Sequence[Message]], Mapping[str, JSON]] = no_facts
    """Reads session facts from the messages before a call."""
    domains: tuple[str, ...] = ()
    """The domains it knows; empty for every one."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything the rules of one domain are made from."""

    specs: tuple[ToolSpec, ...]
    packs: Mapping[str, Pack] = field(default_factory=dict)
    approvals: ApprovalPolicy = field(default_factory=ApprovalPolicy)
    grounding: GroundingPolicy = field(default_factory=GroundingPolicy)
    screening: Screening = field(default_factory=Screening)
    reads: bool = True
    """Whether the reader looks at a call first."""
    silent: frozenset[str] = frozenset()
    """Layers whose objections don't count."""

    def rules(self) -> RuleBook:
        """Compile the rules.

        Raises:
            ToolSchemaError: When a tool's schema can't be used.

        """
        layers = [layer for pack in self.packs.values() for layer in pack.layers(self.specs)]
        return RuleBook(self.specs, layers=layers, approvals=self.approvals, grounding=self.grounding)

    def facts(self, messages: Sequence[Message]) -> dict[str, JSON]:
        """Join what the packs know."""
        return {name: value for pack in self.packs.values() for name, value in pack.facts(messages).items()}


def _without_format(setup: Setup) -> Setup:
    return replace(setup, reads=False)


def _without_routing(setup: Setup) -> Setup:
    """Forget what is said about unknown tools; there is no schema that a later layer could look at."""
    return replace(setup, silent=setup.silent | {ROUTING})


def _without_arguments(setup: Setup) -> Setup:
    """Let every object pass."""
    anything = {"type": "object", "additionalProperties": True}
    return replace(setup, specs=tuple(spec.declare(parameters=anything) for spec in setup.specs))


def _without_grounding(setup: Setup) -> Setup:
    """Check no value, marked or not."""
    return replace(setup, grounding=GroundingPolicy(without=tuple(spec.name for spec in setup.specs)))


def _without_repetition(setup: Setup) -> Setup:
    return replace(setup, specs=tuple(spec.declare(repeat="allow") for spec in setup.specs))


def _without_risk(setup: Setup) -> Setup:
    """Ask about nothing."""
    nobody = ApprovalRule(ask=False)
    return _without_taint(replace(setup, approvals=ApprovalPolicy(write=nobody, destructive=nobody, on_doubt="run")))


def _without_taint(setup: Setup) -> Setup:
    """Trust every result."""
    return replace(setup, specs=tuple(spec.declare(untrusted_output=False) for spec in setup.specs))


def _without_screen(setup: Setup) -> Setup:
    return replace(setup, screening=Screening(screen=False))


_OFF: Final[Mapping[str, Callable[[Setup], Setup]]] = {
    FORMAT: _without_format,
    ROUTING: _without_routing,
    ARGUMENTS: _without_arguments,
    GROUNDING: _without_grounding,
    REPETITION: _without_repetition,
    RISK: _without_risk,
    TAINT: _without_taint,
    SCREEN: _without_screen,
}

STANDARD: Final = tuple(_OFF)
"""The layers every agent has, in their order."""


class UnknownLayerError(ValueError):
    """A layer was named that there is not; the text lists those there are."""


def set_up(
    specs: Iterable[ToolSpec],
    *,
    domain: str = "",
    without: Collection[str] = (),
    packs: Mapping[str, Pack],
) -> Setup:
    """Put the layers of a domain together.

    Args:
        specs: The tools.
        domain: Its name; packs for other domains are left out.
        without: Names of layers and packs to switch off.
        packs: Further rules by name.

    Raises:
        UnknownLayerError: When a name is neither that of a standard layer nor of a pack.

    """
    require_known(without, packs)
    chosen = {
        name: pack
        for name, pack in packs.items()
        if name not in without and (not pack.domains or domain in pack.domains)
    }
    setup = Setup(tuple(specs), chosen)
    # In the order of the layers, because switching off the risk layer takes its part, the taint, with it.
    for name in (name for name in _OFF if name in without):
        setup = _OFF[name](setup)
    return setup


def require_known(without: Collection[str], packs: Mapping[str, Pack]) -> None:
    """Check the names of layers to switch off.

    Raises:
        UnknownLayerError: When a name is neither that of a standard layer nor of a pack.

    """
    known = (*STANDARD, *packs)
    if unknown := [name for name in without if name not in known]:
        msg = f"{unknown[0]!r} is no layer of this replay: choose from {', '.join(known)}."
        raise UnknownLayerError(msg)
