"""What a request says to a server about what the model may write, in the words of that server.

A grammar says: one call as a JSON object, or an answer in plain words. Its notation is GBNF, which llama.cpp made and
which the decoders of vLLM and SGLang (XGrammar, llguidance) read too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, assert_never

from reinforced_agent.policies.guiding.masks import Mask, Offer, bare
from reinforced_agent.policies.guiding.strategy import Way
from reinforced_agent.policies.guiding.strict import InexpressibleError, strict_parameters


Written: TypeAlias = Literal["native calls", "one JSON object", "JSON call or words"]
"""What a reply looks like that heeds the mask."""

_NAME: Final = "reply"


# An answer doesn't begin like a call, in whatever form models write calls; a thought may come first. Readers of GBNF
# differ in the escapes they know, so signs that mean something in a class are written by number.
_FIXED: Final = r"""
answer ::= ( [^\x00-\x20{\x5B`<] | "<think" ) ( [^\x00-\x1F] | [\t\n\r] )*
ws ::= "" | " " | "\n" [ \t]*
value ::= object | array | string | number | boolean | null
object ::= "{" ws ( pair ( ws "," ws pair )* ws )? "}"
pair ::= string ws ":" ws value
array ::= "[" ws ( value ( ws "," ws value )* ws )? "]"
string ::= "\"" ( [^"\\\x00-\x1F\x7F] | "\\" ( ["\\/bfnrt] | "u" hex hex hex hex ) )* "\""
hex ::= [0-9a-fA-F]
integer ::= "-"? ( "0" | [1-9] [0-9]* )
number ::= integer ( "." [0-9]+ )? ( [eE] ( "+" | "-" )? [0-9]+ )?
boolean ::= "true" | "false"
null ::= "null"
"""

_COMMA: Final = ' ws "," ws '


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
            # The field that OpenAI introduced; its `strict` is left out, since that wants no choice at the top.
            schema = {"name": _NAME, "schema": envelope_of(offers)}
            written, body = "one JSON object", {"response_format": {"type": "json_schema", "json_schema": schema}}
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


def grammar_of(offers: Sequence[Offer]) -> str:
    """Return the grammar of a message that calls one of the tools, or answers."""
    writer = _Writer()
    calls = [_call(offer, writer.rule(f"t{at}", offer.mask)) for at, offer in enumerate(offers)]
    lines = ["root ::= call | answer", f"call ::= {' | '.join(calls)}", *writer.lines]
    return "\n".join(lines) + _FIXED


def _call(offer: Offer, arguments: str) -> str:
    """Write the call of one tool."""
    pairs = [(_text("name"), _text(offer.name)), (_text("arguments"), arguments)]
    written = _COMMA.join(f'{key} ws ":" ws {value}' for key, value in pairs)
    return f'"{{" ws {written} ws "}}"'


def _text(value: Any) -> str:
    """Write a JSON value as it stands in a message, as a terminal of the grammar."""
    written = json.dumps(value, ensure_ascii=False)
    return '"' + written.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Writer:
    """Collects the rules of nested values; every rule has a name of its own."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def rule(self, name: str, mask: Mask) -> str:
        """Write the rules of a value and return how it is referred to."""
        if "enum" in mask:
            return self._named(name, " | ".join(map(_text, mask["enum"])))
        if "anyOf" in mask:
            return self._named(name, " | ".join(self.rule(f"{name}-{at}", one) for at, one in enumerate(mask["anyOf"])))
        match mask.get("type"):
            case "object" if mask.get("properties") and mask["additionalProperties"] is False:
                return self._named(name, self._object(name, mask))
            case "object" if mask.get("additionalProperties") is False:
                return self._named(name, '"{" ws "}"')
            case "array":
                item = self.rule(f"{name}-i", mask["items"])
                return self._named(name, f'"[" ws ( {item} ( ws "," ws {item} )* ws )? "]"')
            case None:
                return "value"
            case kind:
                return str(kind)

    def _named(self, name: str, body: str) -> str:
        """Keep a rule."""
        self.lines.append(f"{name} ::= {body}")
        return name

    def _object(self, name: str, mask: Mask) -> str:
        """Write a closed object: the required fields in their order, then any of the others in theirs."""
        pairs = {
            field: f'{_text(field)} ws ":" ws {self.rule(f"{name}-{at}", inner)}'
            for at, (field, inner) in enumerate(mask["properties"].items())
        }
        required = [pairs.pop(field) for field in mask["required"]]
        optional = list(pairs.values())
        for at, pair in enumerate(optional):
            self._named(f"{name}-r{at}", f'( ws "," ws {pair} )? {name}-r{at + 1}')
        self._named(f"{name}-r{len(optional)}", '""')
        if required:
            return f'"{{" ws {_COMMA.join(required)} {name}-r0 ws "}}"'
        starts = " | ".join(f"{pair} {name}-r{at + 1}" for at, pair in enumerate(optional))
        return f'"{{" ws ( {starts} )? ws "}}"'
