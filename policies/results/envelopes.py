"""Read from the structure of an object how a call went: that it failed, or that something is still under way.

Only fields count, never the words in them. An object that names a failure and nothing else is an envelope of an
interface; whatever else it holds may be the answer, as the record of a payment that failed is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from reinforced_agent.policies.results.verdicts import Bad, told_failure


_ERRORS: Final = (
    *("error", "errors", "err", "exception", "fault", "failure", "错误"),
    *("errormessage", "errormsg", "errmsg", "errordescription", "errordetail", "errordetails", "faultstring"),
)
_WORDS: Final = (
    *("message", "msg", "detail", "details", "reason", "description", "info", "statustext", "statusmessage"),
    *("responsemessage", "resultmsg", "retmsg", "cause", "hint", "消息", "信息", "原因"),
)
_STATES: Final = ("status", "state", "result", "outcome", "phase")
_ERROR_CODES: Final = ("errorcode", "errcode", "errno", "errorno")
_CODES: Final = (*_ERROR_CODES, "code", "retcode", "ret", "resultcode", "returncode")
_STATUSES: Final = ("statuscode", "httpstatus", "httpcode", "httpstatuscode", "responsestatus", "status")
_DENIED: Final = ("success", "ok", "succeeded", "issuccess", "successful", "issuccessful")
_ADMITTED: Final = ("iserror", "haserror", "haserrors", "error")
_BESIDE: Final = frozenset(
    {
        *("type", "title", "help", "traceid", "requestid", "logid", "correlationid", "documentationurl", "helpurl"),
        *("retryafter", "timestamp", "path", "instance", "errortype", "errorsubcode", "stack", "stacktrace"),
        *("traceback", "trace", "extensions", "param", "params", "errorid", "errorname", "errorclass", "docs", "time"),
        *("servertime", "apiversion", "responsemetadata", "messageid", "rid", "level", "jsonrpc"),
    }
)
"""Fields, folded, that stand beside an error and are no answer."""
_ABOUT: Final = frozenset((*_ERRORS, *_WORDS, *_STATES, *_CODES, *_STATUSES, *_DENIED, *_ADMITTED, *_BESIDE))
_COUNTS: Final = frozenset({"count", "total", "totalcount", "size", "length", "num", "number"})
_FAILED: Final = frozenset({"error", "err", "fail", "failed", "failure"})
"""States, folded, that say that something failed."""
_UNFINISHED: Final = frozenset(
    {"queued", "pending", "running", "inprogress", "processing", "working", "waiting", "starting", "notstarted"}
)
"""States, folded, that say that something is still under way."""
_NO_ERROR: Final = frozenset({"0", "none", "null", "nil", "undefined", "false", "no", "na", "ok", "success"})
"""What programs write, folded, where there is no error."""
_MEASURE: Final = re.compile(r"\W?\d[\d.,]*(?:e-?\d+)?\s*[a-z%‰°µ]{0,4}", re.IGNORECASE)
_WRAPPERS: Final = frozenset({"response", "result", "body"})
_FAULT: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<(?:\w+:)?Envelope\b.{0,5000}?<(?:\w+:)?Fault\b"
    r"|<(?:\w+:)?(?:Error|ErrorResponse|ExceptionReport|ServiceExceptionReport|error|fault)\b[^>]{0,300}>)(.{0,5000})",
    re.DOTALL,
)
_FAULT_TEXT: Final = re.compile(
    r"<(?:\w+:)?(?:faultstring|Message|message|Text|Reason|ExceptionText|ServiceException)\b[^>]{0,200}>\s*([^<]{1,500})"
)
_HTTP: Final = range(400, 600)
_MOST_FIELDS: Final = 50
_MOST_ITEMS: Final = 50
_MOST_TEXT: Final = 500


def is_failed_tool_result(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a result of MCP whose flag says that the tool failed."""
    content = value.get("content")
    blocks = isinstance(content, list) and all(isinstance(one, Mapping) and "type" in one for one in content)
    return value.get("isError") is True and blocks


def failure_in(value: Mapping[str, Any], asked: Collection[str] = ()) -> Bad | None:
    """Return the failure that an object reports, or `None`.

    Proof is a flag by which the object says that it did not succeed, or an envelope that holds an error, a failed
    state, an error code or an HTTP status, and nothing else of substance.

    Args:
        value: The object.
        asked: Texts of the call; a state that repeats one of them is what was asked for.

    """
    if is_failed_tool_result(value):
        return told_failure(words_of(value["content"]))
    fields = {folded(key): item for key, item in list(value.items())[:_MOST_FIELDS]}
    if len(fields) == 1 and fields.keys() <= _WRAPPERS and isinstance(inner := next(iter(value.values())), Mapping):
        return failure_in(inner, asked)
    flags = [str(fields[key]).lower() for key in _DENIED if isinstance(fields.get(key), bool | str)]
    if any(flag != "false" for flag in flags):
        return None
    if flags or any(fields.get(key) is True for key in _ADMITTED):
        return _failed(fields, _said(fields) or "it says that it did not succeed")
    if any(str(fields.get(key)) == "0" for key in _ERROR_CODES):
        return None
    beside = _ABOUT | {"id"} if "jsonrpc" in fields else _ABOUT
    if not all(key in beside or _is_no_data(key, item) for key, item in fields.items()):
        return None
    return _of_envelope(fields, asked)


def _of_envelope(fields: Mapping[str, Any], asked: Collection[str]) -> Bad | None:
    """Judge an object that holds nothing but fields about how a call went."""
    for error in (fields[key] for key in _ERRORS if _names_error(fields.get(key))):
        own = {folded(key): item for key, item in error.items()} if isinstance(error, Mapping) else {}
        said = words_of(error) if own or isinstance(error, str) else _said(fields) or words_of(error)
        return _failed({**own, **{key: item for key, item in fields.items() if not _is_void(item)}}, said)
    state = next((item for key in _STATES if isinstance(item := fields.get(key), str)), "")
    coded = any(_is_code(fields.get(key)) for key in _ERROR_CODES)
    # A status alone may be what was asked for.
    answered = _status_in(fields) is not None and (_said(fields) or fields.get("title"))
    if coded or (folded(state) in _FAILED and state not in asked) or answered:
        return _failed(fields, _said(fields) or words_of(fields.get("title") or state or dict(fields)))
    return None


def _failed(fields: Mapping[str, Any], said: str) -> Bad:
    code = next((item for key in (*_CODES, "status") if isinstance(item := fields.get(key), str)), "")
    return told_failure(said, _status_in(fields), code)


def says_more(value: Mapping[str, Any]) -> bool:
    """Return whether an object that reports a failure holds more than one thing to be told."""
    told = [key for key, item in value.items() if not _is_no_data(folded(key), item)]
    return len(told) > 1


def says_unfinished(data: object) -> bool:
    """Return whether a status in an object, or in the objects right inside it, says that it is still under way."""
    return any(_is_under_way(one) for one in _objects_in(data))


def fault_in(head: str) -> Bad | None:
    """Return the failure that a document of XML reports: a fault of SOAP, or an error that is the whole document."""
    if not head.lstrip().startswith("<") or (found := _FAULT.match(head)) is None:
        return None
    words = _FAULT_TEXT.search(found[1])
    return told_failure(words[1].strip() if words else " ".join(re.sub(r"<[^<>]{0,500}>", " ", found[1]).split())[:300])


def words_of(said: object) -> str:
    """Write what was said about an error in short, wherever in it the words are."""
    if isinstance(said, Mapping):
        fields = {folded(key): item for key, item in said.items()}
        named = (*_WORDS, "text", "title", *_ERRORS, "type", "code")
        inner = next((fields[key] for key in named if fields.get(key)), None)
        return str(said)[:_MOST_TEXT] if inner is None else words_of(inner)
    if isinstance(said, list):
        return "; ".join(words_of(one) for one in said[:3])[:_MOST_TEXT]
    return str(said)[:_MOST_TEXT]


def folded(key: object) -> str:
    """Write a key, or a state, without case and separators."""
    return re.sub(r"[\W_]", "", str(key)[:50].lower())


def _said(fields: Mapping[str, Any]) -> str | None:
    """Read what an object says about how it went."""
    told = (fields.get(key) for key in (*_WORDS, *_ERRORS))
    return next(
        (words_of(item) for item in told if not _is_void(item) and isinstance(item, str | Mapping | list)), None
    )


def _status_in(fields: Mapping[str, Any]) -> int | None:
    """Read the HTTP status of an error; a `code` is one only beside a message, and a titled code is explained."""
    coded = ("code",) if _said(fields) is not None and "title" not in fields else ()
    found = (_http_error(fields.get(key)) for key in (*_STATUSES, *coded))
    return next((status for status in found if status is not None), None)


def _http_error(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[45]\d\d", value):
        value = int(value)
    return value if isinstance(value, int) and value in _HTTP else None


def _is_void(item: object) -> bool:
    if isinstance(item, Mapping):
        return all(_is_void(inner) for inner in list(item.values())[:_MOST_FIELDS])
    return item in (None, "", [])


def _is_no_data(key: str, item: object) -> bool:
    """Return whether a field says nothing beside an error: void, refused, or a count of nothing."""
    return _is_void(item) or item is False or (key in _COUNTS and item == 0)


def _is_code(item: object) -> bool:
    """Return whether a code is one of an error."""
    return folded(item) not in _NO_ERROR if isinstance(item, str) else isinstance(item, int) and item not in (0, False)


def _names_error(item: object) -> bool:
    """Return whether a value names an error; numbers under an error are counts or deviations."""
    if isinstance(item, str):
        measure = _MEASURE.fullmatch(item) is not None and _http_error(item) is None
        return not measure and folded(item) not in _NO_ERROR and item != ""
    if isinstance(item, Mapping):
        texts = any(isinstance(inner, str | Mapping | list) and not _is_void(inner) for inner in item.values())
        return texts or any(_is_code(inner) for key, inner in item.items() if folded(key) in (*_CODES, *_STATUSES))
    return isinstance(item, list) and not _is_void(item)


def _objects_in(data: object) -> Iterator[Mapping[Any, Any]]:
    """Return an object, or the objects of a list, and those right inside them."""
    outer = data[:_MOST_ITEMS] if isinstance(data, list) else [data]
    for one in outer:
        if isinstance(one, Mapping):
            yield one
            yield from (inner for inner in list(one.values())[:_MOST_FIELDS] if isinstance(inner, Mapping))


def _is_under_way(one: Mapping[Any, Any]) -> bool:
    fields = ((folded(key), item) for key, item in list(one.items())[:_MOST_FIELDS])
    return any(
        (key in _STATES and isinstance(item, str) and folded(item) in _UNFINISHED) or (key == "done" and item is False)
        for key, item in fields
    )
