"""What depends on where threads are kept: the ledger, which must live as long as they do, and how they are read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.message import _messages_delta_reducer

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.ledger import Ledger, LedgerError
from reinforced_agent.tools.spec import Risk
from reinforced_agent.tools.toolset import Toolset


_BESIDE: Final = "_reinforced_agent_ledger"
"""Where a store in memory keeps its ledger: an agent that is built anew over the same threads finds what was done.

On the store itself, because LangGraph makes agents a copy of it (`with_allowlist`), and copies share their threads.
"""
_beside_lock = threading.Lock()

_logger = masking_logger(__name__)
_warned: set[str] = set()
"""Kinds of savers that were warned about: once a process is enough."""

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


def strict_serializer() -> JsonPlusSerializer:
    """Return what reads checkpoints back and makes nothing of them but plain data, messages and a few safe types."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


def warn_of_open_serializer(checkpointer: object) -> None:
    """Say once, in the log, that whoever can write to the database of a checkpointer can run code here, and the cure.

    What is kept in the memory of this process can't be written to by others.
    """
    if not isinstance(checkpointer, BaseCheckpointSaver) or isinstance(checkpointer, InMemorySaver):
        return
    kind = type(checkpointer).__name__
    if kind in _warned or not _is_open(checkpointer.serde):
        return
    _warned.add(kind)
    _logger.warning(
        "%s reads back objects of any kind: whoever can write to its database can run code in this process. Set "
        "LANGGRAPH_STRICT_MSGPACK=true before the process starts, or give the checkpointer a strict serializer: "
        "threads.serde = JsonPlusSerializer(allowed_msgpack_modules=None), of langgraph.checkpoint.serde.jsonplus; for "
        "types of your own, name them in place of None.",
        kind,
    )


def _is_open(serde: object) -> bool:
    """Tell whether a serializer makes objects of whatever a checkpoint names."""
    if isinstance(serde, EncryptedSerializer):
        # A row that says it isn't encrypted is read as it is.
        return _is_open(serde.serde)
    if not isinstance(serde, JsonPlusSerializer):
        return False
    return bool(serde.pickle_fallback) or serde._allowed_msgpack_modules is True  # noqa: SLF001  # a test watches it


def unreadable(checkpointer: object, value: object) -> str:
    """Return the kind of the first object in a value that a checkpointer would not give back; empty where it would.

    A strict serializer gives a `dict` back for a type that it was not told of, and says nothing.
    """
    if not isinstance(checkpointer, BaseCheckpointSaver):
        return ""
    for one in _objects_in(value):
        try:
            same = type(checkpointer.serde.loads_typed(checkpointer.serde.dumps_typed(one))) is type(one)
        except Exception:  # noqa: BLE001  # a serializer of the host may fail in any way
            same = False
        if not same:
            return f"{type(one).__module__}.{type(one).__qualname__}"
    return ""


def _objects_in(value: object) -> Iterator[object]:
    """Yield what is no plain data."""
    if isinstance(value, Mapping) and type(value) is dict:
        for one in value.values():
            yield from _objects_in(one)
    elif type(value) in {list, tuple}:
        for one in value:  # type: ignore[attr-defined]
            yield from _objects_in(one)
    elif value is not None and type(value) not in {str, int, float, bool}:
        yield value


def _file_of(saver: SqliteSaver) -> str:
    """Return the file of an SQLite checkpointer; empty when it keeps threads in memory."""
    with saver.lock:
        found = saver.conn.execute("PRAGMA database_list").fetchall()
    return next((str(file) for _, name, file in found if name == "main" and file), "")
