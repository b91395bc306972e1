"""Take calls out of the two wrappers that models put around them: a call without a name, and the parallel tool.

`multi_tool_use.parallel` is the name under which OpenAI models were trained to bundle calls; it reaches clients now
and then as if it were a tool, with `{"tool_uses": [{"recipient_name", "parameters"}, …]}` as its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reinforced_agent.policies.reading.arguments import Decoded, Decoding, Undecoded, decode_arguments, not_an_object
from reinforced_agent.policies.reading.output import Repair
from reinforced_agent.policies.routing import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind, Problem
from reinforced_agent.tools.call import JSON


MAX_NAME = 256
"""Characters of a tool name; providers allow 64, and prefixes or control tokens come on top."""
_PARALLEL = frozenset({"multi_tool_use.parallel", "multi_tool_use_parallel"})
_USE_KEYS = frozenset({"recipient_name", "parameters"})
_CALL_KEYS = (frozenset({"name", "arguments"}), frozenset({"name", "parameters"}))


@dataclass(frozen=True, slots=True)
class Inner:
    """A call that was found inside another one."""

    name: str
    """The tool name as written."""
    arguments: dict[str, JSON]
    """The decoded arguments."""
    repairs: tuple[str, ...]
    """Repairs of the wrapper and of the call."""


def unwrap(name: str, decoded: Decoding, names: NameIndex) -> tuple[Inner, ...] | Undecoded | None:
    """Return the calls that a call wraps, the problems of a broken wrapper, or `None` for an ordinary call."""
    if not isinstance(decoded, Decoded):
        return None
    if not name.strip():
        return _nested(decoded, names)
    if name.strip().removeprefix("functions.") in _PARALLEL and name not in names:
        return _parallel(decoded)
    return None


def _nested(decoded: Decoded, names: NameIndex) -> tuple[Inner, ...] | Undecoded | None:
    """Unwrap a whole call from the arguments of a nameless one, if its tool is registered."""
    fields = decoded.arguments
    name = fields.get("name")
    if fields.keys() not in _CALL_KEYS or not isinstance(name, str) or names.resolve(name) is None:
        return None
    inner = _decode(fields.get("arguments", fields.get("parameters")))
    if isinstance(inner, Undecoded):
        return inner
    return (Inner(name, inner.arguments, (*decoded.repairs, *inner.repairs, Repair.NESTED_CALL.value)),)


def _parallel(decoded: Decoded) -> tuple[Inner, ...] | Undecoded:
    """Unpack every bundled call, or none of them: half a bundle is not what the model asked for."""
    uses = decoded.arguments.get("tool_uses")
    if not isinstance(uses, list) or not uses or len(decoded.arguments) > 1:
        return _broken_bundle()
    inner: list[Inner] = []
    for use in uses:
        found = _use(use, decoded.repairs)
        if isinstance(found, Undecoded):
            return found
        inner.append(found)
    return tuple(inner)


def _use(use: JSON, repairs: tuple[str, ...]) -> Inner | Undecoded:
    if not isinstance(use, dict) or use.keys() != _USE_KEYS:
        return _broken_bundle()
    name = use["recipient_name"]
    if (
        not isinstance(name, str)
        or not 0 < len(name.strip()) <= MAX_NAME
        or name.strip().removeprefix("functions.") in _PARALLEL
    ):
        return _broken_bundle()
    decoded = _decode(use["parameters"])
    if isinstance(decoded, Undecoded):
        return decoded
    return Inner(name, decoded.arguments, (*repairs, *decoded.repairs, Repair.PARALLEL_WRAPPER.value))


def _decode(value: JSON) -> Decoding:
    """Decode arguments inside a wrapper, which went through the strict reader once already."""
    if isinstance(value, dict):
        return Decoded(value)
    if value is None or isinstance(value, str | Mapping):
        return decode_arguments(value)
    return not_an_object(value)


def _broken_bundle() -> Undecoded:
    return Undecoded((Problem("broken_bundle", ErrorKind.MALFORMED),))
