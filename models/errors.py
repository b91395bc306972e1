"""What an error of a request to a model means: whether it may pass by itself, or somebody has to mend something first.

One table for every provider. Errors are told apart by what they carry (status, code, names of classes), so that no
client has to be installed for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias


FaultKind: TypeAlias = Literal[
    "credit",
    "server",
    "busy",
    "length",
    "model",
    "access",
    "request",
    "address",
    "connection",
    "setup",
    "code",
    "unknown",
]
"""credit: nothing is paid for. server: the provider has trouble of its own. busy: it wants fewer requests. length: the
request is longer than the model takes in. model: it isn't known. access: the key is missing, wrong or has too few
rights. request: what was sent is refused. address: the server's address can't be used. connection: it can't be reached.
setup: what a model of this package says of how it was set up. code: the host's code, or ours, is wrong. unknown:
nothing of this."""


@dataclass(frozen=True, slots=True)
class ModelFault:
    """What an error means."""

    kind: FaultKind
    permanent: bool
    """Whether the same request fails again until somebody mends something."""
    advice: str = ""
    """The one thing to do, for the operator; empty where waiting is all there is."""


@dataclass(frozen=True, slots=True)
class _Row:
    """How errors of a kind are recognised: any of these is enough."""

    fault: ModelFault
    statuses: frozenset[int] = frozenset()
    """HTTP status."""
    codes: frozenset[str] = frozenset()
    """Codes, types and states that providers name, in lower case."""
    classes: frozenset[str] = frozenset()
    """Names of classes, those that an error is derived from as well."""
    own_classes: frozenset[str] = frozenset()
    """Names of classes that don't speak for those derived from them."""


def _row(
    kind: FaultKind,
    advice: str = "",
    *,
    statuses: range | tuple[int, ...] = (),
    codes: str = "",
    classes: str = "",
    own_classes: str = "",
) -> _Row:
    words = (frozenset(text.split()) for text in (codes, classes, own_classes))
    return _Row(ModelFault(kind, bool(advice), advice), frozenset(statuses), *words)


_TABLE: Final = (
    _row(
        "credit",
        "see to the account at the provider: there is no credit left",
        statuses=(402,),
        codes="insufficient_quota billing_error billing_not_active billing_hard_limit_reached",
    ),
    _row(
        "server",
        statuses=range(500, 600),
        codes="server_error internal_server_error api_error overloaded_error internal unavailable deadline_exceeded",
        classes="ModelAPIError InternalServerError",
    ),
    _row(
        "busy",
        statuses=(408, 409, 425, 429),
        codes="rate_limit_exceeded rate_limit_error resource_exhausted",
        classes="ModelRateLimitError RateLimitError ModelBusyError",
    ),
    _row(
        "length",
        "send less: lower the bounds of the context, or take a model that takes in more",
        statuses=(413,),
        codes="context_length_exceeded request_too_large string_above_max_length",
        classes="ContextOverflowError",
    ),
    _row(
        "model",
        "check the name of the model and the address of the server",
        statuses=(404, 410),
        codes="model_not_found not_found_error not_found deploymentnotfound",
        classes="ModelNotFoundError",
    ),
    _row(
        "access",
        "check the key and what it may do",
        statuses=(401, 403, 407),
        codes="invalid_api_key authentication_error permission_error unauthenticated permission_denied",
        classes="ModelAuthenticationError ModelPermissionDeniedError NoCredentialsError DefaultCredentialsError "
        "RefreshError",
        own_classes="OpenAIError AnthropicError",  # what their clients raise themselves where no key is given
    ),
    _row(
        "request",
        "check the model's settings and the schemas of the tools against what the provider takes",
        statuses=range(400, 500),
        codes="invalid_request_error invalid_argument failed_precondition out_of_range unimplemented content_filter",
        classes="ModelInvalidRequestError ModelRefusalError",
    ),
    _row(
        "address",
        "check the address of the server, its certificate and the headers that are set",
        classes="UnsupportedProtocol InvalidURL LocalProtocolError SSLCertVerificationError MissingSchema",
    ),
    _row("connection", classes="OSError ModelConnectionError ModelTimeoutError APIConnectionError TransportError"),
    _row("setup", "mend what the message names", classes="ScriptError ModelSpecError ModelUnavailableError"),
    _row(
        "code",
        "mend the code that raised it",
        classes="TypeError AttributeError NameError ImportError LookupError NotImplementedError AssertionError",
    ),
)
"""The first row that fits an error, or what it was raised from, counts: a status over 499 says more than a code that
came with it, and a code more than the 429 that two kinds share."""

_UNKNOWN: Final = ModelFault("unknown", permanent=False)
_DEEPEST: Final = 8
"""Errors of a chain of causes that are looked at."""


def fault_of(error: BaseException) -> ModelFault:
    """Say what an error that came of a request to a model means; never raises.

    What the table doesn't know counts as something that may pass.
    """
    seen = [_Evidence.of(one) for one in _chain(error)]
    return next((row.fault for row in _TABLE for one in seen if one.fits(row)), _UNKNOWN)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What an error carries."""

    statuses: frozenset[int]
    codes: frozenset[str]
    classes: frozenset[str]
    own_class: str

    @classmethod
    def of(cls, error: BaseException) -> _Evidence:
        """Look at an error of any client."""
        said = list(_said(error))
        return cls(
            statuses=frozenset(int(one) for one in said if _is_status(one)),
            codes=frozenset(one.lower() for one in said if isinstance(one, str)),
            classes=frozenset(one.__name__ for one in type(error).__mro__),
            own_class=type(error).__name__,
        )

    def fits(self, row: _Row) -> bool:
        """Tell whether it is an error of a kind."""
        return bool(
            self.statuses & row.statuses
            or self.codes & row.codes
            or self.classes & row.classes
            or self.own_class in row.own_classes
        )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it was raised from."""
    one: BaseException | None = error
    for _ in range(_DEEPEST):
        if one is None:
            return
        yield one
        one = one.__cause__


def _said(error: BaseException) -> Iterator[Any]:
    """Yield statuses and codes, wherever a client keeps them."""
    response, body = _field(error, "response"), _field(error, "body")
    inner = _field(body, "error")
    for place in (error, response, body, inner, _field(response, "ResponseMetadata"), _field(response, "Error")):
        for name in ("status_code", "http_status", "HTTPStatusCode", "code", "Code", "type", "status"):
            yield _field(place, name)
    # The errors of gRPC name their state by a member of an enumeration, some by a method.
    code = _field(error, "code")
    for state in (_field(error, "grpc_status_code"), _called(code)):
        yield _field(state, "name")


def _field(place: object, name: str) -> Any:
    """Return an entry or an attribute; `None` where there is none, or it can't be read."""
    try:
        return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        return None


def _called(method: object) -> Any:
    try:
        return method() if callable(method) and not isinstance(method, type) else None
    except Exception:  # noqa: BLE001  # as above
        return None


def _is_status(value: object) -> bool:
    """Tell whether a value is an HTTP status, also as a text."""
    if isinstance(value, str):
        return len(value) == len("404") and value.isascii() and value.isdigit()
    return isinstance(value, int) and not isinstance(value, bool)
