"""Give providers back what their messages came with: thoughts and their signatures, and fields that only they know.

A provider may refuse a request in which its own message is not as it wrote it. So everything is kept but the calls as
they were proposed: in their place stand the calls as they were taken, under the ids they were given. What belongs to a
call that is not told, such as its signature, is left out with it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, cast

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import ToolCall

from reinforced_agent.graph.state import Proposal, ProviderFields
from reinforced_agent.models.binding import ASKS_FOR, RAW_CALLS
from reinforced_agent.policies.parsing import Calls
from reinforced_agent.tools.call import RawCall
from reinforced_agent.tools.results import storable


CALL_BLOCKS: Final = frozenset(
    {
        "tool_use",  # Anthropic
        "input_json_delta",  # pieces of the same
        "function_call",  # OpenAI Responses, as the next
        "custom_tool_call",
        "tool_call",  # LangChain, as the next two
        "tool_call_chunk",
        "invalid_tool_call",
    }
)
"""Types of the blocks that are proposed calls."""

_CALLS: Final = frozenset({RAW_CALLS, ASKS_FOR, "tool_calls", "function_call"})
"""Entries of `additional_kwargs` that are proposed calls, or data about them that the state has elsewhere."""
_ID_KEYS: Final = frozenset({"id", "call_id", "tool_call_id", "tool_use_id"})
_POSITIONED: Final = frozenset({"annotations", "citations"})
"""Fields of a block of text that point into the text, and don't fit another one."""
_MOST: Final = 16_000_000
"""Characters of what one message came with, beyond which further entries are left out."""
_DEEPEST: Final = 60
"""Levels of nested values that are kept."""
_LARGEST: Final = 2**63


def fields_of(message: AIMessage, raws: Sequence[RawCall], calls: Calls | None = None) -> ProviderFields:
    """Return what a message came with, as plain data.

    Args:
        message: The message.
        raws: Its calls as they came.
        calls: How they were read; `None` where they were not.

    """
    given = {at: [one.id for one in calls.calls if one.position == at] for at in range(len(raws))} if calls else {}
    ids = _changed(raws, given)
    room = [_MOST]
    fields: dict[str, Any] = {}
    if not isinstance(message.content, str):
        blocks = rewritten(message.content, [raw.id for raw in raws], {at: new[0] for at, new in given.items() if new})
        fields["content"] = [kept for block in blocks if (kept := _plain(block, ids, room)) is not _GONE]
    beside = {name: value for name, value in message.additional_kwargs.items() if name not in _CALLS}
    for field, value in (
        ("name", message.name),
        ("additional_kwargs", beside),
        ("response_metadata", message.response_metadata),
        ("usage_metadata", message.usage_metadata),
    ):
        if value and (kept := _plain(value, ids, room)) is not _GONE:
            fields[field] = kept
    return cast("ProviderFields", fields)


def rewritten(content: Iterable[Any], before: Sequence[str | None], after: Mapping[int, str]) -> list[Any]:
    """Return content in which the blocks of calls have other ids.

    Args:
        content: The blocks.
        before: Ids of the calls of the message, in their order; an id may occur twice.
        after: By position of a call, its new id; blocks of calls that have none are left out.

    """
    positions: dict[str, list[int]] = defaultdict(list)
    for at, call_id in enumerate(before):
        positions[call_id or ""].append(at)
    kept: list[Any] = []
    for block in content:
        if not _is_call(block):
            kept.append(block)
            continue
        key = "call_id" if "call_id" in block else "id"
        places = positions[block.get(key) or ""]
        new = after.get(places.pop(0)) if places else None
        if new is not None:
            kept.append(block if block.get(key) == new else {**_unnumbered(block), key: new})
    return kept


def message_with(
    proposal: Proposal, text: str, calls: Sequence[ToolCall] = (), *, message_id: str | None = None
) -> AIMessage:
    """Write the message of a proposal as it goes into the history, with what it came with.

    Args:
        proposal: The proposal.
        text: What it says.
        calls: Its calls as they are told; those of the proposal that are not among them take along what is theirs.
        message_id: Its id, where it isn't that of the proposal.

    """
    provider = proposal.get("provider", {})
    told = {call["id"] or "": call for call in calls}
    gone = frozenset(proposal.get("order", ())) - told.keys()
    return AIMessage(
        id=message_id or proposal["id"],
        content=_content(provider.get("content"), text, told),
        tool_calls=list(calls),
        name=provider.get("name"),
        additional_kwargs=_without(provider.get("additional_kwargs", {}), gone),
        response_metadata=_without(provider.get("response_metadata", {}), gone),
        usage_metadata=cast("Any", provider.get("usage_metadata")),
    )


def closed(proposal: Proposal) -> Proposal:
    """Return a proposal whose message is in the history, which holds what it came with from now on."""
    return {**bare(proposal), "closed": True}


def bare(proposal: Proposal) -> Proposal:
    """Return a proposal without what its message came with, which nobody is told any more."""
    return cast("Proposal", {name: value for name, value in proposal.items() if name != "provider"})


def _changed(raws: Sequence[RawCall], given: Mapping[int, Sequence[str]]) -> dict[str, str]:
    """Return new ids by old ones, where they differ; of several calls with one id, the first counts."""
    first: dict[str, str] = {}
    for at, raw in enumerate(raws):
        if new := given.get(at):
            first.setdefault(raw.id or f"#{at}", new[0])
    return {old: new for old, new in first.items() if old != new}


def _content(blocks: Sequence[Any] | None, text: str, told: Mapping[str, ToolCall]) -> Any:
    """Return the content with a text: the blocks as they came where they say the same, and calls as they were taken."""
    if blocks is None:
        return text
    kept = [written for block in blocks if (written := _as_told(block, told)) is not None]
    said = "".join(map(_text_of, kept))
    if said.strip() == text.strip():
        return [block for block in kept if not _is_text(block) or _text_of(block).strip()]
    if said.strip() and text.startswith(said):
        return [*kept, {"type": "text", "text": text[len(said) :]}]
    return list(_with_text(kept, text))


def _with_text(blocks: Sequence[Any], text: str) -> Iterator[Any]:
    """Put one text in place of all others, with what stood beside them."""
    beside: dict[str, Any] = {}
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "text":
            beside |= {name: value for name, value in block.items() if name not in _POSITIONED}
    whole = [{**beside, "type": "text", "text": text}] if text.strip() else []
    for block in blocks:
        if _is_text(block) or _is_call(block):
            yield from whole
            whole = []
        if not _is_text(block):
            yield block
    yield from whole


def _is_text(block: Any) -> bool:
    """Tell whether a block is something that is said; a refusal is."""
    return isinstance(block, str) or (isinstance(block, dict) and block.get("type") in ("text", "refusal"))


def _text_of(block: Any) -> str:
    if isinstance(block, str):
        return block
    return str(block.get("text") or "") if isinstance(block, dict) and block.get("type") == "text" else ""


def _is_call(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in CALL_BLOCKS


def _as_told(block: Any, told: Mapping[str, ToolCall]) -> Any:
    """Write the block of a call as it was taken; `None` for one that isn't told."""
    if not _is_call(block):
        return block
    call = told.get(block.get("call_id") or block.get("id") or "")
    if call is None or block["type"] == "input_json_delta":
        return None
    arguments = block.get("arguments", block.get("input", block.get("args")))
    if block.get("name") == call["name"] and _decoded(arguments) == call["args"]:
        return block
    kept = _unnumbered(block)
    kept = {name: value for name, value in kept.items() if name not in ("partial_json", "error", "args")}
    match block["type"]:
        case "function_call":
            written = json.dumps(call["args"], ensure_ascii=False)
            return {**kept, "name": call["name"], "arguments": written}
        case "tool_use":
            return {**kept, "name": call["name"], "input": call["args"]}
        case "custom_tool_call":
            return block
        case _:
            return {**kept, "type": "tool_call", "name": call["name"], "args": call["args"]}


def _unnumbered(block: dict[str, Any]) -> dict[str, Any]:
    """Take the id of its own off an item of OpenAI's Responses interface: the server may have it as it was."""
    return {name: value for name, value in block.items() if name != "id"} if "call_id" in block else block


def _decoded(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None


def _without(value: Any, gone: frozenset[str]) -> Any:
    """Leave out entries that are kept by the id of a call which isn't told."""
    if not gone:
        return value
    if isinstance(value, dict):
        return {name: _without(inner, gone) for name, inner in value.items() if name not in gone}
    return [_without(inner, gone) for inner in value] if isinstance(value, list) else value


_GONE: Final = object()


def _plain(value: Any, ids: Mapping[str, str], room: list[int], depth: int = 0) -> Any:
    """Return a value as data that any checkpointer can store, with new ids of calls; what is no data is left out."""
    room[0] -= len(value) if isinstance(value, str | bytes) else 1
    if room[0] < 0 or depth > _DEEPEST:
        return _GONE
    if isinstance(value, Enum):
        value = value.value
    match value:
        case str():
            return storable(value)
        case bool() | float() | bytes() | None:
            return value
        case int():
            return value if -_LARGEST <= value < _LARGEST else _GONE
        case Mapping():
            return dict(_plain_entries(value, ids, room, depth))
        case list() | tuple():
            plain = (_plain(inner, ids, room, depth + 1) for inner in value)
            return [inner for inner in plain if inner is not _GONE]
        case _:
            return _GONE


def _plain_entries(
    value: Mapping[Any, Any], ids: Mapping[str, str], room: list[int], depth: int
) -> Iterator[tuple[str, Any]]:
    for name, inner in value.items():
        if not isinstance(name, str):
            continue
        kept = _plain(inner, ids, room, depth + 1)
        if kept is _GONE:
            continue
        if name in _ID_KEYS and isinstance(kept, str):
            kept = ids.get(kept, kept)
        yield ids.get(storable(name), storable(name)), kept
