"""The words of rules in English and Chinese, and messages of the host with placeholders."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Final

from reinforced_agent.policies.messages.catalogue import Facts, in_language


ENGLISH: Final[Mapping[str, str]] = {
    "requires": "`{tool}` needs `{fact}`, which isn't known yet. Find it out, or tell the user what is missing.",
    "requires_from": "`{tool}` needs `{fact}`, which isn't known yet. Call `{source}` first, then `{tool}` again.",
    "after": "`{tool}` needs a result of {first}. Call that first, then `{tool}` again.",
    "after_siblings": (
        "`{tool}` needs a result of {first} first. Calls of the same message have none yet: "
        "wait for it, then call `{tool}` again."
    ),
    "order": "`{tool}` can't run now. Next may be: {allowed}.",
    "limit": "`{field}` must be {allowed}. Change it and call `{tool}` again.",
    "relation": "{value} must be {expected}. Correct {fields}, or tell the user why it isn't possible.",
    "unchecked": "`{tool}` can't be checked before `{fact}` is known. Look it up first.",
    "unchecked_from": (
        "`{tool}` can't be checked before `{fact}` is known for these arguments. "
        "Call `{source}` first, then `{tool}` again."
    ),
    "forbidden": "`{tool}` is not allowed with these values of {fields}. Change them, or tell the user why not.",
    "forbidden_with": "`{tool}` is not allowed in one conversation with {others}. Don't call it; tell the user.",
    "quota_user": "`{tool}` may run {most} times {period} for each user, and that is used up. Tell the user.",
    "quota_nobody": (
        "`{tool}` may run only so often for each user, and it isn't known who asks. "
        "Don't call it; tell the user to sign in."
    ),
    "quota_gone": "`{tool}` may run only so often for each user, and that is used up now. Tell the user.",
    "facts_known": "Known in this session: {bound}.",
    "facts_missing": "Not known yet in this session: {bound}.",
    "fact_hidden": "known",
    "hour": "an hour",
    "day": "a day",
    "week": "a week",
    "month": "in 30 days",
    "quota": "`{tool}` may run {most} times at most, and that is used up. Don't call it again; tell the user.",
    "quota_alone": (
        "`{tool}` may run {most} times at most, and other calls stand before it in this message. "
        "Wait for their results, then call it alone."
    ),
    "again": (
        "Exactly this call to `{tool}` has failed before and will fail again. "
        "Change the arguments, use another tool, or tell the user what is not possible."
    ),
    "equals": "equal to {bound}",
    "at_most": "at most {bound}",
    "at_least": "at least {bound}",
    "above": "above {bound}",
    "below": "below {bound}",
    "one_of": "one of {bound}",
    "none_of": "none of {bound}",
    "matches": "a text of the form `{bound}`",
    "inside": "a path inside `{bound}`, without detours",
    "was_looked_up": "looked up in `{bound}` before",
    "sum": "the sum of {bound}",
    "count": "the number of {bound}",
    "result": "the result of `{bound}`",
    "and": " and ",
}

CHINESE: Final[Mapping[str, str]] = {
    "requires": "`{tool}` 需要 `{fact}`，但目前未知。请先查明，或告知用户缺少什么。",
    "requires_from": "`{tool}` 需要 `{fact}`，但目前未知。请先调用 `{source}`，再调用 `{tool}`。",
    "after": "`{tool}` 需要 {first} 的结果。请先调用它，再调用 `{tool}`。",
    "after_siblings": "`{tool}` 需要先有 {first} 的结果，而同一消息中的调用尚无结果：请等待结果，再调用 `{tool}`。",
    "order": "现在不能运行 `{tool}`。接下来可以：{allowed}。",
    "limit": "`{field}` 必须{allowed}。请修改后再次调用 `{tool}`。",
    "relation": "{value} 必须{expected}。请更正 {fields}，或告知用户为何不可行。",
    "unchecked": "在 `{fact}` 已知之前无法检查 `{tool}`。请先查询。",
    "unchecked_from": ("在得知与这些参数对应的 `{fact}` 之前无法检查 `{tool}`。请先调用 `{source}`，再调用 `{tool}`。"),
    "forbidden": "`{tool}` 不允许 {fields} 取这样的值。请修改，或告知用户原因。",
    "forbidden_with": "同一对话中，`{tool}` 不得与 {others} 一起使用。请勿调用，并告知用户。",
    "quota_user": "每位用户{period}最多可运行 `{tool}` {most} 次，现已用完。请告知用户。",
    "quota_nobody": "`{tool}` 对每位用户有次数限制，但目前不知道是谁在请求。请勿调用，并请用户先登录。",
    "quota_gone": "`{tool}` 对每位用户有次数限制，现已用完。请告知用户。",
    "facts_known": "本次会话已知：{bound}。",
    "facts_missing": "本次会话尚未得知：{bound}。",
    "fact_hidden": "已知",
    "hour": "每小时",
    "day": "每天",
    "week": "每周",
    "month": "每 30 天",
    "quota": "`{tool}` 最多可运行 {most} 次，现已用完。请勿再次调用，并告知用户。",
    "quota_alone": "`{tool}` 最多可运行 {most} 次，而此消息中它之前还有其他调用。请等待其结果，再单独调用。",
    "again": (
        "对 `{tool}` 的完全相同的调用此前已失败，再次调用仍会失败。请修改参数、改用其他工具，或告知用户不可行之处。"
    ),
    "equals": "等于 {bound}",
    "at_most": "不大于 {bound}",
    "at_least": "不小于 {bound}",
    "above": "大于 {bound}",
    "below": "小于 {bound}",
    "one_of": "为 {bound} 之一",
    "none_of": "不为 {bound} 中任何一个",
    "matches": "为 `{bound}` 形式的文本",
    "inside": "为 `{bound}` 内的路径，且不绕行",
    "was_looked_up": "已在 `{bound}` 中查到",
    "sum": "{bound} 之和",
    "count": "{bound} 的个数",
    "result": "`{bound}` 的结果",
    "and": "，且",
}

PLACEHOLDERS: Final = frozenset(
    {
        *("tool", "fields", "field", "fact", "source", "first", "allowed", "most", "value", "expected", "others"),
        *("period", "said"),
    }
)
"""What a message of the host may hold; one that its kind doesn't know becomes `…`."""


def say(code: str, locale: str, own: str | Mapping[str, str], facts: Mapping[str, str]) -> str:
    """Word an objection: with the host's message in this language, or in its only one, else with the house's."""
    language = locale.replace("_", "-").partition("-")[0].lower()
    text = own if isinstance(own, str) else own.get(language) or own.get("en") or next(iter(own.values()), "")
    return (text or in_language(locale, ENGLISH, CHINESE)[code]).format_map(Facts(facts))


def phrase(code: str, locale: str, *, bound: str = "") -> str:
    """Word a part of an objection."""
    return in_language(locale, ENGLISH, CHINESE)[code].format(bound=bound)


def unknown_placeholders(text: str) -> tuple[str, ...]:
    """Return the placeholders of a message that no rule fills.

    Raises:
        ValueError: When the braces don't match, or a placeholder wants more than to be filled.

    """
    found = []
    for _, name, form, conversion in Formatter().parse(text):
        if form or conversion:
            msg = f"a placeholder takes no format: {{{name}}}"
            raise ValueError(msg)
        if name is not None and name not in PLACEHOLDERS:
            found.append(name)
    return tuple(found)
