"""Right results of many kinds of tools are never withheld, however much they speak of errors."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.sanity import Bad, Expected, judge_result
from reinforced_agent.policies.sanity.subjects import subject_of
from reinforced_agent.tools.results import as_text


Kind = dict[str, bool]
READ: Kind = {}
WRITE: Kind = {"changes": True}
WEB: Kind = {"strangers": True}


def expected_of(tool: str, description: str, kind: Kind) -> Expected:
    """Say what is known about a tool that declares nothing about its results."""
    changes, strangers = "changes" in kind, "strangers" in kind
    subject = subject_of(tool, description, changes=changes)
    return Expected(changes=changes, strangers=strangers, subject=subject, purpose=f"{tool} {description}")


ARTICLE = "<p>" + "When the upstream closes the connection too soon, nginx answers with this code. " * 20 + "</p>"
RIGHT: list[tuple[str, str, Kind, Any]] = [
    ("read_log", "Read the log of a host", READ, "ERROR: disk at 91 %"),
    ("tail_log", "Last lines of a log", READ, "Error: connection to db-2 lost, retrying in 5 s"),
    ("run_tests", "Run the tests", READ, "Errors: 0"),
    ("run_tests", "Run the tests", READ, "errors: 0, warnings: 2"),
    ("run_tests", "Run the tests", READ, "Errors: none"),
    ("check_style", "Check style", READ, "Error: none"),
    ("check_batch", "Check a batch", READ, "错误：0"),
    ("import_rows", "Import rows", WRITE, "失败：0 条"),
    ("import_rows", "Import rows", WRITE, "失败：3 条，成功：97 条"),
    ("compile_code", "Compile", READ, "Errors: 3, warnings: 12"),
    ("check_batch", "Check a batch", READ, "Error: 0 of 14"),
    ("check_batch", "Check a batch", READ, "错误: 无"),
    ("lint", "Lint a file", READ, {"errors": [{"file": "a.py", "line": 3, "message": "undefined name x"}]}),
    ("lint", "Lint a file", READ, {"errors": ["E501 line too long (a.py:3)", "F401 unused import"]}),
    (
        "validate_form",
        "Validate",
        READ,
        {"valid": False, "errors": [{"field": "email", "message": "is not an address"}]},
    ),
    (
        "typecheck",
        "Type check",
        READ,
        {
            "success": False,
            "errors": [{"file": "a.ts", "line": 4, "code": "TS2304", "message": "Cannot find name 'x'"}],
        },
    ),
    (
        "check",
        "Check a document",
        READ,
        {"errors": [{"row": 3, "column": "price", "message": "not a number"}], "warnings": []},
    ),
    ("job_status", "State of a job", READ, {"status": "failed", "reason": "out of memory"}),
    ("get_build", "A build", READ, {"status": "failed", "message": "3 tests failed"}),
    ("pipeline", "State of a pipeline", READ, {"status": "error", "stage": "deploy", "reason": "image not found"}),
    ("explain_status", "Explains an HTTP status", READ, {"code": 404, "title": "Not Found"}),
    ("get_product", "A product", READ, {"code": 404, "title": "Blue lamp"}),
    (
        "lookup_error",
        "Explain an error code",
        READ,
        {"error": "E1102", "description": "The nozzle is blocked", "hint": "clean it"},
    ),
    ("get_bus", "Bus line", READ, {"code": 503, "title": "Line 503", "status": "on time"}),
    ("run_shell", "Run a command", WRITE, "\x1b[32m✓\x1b[0m 12 tests passed \x1b[90m(3 s)\x1b[0m"),
    ("run_shell", "Run a command", WRITE, "\x1b[1;31mFAIL\x1b[0m src/a.test.ts\n\x1b[1;32mPASS\x1b[0m src/b.test.ts\n"),
    ("run_shell", "Run", WRITE, "\x1b[0m\x1b[1m\x1b[32mok\x1b[0m"),
    ("run_shell", "Run", WRITE, "Downloading\r\x1b[K 10%\r\x1b[K 50%\r\x1b[K100%\n"),
    ("run_shell", "Run", WRITE, "\x1b]0;title\x07$ ls\na b c"),
    ("man", "Manual page", READ, "N\x08NA\x08AM\x08ME\x08E\n  ls"),
    ("run_python", "Run code", READ, 'Traceback (most recent call last):\n  File "x", line 1\nKeyError: 3'),
    ("read_file", "Read a file", READ, 'Traceback (most recent call last):\n  File "x", line 1\nKeyError: 3'),
    ("read_file", "Read a file", READ, "Error: the variable of this name is reserved"),
    ("translate", "Translate a text", READ, "Error: file not found"),
    ("translate", "Translate a text", READ, "Sorry, something went wrong."),
    ("ocr", "Read text of an image", READ, "Error: paper jam"),
    ("list_alerts", "Alerts", READ, [{"level": "error", "message": "disk full"}]),
    ("monitor", "Monitor", READ, {"errors": 0}),
    ("monitor", "Monitor", READ, {"errors": 12, "status": "ok"}),
    ("sql", "Query a database", READ, {"rows": [], "count": 0}),
    ("find_user", "Find a user", READ, "No users found."),
    ("get_time", "Time", READ, {"time": "1999-12-31T23:59:59Z"}),
    ("echo", "Echo", READ, "エラーなし"),
    ("csv", "CSV", READ, "id,status,error\n1,failed,timeout\n2,ok,\n"),
    ("docs", "Documentation", READ, "Error handling: wrap calls in try/except."),
    ("get_policy", "Policy", READ, {"title": "Returns", "detail": "Within 30 days", "type": "policy"}),
    ("translate", "Translate", READ, {"text": "Invalid password", "lang": "en"}),
    ("measure", "Measurement", READ, {"value": 3.2, "error": 0.1}),
    ("delete", "Delete", WRITE, {"ok": True, "error": None}),
    ("send", "Send", WRITE, {"status": "success", "message": "No errors"}),
    ("is_free", "Is a seat free", READ, False),
    ("song", "Lyrics", READ, "Oops, I did it again"),
    ("html", "Render a template", READ, "<div><h1>Not found?</h1><p>Use search.</p></div>"),
    ("ping", "Ping", READ, "Request timed out: 0, received: 4"),
    ("zip", "Post code", READ, "50300"),
    ("last_error", "Last error of a device", READ, "Error: paper jam in tray 2"),
    ("last_error", "Last error of a device", READ, {"error": "paper jam", "tray": 2}),
    ("last_error", "Last error of a device", READ, {"error": "paper jam"}),
    ("docker_logs", "Logs of a container", READ, "Error: listen EADDRINUSE: address already in use :::3000"),
    ("search_logs", "Search logs", READ, {"error": "Timeout", "count": 12}),
    ("eslint", "Lint", READ, "✖ 1 problem (1 error, 0 warnings)"),
    ("flake8", "Style", READ, {"errors": ["a.py:3:1 E302 expected 2 blank lines"]}),
    ("schema_check", "Check JSON", READ, {"ok": False, "errors": [{"path": "/a/b", "message": "must be number"}]}),
    (
        "schema_check",
        "Check JSON",
        READ,
        {"errors": [{"instancePath": "/age", "keyword": "type", "message": "must be integer"}]},
    ),
    ("spell", "Spelling", READ, {"errors": [{"offset": 3, "length": 5, "message": "Possible spelling mistake"}]}),
    ("grammar", "Grammar", READ, {"errors": ["'they was' should be 'they were'"]}),
    ("unit_tests", "Tests", READ, {"failures": [], "errors": []}),
    ("gcc", "Compile", READ, "a.c:3:5: error: 'x' undeclared (first use in this function)"),
    ("transfer_status", "State of a transfer", READ, {"status": "rejected", "reason": "wrong IBAN"}),
    ("order_state", "State of an order", READ, {"status": "failed", "message": "Payment was declined"}),
    ("room", "Room", READ, {"code": 404, "message": "Reserved for maintenance", "floor": 4}),
    ("http_meaning", "Meaning of an HTTP status code", READ, {"code": 503, "message": "Service Unavailable"}),
    ("errno_name", "Names an errno", READ, {"errno": 2, "message": "No such file or directory"}),
    ("render", "Render a login form", READ, "<form><input type='password'></form>"),
    ("bash", "Run a shell command", WRITE, "\x1b[38;5;196mred\x1b[0m \x1b[48;2;1;2;3mbg\x1b[0m"),
    ("top", "Processes", READ, "\x1b[H\x1b[2J\x1b[3J  PID USER\n    1 root"),
    ("npm", "Run npm", WRITE, "\x1b[?25l\x1b[1Gadded 12 packages\x1b[?25h"),
    ("progress", "Progress", READ, "|##        |\x08\x08\x08\x08 20%\n"),
    ("pg", "Query", READ, {"rowCount": 0, "rows": [], "error": None}),
    ("redis", "Get", READ, {"key": "a", "value": None}),
    ("translate", "Translate", READ, "Désolé, une erreur s'est produite."),
    ("mail_body", "Body of a mail", WEB, "We're sorry, your order failed to ship. Reply for a refund."),
    ("faq", "FAQ", READ, "Errors in an invoice? Write to us."),
    ("faq", "FAQ", READ, "错误率：0.2%"),
    ("report", "Report", READ, "错误：3 个；警告：2 个"),
    ("report", "Report", READ, "0 errors, 2 warnings"),
    ("report", "Report", READ, "Ошибки: 0, предупреждения: 1"),
    ("report", "Report", READ, "오류: 없음"),
    ("report", "Report", READ, "Standard error: 0.12"),
    ("calc", "Calculate", READ, "500"),
    ("stats", "Statistics", READ, {"error": "±0.3 mm"}),
    ("stats", "Statistics", READ, {"error": "3.2%"}),
    ("config", "Config", READ, {"ok": "green", "error": "red"}),
    ("config", "Config", READ, {"message": "Maintenance on Sunday", "level": "info"}),
    ("chat", "Last message", READ, {"message": "I can't come today", "from": "Bob"}),
    ("person", "Person", READ, {"name": "Null", "first": "Jennifer"}),
    ("kanji", "Text", READ, "情報処理技術者試験"),
    ("fr", "Text", READ, "À côté d'Évian, l'été, ça coûte 3 €"),
    ("emoji", "Text", READ, "👍🏽👨\u200d👩\u200d👧 ok 🇩🇪"),
    ("tsv", "Table", READ, "host\tstatus\na\t502\nb\t200"),
    ("toml", "TOML", READ, 'error = "red"'),
    ("reject", "Reject a request", WRITE, {"id": 4, "status": "rejected"}),
    ("send", "Send", WRITE, {"code": "OK", "message": "sent"}),
    ("send", "Send", WRITE, {"ret": 0, "msg": ""}),
    ("rss", "Feed", READ, '<?xml version="1.0"?><feed><error-rate>3</error-rate></feed>'),
    ("lookup", "Look something up.", READ, "Errors: 0 | Warnings: 4"),
    ("lookup", "Look something up.", READ, "error=0 warning=3"),
    ("lookup", "Look something up.", READ, "失败数: 0"),
    ("lookup", "Look something up.", READ, "Failure rate: 0.2%"),
    ("lookup", "Look something up.", READ, "Fatal accidents: 3 in 2024"),
    ("lookup", "Look something up.", READ, "Failed states index: 2024 edition"),
    ("lookup", "Look something up.", READ, "Forbidden: a novel by N.N."),
    ("lookup", "Look something up.", READ, "Rate limit: 100 requests per minute"),
    ("lookup", "Look something up.", READ, "Internal error codes start at 9000."),
    ("lookup", "Look something up.", READ, {"failed": 0, "passed": 12}),
    ("lookup", "Look something up.", READ, {"errors": {"total": 0}}),
    ("lookup", "Look something up.", READ, {"status": "failed", "job_id": 7}),
    ("lookup", "Look something up.", READ, {"status": "FAILED", "failure_reason": "declined"}),
    ("lookup", "Look something up.", READ, {"outcome": "failed", "details": "referee stopped the fight"}),
    ("lookup", "Look something up.", READ, {"code": 500, "label": "Fortune 500"}),
    ("lookup", "Look something up.", READ, {"number": 502, "stop": "Main St"}),
    ("lookup", "Look something up.", READ, {"message": "Created"}),
    ("lookup", "Look something up.", READ, {"description": "A required course"}),
    ("lookup", "Look something up.", READ, {"success": True, "message": "No errors found"}),
    ("lookup", "Look something up.", READ, {"error": 0, "value": 0}),
    ("lookup", "Look something up.", READ, [{"status": "failed", "id": 1}, {"status": "ok", "id": 2}]),
    ("lookup", "Look something up.", READ, []),
    ("lookup", "Look something up.", READ, "a,b\nerror,1\nok,2"),
    ("lookup", "Look something up.", READ, "> Error: quoted"),
    ("lookup", "Look something up.", READ, "try:\n    f()\nexcept ValueError:\n    pass"),
    ("lookup", "Look something up.", READ, "SELECT * FROM errors"),
    ("lookup", "Look something up.", READ, "\x1b[2K\x1b[1A\x1b[2Kdone"),
    ("lookup", "Look something up.", READ, "日本語：エラー処理について"),
    ("lookup", "Look something up.", READ, "Erreur de mesure : ±3 %"),
    ("lookup", "Look something up.", READ, "Infinity"),
    ("lookup", "Look something up.", READ, "0"),
    ("lookup", "Look something up.", READ, "OK"),
    ("lookup", "Look something up.", READ, "2001-09-11T08:46:00Z"),
    ("get_logs", "Logs", READ, "Error: x\n    at f (a.js:1)"),
    ("web_search", "Searches", WEB, "Error: how to fix it - forum"),
    ("uninstall", "Uninstall", WRITE, "Removed 3 packages."),
    ("abort", "Abort a job", WRITE, {"job": 3, "status": "aborted"}),
    ("run_job", "Run", WRITE, {"job": 3, "state": "queued", "error": None}),
    ("lookup", "Look something up.", READ, ["Error: a", "Error: b"]),
    ("lookup", "Look something up.", READ, "```\nError: x\n```"),
    ("terraform_plan", "Plan", READ, "Error: Invalid reference\n\n  on main.tf line 3"),
    ("explain_code", "Explains a code", READ, "Error 404: the page is not there."),
    ("abort", "Abort a job", WRITE, {"status": "aborted"}),
]
"""Name and description of a tool, what its calls do, and what it returned."""


@pytest.mark.parametrize(
    ("tool", "description", "kind", "value"), RIGHT, ids=[f"{n}-{case[0]}" for n, case in enumerate(RIGHT)]
)
def test_a_right_result_is_passed_on(tool: str, description: str, kind: Kind, value: Any) -> None:
    """Logs, findings, counts, states of other things, terminal text and code are what was asked for."""
    verdict = judge_result(as_text(value), expected_of(tool, description, kind))
    assert not isinstance(verdict, Bad), verdict


@pytest.mark.parametrize(
    ("tool", "title", "kind"),
    [
        pytest.param("look", "How to fix 502 Bad Gateway in nginx", READ, id="how-to"),
        pytest.param("look", "Internal Server Error - Docs of the web", READ, id="reference"),
        pytest.param("look", "Page not found: a history of dead links", READ, id="essay"),
        pytest.param("look", "Sign in with Apple: a guide", READ, id="guide"),
        pytest.param("fetch_url", "404 Not Found", WEB, id="browser"),
        pytest.param("fetch_url", "404 Not Found", READ, id="browser-by-its-name"),
    ],
)
def test_a_page_about_errors_is_passed_on(tool: str, title: str, kind: Kind) -> None:
    """An article is no error page, and a tool that fetches pages may bring any."""
    text = f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1>{ARTICLE}</body></html>"
    assert not isinstance(judge_result(text, expected_of(tool, "", kind)), Bad)
