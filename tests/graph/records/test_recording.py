"""What was proposed and what came of it goes on record, without secrets, and never at the cost of the run."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from reinforced_agent import Context, Ledger, tool
from reinforced_agent.graph.records.record import RECORD_VERSION, ProposalRecord
from reinforced_agent.graph.records.sinks import EVENT, LogSink, SqlSink
from tests.graph.house import House, call, calls
from tests.graph.records.masks import alike


WRONG = calls(call("get_forecast", {"city": "Oslo", "dat": "2026-12-01"}, "c1"))
RIGHT = calls(call("get_forecast", {"city": "Oslo", "date": "2026-12-01"}, "c2"))
NOTE = calls(call("send_note", {"to": "bob", "text": "hi"}, "c3"))


class Kept:
    """A sink that remembers."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.records: list[ProposalRecord] = []

    def __call__(self, records: Sequence[ProposalRecord]) -> None:
        """Keep the records."""
        self.records += records


def test_every_proposal_of_a_turn_is_on_record() -> None:
    """A wrong call, a right one, a write with its decision and the answer: each with its verdicts and its outcome."""
    kept = Kept()
    house = House(WRONG, RIGHT, NOTE, "Done.", sinks=[kept]).say(context=Context(user_id="ann"))
    house.decide({"type": "approve"}, context=Context(user_id="bob"))
    assert [record.kind for record in kept.records] == ["call", "call", "call", "answer"]
    assert [record.is_valid for record in kept.records] == [False, True, True, True]
    assert [record.last for record in kept.records] == [False, False, False, True]
    first, second, third = (record.calls[0] for record in kept.records[:3])
    assert (first.status, first.kind, first.verdicts[-1].fields) == ("revise", "unknown_argument", ("dat",))
    assert (second.status, second.result, second.attempts) == ("done", "Oslo 2026-12-01 3 celsius", 1)
    assert (third.decision, third.decided_by, third.risk) == ("approve", "bob", "write")
    assert {record.requester for record in kept.records} == {"ann"}
    assert {record.outcome for record in kept.records} == {"answered"}
    assert all(verdict.us is not None for verdict in second.verdicts[1:])


def test_tokens_and_unusable_messages_are_on_record() -> None:
    """What a message cost is kept with it, and one that held neither an answer nor a call is named."""
    kept = Kept()
    usage: Any = {"input_tokens": 11, "output_tokens": 2, "total_tokens": 13}
    House("", AIMessage("Hello.", usage_metadata=usage), sinks=[kept]).say()
    assert [(record.kind, record.is_valid) for record in kept.records] == [("unusable", False), ("answer", True)]
    assert kept.records[0].problem
    assert (kept.records[1].input_tokens, kept.records[1].output_tokens) == (11, 2)


def test_secrets_are_not_on_record() -> None:
    """A password in the arguments and a key in the result are masked; the tool got the real value."""
    seen, kept = [], Kept()

    @tool(risk="read")
    def log_in(user: str, password: str) -> str:
        """Log in."""
        seen.append(password)
        return "Bearer abcdefghijklmnopqrstuvwxyz0123456789"

    House(
        calls(call("log_in", {"user": "ann", "password": "hunter22"}, "c1")), "In.", tools=[log_in], sinks=[kept]
    ).say()
    text = "".join(record.model_dump_json() for record in kept.records)
    assert seen == ["hunter22"]
    assert "hunter22" not in text
    assert "abcdefghijklmnopqrstuvwxyz0123456789" not in text


def test_half_a_secret_is_not_on_record() -> None:
    """What is cut is masked before: the first half of a card is no card any more."""
    kept = Kept()
    House("Hello.", sinks=[kept]).say(f"{'x' * 1_989} 4111111111111111")
    assert kept.records[0].request == f"{'x' * 1_989} "


def test_the_traceback_of_a_tool_holds_no_secret() -> None:
    """A key that a server quotes to a tool is neither in the record nor in what the operator is kept."""

    @tool(risk="read")
    def look_up(name: str) -> str:
        """Look a name up."""
        raise PermissionError("Incorrect API key: sk-" + "c3" * 20)

    kept = Kept()
    house = House(calls(call("look_up", {"name": "x"}, "c1")), "No.", tools=[look_up], sinks=[kept]).say()
    (record,) = house.result["calls"].values()
    assert "PermissionError: Incorrect API key: [hidden]" in alike(record["failure"]["traceback"])
    assert "c3c3" not in alike(record["failure"]["traceback"])
    assert "c3c3" not in kept.records[0].model_dump_json()


def test_a_sink_that_fails_fails_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    """The run goes on, the other sinks get their records, and the log says what happened."""

    def broken(records: Sequence[ProposalRecord]) -> None:
        msg = "the disk is full"
        raise OSError(msg)

    kept = Kept()
    house = House("Hello.", sinks=[broken, kept]).say()
    assert house.answer == "Hello."
    assert len(kept.records) == 1
    assert "the disk is full" in caplog.text


def test_the_stream_of_custom_events_carries_records() -> None:
    """Whoever streams a run gets its records as plain JSON."""
    house = House(RIGHT, "Done.")
    stream = house.agent.stream({"messages": [("user", "hi")]}, house.config, stream_mode="custom")
    events = json.loads(json.dumps(list(stream)))
    assert [event["type"] for event in events] == [EVENT, EVENT]
    assert [ProposalRecord.model_validate(event["record"]).step for event in events] == [1, 2]


def test_the_log_gets_structured_entries(caplog: pytest.LogCaptureFixture) -> None:
    """Each record is one entry, as JSON and as fields."""
    with caplog.at_level(logging.INFO, "reinforced_agent.records"):
        House(RIGHT, "Done.", sinks=[LogSink()]).say()
    entries = [entry for entry in caplog.records if entry.name == "reinforced_agent.records"]
    assert [json.loads(entry.getMessage())["kind"] for entry in entries] == ["call", "answer"]
    assert [entry.__dict__["record"]["version"] for entry in entries] == [RECORD_VERSION] * 2


def test_the_table_of_the_ledger_keeps_records_once() -> None:
    """Records go beside the effects; a turn that is put on record again takes its old place."""
    ledger = Ledger()
    sink, kept = SqlSink(ledger), Kept()
    House(WRONG, RIGHT, "Done.", ledger=ledger, sinks=[sink, kept]).say()
    sink(kept.records)
    read = [ProposalRecord.model_validate(row) for row in ledger.records.read()]
    assert read == kept.records
    assert list(ledger.records.read(thread="nobody")) == []


def test_a_sink_is_not_asked_to_write_while_a_question_waits() -> None:
    """A turn is put on record when it has ended, once."""
    kept = Kept()
    house = House(NOTE, "Done.", sinks=[kept]).say()
    assert kept.records == []
    house.decide({"type": "reject"})
    assert [record.calls[0].status for record in kept.records if record.calls] == ["rejected"]
