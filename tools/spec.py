"""What a tool declares about itself: name, parameters, risk, time and what to do when it fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

from reinforced_agent.tools.breaker import Breaker
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.containers import typed_containers
from reinforced_agent.tools.error_rules import FailureRules
from reinforced_agent.tools.estimates import Estimate
from reinforced_agent.tools.fallbacks import Fallback
from reinforced_agent.tools.injection import Injected
from reinforced_agent.tools.limits import ToolLimits
from reinforced_agent.tools.outward import leads_outside
from reinforced_agent.tools.result_rules import ResultRules


class Risk(StrEnum):
    """How much harm a wrong call can do; ordered from least to most."""

    READ = "read"
    """Changes nothing."""
    WRITE = "write"
    """Changes something, or nobody said that it doesn't."""
    DESTRUCTIVE = "destructive"
    """Deletes, pays or otherwise can't be taken back."""

    @property
    def rank(self) -> int:
        """Position in the order of harm, from 0."""
        return _RANKS[self]


# Worked out once: layers ask for every value of every call.
_RANKS = {risk: rank for rank, risk in enumerate(Risk)}

Arguments: TypeAlias = Mapping[str, JSON]
"""Canonical arguments of a call."""


@dataclass(frozen=True, slots=True)
@typed_containers
class Example:
    """A request and the arguments a right call for it has; shown to models that learn from examples."""

    request: str
    arguments: Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Establishes:
    """A session fact that a call of the tool establishes, for rules to refer to."""

    fact: str
    """Its name."""
    path: str = ""
    """Where in what the call brought, with dots; lists are looked through. Without a path, the whole."""
    key: tuple[str, ...] = ()
    """Makes the fact a table: the entries of the record, or else of the arguments, that tell one record from another;
    several are joined with a space."""
    given: tuple[str, ...] = ()
    """Arguments that hold for every record of the result, whatever it says itself."""
    on: Literal["result", "failure", "approval", "answer"] = "result"
    """What establishes it: the tool's result, its error, or a person.

    A person does it by approving a call that then ran, where `path` and `key` look into the arguments (without both,
    the fact is true), or by an answer in the tool's place.
    """
    roles: tuple[str, ...] = ()
    """Roles of which the person has to have one, where a person establishes it; empty for anybody who may decide."""


@dataclass(frozen=True, slots=True)
class Happened:
    """The target says that the call took effect."""

    result: Any
    """What the tool would have returned."""


@dataclass(frozen=True, slots=True)
class DidNotHappen:
    """The target says that the call took no effect, and will take none."""


Reconciled: TypeAlias = Happened | DidNotHappen | None
"""What the target of a call says about it; `None` where it can't tell either."""


@dataclass(frozen=True, kw_only=True)
@typed_containers
class ToolSpec:
    """One tool as the graph knows it."""

    name: str
    """Unique; letters, digits, `_` and `-`, at most 64 characters (what providers accept)."""
    description: str
    """For the model."""
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments, an object schema; unknown fields are refused even where it is silent."""
    risk: Risk = Risk.WRITE
    """Undeclared counts as write, and a write asks a person."""
    timeout: float | None = None
    """Seconds for one call; `None` takes the limit of the run."""
    limits: ToolLimits | None = None
    """Bounds of this tool where they differ from those of the run; `None` = none do."""
    estimate: Estimate | None = None
    """What a call will cost in money and time; `None` = nothing that counts."""
    examples: tuple[Example, ...] = ()
    """Right calls, for small models and for feedback."""
    offered: bool = True
    """Whether the model may call it; a tool that isn't offered serves as a fallback only."""
    repeat: Literal["allow", "refuse", "reuse"] = "refuse"
    """What becomes of a call that repeats one of the same turn with nothing changed in between.

    `refuse` sends it back with the outcome that is known. `reuse`, for reads, takes the earlier result once. `allow`
    runs it, because its answer changes or each call has an effect of its own. A read whose result says that something
    is still under way (`queued`, `running`, `pending`, …) may always be made again.
    """
    version: str = ""
    """Which version of the tool it is, as you count them. Change it when a call comes to mean something else while the
    declaration stays the same: a call that a person approved under another version is not run, but asked about anew."""
    idempotent: bool = False
    """Running it twice with the same arguments, or the same idempotency key, has the effect of running it once."""
    reconcile: Callable[[Arguments, str], Reconciled | Awaitable[Reconciled]] | None = None
    """Asks the target about a call whose outcome is unknown; gets the arguments and the idempotency key."""
    transient: tuple[type[BaseException], ...] = ()
    """Errors of this tool that may pass by themselves, beside lost connections, time-outs and busy servers."""
    effect: str | Callable[[Arguments], str] = ""
    """What a call does, in words for the person who decides: a template such as `"Pays {amount} euros to {to}"`, or a
    callable; without it, the first line of the description. Texts among the arguments are put in quotes."""
    untrusted_output: bool = False
    """The result is untrusted content: strangers may have written it."""
    private_output: bool = False
    """The result is confidential as a whole: no passage of 40 characters of it leaves with an outward read, or with a
    link of an answer, unasked once untrusted content was read."""
    egress: bool | None = None
    """Whether what a read is given leaves for the outside, as a search of the web or a page to be fetched does; `None`
    reads it from its parameters: one of format `uri`, or named `url`, `host` or `domain`, and `query` where the
    result is untrusted content."""
    destinations: tuple[str, ...] | None = None
    """Parameters that say where something goes, such as a recipient: where a host rule lets a call run, only a value
    there holds it that untrusted content alone named; `None` means any value."""
    establishes: tuple[Establishes, ...] = ()
    """The session facts that its calls establish, beside those that rule sets declare."""
    result: ResultRules | None = None
    """What is expected of every result; what needs no declaration is looked at without it."""
    failures: FailureRules | None = None
    """How its exceptions are understood, beside `transient`, and how much of them the model sees."""
    fallbacks: tuple[Fallback, ...] = ()
    """What to try, in this order, when the tool fails, is left alone by its breaker, or returns something unusable."""
    injected: tuple[Injected, ...] = ()
    """Parameters that the graph fills in; the model neither sees nor sends them. Read from the signature."""
    return_direct: bool = False
    """Whether its result is the answer: the turn ends when all calls of a message are of such tools and brought one."""
    breaker: Breaker | None = None
    """When the tool is left alone because it keeps failing; `None` takes what holds for all tools of the graph."""
    validate: Callable[[Arguments], object] | None = None
    """Checks what a schema can't say; raises `ValueError` with a text the model can act on."""
    run: Callable[[Arguments], Any] | None = field(default=None, repr=False)
    """Runs the tool and returns its result."""
    arun: Callable[[Arguments], Awaitable[Any]] | None = field(default=None, repr=False)
    """Runs the tool in an event loop; where it is missing, `run` goes to a thread."""
    function: Callable[..., Any] | None = field(default=None, repr=False, compare=False)
    """The function that it was made of, as it was written; calling the tool calls it."""

    def __post_init__(self) -> None:
        """Accept the risk as a plain word.

        Raises:
            ValueError: On a word that is no risk, or no way to repeat a call of this risk.

        """
        object.__setattr__(self, "risk", Risk(self.risk))
        if self.repeat not in {"allow", "refuse", "reuse"} or (self.repeat == "reuse" and self.risk is not Risk.READ):
            allowed = "'allow', 'refuse' or 'reuse'" if self.risk is Risk.READ else "'allow' or 'refuse'"
            msg = f"The tool {self.name!r} ({self.risk.value}) declares repeat={self.repeat!r}: write {allowed}."
            raise ValueError(msg)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that the tool was made of, as if it weren't a tool; nothing is checked or filled in.

        Raises:
            TypeError: When the tool was made of something else.

        """
        if self.function is None:
            msg = f"The tool {self.name!r} was not made of a function: pass its arguments to `run` or `arun`."
            raise TypeError(msg)
        return self.function(*args, **kwargs)

    @cached_property
    def is_outward(self) -> bool:
        """Whether it is a read whose arguments leave for the outside, as it is declared or by its parameters."""
        if self.risk is not Risk.READ or self.egress is not None:
            return self.risk is Risk.READ and self.egress is True
        return leads_outside(self.parameters, untrusted_output=self.untrusted_output)

    def declare(self, **declared: Any) -> Self:
        """Return this tool with some of its declarations replaced, such as `risk="read"`."""
        return replace(self, **declared)
