"""What was done in a thread, and what was told about it: by the records of the turn, and by the chat before it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.records import took_effect
from reinforced_agent.graph.sources import is_in_place
from reinforced_agent.policies.answers import Deed
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.spec import Risk


def deeds_of(messages: Sequence[AnyMessage], records: Sequence[CallRecord]) -> tuple[Deed, ...]:
    """List the calls that were to change something, the oldest first.

    Args:
        messages: The chat.
        records: The calls of the turn.

    """
    known = {record["id"] for record in records}
    start = _start(messages)
    before = [_of_message(message, call, earlier=at < start) for at, message, call in _results(messages)]
    found = [deed for deed, call_id in before if call_id not in known]
    return (*found, *(deed for record in records if (deed := _of_record(record, records)) is not None))


def told_of(messages: Sequence[AnyMessage], records: Sequence[CallRecord], changing: Collection[str]) -> Iterator[str]:
    """List what people said, and what was read or told in place of a tool.

    Args:
        messages: The chat.
        records: The calls of the turn.
        changing: Tools that change something; what they returned belongs to what they did.

    """
    known = {record["id"] for record in records}
    yield from (message.text for message in messages if isinstance(message, HumanMessage))
    for _, message, _call in _results(messages):
        is_told = message.status == "success" and (message.name not in changing or is_in_place(message))
        if is_told and message.tool_call_id not in known:
            yield message.text
    for record in records:
        if record["status"] in {Status.SERVED, Status.ANSWERED} or _was_read(record):
            yield record.get("result", "")


def offer_before(messages: Sequence[AnyMessage]) -> str:
    """Return what the assistant had said last before the newest message of the user."""
    before = messages[: _start(messages)]
    return next((one.text for one in reversed(before) if isinstance(one, AIMessage) and one.text), "")


def _start(messages: Sequence[AnyMessage]) -> int:
    """Return where the newest turn begins."""
    return max((at for at, message in enumerate(messages) if isinstance(message, HumanMessage)), default=0)


def _was_read(record: CallRecord) -> bool:
    return record["status"] == Status.DONE and record.get("risk") == Risk.READ


def _results(messages: Sequence[AnyMessage]) -> Iterator[tuple[int, ToolMessage, Mapping[str, Any]]]:
    """List the results in a chat, each with the arguments of its call."""
    arguments: dict[str, Mapping[str, Any]] = {}
    for at, message in enumerate(messages):
        if isinstance(message, AIMessage):
            arguments |= {str(call["id"]): call["args"] for call in message.tool_calls}
        elif isinstance(message, ToolMessage):
            yield at, message, arguments.get(message.tool_call_id, {})


def _of_message(message: ToolMessage, arguments: Mapping[str, Any], *, earlier: bool) -> tuple[Deed, str]:
    """Read from a result in the chat what its call did."""
    done = message.status == "success" and not is_in_place(message)
    outcome: Literal["done", "not_done"] = "done" if done else "not_done"
    text = message.text if message.status == "success" else ""
    return Deed(str(message.name or ""), arguments, text, outcome, earlier=earlier), message.tool_call_id


def _of_record(record: CallRecord, records: Sequence[CallRecord]) -> Deed | None:
    """Read from a record of the turn what its call did."""
    # What was only sent back to be corrected was never tried; a call that is missing needs no record of it.
    if not record.get("tool") or record["status"] == Status.REVISE:
        return None
    outcome = _outcome(record)
    later = [other for other in records if other.get("step", 0) > record.get("step", 0)]
    made_good = any(_makes_good(other, record) for other in later)
    result = record.get("result", "") if outcome == "done" else ""
    return Deed(record["tool"], record.get("arguments", {}), result, outcome, made_good=made_good)


def _outcome(record: CallRecord) -> Literal["done", "unknown", "not_done"]:
    """Tell what became of a call; a tool that only reads has done what it is for with its result."""
    if record["status"] == Status.UNKNOWN:
        return "unknown"
    return "done" if took_effect(record) or _was_read(record) else "not_done"


def _makes_good(other: CallRecord, record: CallRecord) -> bool:
    """Tell whether a later call did what one failed to do, or looked up what became of it."""
    if record["status"] == Status.UNKNOWN:
        return other["status"] == Status.DONE
    return other.get("tool") == record.get("tool") and took_effect(other)
