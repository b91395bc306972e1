"""The door of the compiled graph: one run per thread at a time, and only user messages come in."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from langchain_core.messages import HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from reinforced_agent.graph.state import Context, Output, State
from reinforced_agent.policies.limits import Limits


_NODES_A_STEP = 12
"""More supersteps than one proposal can take, with approvals, edits and fallbacks."""


class ThreadBusyError(RuntimeError):
    """Another run of the same thread has not ended; nothing was changed. Try again when it has."""


class InputError(ValueError):
    """A run was started with something other than user messages; nothing was changed."""


class Agent(CompiledStateGraph[State, Context, Any, Output]):
    """A compiled graph that guards its door."""

    limits: Limits

    @classmethod
    def guard(cls, compiled: CompiledStateGraph[State, Context, Any, Output], limits: Limits) -> Agent:
        """Put the door in front of a compiled graph."""
        agent = cls.__new__(cls)
        agent.__dict__.update(vars(compiled))
        agent.__dict__["limits"] = limits
        return agent

    def copy(self, update: dict[str, Any] | None = None) -> Agent:
        """Copy the graph, door included."""
        attributes = {name: value for name, value in vars(self).items() if name != "limits"}
        plain = CompiledStateGraph(**attributes | (update or {}))
        return Agent.guard(plain, self.limits)

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:  # noqa: A002
        """Run the graph as LangGraph does, behind the door.

        Raises:
            InputError: When the input holds anything but user messages.
            ThreadBusyError: When another run of the thread has not ended.

        """
        config = self._prepare(config)
        with _one_run(self.checkpointer, config):
            yield from super().stream(_admit(input), config, **options)

    async def astream(  # noqa: D102  # documented at `stream`
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        config = self._prepare(config)
        with _one_run(self.checkpointer, config):
            async for part in super().astream(_admit(input), config, **options):
                yield part

    def _prepare(self, config: RunnableConfig | None) -> RunnableConfig:
        """Leave the step budget, not LangGraph's recursion limit, to end a run."""
        config = merge_configs(self.config, config)
        enough = _NODES_A_STEP * (self.limits.steps + 1)
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
    if command.update or command.goto or command.graph:
        msg = "A resume may carry an answer only: send Command(resume=...) without `update`, `goto` or `graph`."
        raise InputError(msg)
    return command


_running: set[tuple[int, str]] = set()
_running_lock = threading.Lock()


@contextmanager
def _one_run(checkpointer: object, config: RunnableConfig) -> Iterator[None]:
    """Hold the thread for one run; runs without a thread don't meet.

    Raises:
        ThreadBusyError: When it is held already.

    """
    thread = (config.get("configurable") or {}).get("thread_id")
    if thread is None:
        yield
        return
    key = (id(checkpointer), str(thread))
    with _running_lock:
        if key in _running:
            msg = f"Thread {thread!r} is running already: wait for that run to end, then send this again."
            raise ThreadBusyError(msg)
        _running.add(key)
    try:
        yield
    finally:
        with _running_lock:
            _running.discard(key)
