"""Read the calls that the provider delivered as such: decode, unwrap, and refuse what may be incomplete.

Models put two wrappers around calls: a call without a name, and `multi_tool_use.parallel`, the name under which OpenAI
models were trained to bundle calls. It reaches clients now and then as if it were a tool, with
`{"tool_uses": [{"recipient_name", "parameters"}, …]}` as its arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from reinforced_agent.policies.parsing.arguments import Decoded, Decoding, Undecoded, decode_arguments, not_an_object
from reinforced_agent.policies.parsing.finish_reason import Ending
from reinforced_agent.policies.parsing.output import ReadCall, Repair, UnreadCall
from reinforced_agent.policies.text.json_faults import encodable, text_or_blank
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind, Problem
from reinforced_agent.tools.call import JSON, RawCall


_SHOWN_NAME = 64

MAX_ID = 256
"""Characters; longer ids are refused by providers and stores alike."""
_FRESH_LENGTH = 9

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


def read_native(
    raws: tuple[RawCall, ...], names: NameIndex, ids: Identities, ending: Ending
) -> tuple[ReadCall | UnreadCall, ...]:
    """Read native calls in their order; each becomes one reading, or several where it wrapped several calls."""
    last = len(raws) - 1
    return tuple(
        replace(call, position=position)
        for position, raw in enumerate(raws)
        for call in _read_one(raw, names, ids, ending, last=position == last)
    )


def _read_one(
    raw: RawCall, names: NameIndex, ids: Identities, ending: Ending, *, last: bool
) -> Iterator[ReadCall | UnreadCall]:
    identity, fresh = ids.claim(raw.id)
    made = (Repair.FRESH_ID.value,) if fresh else ()
    name = text_or_blank(raw.name)
    decoded = decode_arguments(raw.arguments)
    problem = _refusal(raw.arguments, decoded, ending, last=last)
    if problem:
        yield UnreadCall(identity, _shown(name), (problem,))
        return
    match unwrap(name, decoded, names):
        case None if isinstance(decoded, Decoded) and _usable(name):
            yield ReadCall(identity, name, decoded.arguments, (*decoded.repairs, *made))
        case None:
            yield UnreadCall(identity, _shown(name), _problems(name, decoded))
        case Undecoded(problems):
            yield UnreadCall(identity, _shown(name), problems)
        case wrapped:
            yield from _unwrapped(wrapped, identity, made, ids)


def _unwrapped(inner: tuple[Inner, ...], identity: str, made: tuple[str, ...], ids: Identities) -> Iterator[ReadCall]:
    """Give the first wrapped call the id of its wrapper, so that this id is answered too, and the others fresh ones."""
    for index, call in enumerate(inner):
        if index:
            identity, made = ids.claim(None)[0], (Repair.FRESH_ID.value,)
        yield ReadCall(identity, call.name, call.arguments, (*call.repairs, *made))


def _refusal(
    arguments: str | Mapping[str, object] | None, decoded: Decoding, ending: Ending, *, last: bool
) -> Problem | None:
    """Refuse what can't be shown to be complete when the message as a whole is not.

    The model writes one call after the other, so only the last one can be cut off; but gateways parse, close or blank
    texts on the way. An earlier call therefore passes only as strict JSON text that needed no repair.
    """
    if ending is Ending.MALFORMED:
        return Problem("provider_malformed_call", ErrorKind.MALFORMED)
    if ending not in CUT_OFF:
        return None
    flawless = isinstance(decoded, Decoded) and isinstance(arguments, str) and not decoded.repairs
    if flawless and not last:
        return None
    return Problem(CUT_OFF[ending], ErrorKind.TRUNCATED)


CUT_OFF: Final = {
    Ending.CUT: "cut_off_limit",
    Ending.FILTERED: "cut_off_filter",
    Ending.STOPPED: "cut_off_stop",
    Ending.UNSAID: "cut_off_unsaid",
}
"""Problems of calls in a message that did not end by itself."""


def _usable(name: str) -> bool:
    """Tell whether a name can be kept and shown; whether it means a tool is for the routing to say."""
    return len(name) <= MAX_NAME and encodable(name)


def _problems(name: str, decoded: Decoding) -> tuple[Problem, ...]:
    named = () if _usable(name) else (Problem("unusable_name", ErrorKind.UNKNOWN_TOOL),)
    return named + (decoded.problems if isinstance(decoded, Undecoded) else ())


def _shown(name: str) -> str:
    return name[:_SHOWN_NAME].encode("utf-8", "replace").decode()


class Identities:
    """The ids of one message, unique among themselves and in the conversation."""

    def __init__(self, message_id: str, taken: AbstractSet[str]) -> None:
        """Start with the ids already used in the conversation."""
        self._seed = message_id
        self._taken = taken
        self._given: set[str] = set()

    def claim(self, native: object) -> tuple[str, bool]:
        """Return the provider's id if it can serve, else a fresh one; and whether it is fresh."""
        if isinstance(native, str) and self._usable(native):
            self._given.add(native)
            return native, False
        fresh = next(filter(self._free, map(self._derive, count())))
        self._given.add(fresh)
        return fresh, True

    def _usable(self, native: str) -> bool:
        return bool(native.strip()) and len(native) <= MAX_ID and encodable(native) and self._free(native)

    def _free(self, candidate: str) -> bool:
        return candidate not in self._given and candidate not in self._taken

    def _derive(self, attempt: int) -> str:
        """Make an id from the message and the place in it, so that reading it again gives the same.

        Nine letters and digits are what every provider accepts: Mistral's API takes exactly that.
        """
        source = f"{self._seed}\0{len(self._given)}\0{attempt}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(source).hexdigest()[:_FRESH_LENGTH]
