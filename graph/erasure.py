"""Erase a person: the texts of their turns leave the threads, their history and the ledger; facts of effects stay.

A thread in which nobody else has spoken is deleted. In a thread of several people the person's messages and all that
was made of them go; the thread is written anew as it stands, without its history, and the others go on in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias, TypeVar, assert_never

from langchain_core.messages import AnyMessage, BaseMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from reinforced_agent.graph.agent import ThreadBusyError, held_alone
from reinforced_agent.graph.answers.receipt import EMPTY
from reinforced_agent.graph.context import known_as
from reinforced_agent.graph.people import owners_of, sender_of
from reinforced_agent.graph.queries.sources import kept_of
from reinforced_agent.graph.settings.storage import chat_channel, choose_ledger
from reinforced_agent.graph.state import State
from reinforced_agent.ledger import Ledger, RunHeldError
from reinforced_agent.ledger.erasing import ErasedRows, ErasureTarget
from reinforced_agent.policies.rules.facts import CHRONICLE
from reinforced_agent.tools.names import canonical_name
from reinforced_agent.tools.toolset import Toolset


_SETS_OFF: Final = ("branch:to:", "__start__", "__pregel_tasks")
"""Beginnings of the channels by which LangGraph knows which node comes next."""
_COPY: Final = "\x1ferasing"
"""What is put behind the id of a thread for the copy that is kept while the thread is written anew."""
_LASTING: Final = ("source", "step", "parents")
"""What stays of the metadata of a checkpoint; the host may have put anything else there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What was erased, or would be."""

    deleted: tuple[str, ...] = ()
    """Threads in which nobody else has spoken."""
    rewritten: tuple[str, ...] = ()
    """Threads of several people that were written anew without the person's turns."""
    left: tuple[str, ...] = ()
    """Threads of several people that another graph keeps, whose channels aren't known here: nothing of them is erased,
    so that graph's owner has to."""
    rows: ErasedRows = field(default_factory=ErasedRows)
    """What went from the ledger."""


@dataclass(slots=True)
class _Thread:
    """What is known about a thread."""

    turns: dict[str, str] = field(default_factory=dict)
    """Whose each turn is, by the id of its message; empty for nobody who was named."""
    speakers: set[str] = field(default_factory=set)
    ours: bool = False
    """Whether its root is a state of ours."""


@dataclass(frozen=True, slots=True)
class _Rewritten:
    """A thread as it is written anew."""

    newest: CheckpointTuple
    results: frozenset[str] = frozenset()
    """References of whole results that its messages and calls still name."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """Look at all checkpoints of a place, newest first."""

    see: Callable[[CheckpointTuple], None]
    where: RunnableConfig | None = None


@dataclass(frozen=True, slots=True)
class _Read:
    """Put the state of a checkpoint together."""

    newest: CheckpointTuple


@dataclass(frozen=True, slots=True)
class _Ask:
    """Call a method of the checkpointer."""

    method: Literal["get_tuple", "put", "put_writes", "delete_thread"]
    arguments: tuple[Any, ...]


_Step: TypeAlias = _Scan | _Read | _Ask
Result = TypeVar("Result")
_Plan: TypeAlias = Generator[_Step, Any, Result]


def erase_person(
    user_id: str,
    *,
    tenant: str = "",
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    ledger: Ledger | str | None = None,
    dry_run: bool = False,
) -> Erasure:
    """Erase a person's texts from threads and ledger; doing it twice does no harm.

    A run of the person that is under way refuses the erasure, in this process or in one that shares the ledger. See to
    it that no new ones begin meanwhile.

    Args:
        user_id: Who, as `Context.user_id` names them, however it is written.
        tenant: Of which tenant.
        checkpointer: Where threads are kept; without it only the ledger is looked through.
        ledger: The ledger, or its address; without it, the one beside a checkpointer in memory or an `SqliteSaver`.
        dry_run: Only tell what would be erased.

    Raises:
        ValueError: When nobody is named, or no place.
        ThreadBusyError: When one of the person's threads is running; nothing is erased then.
        LedgerError: When the ledger can't be used.

    """
    person, book = _person(user_id, tenant), _book(checkpointer, ledger)
    plan, answer = _erase(person, checkpointer, book, dry_run=dry_run), None
    try:
        while not isinstance(step := _next(plan, answer), Erasure):
            answer = _do(step, checkpointer)
    finally:
        plan.close()
        _close(book, ledger)
    return step


async def aerase_person(
    user_id: str,
    *,
    tenant: str = "",
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    ledger: Ledger | str | None = None,
    dry_run: bool = False,
) -> Erasure:
    """Do the same as `erase_person` in an event loop, for checkpointers that are used there."""
    person, book = _person(user_id, tenant), await asyncio.to_thread(_book, checkpointer, ledger)
    plan, answer = _erase(person, checkpointer, book, dry_run=dry_run), None
    try:
        while not isinstance(step := await asyncio.to_thread(_next, plan, answer), Erasure):
            answer = await _ado(step, checkpointer)
    finally:
        await asyncio.to_thread(plan.close)
        await asyncio.to_thread(_close, book, ledger)
    return step


def _person(user_id: str, tenant: str) -> ErasureTarget:
    """Say who is meant.

    Raises:
        ValueError: When it is nobody.

    """
    if not canonical_name(user_id):
        msg = "Nobody is named: give the id of the user whose texts are to be erased."
        raise ValueError(msg)
    return ErasureTarget(tenant, user_id)


def _book(checkpointer: BaseCheckpointSaver[Any] | None, ledger: Ledger | str | None) -> Ledger | None:
    """Return the ledger that is named, or the one beside the checkpointer, if there is one.

    Raises:
        ValueError: When there is no place to look through.

    """
    if ledger is None and checkpointer is None:
        msg = "No place is named: give a checkpointer, a ledger, or both."
        raise ValueError(msg)
    if ledger is None and not isinstance(checkpointer, InMemorySaver | SqliteSaver):
        return None
    return choose_ledger(ledger, checkpointer, Toolset(()))


def _close(book: Ledger | None, given: Ledger | str | None) -> None:
    """Close a ledger that was opened here; one in memory lives on with its checkpointer."""
    if book is not None and book is not given and (book.is_shared or isinstance(given, str)):
        book.close()


def _next(plan: _Plan[Erasure], answer: Any) -> _Step | Erasure:
    try:
        return plan.send(answer)
    except StopIteration as end:
        erased: Erasure = end.value
        return erased


def _do(step: _Step, saver: BaseCheckpointSaver[Any] | None) -> Any:
    """Do one step."""
    if saver is None:
        return None
    match step:
        case _Scan(see=see, where=where):
            for one in saver.list(where):
                see(one)
            return None
        case _Read(newest=newest):
            return _reader(saver).get_state(newest.config).values
        case _Ask(method=method, arguments=arguments):
            return getattr(saver, method)(*arguments)
        case _:
            assert_never(step)


async def _ado(step: _Step, saver: BaseCheckpointSaver[Any] | None) -> Any:
    """Do one step in an event loop."""
    if saver is None:
        return None
    match step:
        case _Scan(see=see, where=where):
            async for one in saver.alist(where):
                see(one)
            return None
        case _Read(newest=newest):
            return (await _reader(saver).aget_state(newest.config)).values
        case _Ask(method=method, arguments=arguments):
            return await getattr(saver, f"a{method}")(*arguments)
        case _:
            assert_never(step)


def _reader(saver: BaseCheckpointSaver[Any]) -> CompiledStateGraph[State, None, State, State]:
    """Return a graph that reads threads as an agent does; it does nothing."""
    drawn = StateGraph(State)
    for node in ("plan", "execute"):
        drawn.add_node(node, _nothing)
    drawn.add_edge(START, "plan")
    if (chat := chat_channel(saver)) is not None:
        drawn.channels["messages"] = chat
    return drawn.compile(checkpointer=saver)


def _nothing(state: State) -> State:
    return state


def _erase(
    person: ErasureTarget, saver: BaseCheckpointSaver[Any] | None, ledger: Ledger | None, *, dry_run: bool
) -> _Plan[Erasure]:
    """Find the person's threads, hold them, and erase: the ledger first, which is found by the threads."""
    found: dict[str, _Thread] = {}
    if saver is not None:
        yield _Scan(partial(_note, found))
    with ExitStack() as held:
        if not dry_run:
            yield from _restore_copies(found, held, ledger)
        mine = [thread for thread, known in found.items() if known.speakers & person.names]
        known: dict[str, _Thread] = {}
        for thread in mine:
            held.enter_context(held_alone(thread, ledger))
            yield _Scan(partial(_note, known), {"configurable": {"thread_id": thread}})
        alone = frozenset(thread for thread, one in known.items() if one.speakers <= person.names)
        shared = {thread: one for thread, one in known.items() if thread not in alone}
        anew: dict[str, _Rewritten] = {}
        for thread, one in shared.items():
            if one.ours:
                anew[thread] = yield from _without(person, thread, one)
        rows = ErasedRows() if ledger is None else _erase_rows(_target(person, alone, shared, anew), ledger, dry_run)
        for thread in alone if not dry_run else ():
            yield _Ask("delete_thread", (thread,))
        for thread, rewritten in anew.items() if not dry_run else ():
            yield from _replace(thread, rewritten.newest)
    left = tuple(sorted(shared.keys() - anew.keys()))
    return Erasure(deleted=tuple(sorted(alone)), rewritten=tuple(sorted(anew)), left=left, rows=rows)


def _target(
    person: ErasureTarget, alone: frozenset[str], shared: Mapping[str, _Thread], anew: Mapping[str, _Rewritten]
) -> ErasureTarget:
    """Say where in the ledger the person's texts are."""
    turns = {(thread, turn) for thread, one in shared.items() for turn, who in one.turns.items() if who in person.names}
    results = {thread: rewritten.results for thread, rewritten in anew.items()}
    return replace(person, threads=alone, turns=frozenset(turns), results=results)


def _erase_rows(target: ErasureTarget, ledger: Ledger, dry_run: bool) -> ErasedRows:  # noqa: FBT001
    """Erase the person from the ledger.

    Raises:
        ThreadBusyError: When a call is being run for them.

    """
    try:
        return ledger.erase(target, dry_run=dry_run)
    except RunHeldError as error:
        raise ThreadBusyError(str(error)) from error


def _note(found: dict[str, _Thread], one: CheckpointTuple) -> None:
    """Note who speaks in a checkpoint, and what waits to become part of the state."""
    place = one.config["configurable"]
    known = found.setdefault(str(place["thread_id"]), _Thread())
    values = one.checkpoint["channel_values"]
    waiting = [(channel, value) for _, channel, value in one.pending_writes or ()]
    for channel, value in (*values.items(), *waiting):
        if channel == "turn" and isinstance(value, Mapping) and "requester" in value:
            known.turns[str(value.get("id", ""))] = known_as(value["requester"])
            known.speakers.add(known_as(value["requester"]))
        elif channel in {"messages", START}:
            known.speakers |= {who for message in _messages_in(value) if (who := sender_of(message))}
            sent = {str(message.id): who for message in _messages_in(value) if (who := sender_of(message))}
            known.turns = {**sent, **known.turns}
    known.ours = known.ours or (not place.get("checkpoint_ns") and {"turn", "schema_version"} <= values.keys())


def _messages_in(value: Any) -> list[AnyMessage]:
    """Return the messages in what a checkpoint holds of a chat: a list, a whole one among changes, or an input."""
    value = value.get("messages") if isinstance(value, Mapping) else getattr(value, "value", value)
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, BaseMessage)]  # type: ignore[misc]


def _without(person: ErasureTarget, thread: str, known: _Thread) -> _Plan[_Rewritten]:
    """Write the newest state of a thread without what the person said, and without what was made of it."""
    newest: CheckpointTuple = yield _Ask("get_tuple", (_place(thread),))
    state: State = yield _Read(newest)
    messages = state.get("messages", [])
    owners = owners_of(messages, known.turns)
    theirs = [owner is None or owner in person.names for owner in owners]
    kept = [message for message, gone in zip(messages, theirs, strict=True) if not gone]
    values = {**newest.checkpoint["channel_values"], **_others(state, person), "messages": kept}
    over = bool(theirs) and theirs[-1]
    if over:
        values = {name: value for name, value in values.items() if not name.startswith(_SETS_OFF)}
    gone = {message.id for message, is_theirs in zip(messages, theirs, strict=True) if is_theirs}
    writes = [] if over else [_spared(write, gone) for write in newest.pending_writes or ()]
    metadata: Any = {name: value for name, value in newest.metadata.items() if name in _LASTING or not over}
    metadata.pop("counters_since_delta_snapshot", None)
    rewritten = newest._replace(
        checkpoint={**newest.checkpoint, "channel_values": values}, metadata=metadata, pending_writes=writes
    )
    return _Rewritten(rewritten, _results_in(kept, values.get("calls", {})))


def _others(state: State, person: ErasureTarget) -> dict[str, Any]:
    """Return the channels beside the chat as they are without the person: those of somebody else's turn stay."""
    turn = state.get("turn", {})
    changed: dict[str, Any] = {"summary": None} if "summary" in state else {}
    if known_as(turn.get("requester")) in person.names:
        facts = {name: fact for name, fact in state.get("facts", {}).items() if name in CHRONICLE}
        over = {"turn": {}, "calls": {}, "proposal": {}, "steps": [], "receipt": EMPTY, "facts": facts}
        return changed | {name: value for name, value in over.items() if name in state}
    # The name of a breaker may be made of an argument of an earlier turn.
    breakers = {name: standing for name, standing in turn.get("breakers", {}).items() if ":" not in name}
    return changed | ({"turn": {**turn, "breakers": breakers}} if "turn" in state else {})


def _spared(write: tuple[str, str, Any], gone: set[str | None]) -> tuple[str, str, Any]:
    """Take messages of the person out of what waits to become part of the state."""
    task, channel, value = write
    if channel != "messages" or not isinstance(value, list):
        return write
    return task, channel, [one for one in value if getattr(one, "id", None) not in gone]


def _results_in(messages: Sequence[AnyMessage], calls: Mapping[str, Any]) -> frozenset[str]:
    """Return the references of whole results that can still be read."""
    told = (kept_of(message) for message in messages if isinstance(message, ToolMessage))
    records = (record.get("kept") for record in calls.values())
    return frozenset(kept["reference"] for kept in (*told, *records) if kept)


def _replace(thread: str, newest: CheckpointTuple) -> _Plan[None]:
    """Put a state in the place of a thread with its history; whoever is cut off finds a copy."""
    yield from _put(thread + _COPY, newest)
    yield _Ask("delete_thread", (thread,))
    yield from _put(thread, newest)
    yield _Ask("delete_thread", (thread + _COPY,))


def _put(thread: str, newest: CheckpointTuple) -> _Plan[None]:
    """Write one checkpoint with what waits to become part of it; its id stays, and so do the ids of its questions."""
    versions = newest.checkpoint["channel_versions"]
    place = yield _Ask("put", (_place(thread), newest.checkpoint, newest.metadata, versions))
    by_task: dict[str, list[tuple[str, Any]]] = {}
    for task, channel, value in newest.pending_writes or ():
        by_task.setdefault(task, []).append((channel, value))
    for task, writes in by_task.items():
        yield _Ask("put_writes", (place, writes, task))


def _restore_copies(found: dict[str, _Thread], held: ExitStack, ledger: Ledger | None) -> _Plan[None]:
    """Bring back threads whose writing was cut off."""
    for copy in [thread for thread in found if thread.endswith(_COPY)]:
        thread = copy.removesuffix(_COPY)
        held.enter_context(held_alone(thread, ledger))
        newest: CheckpointTuple | None = yield _Ask("get_tuple", (_place(copy),))
        if newest is not None and (yield _Ask("get_tuple", (_place(thread),))) is None:
            yield from _put(thread, newest)
        yield _Ask("delete_thread", (copy,))
        found.pop(copy)


def _place(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
