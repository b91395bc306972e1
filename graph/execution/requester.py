"""Run tools for the person who asked, whoever approved the call or goes on with the run.

What is known of that person is kept with the turn. While a tool runs, the context that it sees is made of it.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, assert_never

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.config import get_config
from langgraph.runtime import get_runtime
from pydantic import BaseModel

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Context, context_of, person_of
from reinforced_agent.graph.context import Person as PersonRecord
from reinforced_agent.graph.deps import Bindings, ContextFor
from reinforced_agent.graph.execution.injection import CallPeople, fill_in_for
from reinforced_agent.graph.inputs import CONFIG_KEY_READ, CONFIG_KEY_RUNTIME, OWN_PLACE
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.state import ContextKind, Turn
from reinforced_agent.tools.names import same_name
from reinforced_agent.tools.people import Person
from reinforced_agent.tools.spec import ToolSpec


Withheld: TypeAlias = Literal["other_person", "no_context", "context_for_failed"]
"""Why a tool may not see a context: the run goes on under that of another person, or of nobody, or the host's
`context_for` raised."""

_SEES_CONTEXT: Final = frozenset({"runtime", "tool runtime"})
"""What is filled in with a context in it."""
_OF_THE_CALLER: Final = ("langgraph_auth_user", "langgraph_auth_user_id", "langgraph_auth_permissions")
"""Where LangGraph's server says in a configuration who called it."""

_logger = masking_logger(__name__)


@dataclass(frozen=True, slots=True)
class CallIdentity:
    """For whom one call runs, and what it sees of them."""

    call: CallPeople
    context: Any = None
    withheld: Withheld | None = None
    away: bool = False
    """Whether the run goes on under somebody else's name than the requester's."""
    given: Any = None
    """The context of the run."""


def checked_context_for(context_for: ContextFor | None) -> ContextFor | None:
    """Return the function of a host that makes the context of a person.

    Raises:
        TypeError: When it is async, or can't be called with the requester alone.

    """
    if context_for is None:
        return None
    if any(map(inspect.iscoroutinefunction, (context_for, getattr(context_for, "__call__", None)))):  # noqa: B004
        msg = "The option `context_for` is async, but nobody awaits it: write a plain function of the requester."
        raise TypeError(msg)
    try:
        signature = inspect.signature(context_for)
    except ValueError:
        return context_for  # such as a class that is written in C
    try:
        signature.bind(Person())
    except TypeError as error:
        msg = (
            f"The option `context_for` is called with the requester and nothing else, but takes `{signature}`: "
            "write a function of one `Requester`, such as context_for=lambda who: ShopContext(user_id=who.user_id)."
        )
        raise TypeError(msg) from error
    return context_for


def kept_of(given: object) -> Turn:
    """Return what a turn keeps of the person who opens it, and of the form of their context."""
    context = context_of(given)
    kept: Turn = {
        "requester": person_of(context),
        "locale": context.locale,
        "facts": context.facts,
        "context": _kind_of(given),
    }
    return kept if not isinstance(given, Mapping) else {**kept, "context_names": sorted(map(str, given))}


def _kind_of(given: object) -> ContextKind:
    """Tell in which form a context was given; only that of ours can be made anew."""
    if given is None:
        return "none"
    if type(given) is Context:
        return "ours"
    if isinstance(given, Mapping) and given.keys() <= Context.model_fields.keys():
        known = context_of(given)
        if all(_plain(getattr(known, name)) == _plain(value) for name, value in given.items()):
            return "mapping"
    return "host"


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def acting_for(record: CallRecord, bound: Bindings) -> CallIdentity:
    """Say for whom a call runs; to be asked from within the node that runs it. Calls the host's `context_for`."""
    turn: Turn = get_config()["configurable"][CONFIG_KEY_READ]("turn")
    given = get_runtime().context
    call = CallPeople(record["id"], requester_of(turn), approver_of(record))
    away = not _are_one(turn["requester"], person_of(context_of(given)))
    context, withheld = _context(turn, given, bound.context_for, away=away)
    return CallIdentity(call, context, withheld, away, given)


def requester_of(turn: Turn) -> Person:
    """Return who asked, as the code of tools sees them."""
    person = turn["requester"]
    return Person(
        user_id=person["user_id"],
        tenant=person["tenant"],
        roles=tuple(person["roles"]),
        locale=turn.get("locale", "en"),
        facts=copy.deepcopy(turn.get("facts", {})),
    )


def approver_of(record: CallRecord) -> Person | None:
    """Return who approved a call, as it stood or with changes of theirs."""
    decision = record.get("decision")
    if decision is None or decision["type"] not in {"approve", "edit"}:
        return None
    by = decision["by"]
    return Person(user_id=by["user_id"], tenant=by["tenant"], roles=tuple(by["roles"]))


def _are_one(one: PersonRecord, other: PersonRecord) -> bool:
    return same_name(one["user_id"], other["user_id"]) and same_name(one["tenant"], other["tenant"])


def _context(turn: Turn, given: object, context_for: ContextFor | None, *, away: bool) -> tuple[Any, Withheld | None]:
    """Return the context that a tool sees, and why there is none where it may not see that of the run."""
    if context_for is not None:
        return _made(context_for, requester_of(turn))
    # A turn that was begun before this was kept is taken for one of ours unless the run brings another kind.
    kind = turn.get("context") or ("host" if _kind_of(given) == "host" else "ours")
    match kind:
        case "none":
            return None, None
        case "ours":
            return _rebuilt(turn), None
        case "mapping":
            names = turn.get("context_names", [])
            return {name: _plain(getattr(_rebuilt(turn), name)) for name in names}, None
        case "host":
            if given is None:
                return None, "no_context"
            return (None, "other_person") if away or _kind_of(given) != "host" else (given, None)
        case _:
            assert_never(kind)


def _rebuilt(turn: Turn) -> Context:
    who = requester_of(turn)
    return Context(user_id=who.user_id, tenant=who.tenant, roles=who.roles, locale=who.locale, facts=who.facts)


def _made(context_for: ContextFor, who: Person) -> tuple[Any, Withheld | None]:
    """Have the host make the context; one that can't be made leaves the tool without, and nothing of another person."""
    try:
        made = context_for(who)
        if not inspect.isawaitable(made):
            return made, None
        if inspect.iscoroutine(made):
            made.close()
        _logger.error("`context_for` returned something that has to be awaited: write a plain function.")
    except Exception:
        _logger.exception("`context_for` could not make the context of the requester.")
    return None, "context_for_failed"


def may_not_run(spec: ToolSpec, acting: CallIdentity) -> Withheld | None:
    """Tell why a tool may not run that is given the context; one that is given none runs without."""
    return acting.withheld if any(one.source in _SEES_CONTEXT for one in spec.injected) else None


@contextmanager
def running_as(acting: CallIdentity) -> Iterator[None]:
    """Let tools that are started in the block, also those that outlast it, see the requester and nobody else."""
    token = var_child_runnable_config.set(_config_for(acting, get_config()))
    try:
        fill_in_for(acting.call)
        yield
    finally:
        var_child_runnable_config.reset(token)


def _config_for(acting: CallIdentity, config: RunnableConfig) -> RunnableConfig:
    """Put the context of the requester in the place of that of the run, wherever a tool may look for it."""
    configurable = dict(config["configurable"])
    runtime = configurable[CONFIG_KEY_RUNTIME].override(context=acting.context)
    if acting.away:
        if runtime.server_info is not None:
            runtime = runtime.override(server_info=dataclasses.replace(runtime.server_info, user=None))
        for name in _OF_THE_CALLER:
            configurable.pop(name, None)
        # The server writes every field of a context into the configuration as well.
        for name in (_values_of(acting.given).keys() & configurable.keys()) - set(OWN_PLACE):
            del configurable[name]
            if name in (seen := _values_of(acting.context)):
                configurable[name] = _plain(seen[name])
    return {**config, "configurable": {**configurable, CONFIG_KEY_RUNTIME: runtime}}


def _values_of(context: object) -> Mapping[str, Any]:
    """Return the fields of a context of any form."""
    if isinstance(context, Mapping):
        return context
    if isinstance(context, BaseModel):
        return {name: getattr(context, name) for name in type(context).model_fields}
    if dataclasses.is_dataclass(context):
        return {field.name: getattr(context, field.name) for field in dataclasses.fields(context)}
    return getattr(context, "__dict__", {})
