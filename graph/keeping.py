"""Choose the ledger that goes with where threads are kept: it must live at least as long as they do."""

from __future__ import annotations

import threading
from typing import Any, Final

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from reinforced_agent.tools.ledger import Ledger, LedgerError
from reinforced_agent.tools.spec import Risk
from reinforced_agent.tools.toolset import Toolset


_BESIDE: Final = "_reinforced_agent_ledger"
"""Where a store in memory keeps its ledger: an agent that is built anew over the same threads finds what was done.

On the store itself, because LangGraph makes agents a copy of it (`with_allowlist`), and copies share their threads.
"""
_beside_lock = threading.Lock()


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


def _file_of(saver: SqliteSaver) -> str:
    """Return the file of an SQLite checkpointer; empty when it keeps threads in memory."""
    with saver.lock:
        found = saver.conn.execute("PRAGMA database_list").fetchall()
    return next((str(file) for _, name, file in found if name == "main" and file), "")
