"""Parameters that the graph fills in, past the model: key and requester of the call, and what LangChain injects.

They are told by their annotation. What frameworks inject is looked up among the modules that are loaded: an annotation
can't name a class of one that isn't.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel
from typing_extensions import is_typeddict

from reinforced_agent.tools.people import Person


class KeyMarker:
    """Marks the annotation of a parameter that takes the key."""

    __slots__ = ()


IdempotencyKey: TypeAlias = Annotated[str, KeyMarker()]
"""Type of a parameter that gets the idempotency key of the call: `def pay(amount: int, key: IdempotencyKey) -> str`.

To everything else it is a `str`. The model neither sees nor sends the parameter.
"""

Source: TypeAlias = Literal[
    "key", "requester", "approver", "call id", "state", "store", "config", "runtime", "tool runtime", "host"
]
"""What a parameter is filled with; `host` is for a value that only the host has, so that its default stands.

No parameter is filled with the approver, whom `approved_by()` asks for.
"""

_LABELS: Final[Mapping[Source, str]] = {
    "key": "the idempotency key",
    "requester": "`Requester`",
    "approver": "`approved_by()`",
    "call id": "`InjectedToolCallId`",
    "state": "`InjectedState`",
    "store": "`InjectedStore`",
    "config": "`RunnableConfig`",
    "runtime": "`Runtime`",
    "tool runtime": "`ToolRuntime`",
    "host": "`InjectedToolArg`",
}
_MARKERS: Final[tuple[tuple[str, str, Source], ...]] = (
    ("langgraph.prebuilt", "InjectedState", "state"),
    ("langgraph.prebuilt", "InjectedStore", "store"),
    ("langchain_core.tools", "InjectedToolCallId", "call id"),
    ("langchain_core.tools", "InjectedToolArg", "host"),
)
"""Classes in the metadata of an annotation, the most special first."""
_TYPES: Final[tuple[tuple[str, str, Source], ...]] = (
    ("langchain_core.runnables", "RunnableConfig", "config"),
    ("langgraph.prebuilt", "ToolRuntime", "tool runtime"),
    ("langgraph.runtime", "Runtime", "runtime"),
)
"""Classes that are the annotation itself."""


@dataclass(frozen=True, slots=True)
class Injected:
    """A parameter that the graph fills in."""

    name: str
    source: Source
    field: str = ""
    """The part of the state that it is; empty for the whole."""
    needs: tuple[str, ...] = ()
    """The parts of the state that there have to be."""
    optional: bool = False
    """Whether it has a default, which stands where there is nothing to fill in."""

    @property
    def label(self) -> str:
        """Name what it asks for, as its author wrote it."""
        return _LABELS[self.source]


_REQUESTER: Final = Injected("requester()", "requester")
_APPROVER: Final = Injected("approved_by()", "approver")

_key: ContextVar[str] = ContextVar("reinforced_agent_idempotency_key", default="")
_asked: ContextVar[Callable[[Injected], Any] | None] = ContextVar("reinforced_agent_injected", default=None)


def idempotency_key() -> str:
    """Return the key of the call that runs, the same one whenever this call is run again; for code inside a tool.

    Raises:
        LookupError: Outside a call, or in a call that was started without a key.

    """
    key = _key.get()
    if not key:
        msg = "There is no idempotency key here: ask for it inside a tool that an agent runs, or use `keyed(...)`."
        raise LookupError(msg)
    return key


def requester() -> Person:
    """Return who asked for what the running call does, whoever approved it; for code inside a tool.

    Raises:
        LookupError: Outside a call that an agent runs.

    """
    person: Person = _value_of(_REQUESTER)
    return person


def approved_by() -> Person | None:
    """Return who approved the running call, as it stood or with changes; `None` where nobody had to.

    Raises:
        LookupError: Outside a call that an agent runs.

    """
    person: Person | None = _value_of(_APPROVER)
    return person


def set_key(key: str) -> None:
    """Set the key for the rest of the present context, which must belong to the call alone; empty for none."""
    _key.set(key)


def fill_in_from(find: Callable[[Injected], Any]) -> None:
    """Set who is asked for what is filled in, the key aside, for the rest of the present context.

    Args:
        find: Returns the value of a parameter; raises `LookupError` when there is none.

    """
    _asked.set(find)


@contextmanager
def keyed(key: str, *, requester: Person | None = None, approved_by: Person | None = None) -> Iterator[None]:
    """Run a block as part of the call with this key; the empty key is none, also inside a call that has one.

    Lets a test call a tool as the agent does.

    Args:
        key: The idempotency key.
        requester: Who asked for the call; without one, whom the block would find anyway.
        approved_by: Who approved it, where a requester is given.

    """
    before = _asked.get()

    def find(one: Injected) -> Any:
        if one.source == "requester":
            return requester
        return approved_by if one.source == "approver" else _ask(before, one)

    token, asked = _key.set(key), _asked.set(before if requester is None else find)
    try:
        yield
    finally:
        _asked.reset(asked)
        _key.reset(token)


def injected_as(name: str, annotation: Any, *, optional: bool = False) -> Injected | None:
    """Tell what a parameter of this type is filled with, or optionally filled with; nothing for an argument."""
    annotation = getattr(annotation, "__value__", annotation)  # of a type that has a name
    form = typing.get_origin(annotation)
    if form is Annotated:
        inner = annotation.__origin__
        for extra in annotation.__metadata__:
            if (source := _source(extra if isinstance(extra, type) else type(extra), _MARKERS)) is not None:
                field = str(getattr(extra, "field", None) or "") if source == "state" else ""
                return Injected(name, source, field, _needs(field, inner) if source == "state" else (), optional)
        return injected_as(name, inner, optional=optional)
    if form in {typing.Union, types.UnionType}:
        members = [one for one in typing.get_args(annotation) if one is not types.NoneType]
        found = {injected_as(name, one, optional=optional) for one in members}
        return found.pop() if len(found) == 1 else None
    # A dictionary that extends the config of LangChain says so in its bases only.
    kinds = (form or annotation, *getattr(annotation, "__orig_bases__", ()))
    sources = (_source(kind, _TYPES) for kind in kinds if isinstance(kind, type))
    found_source = next((source for source in sources if source is not None), None)
    return None if found_source is None else Injected(name, found_source, optional=optional)


def _needs(field: str, annotation: Any) -> tuple[str, ...]:
    """Name the parts of the state without which a value of this type can't be made."""
    return (field,) if field else tuple(sorted(getattr(annotation, "__required_keys__", ())))


def _source(kind: type, known: Iterable[tuple[str, str, Source]]) -> Source | None:
    if kind is KeyMarker:
        return "key"
    if known is _TYPES and Person in kind.__mro__:
        return "requester"
    for module, name, source in known:
        found = getattr(sys.modules.get(module), name, None)
        if found in kind.__mro__:
            return source
    return None


def injected_inside(annotation: Any) -> str:
    """Name what the graph would have to fill in somewhere inside a type, such as in an item or a field; or nothing."""
    found = next(_inside(annotation, set()), None)
    return "" if found is None else found.label


def _inside(annotation: Any, seen: set[Any]) -> Iterator[Injected]:
    annotation = getattr(annotation, "__value__", annotation)
    if (found := injected_as("", annotation)) is not None:
        yield found
        return
    for part in typing.get_args(annotation):
        if not isinstance(part, str | int | bytes):  # values of a `Literal`
            yield from _inside(part, seen)
    kind = typing.get_origin(annotation) or annotation
    if isinstance(kind, type) and kind not in seen:
        seen.add(kind)
        for part in types_of_fields(kind).values():
            yield from _inside(part, seen)


def types_of_fields(kind: type) -> dict[str, Any]:
    """Return the types of the fields of a model, a dataclass, a typed dictionary or a named tuple, with their notes."""
    if issubclass(kind, BaseModel):
        return {name: _whole_type(field) for name, field in kind.model_fields.items()}
    if dataclasses.is_dataclass(kind) or is_typeddict(kind) or hasattr(kind, "_fields"):
        try:
            return typing.get_type_hints(kind, include_extras=True)
        except NameError:
            return {}  # nothing that could be described to a model
    return {}


def _whole_type(field: Any) -> Any:
    """Put the type of a field together with what stood beside it."""
    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def supply(function: Callable[..., Any], injected: Iterable[Injected], *, is_async: bool) -> Callable[..., Any]:
    """Return the function with these parameters filled in at every call; sync stays sync, async stays async."""
    wanted = tuple(one for one in injected if one.source != "host")
    if not wanted:
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs | values_for(wanted))

    async def acall(*args: Any, **kwargs: Any) -> Any:
        return await call(*args, **kwargs)

    return functools.wraps(function)(acall if is_async else call)


def values_for(injected: Iterable[Injected]) -> dict[str, Any]:
    """Return what each parameter gets in the call that runs; one that keeps its default is left out.

    Raises:
        LookupError: When there is nothing to fill in, as outside a run, and no default.

    """
    found: dict[str, Any] = {}
    for one in injected:
        try:
            found[one.name] = _value_of(one)
        except LookupError:
            if not one.optional:
                raise
    return found


def _value_of(one: Injected) -> Any:
    """Find the value of a parameter.

    Raises:
        LookupError: When there is none.

    """
    return idempotency_key() if one.source == "key" else _ask(_asked.get(), one)


def _ask(find: Callable[[Injected], Any] | None, one: Injected) -> Any:
    """Ask who knows what is filled in.

    Raises:
        LookupError: When nobody does, or there is nothing.

    """
    if find is None or one.source == "host":
        raise outside_a_run(one)
    return find(one)


def outside_a_run(one: Injected) -> LookupError:
    """Return the error for a parameter that is filled in where an agent runs, and nowhere else."""
    return LookupError(f"There is nothing for `{one.name}` ({one.label}) here: it is filled in where an agent runs.")
