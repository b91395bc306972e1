"""What an error of a request to a model means: whether it may pass by itself, or somebody has to mend something first.

One table for every provider. Errors are told apart by what they carry (status, code, names of classes, and where a
server says it in words only, by these), so that no client has to be installed for it.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

from reinforced_agent.models.error_evidence import Evidence, Overflow, chain


FaultKind: TypeAlias = Literal[
    "page",
    "credit",
    "length",
    "filter",
    "server",
    "busy",
    "model",
    "access",
    "request",
    "address",
    "connection",
    "setup",
    "code",
    "unknown",
]
"""page: something else than the provider answered, such as a proxy. credit: nothing is paid for. length: the request is
longer than the model takes in. filter: the provider's filter refused the request. server: the provider has trouble of
its own. busy: it wants fewer requests. model: it isn't known. access: the key is missing, wrong or has too few rights.
request: what was sent is refused. address: the server's address can't be used. connection: it can't be reached. setup:
what a model of this package says of how it was set up. code: the host's code, or ours, is wrong. unknown: nothing of
this."""


@dataclass(frozen=True, slots=True)
class ModelFault:
    """What an error means."""

    kind: FaultKind
    permanent: bool
    """Whether the same request fails again until somebody mends something."""
    advice: str = ""
    """The one thing to do, for the operator; empty where waiting is all there is."""
    status: int | None = None
    """HTTP status; `None` where there was no answer."""
    code: str = ""
    """What the provider calls it; empty where it says nothing."""
    retry_after: float | None = None
    """Seconds after which the provider wants to be asked again; `None` where it doesn't say."""
    page: str = ""
    """What came in place of a reply, where that is the fault."""
    address: str = ""
    """Where the request was sent, without login and query; empty where the error doesn't say."""
    overflow: Overflow = field(default_factory=Overflow)
    """What a refusal says of lengths, where they are the fault."""


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
    words: re.Pattern[str] | None = None
    """What servers write that name no code for it, in lower case."""

    def fits(self, one: Evidence) -> bool:
        """Tell whether an error is of this kind."""
        return bool(
            not self.statuses.isdisjoint(one.statuses)
            or not self.codes.isdisjoint(code.lower() for code in one.codes)
            or not self.classes.isdisjoint(one.classes)
            or one.own_class in self.own_classes
            or (self.words is not None and self.words.search(one.words))
            or (self.fault.kind == "page" and one.page)
        )


def _row(
    kind: FaultKind,
    advice: str = "",
    *,
    statuses: range | tuple[int, ...] = (),
    codes: str = "",
    classes: str = "",
    own_classes: str = "",
    words: Sequence[str] = (),
) -> _Row:
    return _Row(
        ModelFault(kind, bool(advice), advice),
        frozenset(statuses),
        frozenset(codes.split()),
        frozenset(classes.split()),
        frozenset(own_classes.split()),
        re.compile("|".join(words)) if words else None,
    )


_WHOSE: Final = "(?:the |this |its |your |max |available |maximum |model's ){0,3}"
_TABLE: Final = (
    _row("page", "check the address of the server, and what stands between it and this service, such as a proxy"),
    _row(
        "credit",
        "see to the account at the provider: there is no credit left",
        statuses=(402,),
        codes="insufficient_quota billing_error billing_not_active billing_hard_limit_reached budget_exceeded",
        words=("credit balance is too low", "insufficient balance", "key limit exceeded", "budget has been exceeded"),
    ),
    _row(
        "length",
        "send less: lower the bounds of the context or of the reply, or take a model that takes in more",
        statuses=(413,),
        codes="context_length_exceeded request_too_large string_above_max_length exceed_context_size_error",
        classes="ContextOverflowError ContextWindowExceededError",
        words=(
            r"maximum (?:context|prompt|model) length",
            rf"exceed(?:s|ed|ing)? {_WHOSE}(?:context (?:length|window|size|limit)|number of tokens allowed)",
            r"longer than the model's context",
            r"(?:prompt|input) (?:is )?too long",
            r"(?:tokens exceed|exceeded model) (?:the configured limit of|token limit)",
            r"request too large for ",
            r"please reduce the length of (?:the|your|either)",
            r"input length should be \[",
            r"`max_new_tokens` must be <=",
            r"loaded with context length of only",
            r"maximum context length",
            r"contextwindowexceedederror",
        ),
    ),
    _row(
        "filter",
        "look at what the request holds, or at the filter's settings at the provider",
        codes="content_filter responsibleaipolicyviolation content_policy_violation moderation_blocked flagged_input "
        "data_inspection_failed datainspectionfailed prohibited_content",
        classes="ModelRefusalError ContentPolicyViolationError ContentFilterFinishReasonError BlockedPromptException",
        words=(
            "content management policy",
            "content filtering policy",
            "content exists risk",
            "flagged as potentially violating",
        ),
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
        codes="invalid_api_key authentication_error permission_error unauthenticated permission_denied api_key_invalid",
        classes="ModelAuthenticationError ModelPermissionDeniedError NoCredentialsError DefaultCredentialsError "
        "RefreshError",
        own_classes="OpenAIError AnthropicError",  # what their clients raise themselves where no key is given
    ),
    _row(
        "request",
        "check the model's settings and the schemas of the tools against what the provider takes",
        statuses=range(400, 500),
        codes="invalid_request_error invalid_argument failed_precondition out_of_range unimplemented",
        classes="ModelInvalidRequestError",
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
"""The first row that fits an error, or what it was raised from, counts: what came in place of an answer says more than
its status, what a server says of credit, length or content more than the 400, 403, 429 or 500 that it came with, and a
status over 499 more than any other code."""

_UNKNOWN: Final = ModelFault("unknown", permanent=False)
_TROUBLE: Final = 500
"""The first status by which a server, or what stands before it, says that the trouble is its own."""


def fault_of(error: BaseException) -> ModelFault:
    """Say what an error that came of a request to a model means; never raises.

    What the table doesn't know counts as something that may pass.
    """
    seen = [Evidence(one) for one in chain(error)]
    fault = next((row.fault for row in _TABLE for one in seen if row.fits(one)), _UNKNOWN)
    found = replace(
        fault,
        status=_first(one.statuses for one in seen),
        code=next((one.codes[0] for one in seen if one.codes), ""),
        retry_after=next((one.retry_after for one in seen if one.retry_after is not None), None),
        address=next((one.address for one in seen if one.address), ""),
    )
    if found.kind == "page":
        page = next(one.page for one in seen if one.page)
        # A gateway that shows a page of its own because nothing stands behind it may have somebody there later.
        passing = found.status is not None and found.status >= _TROUBLE
        return replace(found, page=page, permanent=not passing)
    if found.kind == "length":
        told = next((one.overflow for one in seen if one.overflow.window or one.overflow.sent), found.overflow)
        return replace(found, overflow=told)
    return found


def _first(statuses: Iterable[Sequence[int]]) -> int | None:
    return next((found[0] for found in statuses if found), None)


_MISTAKES: Final = (TypeError, AttributeError, NameError, UnboundLocalError)
"""What Python raises where code is wrong, and what no data does that a client could have let through."""
_LOOKING_UP: Final = frozenset({"__getattr__", "__getattribute__"})
_PACKAGE: Final = str(Path(__file__).parent.parent)
_STANDARD: Final = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
_INSTALLED: Final = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib")})


def is_mistake_of_host(error: BaseException) -> bool:
    """Tell whether an error proves that code of the host is wrong: it was raised there, and not by a library.

    Errors of installed packages are none: a client that stumbles over what a server sent raises the same classes.
    """
    if type(error) not in _MISTAKES:
        return False
    files = []
    place = error.__traceback__
    while place is not None:
        code, place = place.tb_frame.f_code, place.tb_next
        # What says that an object has no such attribute speaks for who asked for it.
        if code.co_name not in _LOOKING_UP:
            files.append(code.co_filename)
    # Code of the standard library that was given something wrong speaks for who gave it.
    raised = next((one for one in reversed(files) if not _is_standard(one)), "")
    return bool(raised) and not _is_within(raised, (_PACKAGE, *_INSTALLED)) and "-packages" not in raised


def _is_standard(file: str) -> bool:
    return file.startswith("<frozen ") or ("-packages" not in file and _is_within(file, _STANDARD))


def _is_within(file: str, folders: Sequence[str]) -> bool:
    return any(file.startswith((f"{folder}/", f"{folder}\\")) for folder in folders)
