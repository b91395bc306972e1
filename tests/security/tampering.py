"""A checkpoint that somebody has changed in the database, and what a process makes of it; run as a program.

`python -m tests.security.tampering FILE WITNESS WAY`: a thread is begun, its newest checkpoint is replaced by one that
names a function of the system, and the thread is read again. The function would write the file WITNESS.
"""

from __future__ import annotations

import logging
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import EXT_CONSTRUCTOR_SINGLE_ARG, JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from reinforced_agent import ScriptedModel, build_agent


THREAD: Any = {"configurable": {"thread_id": "t"}}


def command(witness: str) -> bytes:
    """Write a value that calls a function when it is read back by a serializer that makes objects of any kind."""
    inner = ormsgpack.packb(("os", "system", f"touch {witness}"))
    return ormsgpack.packb({"v": 4, "id": "x", "channel_values": ormsgpack.Ext(EXT_CONSTRUCTOR_SINGLE_ARG, inner)})


def tamper(file: str, witness: str) -> None:
    """Put the command in place of all checkpoints of a database."""
    with sqlite3.connect(file) as connection:
        connection.execute("update checkpoints set type = 'msgpack', checkpoint = ?", [command(witness)])


def main(file: str, witness: str, way: str) -> None:
    """Begin a thread, change it, and read it; `open` with LangGraph's serializer as it comes, `strict` as we advise."""
    logging.basicConfig(stream=sys.stdout)
    for _ in range(2):
        with SqliteSaver.from_conn_string(file) as threads:
            if way == "strict":
                threads.serde = JsonPlusSerializer(allowed_msgpack_modules=None)
            agent = build_agent(model=ScriptedModel(lines=["Hello."]), tools=[], checkpointer=threads)
            if not Path(f"{file}.begun").exists():
                agent.invoke({"messages": [("user", "Hi.")]}, THREAD)
                Path(f"{file}.begun").touch()
            else:
                tamper(file, witness)
                with suppress(Exception):
                    agent.get_state(THREAD)
            agent.ledger.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
