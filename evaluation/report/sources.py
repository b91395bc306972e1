"""Read records out of a ledger without writing to it; what can't be used is counted and named, never passed over."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError
from sqlalchemy import Engine, create_engine, inspect, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from reinforced_agent.graph.records.record import RECORD_VERSION, ProposalRecord
from reinforced_agent.ledger.engine import (
    BUSY_SECONDS,
    LedgerError,
    explain,
    in_memory,
    make_engine,
    placed,
    read_url,
    schema_of,
)
from reinforced_agent.ledger.tables import records
from reinforced_agent.ledger.upgrade import earlier_version
from reinforced_agent.policies.status import Status


HOW_TO_RECORD: Final = (
    "Records are written by `build_agent(sinks=[SqlSink(ledger)])`, with `ledger = Ledger.open(URL)`; name the same "
    "URL with --db or in REINFORCED_AGENT_DATABASE."
)
"""What to do where there are none."""
_PAGE: Final = 500
"""Rows read at a time."""
_NAMED: Final = 5
"""How many of the records that were left out are named."""
_KINDS: Final = ("call", "answer", "unusable", "plan")
_UNUSED: Final = ("raw", "arguments", "feedback", "result", "error")
"""Texts of a call that no number is made from; they are not kept in memory, and so can't get into a report."""


class ReportError(ValueError):
    """There is nothing to report, or it can't be read or written; the text says what is wrong and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Records that no number was made from."""

    newer: int = 0
    """Written by a newer version of this package."""
    damaged: int = 0
    """Of a shape that no version wrote."""
    examples: tuple[str, ...] = ()
    """The first of them by id, each with what is wrong."""

    def __bool__(self) -> bool:
        return bool(self.newer or self.damaged)

    @property
    def sentence(self) -> str:
        """Say what was left out; empty where nothing was."""
        counts = []
        if self.newer:
            counts.append(f"{self.newer} written by a newer version of reinforced-agent (install it to read them)")
        if self.damaged:
            counts.append(f"{self.damaged} damaged")
        return f"Left out: {' and '.join(counts)}; such as {'; '.join(self.examples)}." if counts else ""

    def as_json(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {"newer": self.newer, "damaged": self.damaged, "examples": list(self.examples)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Records with where they came from."""

    source: str
    """For people, without password."""
    records: list[ProposalRecord] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)


def read_ledger(url: str, namespace: str = "") -> Loaded:
    """Read all records of a namespace of a ledger, in one transaction that writes nothing.

    Args:
        url: `sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`.
        namespace: The one that the records were written under; empty where none was named.

    Raises:
        ReportError: When the address is wrong, the database can't be read, it holds no records, or none of this
            version.

    """
    try:
        address = read_url(url)
        name = _name(address)
        if in_memory(url):
            msg = f"The ledger {name} ends with the process that wrote it: report on one in a file or on a server."
            raise ReportError(msg)
        engine = _engine(address, name)
    except LedgerError as error:
        raise ReportError(str(error)) from None
    try:
        kept, left_out = keep(_rows(placed(engine), name, namespace))
    except SQLAlchemyError as error:
        raise ReportError(str(explain(error, name))) from error
    finally:
        engine.dispose()
    if not kept:
        within = f" under the namespace {namespace!r}" if namespace else ""
        why = left_out.sentence or f"Its table is empty{within and ' there'}. {HOW_TO_RECORD}"
        msg = f"The ledger {name} holds no records to report on{within}. {why}"
        raise ReportError(msg)
    return Loaded(source=name, records=kept, left_out=left_out)


def keep(rows: Iterable[tuple[str, object]]) -> tuple[list[ProposalRecord], LeftOut]:
    """Read stored records, each given as its id and its JSON text, and note those that can't be used."""
    kept: list[ProposalRecord] = []
    faults: list[tuple[str, str]] = []
    for identity, text in rows:
        try:
            kept.append(_record(text))
        except _NewerError as error:
            faults.append((f"{identity}: {error}", "newer"))
        except (ValueError, RecursionError) as error:
            faults.append((f"{identity}: {_first_fault(error)}", "damaged"))
    return kept, LeftOut(
        newer=sum(kind == "newer" for _, kind in faults),
        damaged=sum(kind == "damaged" for _, kind in faults),
        examples=tuple(text for text, _ in faults[:_NAMED]),
    )


class _NewerError(Exception):
    """A record is of a newer version."""


def _record(text: object) -> ProposalRecord:
    """Read one record without the texts that no number is made from.

    Raises:
        _NewerError: When it is of a newer version.
        ValueError: When it is damaged.

    """
    data = json.loads(text) if isinstance(text, str) else None
    if not isinstance(data, dict):
        msg = "it is no JSON object"
        raise ValueError(msg)  # noqa: TRY004  # the row is damaged, not the program
    version = data.get("version")
    if isinstance(version, int) and version > RECORD_VERSION:
        msg = f"version {version} of the schema"
        raise _NewerError(msg)
    record = ProposalRecord.model_validate({**data, "request": "", "calls": _slim(data.get("calls", ()))})
    if record.kind not in _KINDS:
        msg = f"kind: {record.kind[:40]!r} is not one of {', '.join(_KINDS)}"
        raise ValueError(msg)
    for call in record.calls:
        Status(call.status)
    return record


def _slim(calls: Any) -> Any:
    """Drop the texts of calls; what is no list of objects is left for the schema to refuse."""
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        return calls
    return [{name: value for name, value in call.items() if name not in _UNUSED} for call in calls]


def _first_fault(error: Exception) -> str:
    """Say what is wrong with a record, without repeating its values."""
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    unreadable = isinstance(error, json.JSONDecodeError | RecursionError)
    return "it is no JSON that can be read" if unreadable else str(error)


def _rows(engine: Engine, name: str, namespace: str) -> Iterator[tuple[str, object]]:
    """Read id and text of every record, oldest first.

    Raises:
        ReportError: When there is no table of records, or it is of an earlier version.

    """
    query = select(records.c.id, records.c.record).order_by(records.c.written_at, records.c.turn, records.c.step)
    with engine.connect() as connection:
        schema = schema_of(engine)
        if earlier_version(connection, schema):
            msg = f"The ledger {name} is of an earlier version: bring it up to date with `Ledger.open(URL)` first."
            raise ReportError(msg)
        found = inspect(connection)
        if not found.has_table(records.name, schema):
            msg = f"The database {name} has no table of records. {HOW_TO_RECORD}"
            raise ReportError(msg)
        # A ledger that no process of this version has opened yet holds records without a namespace only.
        if namespace or any(column["name"] == "namespace" for column in found.get_columns(records.name, schema)):
            query = query.where(records.c.namespace == namespace)
        result = connection.execution_options(yield_per=_PAGE).execute(query)
        yield from (cast("tuple[str, object]", tuple(row)) for row in result)


def _name(address: URL) -> str:
    """Name a database for people; its password may also stand in the query."""
    return address.set(query={}).render_as_string(hide_password=True)


def _engine(address: URL, name: str) -> Engine:
    """Describe connections that only read.

    Raises:
        LedgerError: When the driver of PostgreSQL is not installed.
        ReportError: When there is no such file.

    """
    if address.get_backend_name() == "postgresql":
        return make_engine(address, memory=False).execution_options(postgresql_readonly=True)
    file = Path((address.database or "").removeprefix("file:"))
    if not file.is_file():
        msg = f"There is no ledger {name}: check the path. {HOW_TO_RECORD}"
        raise ReportError(msg)
    # A connection that may write takes SQLite's files of work away again when it closes; this one never does write.
    place = f"{file.resolve().as_uri()}?mode={'rw' if os.access(file, os.W_OK) else 'ro'}"

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(place, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
        connection.execute("PRAGMA query_only=ON")
        return connection

    return create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)
