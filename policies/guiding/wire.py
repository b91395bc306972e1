"""What a request says to a server about what the model may write, in the words of that server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, assert_never

from reinforced_agent.policies.choosing import Way
from reinforced_agent.policies.guiding.grammar import grammar_of
from reinforced_agent.policies.guiding.masks import Mask, bare
from reinforced_agent.policies.guiding.narrowing import Offer
from reinforced_agent.policies.guiding.strict import InexpressibleError, strict_parameters


Written: TypeAlias = Literal["native calls", "one JSON object", "JSON call or words"]
"""What a reply looks like that heeds the mask."""

_NAME: Final = "reply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """What a request carries to have its reply masked."""

    way: Way
    written: Written
    body: Mapping[str, Any]
    """Fields of the request beside the usual ones."""
    strict: Mapping[str, Mapping[str, Any]]
    """By tool, the parameters to send as strict; empty where nothing is called natively."""
    names: tuple[str, ...]
    """The tools that are left to call."""


def request_for(way: Way, offers: Sequence[Offer]) -> Masked:
    """Say in one of the ways what may be written.

    Args:
        way: How the server is told.
        offers: The tools on offer, without what was refused.

    """
    strict: Mapping[str, Any] = {}
    match way:
        case "strict tools":
            written: Written = "native calls"
            body: Mapping[str, Any] = {}
            strict = {offer.name: found for offer in offers if (found := _strict(offer.mask)) is not None}
        case "response_format":
            written, body = "one JSON object", {"response_format": _response_format(offers)}
        case "vllm":
            written, body = "one JSON object", {"structured_outputs": {"json": envelope_of(offers)}}
        case "llama.cpp":
            written, body = "one JSON object", {"json_schema": envelope_of(offers)}
        case "vllm grammar":
            written, body = "JSON call or words", {"structured_outputs": {"grammar": grammar_of(offers)}}
        case "sglang grammar":
            written, body = "JSON call or words", {"ebnf": grammar_of(offers)}
        case "llama.cpp grammar":
            written, body = "JSON call or words", {"grammar": grammar_of(offers)}
        case _:
            assert_never(way)
    names = tuple(offer.name for offer in offers)
    return Masked(way=way, written=written, body=body, strict=strict, names=names)


def _strict(mask: Mask) -> dict[str, Any] | None:
    """Return strict parameters, where the form can hold them."""
    try:
        return strict_parameters(mask)
    except InexpressibleError:
        return None


def _response_format(offers: Sequence[Offer]) -> dict[str, Any]:
    """Write the field that OpenAI introduced; its `strict` is left out, since that wants no choice at the top."""
    return {"type": "json_schema", "json_schema": {"name": _NAME, "schema": envelope_of(offers)}}


def envelope_of(offers: Sequence[Offer]) -> dict[str, Any]:
    """Return the schema of a message that is one JSON object: a call of one of the tools, or an answer."""
    calls = [_closed({"name": {"enum": [offer.name]}, "arguments": bare(offer.mask)}) for offer in offers]
    return {"anyOf": [*calls, _closed({"answer": {"type": "string"}})]}


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Describe an object that has exactly these fields."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
