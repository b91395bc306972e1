"""Sort what a tool raised by what can be done about it: by the model, by waiting, or by the operator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from reinforced_agent.tools.failure_names import grpc_code, named
from reinforced_agent.tools.failures import inner_of, names_of, status_of
from reinforced_agent.tools.spec import ToolSpec


class FailureClass(StrEnum):
    """Why a tool failed."""

    MISTAKE = "mistake"
    """The arguments were wrong; the model can correct them."""
    NOT_FOUND = "not_found"
    """What the arguments name does not exist."""
    BAD_CREDENTIALS = "bad_credentials"
    """The tool may not do it; only the operator can change that."""
    RATE_LIMIT = "rate_limit"
    """Too many calls; passes by itself."""
    SERVER = "server"
    """The other side is broken; may pass by itself."""
    TIMEOUT = "timeout"
    """No answer in time; may pass by itself."""
    NETWORK = "network"
    """The other side can't be reached; may pass by itself."""
    OTHER = "other"
    """Nothing is known."""


_BY_STATUS: Final[Mapping[int, FailureClass]] = {
    **dict.fromkeys((400, 409, 411, 412, 413, 414, 415, 416, 422), FailureClass.MISTAKE),
    **dict.fromkeys((404, 410), FailureClass.NOT_FOUND),
    **dict.fromkeys((401, 402, 403, 407, 451), FailureClass.BAD_CREDENTIALS),
    **dict.fromkeys((425, 429), FailureClass.RATE_LIMIT),
    **dict.fromkeys((408, 504, 524), FailureClass.TIMEOUT),
}
_BY_CODE: Final[Mapping[str, FailureClass]] = {
    **dict.fromkeys(("NOT_FOUND", "NOSUCHKEY", "NOSUCHBUCKET", "RESOURCENOTFOUNDEXCEPTION"), FailureClass.NOT_FOUND),
    **dict.fromkeys(
        ("UNAUTHENTICATED", "PERMISSION_DENIED", "ACCESSDENIED", "ACCESSDENIEDEXCEPTION", "EXPIREDTOKEN"),
        FailureClass.BAD_CREDENTIALS,
    ),
    **dict.fromkeys(("RESOURCE_EXHAUSTED", "THROTTLING", "THROTTLINGEXCEPTION", "SLOWDOWN"), FailureClass.RATE_LIMIT),
    **dict.fromkeys(("INVALID_ARGUMENT", "OUT_OF_RANGE", "VALIDATIONEXCEPTION"), FailureClass.MISTAKE),
    **dict.fromkeys(("INTERNAL", "DATA_LOSS", "INTERNALERROR", "SERVICEUNAVAILABLE"), FailureClass.SERVER),
    "DEADLINE_EXCEEDED": FailureClass.TIMEOUT,
    "UNAVAILABLE": FailureClass.NETWORK,
}
"""Codes of gRPC and of clouds."""
_BY_CLASS: Final[Mapping[str, FailureClass]] = {
    "builtins.FileNotFoundError": FailureClass.NOT_FOUND,
    "builtins.PermissionError": FailureClass.BAD_CREDENTIALS,
    **dict.fromkeys(
        (
            *(
                "builtins.TimeoutError",
                "httpx.TimeoutException",
                "httpcore.TimeoutException",
                "requests.Timeout",
                "requests.ConnectTimeout",
            ),
            *("urllib3.TimeoutError", "openai.APITimeoutError", "anthropic.APITimeoutError"),
        ),
        FailureClass.TIMEOUT,
    ),
    **dict.fromkeys(
        (
            *(
                "builtins.ConnectionError",
                "socket.gaierror",
                "socket.herror",
                "httpx.TransportError",
                "httpcore.NetworkError",
            ),
            *(
                "httpcore.ProtocolError",
                "requests.ConnectionError",
                "urllib3.HTTPError",
                "urllib.URLError",
                "ssl.SSLError",
            ),
            *("aiohttp.ClientConnectionError", "aiohttp.ClientPayloadError", "openai.APIConnectionError"),
            *("anthropic.APIConnectionError", "http.HTTPException"),
        ),
        FailureClass.NETWORK,
    ),
    "reinforced_agent.ToolsBusyError": FailureClass.RATE_LIMIT,
    "pydantic_core.ValidationError": FailureClass.MISTAKE,
    "jsonschema.ValidationError": FailureClass.MISTAKE,
}
_BY_NAME: Final[Mapping[str, FailureClass]] = {
    "timeout": FailureClass.TIMEOUT,
    "network": FailureClass.NETWORK,
    "unreached": FailureClass.NETWORK,
}
_BY_TEXT: Final = (
    (re.compile(r"rate.?limit|too many requests|quota exceeded|throttl", re.IGNORECASE), FailureClass.RATE_LIMIT),
    (
        re.compile(
            r"unauthori[sz]ed|invalid (?:api key|token|credentials)|(?:permission|access) denied|forbidden",
            re.IGNORECASE,
        ),
        FailureClass.BAD_CREDENTIALS,
    ),
    (re.compile(r"timed? ?out|deadline exceeded", re.IGNORECASE), FailureClass.TIMEOUT),
    (
        re.compile(r"connection (?:refused|reset|aborted)|unreachable|name resolution", re.IGNORECASE),
        FailureClass.NETWORK,
    ),
    (
        re.compile(r"\bnot found\b|\bno such\b|does(?: not|n't) exist|不存在|找不到", re.IGNORECASE),
        FailureClass.NOT_FOUND,
    ),
    (re.compile(r"internal server error|service unavailable|bad gateway", re.IGNORECASE), FailureClass.SERVER),
)
"""Words of messages, looked at only where nothing else tells."""
_MOST_LINKS: Final = 8
_MOST_TEXT: Final = 2_000
_SERVER: Final = range(500, 600)


def classify(error: BaseException, spec: ToolSpec) -> FailureClass:
    """Sort an exception that a tool raised; never raises itself."""
    try:
        found = _classify(error, spec, _MOST_LINKS)
        return found if found is not FailureClass.OTHER else class_of_text(str(error))
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        return FailureClass.OTHER


def class_of_text(text: str) -> FailureClass:
    """Sort a message by its words."""
    found = (kind for pattern, kind in _BY_TEXT if pattern.search(text[:_MOST_TEXT]))
    return next(found, FailureClass.OTHER)


def _classify(error: BaseException, spec: ToolSpec, links: int) -> FailureClass:
    """Sort by what the exception is, then by what is inside."""
    if spec.failures is not None and isinstance(error, spec.failures.mistakes):
        return FailureClass.MISTAKE
    inside = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else inner_of(error)
    own = _of_status(error) or _of_code(error) or _of_class(error)
    # A lost connection may wrap the reason, such as a time-out, and says less than it.
    if own is not None and own is not FailureClass.NETWORK:
        return own
    deeper = (_classify(inner, spec, links - 1) for inner in inside) if links else iter(())
    found = next((kind for kind in deeper if kind is not FailureClass.OTHER), own)
    return found or _BY_NAME.get(named(error), FailureClass.OTHER)


def _of_status(error: BaseException) -> FailureClass | None:
    """Sort by the HTTP status that an exception carries."""
    status = status_of(error)
    if status is None:
        return None
    return _BY_STATUS.get(status) or (FailureClass.SERVER if status in _SERVER else None)


def _of_code(error: BaseException) -> FailureClass | None:
    """Sort by the code of gRPC, or of a cloud, that an exception carries."""
    response = getattr(error, "response", None)
    cloud = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    code = getattr(error, "code", None)
    names = (grpc_code(error), getattr(code, "name", code), cloud)
    return next((_BY_CODE[name.upper()] for name in names if isinstance(name, str) and name.upper() in _BY_CODE), None)


def _of_class(error: BaseException) -> FailureClass | None:
    """Sort by the nearest class that is known."""
    return next((_BY_CLASS[name] for name in names_of(error) if name in _BY_CLASS), None)
