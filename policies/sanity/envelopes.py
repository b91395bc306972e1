"""See errors that were returned as objects: envelopes of interfaces that hold nothing but how the call failed.

Proof is an envelope that names nothing else. Whatever else an object holds may be the answer: a payment that failed is
a record, findings of a linter are its product, and the title of a code is its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from reinforced_agent.policies.sanity.failing import FAILING
from reinforced_agent.policies.sanity.findings import are_findings, is_measure
from reinforced_agent.policies.sanity.verdicts import Bad, Doubt, Sanity, Suspicious, told_failure


_ERRORS: Final = (
    *("error", "errors", "err", "exception", "fault", "failure", "错误"),
    *("errormessage", "errormsg", "errmsg", "errordescription", "errordetail", "errordetails", "faultstring"),
)
_WORDS: Final = (
    *("message", "msg", "detail", "details", "responsedetails", "responsemessage", "reason", "description"),
    *("info", "statustext", "statusmessage", "resultmsg"),
    *("returnmsg", "retmsg", "cause", "hint", "消息", "信息", "原因"),
)
_STATES: Final = ("status", "state", "result", "resultcode", "returncode", "outcome")
_ERROR_CODES: Final = ("errorcode", "errcode", "errno", "retcode", "ret", "errorno", "resultcode", "returncode")
_CODES: Final = (*_ERROR_CODES, "code", "cod", "status", "infocode", "subcode")
_STATUSES: Final = (
    "statuscode",
    "httpstatus",
    "httpcode",
    "httpstatuscode",
    "responsestatus",
    "responsecode",
    "status",
)
_DENIED: Final = ("success", "ok", "succeeded", "issuccess", "successful", "issuccessful")
_ADMITTED: Final = ("iserror", "haserror", "haserrors", "error")
_BESIDE: Final = frozenset(
    {
        *("type", "title", "help", "traceid", "requestid", "logid", "correlationid", "documentationurl", "helpurl"),
        *("retryafter", "timestamp", "path", "instance", "errortype", "errorsubcode", "stack", "stacktrace"),
        "traceback",
        *("trace", "extensions", "param", "params", "fbtraceid", "errorid", "errorname", "errorclass", "docs", "time"),
        *("servertime", "apiversion", "responsemetadata", "messageid", "rid", "displaymessage", "usermessage", "level"),
    }
)
"""Fields, folded, that stand beside an error and are no answer."""
_ABOUT: Final = frozenset((*_ERRORS, *_WORDS, *_STATES, *_CODES, *_STATUSES, *_DENIED, *_ADMITTED, *_BESIDE))
_SAYS_ERROR: Final = frozenset({"error", "fail", "err"})
"""Words of a status by which interfaces tell that the call failed."""
_SAYS_FAILED: Final = frozenset(
    {"failed", "failure", "failing", "exception", "失败", "rejected", "declined", "aborted"}
)
"""Words of a status that jobs and payments have as well."""
_OF_EXCEPTIONS: Final = frozenset(
    {"type", "name", "object", "message", "code", "stack", "status", "param", "requestid", "config", "errno"}
)
_CLASS: Final = re.compile(r"(?:Exception|Error|Fault|_error)$|^error$")
_COUNTS: Final = frozenset({"count", "total", "totalcount", "size", "length", "num", "number"})
_WRAPPERS: Final = frozenset({"response", "result", "body"})
_STATE_CODE: Final = re.compile(r"(?=.*(?:error|fail|denied|invalid|limit|exception))[a-z]+(?:_[a-z]+)+")
_ANSWERED: Final = frozenset({"body", "text", "content", "data", "headers", "url", "isbase64encoded", "elapsed"})
"""Fields of an answer of HTTP as a whole."""
_HTTP: Final = range(400, 600)
_NO_ERRORS: Final = range(100, 400)
"""Codes of HTTP that report no error."""
_FAILING_CODE: Final = re.compile(r"(?!0+$|[123]\d\d$|10000$)-?\d+|[A-Z_.]*(?:FAIL|ERR|INVALID|EXCEPTION|DENIED)\w*")
_MOST_FIELDS: Final = 50
_MOST_WORDS: Final = 300


def error_in(value: Mapping[str, Any], *, changes: bool) -> Sanity | None:
    """See an object that says that the tool failed.

    Args:
        value: The object.
        changes: Whether the call was to change something; then what did not work must not be taken for done.

    """
    fields = {_folded(key): item for key, item in list(value.items())[:_MOST_FIELDS]}
    if (proof := _of_protocol(fields)) is not None:
        return proof
    denied = any(_is_no(fields.get(key)) for key in _DENIED) or any(fields.get(key) is True for key in _ADMITTED)
    holding = {key: item for key, item in fields.items() if not _is_no_data(key, item)}
    if len(fields) == 1 and fields.keys() <= _WRAPPERS and isinstance(inner := next(iter(value.values())), Mapping):
        return error_in(inner, changes=changes)
    if any(isinstance(fields.get(key), str) and not _is_no(fields[key]) for key in _DENIED):
        return None
    if holding.keys() <= _ABOUT:
        found = _denial(fields, changes=changes) if denied else _bare(fields, changes=changes)
        undone = changes and any(item is False and key not in _ABOUT for key, item in fields.items())
        return _doubt("maybe_not_done", _said(fields) or "") if found is None and undone else found
    return _beside_data(fields, holding, denied=denied, changes=changes)


def _folded(key: object) -> str:
    """Write a key without case and separators."""
    return re.sub(r"[\W_]", "", str(key).lower()[:50])


def _is_void(item: object) -> bool:
    """Tell whether a value holds nothing, however deep."""
    if isinstance(item, Mapping):
        return all(_is_void(inner) for inner in list(item.values())[:_MOST_FIELDS])
    return item in (None, "", [])


def _is_no(item: object) -> bool:
    return item is False or (isinstance(item, str) and item.lower() == "false")


def _is_no_data(key: str, item: object) -> bool:
    """Tell whether a field says nothing beside an error: void, refused, or a count of nothing."""
    return _is_void(item) or item is False or (key in _COUNTS and item == 0)


def _of_protocol(fields: Mapping[str, Any]) -> Bad | None:
    """See the errors of JSON-RPC, of MCP, and of clouds, whose fields can be nothing else."""
    error = fields.get("error")
    called = "jsonrpc" in fields or ("result" in fields and fields.keys() <= {"result", "error", "id"})
    if called and isinstance(error, Mapping) and fields.get("result") is None:
        return told_failure(words_of(error), _http_status(error))
    if fields.get("iserror") is True and isinstance(fields.get("content"), list | str):
        return told_failure(words_of(fields["content"]))
    return _of_class(fields)


def _of_class(fields: Mapping[str, Any]) -> Bad | None:
    """See an exception that was written as an object: by its class, and its message."""
    if "message" not in fields or not fields.keys() <= _OF_EXCEPTIONS:
        return None
    kinds = [kind for key in ("type", "name", "object") if isinstance(kind := fields.get(key), str)]
    kind = next((kind for kind in kinds if _CLASS.search(kind)), None)
    return told_failure(f"{kind}: {words_of(fields['message'])}", _http_status(fields)) if kind else None


def _denial(fields: Mapping[str, Any], *, changes: bool) -> Sanity:
    """See an object that says that it did not succeed, and why."""
    said = _said(fields)
    if isinstance(fields.get("errors"), list) and are_findings(fields["errors"]) and not changes:
        return Suspicious((Doubt("unsuccessful"),))
    if said is None and not changes:
        return Suspicious((Doubt("unsuccessful"),))
    return told_failure(said or "it says that it did not succeed", _http_status(fields))


def _bare(fields: Mapping[str, Any], *, changes: bool) -> Sanity | None:
    """Judge an object that holds nothing but fields about errors."""
    said = _said(fields)
    if named := next((fields[key] for key in _ERRORS if not is_measure(fields.get(key))), None):
        return _of_error(named, fields, changes=changes)
    state = next((str(fields[key]).lower() for key in _STATES if isinstance(fields.get(key), str)), "")
    if state in _SAYS_ERROR | _SAYS_FAILED or _STATE_CODE.fullmatch(state):
        proof = changes or "_" in state or (state in _SAYS_ERROR and said is not None)
        failed = told_failure(said or state, _http_status(fields))
        return failed if proof else _doubt("failed_state")
    if (status := _http_status(fields)) is not None and (said or fields.get("title")):
        return told_failure(said or words_of(fields["title"]), status)
    if said is None:
        return _doubt("reads_like_error") if _http_of(fields.get("code")) and len(fields) > 1 else None
    return _of_code(said, fields, changes=changes)


def _of_error(named: object, fields: Mapping[str, Any], *, changes: bool) -> Sanity | None:
    """Judge an error that is named; a list may be findings about something else."""
    said = words_of(named) if isinstance(named, str | Mapping) and words_of(named) else _said(fields) or words_of(named)
    failed = told_failure(said, _http_status(fields) or _http_status(named))
    state = str(fields.get("status") or fields.get("state")).lower()
    if isinstance(named, list):
        if are_findings(named) and not changes:
            return None
        return failed if changes or _is_answer_of_interface(named, fields) else failed.softened()
    return _doubt("failed_state") if state in _SAYS_FAILED and not changes else failed


def _is_answer_of_interface(errors: list[Any], fields: Mapping[str, Any]) -> bool:
    """Tell a list of errors that an interface gives, such as GraphQL, from findings."""
    if are_findings(errors):
        return False
    if "data" in fields or FAILING.search(_said({**fields, "errors": None}) or ""):
        return True
    first = errors[0] if errors and isinstance(errors[0], Mapping) else {}
    keys = {_folded(key) for key in first}
    return ("message" in keys and bool(keys & {"locations", "extensions", "path"})) or {"status", "title"} <= keys


def _of_code(said: str, fields: Mapping[str, Any], *, changes: bool) -> Sanity | None:
    """Judge a message, by the code beside it or by its words."""
    code = next((fields[key] for key in _CODES if fields.get(key) is not None), None)
    told = any(_is_failing(fields.get(key)) for key in _ERROR_CODES)
    fails = FAILING.search(said) is not None
    if told or (_is_failing(code) and fails and isinstance(code, int) and "title" not in fields):
        return told_failure(said)
    if isinstance(fields.get("detail"), list) and all(
        isinstance(one, Mapping) and "msg" in one for one in fields["detail"]
    ):
        return told_failure(said)
    short = len(said) <= _MOST_WORDS and not fields.keys() & {"title", "type"}
    return _doubt("maybe_not_done" if changes else "reads_like_error", said) if fails and short else None


def _is_failing(code: object) -> bool:
    """Tell whether a code is another than those of success."""
    if isinstance(code, str):
        return _FAILING_CODE.fullmatch(code) is not None
    return isinstance(code, int) and not isinstance(code, bool) and code != 0 and code not in _NO_ERRORS


def _beside_data(
    fields: Mapping[str, Any], holding: Mapping[str, Any], *, denied: bool, changes: bool
) -> Sanity | None:
    """Judge an object that holds more: a record, which a call that was to change something may have failed to make."""
    said = _said(fields)
    if denied:
        refused = told_failure(said or "it says that it did not succeed", _http_status(fields))
        return refused if changes else Suspicious((Doubt("unsuccessful"),))
    errors = fields.get("errors")
    if holding.keys() <= {"data", "errors", "extensions"} and isinstance(errors, list) and errors:
        return Suspicious((Doubt("errors_beside", {"message": words_of(errors)}, mention=True),))
    answered = holding.keys() & {"body", "text", "content"} and holding.keys() <= {*_ANSWERED, *_ABOUT}
    if answered and _http_status(fields) is not None:
        return _doubt("reads_like_error")
    state = str(fields.get("status") or fields.get("state") or fields.get("result")).lower()
    if changes and state in _SAYS_ERROR | _SAYS_FAILED:
        return _doubt("maybe_not_done", said or state)
    if state in {"fail", "error"} and fields.keys() <= {"status", "data", "message", "code"}:
        return _doubt("reads_like_error", words_of(fields["data"]))
    return None


def _doubt(code: str, message: str = "") -> Suspicious:
    return Suspicious((Doubt(code, {"message": message[:500]}, mention=code == "maybe_not_done"),))


def _said(fields: Mapping[str, Any]) -> str | None:
    """Read what an object says about how it went."""
    for key in (*_WORDS, *_ERRORS):
        item = fields.get(key)
        if not _is_void(item) and not isinstance(item, bool | int | float):
            return words_of(item)
    return None


def words_of(said: object) -> str:
    """Write what was said about an error in short, wherever in it the words are."""
    if isinstance(said, Mapping):
        fields = {_folded(key): item for key, item in said.items()}
        inner = next(
            (fields[key] for key in (*_WORDS, "text", "title", *_ERRORS, "type", "code") if fields.get(key)), None
        )
        return str(said)[:500] if inner is None else words_of(inner)
    if isinstance(said, list):
        return "; ".join(words_of(one) for one in said[:3])[:500]
    return str(said)[:500]


def _http_status(fields: object) -> int | None:
    """Read the HTTP status in a body; a `code` is one only beside a message, and the title of a code is its meaning."""
    if not isinstance(fields, Mapping):
        return None
    coded = ("code", "cod") if fields.keys() & {"message", "msg", *_ERRORS} and "title" not in fields else ()
    found = (_http_of(fields.get(key)) for key in (*_STATUSES, *coded))
    return next((status for status in found if status is not None), None)


def _http_of(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[45]\d\d", value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _HTTP else None
