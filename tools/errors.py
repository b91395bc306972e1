"""Judge what a tool raised: whether it may pass by itself, and whether the call certainly had no effect.

No client library is imported: its exceptions are known by the names of their classes and by the HTTP status they carry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

from reinforced_agent.tools.error_names import grpc_code, named
from reinforced_agent.tools.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What an exception of a tool says about the call."""

    transient: bool
    """The same call may work a little later."""
    conclusive: bool
    """The call certainly had no effect; otherwise a write may have been done all the same."""
    retry_after: float | None = None
    """Seconds that the server asked to wait; `None` where it asked for nothing."""


NEVER_REACHED = Diagnosis(transient=True, conclusive=True)
"""The call didn't get as far as the target, or the target turned it away unread."""
BROKEN_OFF = Diagnosis(transient=True, conclusive=False)
"""The call was under way when something broke."""
NEVER_SENT = Diagnosis(transient=False, conclusive=True)
"""The call is wrong before it leaves, or the target refused it; also every other exception, since a tool that raises
says that it did nothing."""
CUT_OFF = Diagnosis(transient=False, conclusive=False)
"""The call was stopped from outside, or answered in a way that says nothing: cancelled isn't the same as not done."""


_WRAPPERS = (
    "requests.ConnectionError",
    "urllib3.MaxRetryError",
    "urllib.URLError",
    "openai.APIConnectionError",
    "anthropic.APIConnectionError",
)
"""Classes that stand for any trouble with a connection: what they wrap says when it happened."""

_BY_CLASS: Mapping[str, Diagnosis] = {
    **dict.fromkeys(
        (
            "builtins.ConnectionRefusedError",
            "socket.gaierror",
            "socket.herror",
            "reinforced_agent.ToolsBusyError",
            "httpx.ConnectError",
            "httpx.ConnectTimeout",
            "httpx.PoolTimeout",
            "httpx.ProxyError",
            "httpcore.ConnectError",
            "httpcore.ConnectTimeout",
            "httpcore.PoolTimeout",
            "httpcore.ProxyError",
            "requests.ConnectTimeout",
            "urllib3.NewConnectionError",
            "urllib3.ConnectTimeoutError",
            "aiohttp.ClientConnectorError",
            "aiohttp.ConnectionTimeoutError",
        ),
        NEVER_REACHED,
    ),
    **dict.fromkeys(
        (
            "builtins.ConnectionError",
            "builtins.TimeoutError",
            "asyncio.IncompleteReadError",
            "ssl.SSLEOFError",
            "ssl.SSLZeroReturnError",
            "http.BadStatusLine",
            "http.IncompleteRead",
            "httpx.TransportError",
            "httpcore.NetworkError",
            "httpcore.TimeoutException",
            "httpcore.ProtocolError",
            "requests.Timeout",
            "requests.ChunkedEncodingError",
            "urllib3.ProtocolError",
            "urllib3.TimeoutError",
            "aiohttp.ClientConnectionError",
            "aiohttp.ClientPayloadError",
        ),
        BROKEN_OFF,
    ),
    **dict.fromkeys(
        (
            "ssl.SSLCertVerificationError",
            "httpx.UnsupportedProtocol",
            "httpx.LocalProtocolError",
            "httpcore.LocalProtocolError",
        ),
        NEVER_SENT,
    ),
    **dict.fromkeys(
        (
            "asyncio.CancelledError",
            "concurrent.CancelledError",
        ),
        CUT_OFF,
    ),
    **dict.fromkeys(_WRAPPERS, BROKEN_OFF),
}
"""First part of the module and name of the class; the nearest class in the order of inheritance decides."""

_BY_CODE: Mapping[str, Diagnosis] = {
    "RESOURCE_EXHAUSTED": NEVER_REACHED,
    **dict.fromkeys(("DEADLINE_EXCEEDED", "UNAVAILABLE", "INTERNAL", "UNKNOWN", "ABORTED", "DATA_LOSS"), BROKEN_OFF),
    "CANCELLED": CUT_OFF,
}
"""Codes of gRPC; any other one says that the call was refused."""

_BY_NAME: Mapping[str, Diagnosis] = {"timeout": BROKEN_OFF, "network": BROKEN_OFF, "unreached": NEVER_REACHED}

_SUCCESSORS: Mapping[str, str] = {"httpx2": "httpx", "httpcore2": "httpcore"}
"""Packages that name their exceptions as their predecessors did."""

_MOST_LINKS = 8
"""Exceptions inside exceptions that are looked at, one inside the other."""


def diagnose(error: BaseException, spec: ToolSpec) -> Diagnosis:
    """Judge an exception that a tool raised; never raises itself.

    An exception of a known class, or with an HTTP status, speaks for itself. One that nobody knows takes the diagnosis
    of what it was raised from (`raise ... from`, or while handling it), or else what its name says (a time-out, a lost
    connection), or its gRPC code: a tool that reports a lost connection in words
    of its own knows no more about the call than the lost connection does. `raise ... from None` is how a tool says
    that it does know: nothing was done. In a group all members must agree on the better; otherwise the worse holds.

    Args:
        error: What was raised.
        spec: The tool; the classes in `spec.transient` count as transient, too.

    """
    try:
        return _diagnose(error, spec, _MOST_LINKS) or NEVER_SENT
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        return CUT_OFF


def _diagnose(error: BaseException, spec: ToolSpec, links: int) -> Diagnosis | None:
    """Judge an exception; `None` where neither it nor what is inside says anything."""
    if links == 0:
        # What lies deeper is not looked at, so nothing is certain.
        return CUT_OFF
    if isinstance(error, BaseExceptionGroup):
        return _worst([_diagnose(member, spec, links - 1) or NEVER_SENT for member in error.exceptions])
    found = _by_status(error) or _by_class(error) or _BY_CODE.get(grpc_code(error))
    if found is None or _is_wrapper(error):
        inside = (_diagnose(inner, spec, links - 1) for inner in inner_of(error))
        found = next((diagnosis for diagnosis in inside if diagnosis is not None), found)
    if found is None and not _is_said_to_be_all(error):
        found = _BY_NAME.get(named(error))
    return replace(found or NEVER_SENT, transient=True) if isinstance(error, spec.transient) else found


def _is_said_to_be_all(error: BaseException) -> bool:
    """Tell whether a tool says by `raise ... from None` that it knows what happened: nothing."""
    return bool(_read(error, "__suppress_context__")) and _read(error, "__cause__") is None


def _worst(members: list[Diagnosis]) -> Diagnosis:
    """Combine the members of a group: each must say the better for it to hold, and the longest wait counts."""
    return Diagnosis(
        transient=all(member.transient for member in members),
        conclusive=all(member.conclusive for member in members),
        retry_after=max((member.retry_after for member in members if member.retry_after is not None), default=None),
    )


def names_of(error: BaseException) -> Iterable[str]:
    """Name the classes of an exception, nearest first, each with the first part of its module."""
    for kind in type(error).__mro__:
        package = str(kind.__module__).partition(".")[0]
        yield f"{_SUCCESSORS.get(package, package)}.{kind.__name__}"


def _by_class(error: BaseException) -> Diagnosis | None:
    """Judge by the nearest class that is known."""
    found = next((_BY_CLASS[name] for name in names_of(error) if name in _BY_CLASS), None)
    # What is no `Exception` ends things from outside; nobody raises it to say that nothing was done.
    return found or (None if isinstance(error, Exception) else CUT_OFF)


def _is_wrapper(error: BaseException) -> bool:
    """Tell whether the nearest known class only says that something is inside."""
    return next((name in _WRAPPERS for name in names_of(error) if name in _BY_CLASS), False)


def inner_of(error: BaseException) -> list[BaseException]:
    """Return the exceptions inside one, the most telling first."""
    args = _read(error, "args")
    first = args[0] if isinstance(args, tuple) and args else None
    wrapped = [_read(error, "reason"), first] if _is_wrapper(error) else []
    context = None if _read(error, "__suppress_context__") else _read(error, "__context__")
    inside = (*wrapped, _read(error, "__cause__"), context)
    return [inner for inner in inside if isinstance(inner, BaseException)]


def _by_status(error: BaseException) -> Diagnosis | None:
    """Judge by the HTTP status that an exception carries."""
    status = status_of(error)
    if status is None or not isinstance(error, Exception):
        return None
    return replace(_of_status(status), retry_after=_retry_after(error))


def _of_status(status: int) -> Diagnosis:
    """Judge an HTTP status.

    A server that breaks, or a gateway that loses it, may have done its work before; so may one that answers with a
    success or a redirection that the tool then stumbled over.
    """
    if status in {425, 429}:
        return NEVER_REACHED
    if status == 408 or (status >= 500 and status not in {501, 505}):  # noqa: PLR2004  # HTTP
        return BROKEN_OFF
    return CUT_OFF if status < 400 else NEVER_SENT  # noqa: PLR2004  # HTTP


def status_of(error: BaseException) -> int | None:
    """Read the HTTP status; a bare `code` counts only where it can hardly be anything else."""
    response = _read(error, "response")
    clouds = response.get("ResponseMetadata") if isinstance(response, dict) else None
    if isinstance(clouds, dict) and isinstance(clouds.get("HTTPStatusCode"), int):
        return int(clouds["HTTPStatusCode"])
    for owner, name, least in (
        (error, "status_code", 100),
        (response, "status_code", 100),
        (response, "status", 100),
        (error, "status", 400),
        (error, "code", 400),
    ):
        value = _read(owner, name)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value < 600:  # noqa: PLR2004  # HTTP
            return int(value)
    return None


def _retry_after(error: BaseException) -> float | None:
    """Read how long the server asks to wait, in seconds.

    A date is counted from the date of the answer, so that no clock of this computer comes in.
    """
    for owner in (_read(error, "response"), error):
        headers = _read(owner, "headers")
        asked = _header(headers, "Retry-After")
        if asked is not None:
            return _seconds(asked, _header(headers, "Date"))
    return None


def _seconds(asked: str, now: str | None) -> float | None:
    """Turn a number of seconds, or a date, into seconds."""
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(asked) - parsedate_to_datetime(now or "")).total_seconds()
        except (TypeError, ValueError, OverflowError):
            return None
    # A date that is past is no wait.
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _header(headers: Any, name: str) -> str | None:
    """Read a header in the usual ways to write it."""
    for spelling in (name, name.lower()):
        try:
            value = headers.get(spelling)
        except Exception:  # noqa: BLE001  # objects of hosts may fail in any way when they are looked at
            return None
        if isinstance(value, str):
            return value
    return None


def _read(owner: Any, name: str) -> Any:
    """Read an attribute of an object that may fail in any way when it is looked at; then it is `None`."""
    try:
        return getattr(owner, name, None)
    except Exception:  # noqa: BLE001  # see above
        return None
