"""Times are written as people write them."""

from __future__ import annotations

import math

import pytest

from reinforced_agent.policies.messages.durations import duration


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (-3, "0 seconds", "0 秒"),
        (0.00002, "0.001 seconds", "0.001 秒"),
        (0.05, "0.05 seconds", "0.05 秒"),
        (0.99792, "1 second", "1 秒"),
        (2.5, "2.5 seconds", "2.5 秒"),
        (9.97, "10 seconds", "10 秒"),
        (59.7, "60 seconds", "60 秒"),
        (119.6, "2 minutes", "2 分钟"),
        (150, "2 minutes 30 seconds", "2 分钟 30 秒"),
        (3_661, "1 hour 1 minute", "1 小时 1 分钟"),
        (86_399, "1 day", "1 天"),
        (1_000_000, "11 days 14 hours", "11 天 14 小时"),
        (math.inf, "any time", "不限时间"),
    ],
    ids=str,
)
def test_times_are_written_in_at_most_two_units(seconds: float, english: str, chinese: str) -> None:
    """Rounded to what can be read, in both languages."""
    assert (duration(seconds), duration(seconds, "zh-CN")) == (english, chinese)
