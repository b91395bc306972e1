"""What depends on where threads are kept: the ledger, which must live as long as they do, and how a chat is stored."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.message import _messages_delta_reducer

from reinforced_agent.ledger import Ledger, LedgerError
from reinforced_agent.tools.spec import Risk
from reinforced_agent.tools.toolset import Toolset


_BESIDE: Final = "_reinforced_agent_ledger"
"""Where a store in memory keeps its ledger: an agent that is built anew over the same threads finds what was done.

On the store itself, because LangGraph makes agents a copy of it (`with_allowlist`), and copies share their threads.
"""
_beside_lock = threading.Lock()

_CHANGES: Final = 10
"""Changes to a chat, of which a turn with one call has three, after which all of it is stored once more."""


def choose_ledger(ledger: Ledger | str | None, checkpointer: object, toolset: Toolset) -> Ledger:
    """Return the ledger that was named, or the one that goes with the checkpointer.

    Raises:
        LedgerError: When the ledger can't be opened; or when threads outlive this process, a tool changes something,
            and no ledger is named: what a killed run had done would be forgotten, and done again.

    """
    if isinstance(ledger, Ledger):
        return ledger
    if ledger is not None:
        return Ledger.open(ledger)
    if not isinstance(checkpointer, BaseCheckpointSaver):
        return Ledger()
    if isinstance(checkpointer, InMemorySaver):
        return _in_memory(checkpointer)
    if isinstance(checkpointer, SqliteSaver):
        file = _file_of(checkpointer)
        return Ledger.open(f"sqlite:///{file}.ledger") if file else _in_memory(checkpointer)
    if all(spec.risk is Risk.READ for spec in toolset.values()):
        return Ledger()
    raise LedgerError(ledger_needed(checkpointer))


def _in_memory(checkpointer: BaseCheckpointSaver[Any]) -> Ledger:
    """Return the ledger of a store in memory, which lives as long as the store does."""
    with _beside_lock:
        ledger = getattr(checkpointer, _BESIDE, None)
        if not isinstance(ledger, Ledger):
            ledger = Ledger()
            setattr(checkpointer, _BESIDE, ledger)
        return ledger


def ledger_needed(checkpointer: object) -> str:
    """Say why a ledger has to be named, and how."""
    return (
        f"{type(checkpointer).__name__} keeps threads beyond this process, so what was done must be remembered, too: "
        'give build_agent a ledger, ledger="sqlite:///ledger.db" or, for several processes, '
        'ledger="postgresql://USER@HOST/DATABASE".'
    )


def chat_channel(checkpointer: object) -> DeltaChannel[Any] | None:
    """Return the channel that stores what is added to a chat, and all of it now and then; `None` to store it whole.

    A chat that is stored whole at every step makes a long thread large and slow. It can be put together from changes
    where the checkpointer does that by itself. One that lets go of single checkpoints (`prune`) refuses such threads,
    so there the chat is stored whole.
    """
    if not isinstance(checkpointer, BaseCheckpointSaver):
        return None
    kind = type(checkpointer)
    if kind.get_delta_channel_history is BaseCheckpointSaver.get_delta_channel_history:
        return None
    if kind.prune is not BaseCheckpointSaver.prune or kind.aprune is not BaseCheckpointSaver.aprune:
        return None
    reducer: Callable[[Any, Any], Any] = _messages_delta_reducer
    channel = DeltaChannel[Any](reducer, list, snapshot_frequency=_CHANGES)
    channel.key = "messages"
    return channel


def _file_of(saver: SqliteSaver) -> str:
    """Return the file of an SQLite checkpointer; empty when it keeps threads in memory."""
    with saver.lock:
        found = saver.conn.execute("PRAGMA database_list").fetchall()
    return next((str(file) for _, name, file in found if name == "main" and file), "")
