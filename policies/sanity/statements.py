"""See errors in plain text: a line that names one, the trace of an exception, a status of HTTP, or a complaint."""

from __future__ import annotations

import re
from typing import Final

from reinforced_agent.policies.sanity.failing import COMPLAINT, NOUN, TECHNICAL, UNDONE
from reinforced_agent.policies.sanity.findings import names_place
from reinforced_agent.policies.sanity.verdicts import Bad, Doubt, Suspicious, told_failure


_NAME: Final = (
    r"(?:(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Fault|Timeout)"
    r"|(?:\w+\.)*(?:errors?|exceptions?|exc)\.(?:\w+\.)*[A-Z]\w*)"
)
"""The class of an exception."""
_WORD: Final = (
    r"(?:(?:fatal|internal|unexpected|unknown|server|api|http|mcp|tool|runtime|system|connection|network|database"
    r"|syntax"
    r"|execution|critical|unhandled|uncaught) )*(?:error|exception|failure)s?|fatal|err|failed|[a-z]+(?:error"
    r"|exception)"
    r"|[^\s:：。，,]{0,10}(?:错误|出错|失败|异常|報錯|报错)|エラー|ошибка|fehler|erreur|오류"
)
_BESIDE: Final = (
    r"(?:\s*\(?(?:code )?(?P<code>-?\d{1,6})\)?|(?i:\s+(?:executing|calling|in|while|running"
    r"|invoking)\s[^:：\n]{1,80}))?"
)
_LINE: Final = re.compile(
    rf"(?:[^\w\s<>{{}}\[\]\"'`#|=*-]{{1,4}}\s*)?(?:(?i:uncaught|unhandled) )?(?P<mark>{_NAME}"
    rf"|(?i:{_WORD})){_BESIDE}(?:\s*[:：]"
    rf"|\s+[-–—])\s*(?P<said>\S.*)",
    re.DOTALL,
)
_LEVEL: Final = re.compile(r"(?:\[(?:error|fatal|critical|severe)\]|<(?:error|fatal)>)\s*(?P<said>\S.*)", re.IGNORECASE)
_BARE: Final = re.compile(rf"{_NAME}\((?P<said>.{{0,400}})\)|(?i:(?:http )?error) (?P<code>[45]\d\d)", re.DOTALL)
_NONE: Final = re.compile(
    r"(?:0|none|no|nil|null|nothing|n/a|zero|false|ok|[-—–]+|无|没有|零|無し|なし|нет|keine?|aucune?|ningun[oa]?|없음)"
    r"(?=\s*(?:$|[\n,;.，；。、(（|/]|errors?\b|found\b|total\b|错误))",
    re.IGNORECASE,
)
_COUNT: Final = re.compile(
    r"\d[\d.,]*\s*(?:%|件|条|个|次|项|处|行|건|errors?|found|total|in total)?"
    r"\s*(?:[,;，；、|/(（].*|(?:out )?of \d.*|found\b.*)?[.。]?",
    re.DOTALL | re.IGNORECASE,
)
_HTTP: Final = re.compile(
    r"(?:HTTP(?:/[\d.]+)?(?: (?:error"
    r"|status))?:? )?(?P<code>[45]\d\d)[\s:,-]+(?P<phrase>[A-Za-z' -]{3,40})\.?",
    re.IGNORECASE,
)
_HTTP_ALONE: Final = re.compile(r"HTTP(?:/[\d.]+)?(?: (?:error|status))?:? (?P<code>[45]\d\d)", re.IGNORECASE)
_PHRASES: Final = re.compile(
    r"bad request|unauthori[sz]ed|payment required|forbidden|(?:page )?not found|method not allowed|not acceptable"
    r"|proxy authentication required|request time-?out|conflict|gone|length required|precondition failed|(?:content"
    r"|payload)"
    r" too large|uri too long|unsupported media type|range not satisfiable|expectation failed"
    r"|unprocessable (?:entity|content)"
    r"|locked|too early|upgrade required|too many requests|internal server error|(?:server )?error|not implemented"
    r"|bad gateway"
    r"|service (?:temporarily )?unavailable|gateway time-?out|client error|insufficient storage",
    re.IGNORECASE,
)
_TRACES: Final = (
    re.compile(r"\s*Traceback \(most recent call last\):"),
    re.compile(
        rf"\s*(?:Unhandled exception[.:]\s*|Uncaught |Exception in thread \"[^\"\n]*\" )?{_NAME}[^\n]*\n\s+at \S",
        re.ASCII,
    ),
    re.compile(r"\s*panic: [^\n]*\n+(?:\[[^\n]*\n+)?goroutine \d+ "),
    re.compile(r"\s*thread '[^'\n]*' (?:\(\d+\) )?panicked at "),
    re.compile(r"\s*(?:PHP )?Fatal error:\s+Uncaught "),
)
_LAST: Final = re.compile(r"[\w.]+(?:Error|Exception|Exit|Interrupt|Timeout|Fault|Warning|NotFound|Denied)?\b(?::.*)?")
_LEVELLED: Final = re.compile(
    r"\W{0,4}(?:errors?|warn(?:ing)?s?|info|fatal|debug|ok|错误|警告|失败|成功)\b", re.IGNORECASE
)
_MOST_LINE: Final = 1_000
_MOST_LINES: Final = 6
_MOST_COMPLAINT: Final = 300
_MOST_SENTENCE: Final = 200
_MOST_TRACEBACK: Final = 20_000


def statement(text: str, *, changes: bool) -> Bad | Suspicious | None:
    """See a text that reports an error and nothing else.

    The grade follows the form: an error named in the way of programs, a trace or a status proves that the call failed;
    a level of a log and a sentence of regret may as well be what was asked for.

    Args:
        text: The whole text.
        changes: Whether the call was to change something; then that it was not done is no answer.

    """
    text = text.strip()
    if found := _trace(text):
        return found
    if len(text) > _MOST_LINE or text.count("\n") > _MOST_LINES:
        return None
    return _status(text) or _named(text) or _complaint(text, changes=changes)


def _trace(text: str) -> Bad | None:
    """See the trace of an exception; what it says is its last line, or its first."""
    if len(text) > _MOST_TRACEBACK or not any(trace.match(text) for trace in _TRACES):
        return None
    last = text.rpartition("\n")[2].strip()
    if not text.startswith("Traceback"):
        return told_failure(text.partition("\n")[0])
    return told_failure(last) if _LAST.fullmatch(last) else None


def _status(text: str) -> Bad | None:
    """See a status of HTTP and nothing else."""
    if alone := _HTTP_ALONE.fullmatch(text):
        return told_failure(text, int(alone["code"]))
    found = _HTTP.fullmatch(text)
    known = found is not None and _PHRASES.fullmatch(found["phrase"].strip()) is not None
    return told_failure(text, int(found["code"])) if found and known else None


def _named(text: str) -> Bad | Suspicious | None:
    """See a text that begins with an error; a number of errors, or that there are none, is a report."""
    if bare := _BARE.fullmatch(text):
        return told_failure(text, int(bare["code"]) if bare["code"] else None)
    if level := _LEVEL.fullmatch(text):
        return told_failure(level["said"]).softened()
    found = _LINE.fullmatch(text)
    if found is None or _several(text):
        return None
    mark, said = found["mark"], found["said"].strip()
    if _NONE.match(said) or (_COUNT.fullmatch(said) and not _is_status(mark, said)):
        return None
    failed = told_failure(
        said if len(said) > len(mark) or mark.lower() in {"error", "错误"} else text, _code(found["code"])
    )
    if mark.lower().endswith("s") and "\n" in text:
        return None
    # A level of a log is written in capitals, and so are errors of some programs; several errors may be findings, and
    # so may one at a place.
    ambiguous = mark.isascii() and (mark.isupper() or mark.endswith("s") or mark.lower() == "failed")
    return failed.softened() if ambiguous or names_place(said) else failed


def _several(text: str) -> bool:
    """Tell a list or a log, where more than one line begins in the same way, or names a level."""
    return sum(_LEVELLED.match(line) is not None for line in text.split("\n")) > 1


def _is_status(mark: str, said: str) -> bool:
    return not mark.lower().endswith("s") and re.fullmatch(r"[45]\d\d", said) is not None


def _code(code: str | None) -> int | None:
    return int(code) if code and re.fullmatch(r"[45]\d\d", code) else None


def _complaint(text: str, *, changes: bool) -> Suspicious | None:
    """See a short text that regrets instead of answering."""
    if len(text) > _MOST_COMPLAINT:
        return None
    complains = COMPLAINT.match(text) or NOUN.fullmatch(text) or (changes and UNDONE.search(text))
    complains = complains or (len(text) <= _MOST_SENTENCE and TECHNICAL.search(text))
    return Suspicious((Doubt("reads_like_error", {"message": text}),)) if complains else None
