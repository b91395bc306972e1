"""The door of the compiled graph: one run per thread at a time, and only user messages come in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from langchain_core.messages import HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from reinforced_agent.graph.state import Context, Output, State
from reinforced_agent.policies.limits import Limits
from reinforced_agent.tools.ledger import Ledger, RunHeldError


_NODES_A_STEP = 12
"""More supersteps than one proposal can take, with approvals and edits."""
_NODES_A_FALLBACK = 5
"""More supersteps than one entry of a chain of fallbacks can take."""


class ThreadBusyError(RuntimeError):
    """Another run of the same thread has not ended; nothing was changed. Try again when it has."""


class InputError(ValueError):
    """A run was started with something other than user messages; nothing was changed."""


class Agent(CompiledStateGraph[State, Context, Any, Output]):
    """A compiled graph that guards its door."""

    limits: Limits
    longest_chain: int
    ledger: Ledger

    @classmethod
    def guard(
        cls,
        compiled: CompiledStateGraph[State, Context, Any, Output],
        limits: Limits,
        longest_chain: int,
        ledger: Ledger,
    ) -> Agent:
        """Put the door in front of a compiled graph.

        Args:
            compiled: The graph.
            limits: Bounds of one run.
            longest_chain: Entries of the longest chain of fallbacks.
            ledger: Where effects, and the threads that run, are written down.

        """
        agent = cls.__new__(cls)
        agent.__dict__.update(vars(compiled))
        agent.__dict__.update(limits=limits, longest_chain=longest_chain, ledger=ledger)
        return agent

    def copy(self, update: dict[str, Any] | None = None) -> Agent:
        """Copy the graph, door included."""
        own = {"limits", "longest_chain", "ledger"}
        attributes = {name: value for name, value in vars(self).items() if name not in own}
        plain = CompiledStateGraph(**attributes | (update or {}))
        return Agent.guard(plain, self.limits, self.longest_chain, self.ledger)

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:  # noqa: A002
        """Run the graph as LangGraph does, behind the door.

        Raises:
            InputError: When the input holds anything but user messages.
            ThreadBusyError: When another run of the thread has not ended.

        """
        config = self._prepare(config)
        admitted = _admit(input)
        with _one_run(self.checkpointer, config), self._held(config):
            if ids := self._ids_to_look_up(admitted):
                _refuse_repeated(self.get_state(config).values, ids)
            yield from super().stream(admitted, config, **options)

    async def astream(  # noqa: D102  # documented at `stream`
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        config = self._prepare(config)
        admitted = _admit(input)
        held = self._held(config)
        with _one_run(self.checkpointer, config):
            await asyncio.to_thread(held.__enter__)
            try:
                if ids := self._ids_to_look_up(admitted):
                    _refuse_repeated((await self.aget_state(config)).values, ids)
                async for part in super().astream(admitted, config, **options):
                    yield part
            finally:
                await asyncio.to_thread(held.__exit__, None, None, None)

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

    def _ids_to_look_up(self, admitted: Any) -> list[str]:
        """Return the ids a caller gave to its messages, where a thread may know them already."""
        if not isinstance(self.checkpointer, BaseCheckpointSaver) or not isinstance(admitted, Mapping):
            return []
        return [message.id for message in admitted["messages"] if message.id]

    def _prepare(self, config: RunnableConfig | None) -> RunnableConfig:
        """Leave the step budget, not LangGraph's recursion limit, to end a run."""
        config = merge_configs(self.config, config)
        enough = (_NODES_A_STEP + _NODES_A_FALLBACK * self.longest_chain) * (self.limits.steps + 1)
        config["recursion_limit"] = max(config.get("recursion_limit", 0), enough)
        if config.get("max_concurrency") is None:
            config["max_concurrency"] = self.limits.parallel_calls
        return config


def _admit(value: Any) -> Any:
    """Let resumes and user messages in.

    Raises:
        InputError: On any other input.

    """
    if value is None:
        return value
    if isinstance(value, Command):
        return _admit_resume(value)
    if not isinstance(value, Mapping) or set(value) != {"messages"}:
        msg = 'The input must be {"messages": [...]} with user messages and nothing else.'
        raise InputError(msg)
    messages = value["messages"]
    messages = convert_to_messages(messages if isinstance(messages, list) else [messages])
    strange = next((message.type for message in messages if not isinstance(message, HumanMessage)), None)
    if strange is not None or not messages:
        msg = f"The input must hold user messages only, but has {strange or 'none'}; the graph keeps the chat itself."
        raise InputError(msg)
    return {"messages": messages}


def _admit_resume(command: Command[Any]) -> Command[Any]:
    """Let answers to approvals in, but no update of the state and no jump.

    Raises:
        InputError: On a command that does more than resume.

    """
    if command.update or command.goto or command.graph or command.resume is None:
        msg = "A resume carries an answer and nothing else: send Command(resume=...) without `update` or `goto`."
        raise InputError(msg)
    return command


def _refuse_repeated(values: Mapping[str, Any], ids: list[str]) -> None:
    """Keep a message that was sent twice from starting its turn anew, and from closing a question that waits.

    Raises:
        InputError: When the thread has one of the messages.

    """
    known = {message.id for message in values.get("messages", ())}
    if repeated := [one for one in ids if one in known]:
        msg = (
            f"The message {repeated[0]!r} was received already: read its answer or its question from the thread's "
            "state, resume it, or go on with an interrupted run by invoking with None."
        )
        raise InputError(msg)


_running: set[tuple[int, str]] = set()
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
        if key in _running:
            raise _busy(thread)
        _running.add(key)
    try:
        yield
    finally:
        with _running_lock:
            _running.discard(key)


def _thread_of(checkpointer: object, config: RunnableConfig) -> str | None:
    """Return the thread that a run must have for itself.

    There is none where nothing is kept, or where a parent graph keeps it and guards its own door.
    """
    thread = (config.get("configurable") or {}).get("thread_id")
    return None if thread is None or not isinstance(checkpointer, BaseCheckpointSaver) else str(thread)


def _busy(thread: str) -> ThreadBusyError:
    """Say that another run has the thread."""
    return ThreadBusyError(f"Thread {thread!r} is running already: wait for that run to end, then send this again.")
