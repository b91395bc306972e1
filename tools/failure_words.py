"""The classes of failures, and how statuses, codes of gRPC and clouds, and words of messages are sorted into them."""

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
_BY_TEXT: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"rate.?limit|too many requests|quota exceeded|throttl", FailureClass.RATE_LIMIT),
        (
            r"unauthori[sz]ed|invalid (?:api key|token|credentials)|(?:permission|access) denied|forbidden",
            FailureClass.BAD_CREDENTIALS,
        ),
        (r"timed? ?out|deadline exceeded", FailureClass.TIMEOUT),
        (r"connection (?:refused|reset|aborted)|unreachable|name resolution", FailureClass.NETWORK),
        (r"\bnot found\b|\bno such\b|does(?: not|n't) exist|不存在|找不到", FailureClass.NOT_FOUND),
        (r"internal server error|service unavailable|bad gateway", FailureClass.SERVER),
    )
)
"""Words of messages, looked at only where nothing else tells."""
_MOST_TEXT: Final = 2_000


def class_of_status(status: int) -> FailureClass | None:
    """Sort an HTTP status; `None` where it says nothing."""
    return _BY_STATUS.get(status) or (FailureClass.SERVER if status in _SERVER else None)


def class_of_code(code: str) -> FailureClass | None:
    """Sort a code of gRPC or of a cloud; `None` where it is none."""
    return _BY_CODE.get(code.upper())


def class_of_text(text: str) -> FailureClass:
    """Sort a message by its words."""
    found = (kind for pattern, kind in _BY_TEXT if pattern.search(text[:_MOST_TEXT]))
    return next(found, FailureClass.OTHER)
