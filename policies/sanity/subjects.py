"""Tell by name and description what the results of a tool are about: a log may speak of errors without being one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, TypeAlias


Subject: TypeAlias = Literal["anything", "texts", "errors"]
"""`texts`: content of files, pages, mails or terminals, in any words; `errors`: logs, findings and states of other
things, for which errors are the answer."""

_ERRORS: Final = frozenset(
    {
        *("log", "logs", "syslog", "journal", "journalctl", "dmesg", "stderr", "error", "errors", "errno", "exception"),
        *("exceptions", "trace", "traces", "traceback", "crash", "crashes", "fault", "faults", "failure", "failures"),
        *("lint", "linter", "eslint", "ruff", "mypy", "typecheck", "validate", "validator", "validation", "diagnose"),
        *("diagnostic", "diagnostics", "debug", "alert", "alerts", "incident", "incidents", "monitor", "monitoring"),
        *("test", "tests", "pytest", "unittest", "compile", "compiler", "build", "audit"),
    }
)
_TEXTS: Final = frozenset(
    {
        *("file", "files", "cat", "grep", "page", "pages", "web", "webpage", "website", "url", "html"),
        *("scrape", "crawl"),
        *("browse", "browser", "curl", "wget", "translate", "translation", "translator", "summarize", "summarise"),
        *("rewrite", "ocr", "transcribe", "transcript", "mail", "mails", "email", "emails", "inbox", "message"),
        *("messages", "chat", "comment", "comments", "note", "notes", "document", "documents", "doc", "docs", "wiki"),
        *("article", "snippet", "source", "clipboard", "text", "lyrics", "paste", "readme", "diff"),
    }
)
_RUNS: Final = frozenset(
    {
        *("shell", "bash", "sh", "terminal", "console", "command", "cmd", "script", "python", "repl"),
        *("notebook", "ssh"),
        *("subprocess", "powershell", "stdout", "interpreter", "kubectl", "git"),
    }
)
_PAIRS: Final = (
    (frozenset({"http", "status", "code", "explain", "decode"}), frozenset({"http", "status", "code"})),
    (frozenset({"run", "execute", "exec", "eval"}), frozenset({"code", "cell", "program"})),
)
_ABOUT_ERRORS: Final = re.compile(
    r"\b(?:logs?(?! (?:in|out|on|off|into)\b)|lint\w*|stack ?traces?|error (?:codes?|messages?|reports?|logs?)"
    r"|exceptions?"
    r"|diagnostics?|alerts?|incidents?|failures?|test (?:suites?|results?)|status codes?|compile[rs]?|compiles)\b"
    r"|日志|错误码|错误代码|状态码|告警|报警|报错|故障|测试结果|ログ|エラー",
    re.IGNORECASE,
)
_ABOUT_TEXTS: Final = re.compile(
    r"\b(?:web ?(?:pages?|sites?)|urls?|(?:contents?|text) of (?:an? |the )?\w+|translat\w+|transcri\w+|ocr|e-?mails?"
    r"|documents?|files?)\b|网页|网址|翻译|文件|邮件|文档|识别|翻訳|ファイル",
    re.IGNORECASE,
)
_ABOUT_RUNS: Final = re.compile(
    r"\b(?:shell|terminal|command line|(?:run|execut)\w* (?:an? |the |some )?(?:\w+ )?(?:code|commands?|scripts?))\b"
    r"|终端|命令|(?:执行|运行)\w{0,6}(?:代码|脚本)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_GIVEN: Final = re.compile(r"_(?:by|with|using|for|from|if)_|(?:By|With|Using|For|From)(?=[A-Z])")
_END: Final = re.compile(r"(?<=[.。])\s|\n|\b(?:by|with|using|if|when)\b", re.IGNORECASE)
"""Where a name, or a sentence, goes on with what a call is given."""
_MOST_DESCRIPTION: Final = 200


@lru_cache(maxsize=1024)
def subject_of(name: str, description: str, *, changes: bool) -> Subject:
    """Tell what the results of a tool are about; of a tool that changes something only what it runs counts."""
    words = frozenset(word.lower() for word in _WORD.findall(_GIVEN.split(name, maxsplit=1)[0]))
    about = _END.split(description.strip(), maxsplit=1)[0][:_MOST_DESCRIPTION]
    if words & _ERRORS or len(words & _PAIRS[0][0]) > 1 or (not changes and _ABOUT_ERRORS.search(about)):
        return "errors"
    runs = all(words & half for half in _PAIRS[1])
    if runs or words & _RUNS or _ABOUT_RUNS.search(about):
        return "texts"
    reads = not changes and (words & _TEXTS or words in ({"fetch"}, {"read"}, {"open"}) or _ABOUT_TEXTS.search(about))
    return "texts" if reads else "anything"
