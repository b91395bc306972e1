"""Where what the model reads comes from: which tool a page is of, and what in a result are a model's own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import ToolMessage

from reinforced_agent.graph.call_record import CallRecord, Kept


_KEY = "reinforced_agent"
"""Where a tool message keeps what the graph knows about its text: in its artifact, or else beside that of the tool."""


def kept_beside(record: CallRecord) -> dict[str, Any]:
    """Return what a tool message keeps beside its text, as fields of it; no provider is sent any of it.

    That is the artifact of the tool, and of the graph a reference to the whole result, and its source.
    """
    fields: dict[str, Any] = {name: record[name] for name in ("kept", "source", "summary") if record.get(name)}
    if "artifact" in record:
        # What is in there anybody may have written, so that the graph's own part stands elsewhere, even if empty.
        return {"artifact": record["artifact"], "additional_kwargs": {_KEY: fields}}
    return {"artifact": {_KEY: fields}} if fields else {}


def _beside(message: ToolMessage) -> Mapping[str, Any]:
    """Return what the graph knows about the text of a tool message."""
    apart = message.additional_kwargs.get(_KEY)
    if isinstance(apart, Mapping):
        return apart
    artifact = message.artifact
    if artifact is None:
        return {}
    found = artifact.get(_KEY) if isinstance(artifact, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def kept_of(message: ToolMessage) -> Kept | None:
    """Return where the whole result of a message can be read."""
    kept: Kept | None = _beside(message).get("kept")
    return kept


def source_of_message(message: ToolMessage) -> str:
    """Return the tool whose words a message holds; a page of a result is of the tool that returned the result."""
    return str(_beside(message).get("source") or message.name or "")


def source_of(record: CallRecord) -> str:
    """Return the tool whose words the result of a call holds."""
    return record.get("source") or record.get("tool", "")


def words_of_message(message: ToolMessage) -> str:
    """Return what a tool said, without what a model made of it."""
    return _without(message.text, _beside(message).get("summary"))


def words_of(record: CallRecord) -> str:
    """Return what a tool said, without what a model made of it."""
    return _without(record.get("result", ""), record.get("summary"))


def _without(text: str, summary: object) -> str:
    """Take a summary out: a value that only a model wrote was given by nobody."""
    return text.replace(summary, "", 1) if isinstance(summary, str) and summary else text
