"""What a request with a mask says, and whether its reply keeps to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypedDict

from langchain_core.messages import AIMessage

from reinforced_agent.models.binding import RAW_CALLS
from reinforced_agent.models.text.envelope_form import EnvelopeForm
from reinforced_agent.models.text.form import Form
from reinforced_agent.models.text.json_form import JsonForm


GUIDED: Final = "guided"
"""Key in `response_metadata` that says how the request was masked: see `Told`."""
FORMS: Final[Mapping[str, Form]] = {"one JSON object": EnvelopeForm(), "JSON call or words": JsonForm()}
"""How calls and answers are written, by what a masked reply looks like; native calls need no form."""
_CUT: Final = frozenset({"length", "max_tokens"})


class Masking(TypedDict):
    """What a request carries to have its reply masked."""

    way: str
    """How the server is told, for the log and the record."""
    written: str
    """What a reply looks like that heeds it: `native calls`, `one JSON object` or `JSON call or words`."""
    body: dict[str, Any]
    """Fields of the request beside the usual ones."""
    strict: dict[str, dict[str, Any]]
    """By tool, the parameters to send as strict."""
    names: list[str]
    """The tools that may be called."""


class Told(TypedDict):
    """How one request was masked."""

    way: str
    sent: bool
    """False where the server has refused it, so that it was asked without."""
    heeded: bool
    """False where the reply doesn't keep to it: the server took no notice."""
    strict: list[str]
    """The tools that were sent as strict, of whose arguments null stands for what is left out."""


def heeds(message: AIMessage, masking: Masking) -> bool:
    """Tell whether a reply keeps to its mask, as far as can be seen from outside.

    One that was cut off may have been going to.
    """
    if message.additional_kwargs.get("refusal") or message.response_metadata.get("finish_reason") in _CUT:
        return True
    if masking["written"] == "native calls":
        return all(_is_whole(name, given, masking["strict"]) for name, given in _native(message))
    reply = FORMS[masking["written"]].read(message.text)
    if reply.calls:
        return all(call.name in masking["names"] for call in reply.calls)
    return masking["written"] == "JSON call or words" or reply.said != message.text.strip()


def _native(message: AIMessage) -> Iterable[tuple[str, Any]]:
    """Return name and arguments of every native call, decoded or as they came."""
    if kept := message.additional_kwargs.get(RAW_CALLS):
        return [(call["name"] or "", call["arguments"]) for call in kept]
    return [(call["name"] or "", call["args"]) for call in (*message.tool_calls, *message.invalid_tool_calls)]


def _is_whole(name: str, given: Any, strict: Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether a call names every field of its strict tool."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return False
    return isinstance(given, dict) and given.keys() >= set(strict.get(name, {}).get("required", ()))
