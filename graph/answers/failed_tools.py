"""Which tools kept a turn from its end, read from its calls: what failed, hung, or is left alone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.policies.messages.failed_tools import Kind, Trouble
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.error_codes import FailureClass


_KINDS: Final[Mapping[str, Kind]] = {
    FailureClass.MISTAKE: "mistaken",
    FailureClass.NOT_FOUND: "mistaken",
    FailureClass.BAD_CREDENTIALS: "denied",
    FailureClass.RATE_LIMIT: "busy",
    FailureClass.TIMEOUT: "hung",
}


def troubles_of(missing: Iterable[CallRecord], done: Sequence[CallRecord], outcome: str) -> list[Trouble]:
    """Name the tools whose trouble ended a turn, each once, in the order of their first call.

    A turn that ended because a kind of mistake came back is a matter of the tools only where the last mistakes were
    about tools that don't work.

    Args:
        missing: The calls that brought nothing, oldest first.
        done: Those that brought something; a tool that worked later is in no trouble.
        outcome: How the turn ended.

    """
    if outcome not in {"budget", "limit"}:
        return []
    records: dict[str, list[CallRecord]] = {}
    for record in missing:
        if "failure" in record or record["status"] == Status.OPEN:
            records.setdefault(record["tool"], []).append(record)
        elif record.get("spent") and outcome == "budget" and not _repeats_a_failure(record, records):
            return []
    worked = {record["tool"]: record.get("step", 0) for record in done if record["status"] == Status.DONE}
    lasting = {tool: found for tool, found in records.items() if found[-1].get("step", 0) >= worked.get(tool, -1)}
    return [_trouble(tool, found) for tool, found in lasting.items()]


def _repeats_a_failure(record: CallRecord, failed: Container[str]) -> bool:
    """Tell whether a call was refused because the same one had failed before."""
    return record.get("kind") == ErrorKind.DUPLICATE and record.get("tool") in failed


def _trouble(tool: str, records: list[CallRecord]) -> Trouble:
    """Say what is the matter with one tool: what was seen last counts."""
    last = records[-1]
    if last.get("paused"):
        return Trouble(tool, "paused")
    if "back_in" in last:
        return Trouble(tool, "down", last["back_in"])
    failed = [record for record in records if "failure" in record]
    if not failed:
        return Trouble(tool, "failing", again=True)
    newest, again = failed[-1], len(records) > 1
    failure = newest["failure"]
    if newest.get("kind") == ErrorKind.BAD_RESULT:
        return Trouble(tool, "unusable", again=again)
    kind = _KINDS.get(failure.get("category", ""), "failing")
    seconds = {"hung": failure.get("waited"), "busy": failure.get("retry_after")}
    return Trouble(tool, kind, seconds.get(kind), again)
