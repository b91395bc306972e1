"""What a layer may know beside the call: the tool, the request, what happened before, and session facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias, TypeVar, overload

from reinforced_agent.policies.verdicts import Verdict
from reinforced_agent.tools.call import JSON, Call
from reinforced_agent.tools.spec import ToolSpec


T = TypeVar("T")

TooExpensive: TypeAlias = Literal["revise", "ask"]
"""What happens to a call that costs too much money: `revise` sends it back, with a lighter one where there is one;
`ask` puts it to a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What is left for one call, after what ran before it and what was accepted beside it; `None` = no bound."""

    money: float | None = None
    """Left of the money of the run."""
    call_money: float | None = None
    """Most that this one call may cost."""
    seconds: float | None = None
    """Left of the working time of the run; calls that run side by side share it."""
    calls: int | None = None
    """Calls left of the run."""
    tool_calls: int | None = None
    """Calls left of this tool."""
    too_expensive: TooExpensive = "revise"


UNBOUNDED = Budget()
"""The budget of a run without bounds."""


class Later(Sequence[T]):
    """A sequence that is made once, when it is needed: most calls are judged without most of what could be known."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        """Make nothing yet."""
        self._make: Callable[[], Iterable[T]] = make
        self._made: tuple[T, ...] | None = None

    def _all(self) -> tuple[T, ...]:
        if self._made is None:
            self._made = tuple(self._make())
        return self._made

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._all()[index]

    def __contains__(self, value: object) -> bool:
        return value in self._all()

    def __eq__(self, other: object) -> bool:
        """Compare what is in it, as tuples do."""
        return self._all() == (other._all() if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


class ResultText(str):
    """What a tool brought: a text that knows whose it is."""

    __slots__ = ("arguments", "error", "private", "tool")

    tool: str
    arguments: str
    """What its own call was given, as JSON; the text vouches for no value of it."""
    private: bool
    """Whether its tool declares `private_output`."""
    error: bool
    """Whether it is the message of an error, or of a call that did not run; it vouches for nothing."""

    def __new__(cls, text: str, *, tool: str, arguments: str = "", private: bool = False, error: bool = False) -> Self:
        """Take a text and what is known about it."""
        made = super().__new__(cls, text)
        made.tool, made.arguments, made.private, made.error = tool, arguments, private, error
        return made


@dataclass(frozen=True, slots=True)
class PastCall:
    """An earlier call of the same user turn and how it ended."""

    tool: str
    """Registered name, or the name as written where none is registered."""
    digest: str
    """Fingerprint of tool and arguments; empty where the arguments couldn't be read."""
    status: str
    """One of `reinforced_agent.policies.status.Status`."""
    result: str = ""
    """The result or error text; empty where nothing ran."""
    step: int = 0
    """The proposal it belonged to, counted from 1."""
    changes: bool = False
    """Whether its tool changes something."""
    may_pass: bool = False
    """Whether it failed in a way that may pass by itself, or brought nothing but an error as its result."""
    unfinished: bool = False
    """Whether its result says that something is still under way."""
    kind: str = ""
    """Error kind of the objection or failure; empty where there was none."""


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another call of the same proposal."""

    tool: str
    """Registered name, or the name as written where none is registered."""
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    """Empty where they couldn't be read."""
    status: str = "proposed"
    """One of `reinforced_agent.policies.status.Status`."""
    later: bool = False
    """Whether it stands after the call that is judged; it wasn't checked itself then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything a layer may look at; it sees no model, no clock and no I/O."""

    spec: ToolSpec
    """The tool the call names."""
    request: str = ""
    """The text of the user's message."""
    history: tuple[PastCall, ...] = ()
    """Earlier calls of this turn, oldest first."""
    siblings: Sequence[str] = ()
    """Digests of the calls before this one in the same proposal."""
    beside: Sequence[Sibling] = ()
    """The other calls of the same proposal, in its order."""
    text: str = ""
    """What the model wrote beside its calls."""
    used: Mapping[str, int] = field(default_factory=dict)
    """How often the requester has run tools over all threads, by what is counted: `TOOL,TOOL PERIOD`; what is missing
    isn't known."""
    identical_failures: int = 1
    """How often the very same call may fail before it is objected to; a failure that may pass gets one more try."""
    facts: Mapping[str, JSON] = field(default_factory=dict)
    """Session facts; what is missing counts as not known."""
    done: Sequence[str] | None = None
    """Of the tools that the facts say have brought a result in the thread, those whose calls the requester asked for,
    oldest first; `None` where nobody else has asked for any."""
    said: Sequence[str] = ()
    """What people and the host said: messages of the user, what the user was shown and went on from, facts, edits."""
    asked: frozenset[str] = frozenset()
    """Paths of the arguments of this tool that the user was asked for just before; the request is the answer."""
    unread: bool = False
    """Whether people or tools also showed what is no text, such as a picture, in which a value may stand."""
    trusted: Sequence[str] = ()
    """Texts that may name values: messages of the user, and results of trusted tools as `ResultText`."""
    untrusted: Sequence[tuple[str, str]] = ()
    """Results of tools with `untrusted_output`, as `ResultText`, each with the name of the tool."""
    orders: Sequence[tuple[str, str]] = ()
    """Passages of these texts that read like orders to the model, each with the name of the tool."""
    answerable: bool = True
    """Whether a person can be asked: the thread is kept until an answer comes."""
    budget: Budget = UNBOUNDED
    """What the run has left for this call."""
    locale: str = "en"
    """Language of feedback, such as `en` or `zh-CN`."""
    plan: tuple[Mapping[str, JSON], ...] = ()
    """The steps of the plan that is followed, as plain data; empty without one."""


Layer: TypeAlias = Callable[[Call, Situation], Verdict]
"""A check of one canonical call; a plain callable, so that users add their own."""
