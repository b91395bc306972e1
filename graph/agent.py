"""The door of the compiled graph: one run per thread at a time, and only user messages come in."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Literal
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphBubbleUp
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from reinforced_agent.graph.approval.request import with_pauses
from reinforced_agent.graph.budget.budget import RUN
from reinforced_agent.graph.context import Context, context_of
from reinforced_agent.graph.execution.breakers import paused_now
from reinforced_agent.graph.execution.sync_async import Blocking, adrive, in_thread
from reinforced_agent.graph.inputs import (
    CONFIG_KEY_CHECKPOINTER,
    InputError,
    addressed,
    admit,
    given_context,
    is_answer,
    is_nested,
    refuse_repeated,
    surroundings,
)
from reinforced_agent.graph.records.tracing import traced_config
from reinforced_agent.graph.resilience.breakers import Breakers
from reinforced_agent.graph.settings.storage import ledger_needed, unreadable, warn_of_open_serializer
from reinforced_agent.graph.state import Output, State
from reinforced_agent.graph.tenancy import require_own
from reinforced_agent.ledger import Ledger, LedgerError, RunHeldError
from reinforced_agent.policies.limits import Limits


_NODES_A_STEP = 12
"""More supersteps than one proposal can take, with approvals and edits."""
_NODES_A_FALLBACK = 5
"""More supersteps than one entry of a chain of fallbacks can take."""


class ThreadBusyError(RuntimeError):
    """Another run of the same thread has not ended; nothing was changed. Try again when it has."""


class UndecidedError(GraphBubbleUp):
    """An answer to a question could not be taken down, for the reason it was raised from.

    LangGraph keeps the answer of a node that fails, and would take it for that of the next person; of this class it
    keeps none.
    """


class Agent(CompiledStateGraph[State, Context, Any, Output]):
    """A compiled graph that guards its door."""

    limits: Limits
    longest_chain: int
    ledger: Ledger
    breakers: Breakers
    has_effects: bool

    @classmethod
    def guard(
        cls,
        compiled: CompiledStateGraph[State, Context, Any, Output],
        limits: Limits,
        longest_chain: int,
        ledger: Ledger,
        breakers: Breakers,
        *,
        has_effects: bool,
    ) -> Agent:
        """Put the door in front of a compiled graph.

        Args:
            compiled: The graph.
            limits: Bounds of one run.
            longest_chain: Calls that may stand in for one, at most.
            ledger: Where effects, and the threads that run, are written down.
            breakers: Which tools are left alone; `breakers.snapshot()` has their numbers.
            has_effects: Whether a tool changes something.

        """
        agent = cls.__new__(cls)
        agent.__dict__.update(vars(compiled))
        agent.__dict__.update(limits=limits, longest_chain=longest_chain, ledger=ledger)
        agent.__dict__.update(breakers=breakers, has_effects=has_effects)
        return agent

    def copy(self, update: dict[str, Any] | None = None) -> Agent:
        """Copy the graph, door included."""
        own = {"limits", "longest_chain", "ledger", "breakers", "has_effects"}
        attributes = {name: value for name, value in vars(self).items() if name not in own}
        plain = CompiledStateGraph(**attributes | (update or {}))
        return Agent.guard(
            plain, self.limits, self.longest_chain, self.ledger, self.breakers, has_effects=self.has_effects
        )

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:  # noqa: A002
        """Run the graph as LangGraph does, behind the door; `durability` is `sync` unless another is given.

        Raises:
            InputError: When the input holds anything but user messages; within another graph it may be a whole chat.
                When threads are kept, and the configuration names none.
            OtherTenantError: When the thread belongs to another tenant than the person of the context.
            LedgerError: When a parent graph keeps threads longer than the ledger lasts, or the ledger can't be used.
            InputError: When a fact of the context is of a type that the checkpointer would not give back.
            ThreadBusyError: When another run of the thread has not ended.

        """
        config, options = self._prepare(config), self._durable(options)
        around, given = surroundings(config), given_context(config, options)
        admitted = admit(input, context_of(given), nested=is_nested(around))
        self._with_thread(config)
        self._require_lasting_ledger(around)
        self._require_readable(around, given)
        with _one_run(self.checkpointer, config), self._held(config):
            match self._needed(admitted, around, given):
                case "state":
                    admitted = self._let_in(admitted, self.get_state(config), around, given)
                case "owner" if isinstance(self.checkpointer, BaseCheckpointSaver):
                    _require_own(_kept_values(self.checkpointer.get_tuple(config)), around, given)
            with _as_it_was():
                yield from super().stream(admitted, config, **options)

    async def astream(  # noqa: D102  # documented at `stream`
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        config, options = self._prepare(config), self._durable(options)
        around, given = surroundings(config), given_context(config, options)
        admitted = admit(input, context_of(given), nested=is_nested(around))
        self._with_thread(config)
        self._require_lasting_ledger(around)
        self._require_readable(around, given)
        held = self._held(config)
        let_go = partial(held.__exit__, None, None, None)
        with _one_run(self.checkpointer, config):
            await in_thread(Blocking(held.__enter__, undo=lambda _: let_go()))
            try:
                match self._needed(admitted, around, given):
                    case "state":
                        admitted = self._let_in(admitted, await self.aget_state(config), around, given)
                    case "owner" if isinstance(self.checkpointer, BaseCheckpointSaver):
                        _require_own(_kept_values(await self.checkpointer.aget_tuple(config)), around, given)
                with _as_it_was():
                    async for part in super().astream(admitted, config, **options):
                        yield part
            finally:
                await in_thread(Blocking(let_go, owed=True))

    def get_input_jsonschema(self, config: RunnableConfig | None = None) -> dict[str, Any]:
        """Describe what a caller may send; whose it is, the entry adds from the context."""
        schema = super().get_input_jsonschema(config)
        return {**schema, "properties": {"messages": schema["properties"]["messages"]}}

    def get_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:  # noqa: D102
        snapshot = super().get_state(self._with_thread(config), subgraphs=subgraphs)
        return with_pauses(snapshot, self.ledger.paused()) if snapshot.interrupts else snapshot

    async def aget_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:  # noqa: D102
        snapshot = await super().aget_state(self._with_thread(config), subgraphs=subgraphs)
        if not snapshot.interrupts:
            return snapshot
        return with_pauses(snapshot, await adrive(paused_now(self.ledger)))

    def get_state_history(self, config: RunnableConfig, **options: Any) -> Iterator[StateSnapshot]:  # noqa: D102
        return super().get_state_history(self._with_thread(config), **options)

    def aget_state_history(self, config: RunnableConfig, **options: Any) -> AsyncIterator[StateSnapshot]:  # noqa: D102
        return super().aget_state_history(self._with_thread(config), **options)

    def bulk_update_state(self, config: RunnableConfig, supersteps: Any) -> RunnableConfig:  # noqa: D102
        return super().bulk_update_state(self._with_thread(config), supersteps)

    async def abulk_update_state(self, config: RunnableConfig, supersteps: Any) -> RunnableConfig:  # noqa: D102
        return await super().abulk_update_state(self._with_thread(config), supersteps)

    def _with_thread(self, config: RunnableConfig) -> RunnableConfig:
        """Return a configuration with what is bound to the agent; where threads are kept, it must name one.

        Raises:
            InputError: Saying how to name one; LangGraph would raise a bare `KeyError`.

        """
        config = merge_configs(self.config, config)
        thread = (surroundings(config).get("configurable") or {}).get("thread_id")
        if thread is None and isinstance(self.checkpointer, BaseCheckpointSaver):
            msg = (
                "The agent keeps threads, but the configuration names none: "
                'pass config={"configurable": {"thread_id": "..."}} with an id of your own for each conversation.'
            )
            raise InputError(msg)
        return config

    @contextmanager
    def _held(self, config: RunnableConfig) -> Iterator[None]:
        """Hold the thread against other processes for one run.

        Raises:
            ThreadBusyError: When one of them runs it.
            LedgerError: When that can't be found out.

        """
        thread = _thread_of(self.checkpointer, config)
        if thread is None or not self.ledger.is_shared:
            yield
            return
        with ExitStack() as stack:
            try:
                stack.enter_context(self.ledger.runs.holding(thread))
            except RunHeldError as error:
                raise _busy(thread) from error
            yield

    def _needed(self, admitted: Any, around: RunnableConfig, given: object) -> Literal["nothing", "owner", "state"]:
        """Say what has to be known of the thread before anything is let in; its state is the dearer to read.

        A parent graph guards its own entry. A run that goes on, for which nobody is named, brings nothing and shows
        nothing to anybody: a worker may do that.
        """
        if is_nested(around):
            return "state" if self._keeps_threads and is_answer(admitted) else "nothing"
        keeper = (around.get("configurable") or {}).get(CONFIG_KEY_CHECKPOINTER)
        if admitted is None and given is None:
            return "nothing"
        if not self._keeps_threads:
            return "state" if isinstance(keeper, BaseCheckpointSaver) else "nothing"
        ids = isinstance(admitted, Mapping) and any(message.id for message in admitted["messages"])
        return "state" if ids or is_answer(admitted) else "owner"

    def _let_in(self, admitted: Any, snapshot: StateSnapshot, around: RunnableConfig, given: object) -> Any:
        """Return what is let into a thread: questions are named as they are called now.

        Raises:
            OtherTenantError: When the thread is another tenant's.
            InputError: When the thread has one of the messages already.

        """
        if not is_nested(around):
            _require_own(snapshot.values, around, given)
        if not self._keeps_threads:
            return admitted
        if isinstance(admitted, Mapping):
            refuse_repeated(snapshot.values, [message.id for message in admitted["messages"] if message.id])
        # LangGraph would keep what names no question for any later run.
        if not is_answer(admitted):
            return admitted
        found = addressed(admitted, snapshot.interrupts)
        # Without an answer a run that stands still goes on, to put its question; one that has ended has none.
        return found if found is not None or snapshot.next else admitted

    @property
    def _keeps_threads(self) -> bool:
        """Whether a checkpointer of its own keeps the threads."""
        return isinstance(self.checkpointer, BaseCheckpointSaver)

    def _require_lasting_ledger(self, config: RunnableConfig) -> None:
        """Refuse to act where a parent graph, or a server, remembers threads and the ledger would forget what was done.

        Raises:
            LedgerError: Saying which ledger to give.

        """
        keeper = (config.get("configurable") or {}).get(CONFIG_KEY_CHECKPOINTER)
        if (
            keeper is not None
            and self.has_effects
            and not self.ledger.is_shared
            and not isinstance(keeper, InMemorySaver)
        ):
            raise LedgerError(ledger_needed(keeper))

    def _require_readable(self, config: RunnableConfig, given: object) -> None:
        """Refuse facts that would come back as something else; warn once of a parent's checkpointer that is open.

        Raises:
            InputError: Naming the fact, and what to do.

        """
        keeper = (config.get("configurable") or {}).get(CONFIG_KEY_CHECKPOINTER)
        warn_of_open_serializer(keeper)
        for name, fact in context_of(given).facts.items():
            if kind := unreadable(keeper or self.checkpointer, fact):
                msg = (
                    f"The fact {name!r} is or holds a {kind}, which the checkpointer would not give back: give plain "
                    f"data, or name the type to its serializer, JsonPlusSerializer(allowed_msgpack_modules=[...])."
                )
                raise InputError(msg)

    def _durable(self, options: dict[str, Any]) -> dict[str, Any]:
        """Store the state before going on, unless the caller wants it otherwise: what is done must not outrun it."""
        if options.get("durability") is None and isinstance(self.checkpointer, BaseCheckpointSaver):
            return {**options, "durability": "sync"}
        return options

    def _prepare(self, config: RunnableConfig | None) -> RunnableConfig:
        """Leave the step budget, not LangGraph's recursion limit, to end a run."""
        config = merge_configs(self.config, config)
        enough = (_NODES_A_STEP + _NODES_A_FALLBACK * self.longest_chain) * (self.limits.steps + 1)
        config["recursion_limit"] = max(config.get("recursion_limit", 0), enough)
        if config.get("max_concurrency") is None:
            config["max_concurrency"] = self.limits.parallel_calls
        config["configurable"] = {**(config.get("configurable") or {}), RUN: uuid4().hex}
        return traced_config(config)


def _kept_values(kept: CheckpointTuple | None) -> Mapping[str, Any]:
    """Return the channels that a checkpoint holds; of a thread that nobody has begun, none."""
    return {} if kept is None else kept.checkpoint["channel_values"]


def _require_own(values: Mapping[str, Any], around: RunnableConfig, given: object) -> None:
    """Let nobody into a thread whose tenant is another one.

    Raises:
        OtherTenantError: When the thread is another tenant's.

    """
    require_own(values, context_of(given), str((around.get("configurable") or {}).get("thread_id", "")))


@contextmanager
def _as_it_was() -> Iterator[None]:
    """Raise what kept an answer from being taken down as what it was.

    Raises:
        Exception: What the node raised.

    """
    try:
        yield
    except UndecidedError as error:
        raise error.__cause__ or error from None


_running: set[tuple[int, str]] = set()
_held_alone: set[str] = set()
_running_lock = threading.Lock()


@contextmanager
def _one_run(checkpointer: object, config: RunnableConfig) -> Iterator[None]:
    """Hold the thread for one run; runs without a thread don't meet.

    Raises:
        ThreadBusyError: When it is held already.

    """
    thread = _thread_of(checkpointer, config)
    if thread is None:
        yield
        return
    key = (id(checkpointer), thread)
    with _running_lock:
        if key in _running or thread in _held_alone:
            raise _busy(thread)
        _running.add(key)
    try:
        yield
    finally:
        with _running_lock:
            _running.discard(key)


@contextmanager
def held_alone(thread: str, ledger: Ledger | None) -> Iterator[None]:
    """Hold a thread for something other than a run, wherever it is kept.

    Raises:
        ThreadBusyError: When a run of it is under way, here or in a process that shares the ledger.
        LedgerError: When that can't be found out.

    """
    with _running_lock:
        if thread in _held_alone or any(thread == running for _, running in _running):
            raise _busy(thread)
        _held_alone.add(thread)
    try:
        with ExitStack() as stack:
            if ledger is not None and ledger.is_shared:
                try:
                    stack.enter_context(ledger.runs.holding(thread))
                except RunHeldError as error:
                    raise _busy(thread) from error
            yield
    finally:
        with _running_lock:
            _held_alone.discard(thread)


def _thread_of(checkpointer: object, config: RunnableConfig) -> str | None:
    """Return the thread that a run must have for itself.

    There is none where nothing is kept, or where a parent graph keeps it and guards its own door.
    """
    thread = (config.get("configurable") or {}).get("thread_id")
    return None if thread is None or not isinstance(checkpointer, BaseCheckpointSaver) else str(thread)


def _busy(thread: str) -> ThreadBusyError:
    """Say that another run has the thread."""
    return ThreadBusyError(f"Thread {thread!r} is running already: wait for that run to end, then send this again.")
