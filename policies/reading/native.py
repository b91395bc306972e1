"""Read the calls that the provider delivered as such: decode, unwrap, and refuse what may be incomplete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reinforced_agent.policies.problems import Problem
from reinforced_agent.policies.reading.arguments import Decoded, Decoding, Undecoded, decode_arguments
from reinforced_agent.policies.reading.ending import Ending
from reinforced_agent.policies.reading.faults import encodable, text_or_blank
from reinforced_agent.policies.reading.identity import Identities
from reinforced_agent.policies.reading.output import ReadCall, UnreadCall
from reinforced_agent.policies.reading.repairs import Repair
from reinforced_agent.policies.reading.wrappers import MAX_NAME, Inner, unwrap
from reinforced_agent.policies.routing import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import RawCall


_SHOWN_NAME = 64


def read_native(
    raws: tuple[RawCall, ...], names: NameIndex, ids: Identities, ending: Ending
) -> tuple[ReadCall | UnreadCall, ...]:
    """Read native calls in their order; each becomes one reading, or several where it wrapped several calls."""
    last = len(raws) - 1
    return tuple(
        call for index, raw in enumerate(raws) for call in _read_one(raw, names, ids, ending, last=index == last)
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
    if ending not in (Ending.CUT, Ending.STOPPED):
        return None
    flawless = isinstance(decoded, Decoded) and isinstance(arguments, str) and not decoded.repairs
    if flawless and not last:
        return None
    return Problem("cut_off_limit" if ending is Ending.CUT else "cut_off_stop", ErrorKind.TRUNCATED)


def _usable(name: str) -> bool:
    """Tell whether a name can be kept and shown; whether it means a tool is for the routing to say."""
    return len(name) <= MAX_NAME and encodable(name)


def _problems(name: str, decoded: Decoding) -> tuple[Problem, ...]:
    named = () if _usable(name) else (Problem("unusable_name", ErrorKind.UNKNOWN_TOOL),)
    return named + (decoded.problems if isinstance(decoded, Undecoded) else ())


def _shown(name: str) -> str:
    return name[:_SHOWN_NAME].encode("utf-8", "replace").decode()
