"""Short ways to write records of a service and results of an evaluation for the tests of reports."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.bfcl.results import Judged, Result, Settings, open_results
from reinforced_agent import Ledger
from reinforced_agent.graph.records.record import LayerVerdict, ProposalRecord, RecordedCall


SETTINGS = Settings({"model": "scripted:x"})


def said(layer: str, verdict: str = "accept", kind: str = "", *fields: str, us: float | None = None) -> LayerVerdict:
    """Write what one layer said."""
    return LayerVerdict(layer=layer, verdict=verdict, kind=kind, fields=fields, us=us)


def call(status: str = "done", *verdicts: LayerVerdict, tool: str = "add", **more: Any) -> RecordedCall:
    """Write a call; without verdicts, one that the first layer lets pass."""
    more = {"id": "c", "raw_name": tool, "tool": tool, "attempts": int(status == "done"), **more}
    return RecordedCall(status=status, verdicts=verdicts or (said("format"),), **more)


WRONG = call("revise", said("format"), said("arguments", "revise", "unknown_argument", "dat", us=40.0))
"""A call that is sent back."""


def turn(*messages: RecordedCall | list[RecordedCall] | str, name: str = "t", outcome: str = "answered") -> list[Any]:
    """Write the records of a turn.

    A call or a list of calls is a message with calls, `answer` is an answer, and any other text the error kind of an
    unusable message.
    """
    return [
        ProposalRecord(
            id=f"{name}-{step}",
            thread="thread",
            turn=name,
            step=step,
            at="2026-11-30T10:00:00+00:00",
            outcome=outcome,
            last=step == len(messages),
            **_message(message),
        )
        for step, message in enumerate(messages, 1)
    ]


def _message(message: RecordedCall | list[RecordedCall] | str) -> dict[str, Any]:
    """Tell kinds of messages apart."""
    match message:
        case "answer":
            return {"kind": "answer"}
        case str():
            return {"kind": "unusable", "problem": message}
        case RecordedCall():
            return {"kind": "call", "calls": (message,)}
        case _:
            return {"kind": "call", "calls": tuple(message)}


def write_ledger(path: Path, records: Iterable[ProposalRecord | dict[str, Any]]) -> str:
    """Put records in a ledger, and return its address."""
    url = f"sqlite:///{path}"
    ledger = Ledger.open(url)
    plain = [one.model_dump(mode="json") if isinstance(one, ProposalRecord) else one for one in records]
    ledger.records.write(plain)
    ledger.close()
    return url


def judged(*, right: bool, unreadable: str = "") -> Judged:
    """Write a proposal with its judgement."""
    return Judged(calls=[], unreadable=unreadable, right=right, fault=None if right else "wrong_count")


def result(arm: str, name: str, *, first: bool, final: bool, **more: Any) -> Result:
    """Write a result: whether the first proposal was right, and what came out in the end."""
    asked, unreadable = more.pop("asked", 1), more.pop("unreadable", "")
    values: dict[str, Any] = {
        "arm": arm,
        "id": name,
        "category": "simple",
        "question": f"q-{name}",
        "tools": "t",
        "settings": SETTINGS.digest,
        "version": "0",
        "code": "c",
        "tokens": 10,
        "seconds": 0.5,
        **more,
    }
    proposals = {"first": judged(right=first, unreadable=unreadable), "final": judged(right=final)}
    return Result(**values, **proposals, exchanges=[{}] * asked)


def write_results(path: Path, results: Iterable[Result]) -> Path:
    """Put results in a file."""
    with open_results(path, SETTINGS) as kept:
        for one in results:
            kept.add(one)
    return path


def row(identity: str, **changes: Any) -> tuple[str, str]:
    """Write a stored record with changes: its id, and its text."""
    (record,) = turn(call(), name="t")
    return identity, json.dumps({**record.model_dump(mode="json"), "id": identity, **changes})
