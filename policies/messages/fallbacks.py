"""What is told about tools that are left alone and about what stood in for them, in English and Chinese."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language


ENGLISH: Final[Mapping[str, str]] = {
    "held_back": "`{tool}` was not called: it keeps failing and is left alone. It may be back in {time}. {instead}",
    "held_back_key": (
        "`{tool}` was not called: what this call is directed at keeps failing and is left alone. It may be back in "
        "{time}; other calls of `{tool}` are not concerned. {instead}"
    ),
    "held_back_paused": "`{tool}` was not called: the operator of this service has paused it{why}. {instead}",
    "down_paused": "`{tool}` is paused by the operator of this service{why}. {instead}",
    "down_paused_served": "`{tool}` is paused by the operator of this service{why}. What stands in for it answers.",
    "note_paused": (
        "`{tool}` is paused by the operator{why}: approving it runs nothing until it is resumed; you may reject it."
    ),
    "why_paused": " (reason: {reason})",
    "down": "`{tool}` is down; it may be back in {time}. {instead}",
    "down_served": "`{tool}` is down; it may be back in {time}. A call of it is answered by what stands in for it.",
    "back": "`{tool}` was down and may be called again.",
    "use": "Use {others} instead, or tell the user.",
    "tell": "Don't call it now; go on without it or tell the user.",
    "or": " or ",
    "seconds": "about {count} s",
    "minutes": "about {count} min",
    "hours": "about {count} h",
    "last_good": (
        "[`{tool}` could not be used; this is its last good result, {time} old, and may be out of date. "
        "Say so in your answer.]\n{result}"
    ),
    "note": "Note: {items}",
    "by_tool": "`{tool}` could not be used; `{by}` served instead.",
    "by_static": "`{tool}` could not be used; a fixed text served instead.",
    "by_last_good": "`{tool}` could not be used; its last good result, {time} old, served instead.",
}

CHINESE: Final[Mapping[str, str]] = {
    "held_back": "`{tool}` 没有被调用：它连续失败，暂停使用，可能在{time}后恢复。{instead}",
    "held_back_key": (
        "`{tool}` 没有被调用：此调用的目标连续失败，暂停使用，可能在{time}后恢复；"
        "`{tool}` 的其他调用不受影响。{instead}"
    ),
    "held_back_paused": "`{tool}` 没有被调用：本服务的管理者已暂停使用它{why}。{instead}",
    "down_paused": "`{tool}` 已被本服务的管理者暂停使用{why}。{instead}",
    "down_paused_served": "`{tool}` 已被本服务的管理者暂停使用{why}。对它的调用由替代内容回答。",
    "note_paused": "`{tool}` 已被管理者暂停使用{why}：恢复之前，批准不会执行任何操作；您可以拒绝此调用。",
    "why_paused": "（原因：{reason}）",
    "down": "`{tool}` 目前不可用，可能在{time}后恢复。{instead}",
    "down_served": "`{tool}` 目前不可用，可能在{time}后恢复。对它的调用由替代内容回答。",
    "back": "`{tool}` 曾经不可用，现在可以再次调用。",
    "use": "请改用 {others}，或告知用户。",
    "tell": "现在不要调用它；请在没有它的情况下继续，或告知用户。",
    "or": " 或 ",
    "seconds": "约 {count} 秒",
    "minutes": "约 {count} 分钟",
    "hours": "约 {count} 小时",
    "last_good": (
        "[`{tool}` 无法使用，以下是它最近一次有效的结果，取得于{time}前，可能已经过时。请在回答中说明。]\n{result}"
    ),
    "note": "注意：{items}",
    "by_tool": "`{tool}` 无法使用，由 `{by}` 代替。",
    "by_static": "`{tool}` 无法使用，由固定文本代替。",
    "by_last_good": "`{tool}` 无法使用，由它{time}前的最近一次有效结果代替。",
}

_MINUTE, _HOUR = 60, 3_600


@dataclass(frozen=True, slots=True)
class Replaced:
    """What stood in for a tool that could not be used."""

    tool: str
    by: str
    """The other tool; `static` or `last_good`."""
    age: float = 0.0
    """Seconds since the result was good, where it is an old one."""


def say(code: str, locale: str, **facts: object) -> str:
    """Say one thing, in the reader's language; unknown languages get English.

    Raises:
        KeyError: On a code that no catalogue has, or a placeholder without its fact.

    """
    return in_language(locale, ENGLISH, CHINESE)[code].format(**facts)


def time_words(seconds: float, locale: str) -> str:
    """Write a time roughly, rounded up: "about 40 s"."""
    if seconds < 2 * _MINUTE:
        return say("seconds", locale, count=max(1, math.ceil(seconds)))
    if seconds < 2 * _HOUR:
        return say("minutes", locale, count=math.ceil(seconds / _MINUTE))
    return say("hours", locale, count=math.ceil(seconds / _HOUR))


def instead_of(others: Sequence[str], locale: str) -> str:
    """Say what to do without a tool."""
    if not others:
        return say("tell", locale)
    return say("use", locale, others=say("or", locale).join(f"`{other}`" for other in others))


def degraded(replaced: Iterable[Replaced], locale: str) -> str:
    """Say which tools could not be used, and what stood in for them."""
    return say("note", locale, items=" ".join(dict.fromkeys(replaced_by(item, locale) for item in replaced)))


def replaced_by(item: Replaced, locale: str) -> str:
    """Say that a tool could not be used, and what stood in for it."""
    if item.by == "last_good":
        return say("by_last_good", locale, tool=item.tool, time=time_words(item.age, locale))
    return say("by_static" if item.by == "static" else "by_tool", locale, tool=item.tool, by=item.by)
