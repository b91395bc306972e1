"""What came of a run of the graph: the first proposal, what would have run, and what would have without a reviewer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.bfcl.checker import Response, WrittenCall
from benchmarks.bfcl.exchanges import Recorder, proposal_of
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind


def first_of(recorder: Recorder, records: Iterable[Mapping[str, Any]], names: Iterable[str]) -> Response:
    """Return the first proposal; of strict tools without the nulls that stand for what the model left out."""
    if not recorder.replies:
        return Response()
    reply = recorder.replies[0]
    written = proposal_of(reply, names)
    if written.unreadable or not reply.response_metadata.get("guided", {}).get("strict"):
        return written
    read = [one for one in records if one.get("step") == 1 and "arguments" in one]
    return Response(tuple(WrittenCall(one["raw_name"], one["arguments"]) for one in read))


def accepted_of(records: Iterable[Mapping[str, Any]]) -> Response:
    """Return the calls that would run."""
    return Response(
        tuple(
            WrittenCall(record["tool"], record["arguments"])
            for record in records
            if record["status"] in {Status.ACCEPTED, Status.DONE}
        )
    )


def unreviewed_of(records: Sequence[Mapping[str, Any]]) -> Response:
    """Return the calls that would have run without the reviewer: those up to its first objection, objected or not."""
    objected = [record["step"] for record in records if record.get("kind") == ErrorKind.REVIEWER]
    if not objected:
        return accepted_of(records)
    until = min(objected)
    return accepted_of(
        {**record, "status": Status.ACCEPTED} if record.get("kind") == ErrorKind.REVIEWER else record
        for record in records
        if record["step"] <= until
    )
