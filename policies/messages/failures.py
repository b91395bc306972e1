"""What the model can do about a tool that failed, by the class of the failure, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language
from reinforced_agent.policies.messages.durations import duration


ENGLISH: Final[Mapping[str, str]] = {
    "mistake": "The arguments were not right: correct what it says, and call again.",
    "not_found": "What the arguments name does not exist: check it, look it up, or ask the user.",
    "bad_credentials": "The tool may not do this, whatever the call says. Don't try again; tell the user.",
    "rate_limit": "There were too many calls: use another tool, or tell the user to try again later.",
    "rate_limit_wait": "There were too many calls: it may be tried again in {time}; tell the user.",
    "server": "The service behind it is broken now: use another tool, or tell the user to try again later.",
    "timeout": "The service behind it was too slow: ask it for less, or tell the user to try again later.",
    "network": "The service behind it can't be reached: use another tool, or tell the user to try again later.",
    "other": "",
    "traceback": "Traceback:\n{traceback}",
}

CHINESE: Final[Mapping[str, str]] = {
    "mistake": "参数不正确：请按所述内容更正后再次调用。",
    "not_found": "参数所指的内容不存在：请检查、查询，或询问用户。",
    "bad_credentials": "该工具无权执行此操作，修改调用也无济于事。请不要重试，并告知用户。",
    "rate_limit": "调用过于频繁：请改用其他工具，或请用户稍后再试。",
    "rate_limit_wait": "调用过于频繁：{time}后可以再试；请告知用户。",
    "server": "其背后的服务目前出现故障：请改用其他工具，或请用户稍后再试。",
    "timeout": "其背后的服务响应太慢：请减少请求的内容，或请用户稍后再试。",
    "network": "无法连接其背后的服务：请改用其他工具，或请用户稍后再试。",
    "other": "",
    "traceback": "调用栈：\n{traceback}",
}


def advise(category: str, locale: str, *, retry_after: float | None = None) -> str:
    """Say what to do about a failure; nothing where nothing is known. Unknown languages get English."""
    texts = in_language(locale, ENGLISH, CHINESE)
    if category == "rate_limit" and retry_after is not None:
        return texts["rate_limit_wait"].format(time=duration(retry_after, locale))
    return texts.get(category, "")


def with_traceback(traceback: str, locale: str) -> str:
    """Show a traceback."""
    texts = in_language(locale, ENGLISH, CHINESE)
    return texts["traceback"].format(traceback=traceback)
