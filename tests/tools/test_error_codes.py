"""A call that failed may have taken effect all the same: its status, its class or its words leave that open."""

from __future__ import annotations

import pytest

from reinforced_agent.tools.error_codes import FailureClass, leaves_open


@pytest.mark.parametrize(
    ("kind", "message", "status", "is_open"),
    [
        pytest.param(FailureClass.TIMEOUT, "Request timed out", None, True, id="timeout"),
        pytest.param(FailureClass.SERVER, "Bad Gateway", None, True, id="gateway"),
        pytest.param(FailureClass.NETWORK, "UNAVAILABLE", None, True, id="network"),
        pytest.param(None, "Read timed out. (read timeout=5)", None, True, id="words-of-a-time-out"),
        pytest.param(None, "Connection reset by peer", None, True, id="reset"),
        pytest.param(None, "socket hang up", None, True, id="hang-up"),
        pytest.param(None, "请求超时", None, True, id="chinese-words"),
        pytest.param(None, "Connection refused", None, False, id="refused"),
        pytest.param(None, "card declined", None, False, id="declined"),
        pytest.param(None, "boom", 500, True, id="status"),
        pytest.param(FailureClass.RATE_LIMIT, "timeout", 429, False, id="turned-away"),
    ],
)
def test_what_broke_under_way_leaves_open_whether_it_was_done(
    kind: FailureClass | None, message: str, status: int | None, is_open: object
) -> None:
    """A write that was answered so is unknown, not failed."""
    assert leaves_open(kind, message, status) is is_open
