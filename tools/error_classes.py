"""Sort what a tool raised by what can be done about it: by the model, by waiting, or by the operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reinforced_agent.tools.error_codes import FailureClass, class_of_code, class_of_status
from reinforced_agent.tools.error_names import grpc_code, named
from reinforced_agent.tools.errors import inner_of, names_of, status_of
from reinforced_agent.tools.spec import ToolSpec


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
_MOST_LINKS: Final = 8


def classify(error: BaseException, spec: ToolSpec) -> FailureClass:
    """Sort an exception that a tool raised; never raises itself."""
    try:
        return _classify(error, spec, _MOST_LINKS)
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        return FailureClass.OTHER


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
    return class_of_status(status)


def _of_code(error: BaseException) -> FailureClass | None:
    """Sort by the code of gRPC, or of a cloud, that an exception carries."""
    response = getattr(error, "response", None)
    cloud = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    code = getattr(error, "code", None)
    names = (name for name in (grpc_code(error), getattr(code, "name", code), cloud) if isinstance(name, str))
    return next((found for name in names if (found := class_of_code(name)) is not None), None)


def _of_class(error: BaseException) -> FailureClass | None:
    """Sort by the nearest class that is known."""
    return next((_BY_CLASS[name] for name in names_of(error) if name in _BY_CLASS), None)
