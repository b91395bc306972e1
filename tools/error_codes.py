"""The classes of failures, and how statuses and codes of gRPC and clouds are sorted into them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final


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


PASSING: Final = frozenset({FailureClass.RATE_LIMIT, FailureClass.SERVER, FailureClass.TIMEOUT, FailureClass.NETWORK})
"""The classes that may pass by themselves."""
_BY_STATUS: Final[Mapping[int, FailureClass]] = {
    **dict.fromkeys((400, 409, 411, 412, 413, 414, 415, 416, 422), FailureClass.MISTAKE),
    **dict.fromkeys((404, 410), FailureClass.NOT_FOUND),
    **dict.fromkeys((401, 402, 403, 407, 451), FailureClass.BAD_CREDENTIALS),
    **dict.fromkeys((425, 429), FailureClass.RATE_LIMIT),
    **dict.fromkeys((408, 504, 524), FailureClass.TIMEOUT),
}
_SERVER: Final = range(500, 600)
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
_UNDER_WAY: Final = re.compile(
    r"timed? ?-?out|timeout|deadline exceeded|超时|connection (?:was )?(?:reset|aborted|closed|lost)|disconnected"
    r"|hang ?up|broken pipe|bad gateway|internal server error|service (?:temporarily )?unavailable",
    re.IGNORECASE,
)
"""What programs write about a call that broke while it was under way."""
_MOST_TEXT: Final = 2_000


def class_of_status(status: int) -> FailureClass | None:
    """Sort an HTTP status; `None` where it says nothing."""
    return _BY_STATUS.get(status) or (FailureClass.SERVER if status in _SERVER else None)


def class_of_code(code: str) -> FailureClass | None:
    """Sort a code of gRPC or of a cloud; `None` where it is none."""
    return _BY_CODE.get(code.upper())


def leaves_open(kind: FailureClass | None, message: str, status: int | None = None) -> bool:
    """Return whether a call that is known to have failed may have taken effect all the same.

    Words count here alone, because they can only make a failure less certain.

    Args:
        kind: The class of the failure, where it is known.
        message: Its words.
        status: The HTTP status beside them.

    """
    if status is not None:
        return status in _SERVER or kind is FailureClass.TIMEOUT
    open_kinds = {FailureClass.TIMEOUT, FailureClass.SERVER, FailureClass.NETWORK}
    return kind in open_kinds or _UNDER_WAY.search(message[:_MOST_TEXT]) is not None
