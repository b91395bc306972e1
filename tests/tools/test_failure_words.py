"""Messages of libraries, servers and interfaces are sorted by their words, where nothing else tells."""

from __future__ import annotations

import pytest

from reinforced_agent.tools.failure_words import FailureClass, class_of_text, leaves_open


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("HTTPSConnectionPool(host='a.test', port=443): Read timed out. (read timeout=5)", "timeout"),
        ("401 Client Error: Unauthorized for url: https://a.test", "bad_credentials"),
        ("500 Server Error: Internal Server Error for url: https://a.test", "server"),
        ("Server error '503 Service Unavailable' for url 'https://a.test'", "server"),
        ("[Errno 8] nodename nor servname provided, or not known", "network"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", "network"),
        ("server closed the connection unexpectedly", "network"),
        ('duplicate key value violates unique constraint "users_pkey"', "mistake"),
        ('invalid input syntax for type integer: "abc"', "mistake"),
        ("sorry, too many clients already", "rate_limit"),
        ("An error occurred (ThrottlingException) when calling the Invoke operation: Rate exceeded", "rate_limit"),
        ("Unable to locate credentials", "bad_credentials"),
        ("Error code: 400 - This model's maximum context length is 8192 tokens", "mistake"),
        ("Request timed out.", "timeout"),
        ("MCP error -32602: Invalid arguments for tool search: Required property 'q' missing", "mistake"),
        ("MCP error -32001: Request timed out", "timeout"),
        ("Input validation error: 'city' is a required property", "mistake"),
        ("EACCES: permission denied, open '/a'", "bad_credentials"),
        ("getaddrinfo ENOTFOUND a.test", "network"),
        ("socket hang up", "network"),
        ("dial tcp: lookup a.test: no such host", "network"),
        ("Your session has timed out. Please log in again.", "bad_credentials"),
        ("参数错误：缺少必填参数 city", "mistake"),
        ("access_token 已过期", "bad_credentials"),
        ("请求过于频繁，请稍后再试", "rate_limit"),
        ("系统繁忙，请稍后再试", "server"),
        ("服务暂不可用", "server"),
        ("请求超时", "timeout"),
        ("无法连接到服务器", "network"),
        ("未找到该用户", "not_found"),
        ("INVALID_USER_KEY", "bad_credentials"),
        ("USERKEY_PLAT_NOMATCH", "other"),
        ("channel_not_found", "not_found"),
        ("ratelimited", "rate_limit"),
        ("division by zero", "other"),
        ("upstream request timeout", "timeout"),
        ("no such table: x", "not_found"),
        ("rate limit", "rate_limit"),
        ("city must not be empty", "mistake"),
        ("Invalid date format, expected YYYY-MM-DD", "mistake"),
        ("Server disconnected without sending a response.", "network"),
        ("The read operation timed out", "timeout"),
        ('FATAL: database "x" does not exist', "not_found"),
        ('syntax error at or near "FORM"', "mistake"),
        ("Table 'a.b' doesn't exist", "not_found"),
        ("Data too long for column 'x'", "mistake"),
        ("The provided token is malformed or otherwise invalid", "bad_credentials"),
        ("Reduce your request rate. SlowDown", "rate_limit"),
        ("The server had an error while processing your request", "server"),
        ("User ann not found", "not_found"),
        ("Tool x not found", "not_found"),
        ("value is not a valid integer", "mistake"),
        ("String should have at most 10 characters", "mistake"),
        ("您的账号已被禁用", "bad_credentials"),
        ("QPS 超限", "rate_limit"),
        ("用户不存在", "not_found"),
        ("手机号不能为空", "mistake"),
        ("余额不足，无法支付", "other"),
        ("list index out of range", "other"),
        ("It is raining", "other"),
        ("Cancelled by user", "other"),
        ("余额不足", "other"),
        ("KeyError: 'city'", "other"),
        ("card declined", "other"),
        ("No results", "other"),
        ("'NoneType' object has no attribute 'x'", "other"),
        ("seat 4A is taken", "other"),
        ("Something went wrong", "other"),
    ],
)
def test_messages_are_sorted_by_their_words(message: str, kind: str) -> None:
    """In English and Chinese, as databases, clouds, models, MCP servers and sockets write them."""
    assert class_of_text(message) == kind


@pytest.mark.parametrize(
    ("kind", "message", "status", "is_open"),
    [
        pytest.param(FailureClass.TIMEOUT, "Request timed out", None, True, id="timeout"),
        pytest.param(FailureClass.SERVER, "Bad Gateway", None, True, id="gateway"),
        pytest.param(FailureClass.SERVER, "Deadlock found", None, False, id="rolled-back"),
        pytest.param(FailureClass.NETWORK, "Connection reset by peer", None, True, id="reset"),
        pytest.param(FailureClass.NETWORK, "Connection refused", None, False, id="refused"),
        pytest.param(FailureClass.OTHER, "boom", 500, True, id="status"),
        pytest.param(FailureClass.RATE_LIMIT, "slow down", 429, False, id="turned-away"),
    ],
)
def test_what_broke_under_way_leaves_open_whether_it_was_done(
    kind: FailureClass, message: str, status: int | None, is_open: object
) -> None:
    """A write that was answered so is unknown, not failed."""
    assert leaves_open(kind, message, status) is is_open
