"""See errors that were returned instead of raised, in objects and in plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from reinforced_agent.policies.sanity.verdicts import Bad, Doubt, Sanity, Suspicious


_FAILED: Final = frozenset({"error", "failed", "failure", "fail"})
_WORDS: Final = ("error", "errors", "message", "msg", "error_message", "errormessage", "error_description", "detail")
_ABOUT_ERRORS: Final = frozenset(
    {
        *_WORDS,
        *("status", "code", "details", "success", "ok", "iserror", "is_error", "statuscode", "status_code", "title"),
        *("error_code", "errorcode", "errno", "reason", "hint", "help", "type", "trace_id", "request_id", "requestid"),
        *("documentation_url", "retry_after", "retryafter", "timestamp", "path", "instance", "error_type", "errortype"),
    }
)
"""Fields, in lower case, of a result that reports an error and nothing else."""
_LINE: Final = re.compile(
    r"(?:(?:fatal |internal |unexpected )?errors?|exception|[a-z]+(?:error|exception)|错误|出错|失败)\s*[:：]\s*(\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_MOST_LINE: Final = 500
_MOST_TRACEBACK: Final = 20_000
_SERVER: Final = range(500, 600)
_HTTP_ERRORS: Final = range(400, 600)
_CROWDED: Final = frozenset({408, 425, 429})


def error_in(value: Mapping[str, Any], *, changes: bool) -> Sanity | None:
    """See an object that says that the tool failed.

    Whatever else it holds may be the answer: a payment that failed is a record, not a failure of the tool. Only a write
    that plainly says `success: false` didn't do what it was called for, however much it says beside.
    """
    fields = {str(key).lower(): item for key, item in list(value.items())[:50]}
    denied = any(fields.get(key) is False for key in ("success", "ok")) or fields.get("iserror") is True
    said = next((fields[key] for key in _WORDS if fields.get(key)), None)
    bare = all(key in _ABOUT_ERRORS or item in (None, "", [], {}) for key, item in fields.items())
    if bare and (denied or fields.get("error") or fields.get("errors") or _has_failed(fields)):
        if denied and said is None and not changes:
            return Suspicious((Doubt("unsuccessful"),))
        return _reported(said or fields.get("status"), fields)
    if denied and not bare:
        return _reported(said, fields) if changes else Suspicious((Doubt("unsuccessful"),))
    return None


def _has_failed(fields: Mapping[str, Any]) -> bool:
    """Tell whether a status names a failure, in a word or as that of HTTP beside words about it."""
    status = fields.get("status")
    if isinstance(status, str) and status.lower() in _FAILED:
        return True
    return _http_status(fields) is not None and any(fields.get(key) for key in (*_WORDS, "title"))


def _http_status(fields: Mapping[str, Any]) -> int | None:
    """Read the HTTP status in a body."""
    for key in ("status_code", "statuscode", "status", "code"):
        status = fields.get(key)
        if isinstance(status, int) and not isinstance(status, bool) and status in _HTTP_ERRORS:
            return status
    return None


def _reported(said: object, fields: Mapping[str, Any]) -> Bad:
    """Pass on what the tool says about its failure."""
    status = _http_status(fields)
    if said is None:
        said = "it says that it did not succeed"
    crowded = status is not None and (status in _SERVER or status in _CROWDED)
    words = Doubt("reported_error", {"message": _words(said)} | ({} if status is None else {"status": str(status)}))
    return Bad(words, reported=status not in _SERVER, lost=status in _SERVER, may_pass=crowded)


def _words(said: object) -> str:
    """Write the message of an error, short."""
    inner = said.get("message") if isinstance(said, Mapping) else None
    return str(inner or said)[:500]


def error_line(head: str) -> Bad | None:
    """See a text that is an error and nothing else: one line of it, or a traceback."""
    text = head.strip()
    if len(text) <= _MOST_LINE and "\n" not in text and (found := _LINE.fullmatch(text)):
        return Bad(Doubt("reported_error", {"message": found[1].strip()}), reported=True, may_pass=False)
    if text.startswith("Traceback (") and len(text) <= _MOST_TRACEBACK:
        last = text.rpartition("\n")[2].strip()
        if re.fullmatch(r"[\w.]+(?:Error|Exception)\b.*", last):
            return Bad(Doubt("reported_error", {"message": last[:_MOST_LINE]}), reported=True, may_pass=False)
    return None
