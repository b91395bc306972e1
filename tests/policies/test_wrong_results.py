"""Failures that come as results are never passed on in silence: they are refused, or told with a warning."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.sanity import Expected, Fine, judge_result
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


PAGE = "<html><head><title>{title}</title></head><body>{body}</body></html>"
WRONG: list[Any] = [
    "Sorry, something went wrong",
    "Sorry, something went wrong. Please try again later.",
    "Oops! An unexpected error occurred.",
    "An error occurred while processing your request.",
    "抱歉，出错了，请稍后再试。",
    "系统繁忙，请稍后再试",
    "网络异常",
    "服务器内部错误",
    "Failed to fetch data",
    "Unable to connect to the server",
    "Request failed with status code 500",
    "Rate limit exceeded. Try again in 20 seconds.",
    "Too Many Requests",
    "Unauthorized",
    "403 Forbidden",
    "Access denied",
    "HTTP 500 Internal Server Error",
    "HTTP/1.1 502 Bad Gateway",
    "Error 404: not found",
    "KeyError('city')",
    "requests.exceptions.ConnectionError: HTTPConnectionPool(host='a', port=80): Max retries exceeded",
    "错误：无此用户",
    "查询失败：数据库连接超时",
    "Error executing tool get_x: timeout",
    "MCP error -32603: internal error",
    "TypeError: x is not a function\n    at Object.<anonymous> (/a.js:1:1)\n    at Module._compile (node:internal)",
    'Exception in thread "main" java.lang.IllegalStateException: x\n\tat com.a.B.c(B.java:3)',
    "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:3",
    {"ok": False, "error": "channel_not_found"},
    {"error": None, "data": None},
    {"data": None},
    {"errors": [{"status": "404", "title": "Not found", "detail": "no article 7"}]},
    {"data": {"user": None}, "errors": [{"message": "not found", "path": ["user"]}]},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
    {"__type": "ResourceNotFoundException", "message": "no table"},
    {"Error": {"Code": "AccessDenied", "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": 403}},
    {"detail": "Not found"},
    {"detail": [{"loc": ["query", "x"], "msg": "field required", "type": "value_error.missing"}]},
    {"message": "Forbidden"},
    {"message": "Internal server error"},
    {"code": 40001, "msg": "参数错误"},
    {"errcode": 40013, "errmsg": "invalid appid"},
    {"code": -1, "message": "token expired", "result": {}},
    {"error_code": 110, "error_msg": "Access token invalid or no longer valid"},
    {"status": "0", "info": "INVALID_USER_KEY", "infocode": "10001"},
    {"status": "error", "message": "no key"},
    {"status": "fail", "data": {"title": "A title is required"}},
    {"statusCode": 401, "error": "Unauthorized", "message": "Missing authentication"},
    {"error": "Something broke", "stack": "Error: Something\n at x"},
    {"result": "error", "error": "bad key"},
    {"exception": "ValueError", "message": "x"},
    "<h1>503 Service Unavailable</h1>\nNo server is available to handle this request.",
    "浣犲ソ锛屼笘鐣岋紝浠婂ぉ澶╂皵涓嶉敊",
    "Ð¿Ñ€Ð¸Ð²ÐµÑ‚ Ð¼Ð¸Ñ€",
    "锟斤拷锟斤拷锟斤拷",
    '{"items": [{"id": 1, "ok": tr',
    "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01",
    "%PDF-1.4\n%âãÏÓ\n1 0 obj\n<</Type/Catalog>>\nendobj\nstream\nx\x9c\x03\x00\x00",
    "null",
    "undefined",
    "[object Object]",
    "<Response [500]>",
    "We're sorry, but something went wrong (500).",
    "Whoops, looks like something went wrong.",
    "The server encountered an internal error and was unable to complete your request.",
    "The request timed out.",
    "Connection refused",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "getaddrinfo ENOTFOUND api.a.test",
    "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
    "no healthy upstream",
    "Invalid API key provided",
    "API rate limit exceeded for 1.2.3.4",
    "You have exceeded your quota",
    "Your session has expired. Please log in again.",
    "Please sign in to continue",
    "Permission denied",
    "Internal error",
    "Tool execution failed: KeyError",
    "Tool error: bad input",
    "[ERROR] could not load model",
    "❌ Error: nothing works",
    'ERROR: relation "x" does not exist',
    "Fatal: not a git repository",
    "Error - city unknown",
    "Unexpected error",
    "An exception occurred: division by zero",
    "httpx.ConnectTimeout: timed out",
    'psycopg.errors.UndefinedTable: relation "x" does not exist',
    "botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling the GetObject operation",
    "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit'}}",
    "RuntimeError('no')",
    "请求失败，请重试",
    "接口调用异常",
    "服务暂时不可用",
    "对不起，系统出现错误",
    "访问过于频繁，请稍后再试",
    "权限不足",
    "登录已过期，请重新登录",
    "未知错误",
    "参数错误：缺少 city",
    "数据获取失败",
    "操作失败：余额不足",
    "エラーが発生しました",
    "Произошла ошибка. Попробуйте позже.",
    {"success": "false", "message": "no such city"},
    {"result": None, "error": {"code": 5, "message": "x"}, "id": 3},
    {"Status": "Failure", "Message": "not allowed", "Code": 7},
    {"responseStatus": 400, "responseDetails": "invalid query"},
    {"cod": "404", "message": "city not found"},
    {"cod": 401, "message": "Invalid API key."},
    {"errors": ["Invalid token"]},
    {"fault": {"faultstring": "Invalid ApiKey", "detail": {"errorcode": "oauth.v2.InvalidApiKey"}}},
    {"err": "ENOTFOUND"},
    {"Message": "Authorization has been denied for this request."},
    {"msg": "系统异常", "code": "500"},
    {"code": "A0400", "message": "用户请求参数错误", "data": None},
    {"code": "InvalidParameter", "message": "The specified parameter is not valid.", "requestId": "1"},
    {"resultcode": "101", "reason": "错误的请求KEY", "result": None, "error_code": 10001},
    {"status": 240, "message": "APP 服务被禁用"},
    {"errorCode": "INVALID_SESSION_ID", "message": "Session expired or invalid"},
    [{"errorCode": "INVALID_SESSION_ID", "message": "Session expired or invalid"}],
    {"status": "UNKNOWN_ERROR", "results": []},
    {"status": "REQUEST_DENIED", "error_message": "The provided API key is invalid.", "results": []},
    {"status": "OVER_QUERY_LIMIT", "candidates": []},
    {"isError": True, "message": "no"},
    {"statusCode": 500, "body": '{"message":"x"}'},
    {"errorType": "KeyError", "errorMessage": "'x'", "stackTrace": ["a", "b"]},
    "ä½ å¥½ä¸–ç•Œ",
    "РџСЂРёРІРµС‚, РјРёСЂ",
    "PK\x03\x04\x14\x00\x00\x00\x08\x00",
    "None",
    "<Response [404]>",
    "<?xml version='1.0'?><Error><Code>NoSuchKey</Code><Message>No such key.</Message></Error>",
    "<ErrorResponse><Error><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>",
    '<S:Envelope xmlns:S="x"><S:Body><S:Fault><faultstring>bad</faultstring></S:Fault></S:Body></S:Envelope>',
    PAGE.format(title="502 Bad Gateway", body="<center><h1>502 Bad Gateway</h1></center><hr>nginx"),
    PAGE.format(title="a.test | 502: Bad gateway", body="<h1>Bad gateway</h1><p>Error code 502</p>"),
    PAGE.format(title="", body="<h1>404</h1><p>Not found</p>"),
    PAGE.format(title="Welcome", body="<form><input type='password' name=pw></form>"),
    PAGE.format(title="Just a moment...", body="Checking your browser"),
]
"""What a tool returned that was to look something up."""
OTHERS: list[tuple[str, str, Kind, Any]] = [
    ("search_web", "Search the web", WEB, {"error": "rate limited"}),
    ("pay", "Pay", WRITE, {"id": "p1", "status": "failed", "reason": "card declined"}),
    ("pay", "Pay", WRITE, "Payment failed: insufficient funds"),
    ("pay", "Pay", WRITE, "Sorry, we could not process your payment."),
    ("pay", "Pay", WRITE, "支付失败，余额不足"),
    ("book", "Book", WRITE, {"booked": False, "error": "no seats"}),
    ("pay", "Pay", WRITE, "Your card was declined."),
    ("pay", "Pay", WRITE, "Transaction rejected by the bank"),
    ("pay", "Pay", WRITE, {"error": "declined", "paid": False}),
    ("pay", "Pay", WRITE, {"state": "FAILED"}),
    ("pay", "Pay", WRITE, {"payment": "p1", "result": "FAIL", "msg": "余额不足"}),
    ("send", "Send", WRITE, "Message not sent."),
    ("send", "Send", WRITE, "发送失败"),
    ("send", "Send", WRITE, "Failed to send message"),
]
"""Name and description of a tool, what its calls do, and what it returned."""


@pytest.mark.parametrize("value", WRONG, ids=range(len(WRONG)))
def test_a_failure_is_not_passed_on_in_silence(value: Any) -> None:
    """Envelopes, error lines, statuses, traces, complaints, broken letters and names of objects are noticed."""
    assert not isinstance(judge_result(as_text(value), expected_of("look", "Look.", READ)), Fine)


@pytest.mark.parametrize(
    ("tool", "description", "kind", "value"), OTHERS, ids=[f"{n}-{case[0]}" for n, case in enumerate(OTHERS)]
)
def test_a_failure_of_a_certain_tool_is_noticed(tool: str, description: str, kind: Kind, value: Any) -> None:
    """What a change may have failed to do is told, and so is an error among texts."""
    assert not isinstance(judge_result(as_text(value), expected_of(tool, description, kind)), Fine)
