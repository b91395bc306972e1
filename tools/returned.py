"""What a tool returned, taken apart: the text to judge, the content blocks, the artifact, the state it asks for.

LangChain's classes are known where their module is loaded: nothing can be an instance of one that isn't.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final


_MOST_NAMED: Final = 300
"""Characters of an address that stands in a text for a block."""
_DATA: Final = frozenset({"url", "base64", "file_id", "source", "data"})
_BESIDE: Final = frozenset(
    {
        *("type", "id", "index", "mime_type", "media_type", "extras", "source_type", "metadata", "cache_control"),
        *("filename", "detail", "annotations", *_DATA),
    }
)
"""Fields that a block of a medium may have; data of a host with the same `type` has others as well."""
_MEDIA: Final[Mapping[str, frozenset[str]]] = {
    "image": _DATA,
    "audio": _DATA,
    "video": _DATA,
    "file": _DATA | {"file"},
    "image_url": frozenset({"image_url"}),
    "input_audio": frozenset({"input_audio"}),
}
"""By type of block what it has to hold: pictures, sounds and files."""
_DOCUMENTS: Final[Mapping[str, frozenset[str]]] = {
    "document": frozenset({"source"}),
    "search_result": frozenset({"content"}),
    "custom_tool_call_output": frozenset({"output"}),
}
"""Blocks that hold text in a form of their own."""
_OF_DOCUMENTS: Final = frozenset({"type", "source", "content", "output", "title", "context", "citations"}) | _BESIDE


@dataclass(frozen=True, slots=True)
class Misreturned:
    """Stands for what a tool returned in another form than it declares."""

    problem: str
    """What is wrong with it, for the author of the tool."""


def is_message(value: object) -> bool:
    """Tell a tool message of LangChain."""
    return _is_a(value, "langchain_core.messages", "ToolMessage")


def is_command(value: object) -> bool:
    """Tell a command of LangGraph."""
    return _is_a(value, "langgraph.types", "Command")


def steers(value: object) -> bool:
    """Tell whether a tool returned a command, alone or in a list with tool messages."""
    return is_command(value) or (_is_mixed(value) and any(map(is_command, value)))  # type: ignore[call-overload]


def commands_in(value: Any) -> list[Any]:
    """List the commands that a tool returned."""
    return [one for one in (value if _is_mixed(value) else [value]) if is_command(one)]


def messages_in(value: Any) -> list[Any]:
    """List the tool messages that a tool returned, also within commands, as far as these can be read."""
    found: list[Any] = []
    for one in value if _is_mixed(value) else [value]:
        if is_message(one):
            found.append(one)
        elif is_command(one):
            found += [message for message in _of_update(one.update) if is_message(message)]
    return found


def content_of(value: Any) -> Any:
    """Return what of a value is for the model: the content of its tool message, where it has one."""
    if isinstance(value, Misreturned):
        return ""
    if not (is_message(value) or steers(value) or _is_mixed(value)):
        return value
    messages = messages_in(value)
    if not messages:
        return ""
    contents = [_said(message.content) for message in messages]
    return contents[0] if len(contents) == 1 else "\n".join(map(text_of, contents))


def artifact_of(value: Any) -> Any:
    """Return what a tool returned beside the text for the model; `None` for nothing."""
    found = [message.artifact for message in messages_in(value) if message.artifact is not None]
    return found[0] if len(found) == 1 else found or None


def says_failed(value: Any) -> bool:
    """Tell whether a tool message says that the tool failed."""
    return any(message.status == "error" for message in messages_in(value))


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """Return the content blocks that a result is made of, in a form that can be stored.

    Empty where it holds no picture, sound, file or document: text and data are written as text.
    """
    if not isinstance(content, list | tuple) or not _may_hold_blocks(content):
        return []
    blocks: list[dict[str, Any]] = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    if not all(map(_is_block, blocks)):
        return []
    try:
        stored: list[dict[str, Any]] = json.loads(json.dumps(blocks, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return []
    return stored


def media_in(blocks: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Keep the pictures, sounds and files."""
    return [block for block in blocks if _kind(block) in _MEDIA]


def text_beside_media(content: Any) -> str:
    """Write content as text, without what is a picture, a sound or a file."""
    if isinstance(content, str):
        return content
    return text_of([one for one in content if _kind(one) not in _MEDIA])


def text_of(content: Any) -> str:
    """Write content as text; where a picture, a sound or a file stands, what it is."""
    return "\n".join(map(_text_of_part, content)) if isinstance(content, list | tuple) else str(content)


def texts_alone(content: Any) -> str | None:
    """Return the text of blocks of text alone; `None` for anything else."""
    if not isinstance(content, list) or not content:
        return None
    texts = [one["text"] for one in content if isinstance(one, dict) and _is_text(one)]
    return "\n".join(texts) if len(texts) == len(content) else None


def content_for_model(text: str, blocks: Sequence[Mapping[str, Any]]) -> Any:
    """Return the content of a tool message: the blocks as they came, or with the text that the graph made of theirs."""
    if not blocks:
        return text
    if text == text_of(blocks):
        return list(blocks)
    return [{"type": "text", "text": text}, *media_in(blocks)]


def _said(content: Any) -> Any:
    """Keep the content of a message where it is text, or blocks that go on; the rest becomes text."""
    return content if isinstance(content, str) or blocks_of(content) else text_of(content)


def _is_a(value: object, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(value, kind)


def _is_mixed(value: object) -> bool:
    """Tell a list of tool messages and commands, as LangGraph takes it from a tool."""
    return isinstance(value, list) and bool(value) and all(is_message(one) or is_command(one) for one in value)


def _of_update(update: Any) -> list[Any]:
    """Return the messages of an update; none where it has another form than a mapping or pairs."""
    pairs = update.items() if isinstance(update, Mapping) else update if isinstance(update, list | tuple) else ()
    found: list[Any] = []
    for pair in pairs:
        if isinstance(pair, list | tuple) and len(pair) == 2 and pair[0] == "messages":  # noqa: PLR2004  # a pair
            found += _as_messages(pair[1])
    return found


def _as_messages(given: Any) -> list[Any]:
    """Read messages in any of LangChain's forms; what is none stays as it is."""
    listed = list(given) if isinstance(given, list | tuple) else [given]
    try:
        return list(sys.modules["langchain_core.messages"].convert_to_messages(listed))
    except Exception:  # noqa: BLE001  # what a tool wrote there may be anything
        return listed


def _may_hold_blocks(content: Iterable[Any]) -> bool:
    """Tell at a glance whether a list may be one of blocks, with more than text: most are rows or numbers."""
    found = False
    for one in content:
        if isinstance(one, str):
            continue
        kind = _kind(one) if isinstance(one, dict) else ""
        if not kind:
            return False
        found = found or kind != "text"
    return found


def _is_block(block: Any) -> bool:
    if not isinstance(block, dict) or not all(isinstance(key, str) for key in block):
        return False
    kind = _kind(block)
    if kind == "text":
        return _is_text(block)
    if kind in _MEDIA:
        by_id = block.get("source_type") == "id" and isinstance(block.get("id"), str)
        return (by_id or _holds(block, _MEDIA[kind])) and block.keys() <= _BESIDE | _MEDIA[kind]
    return kind in _DOCUMENTS and _holds(block, _DOCUMENTS[kind]) and block.keys() <= _OF_DOCUMENTS


def _holds(block: Mapping[str, Any], fields: Iterable[str]) -> bool:
    """Tell whether one of these fields holds something that a picture or a document can be."""
    return any(isinstance(one := block.get(name), str | dict | list) and bool(one) for name in fields)


def _is_text(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _kind(block: object) -> str:
    """Return the type of a block; empty for what is none."""
    kind = block.get("type") if isinstance(block, Mapping) else None
    return kind if isinstance(kind, str) else ""


def _text_of_part(part: Any) -> str:
    kind = _kind(part)
    if kind == "text":
        return str(part.get("text", ""))
    if kind in _MEDIA:
        return f"[{' '.join([kind, *_about(part)])}]"
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, default=str)


def _about(block: Mapping[str, Any]) -> list[str]:
    """Say what a block is without its data."""
    inner: Any = next((one for key in ("image_url", "source", "file", "input_audio") if (one := block.get(key))), {})
    inner = inner if isinstance(inner, Mapping) else {"url": inner}
    both = [block, inner]
    told = [one.get(name) for name in ("mime_type", "media_type", "filename", "url", "file_id") for one in both]
    return [one[:_MOST_NAMED] for one in told if isinstance(one, str) and not one.startswith("data:")]
