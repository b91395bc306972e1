"""What is said about a result that is not as it should be, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language
from reinforced_agent.policies.results.verdicts import Doubt


ENGLISH: Final[Mapping[str, str]] = {
    "empty": "it returned nothing",
    "nothing": "it returned nothing, which is no answer here",
    "none_found": "the result is empty: nothing was found, which can be the right answer; say so",
    "reported_error": "it reported an error: {message}",
    "page": "it returned a page of HTML ({title}) in place of data",
    "binary": "it returned binary data that can't be read",
    "object_repr": "it returned the name of an object in place of what it holds",
    "garbled": "letters of the result are broken (wrong encoding); don't quote names from it as certain",
    "breaks_off": "the result breaks off in the middle; what follows is not known",
    "not_finite_inside": "some numbers of the result are not finite, and so no values to rely on",
    "part_of": "only {shown} of {total} items are here; get the rest, or say that the answer covers a part only",
    "more": "this is not all, there is more; get the rest, or say that the answer covers a part only",
    "not_json": "it returned a text that is not JSON",
    "schema": "the result does not have the declared form: {problems}",
    "required": "the result lacks {paths}",
    "range": "{path} is {value}, outside of {allowed}",
    "check": "{problem}",
    "warned": "{problem}; say so in the answer",
    "language": "the result is not written in the expected language ({language})",
    "stale": "the result is old: it is from {at}, {age} ago; say so in the answer",
    "no_time": "how old the result is can't be told",
    "other_form": "it returned something in a form that can't be read",
    "command": "it asked for {what}, which can't be done here and was not done",
    "substituted": (
        "the user named {named} as `{field}`, but this is about {used}, which nobody named; say so in your answer"
    ),
    "answer_substituted": "Note: `{tool}` used {used} as `{field}`, not {named}, which you had named.",
    "note": "[{doubts}]",
    "done_in_doubt": (
        "[The call ran, and what it does has been done: don't repeat it. But {problem}. "
        "Tell the user that it was done and that its result is in doubt.]"
    ),
    "answer_part_of": "Note: `{tool}` gave only {shown} of {total} items, so this may be incomplete.",
    "answer_more": "Note: `{tool}` gave only a part of what there is, so this may be incomplete.",
    "answer_breaks_off": "Note: the result of `{tool}` broke off, so this may be incomplete.",
    "answer_stale": "Note: the data of `{tool}` are from {at}, {age} ago.",
    "answer_warned": "Note on `{tool}`: {problem}.",
    "joint": "; ",
}

CHINESE: Final[Mapping[str, str]] = {
    "empty": "没有返回内容",
    "nothing": "没有返回内容，而这里不可能没有结果",
    "none_found": "结果为空：没有找到任何内容，这可能就是正确答案；请如实说明",
    "reported_error": "报告了错误：{message}",
    "page": "返回了 HTML 页面（{title}），而不是数据",
    "binary": "返回了无法读取的二进制数据",
    "object_repr": "返回的是对象的名称，而不是其内容",
    "garbled": "结果中有乱码（编码错误）；不要把其中的名称当作确定的内容引用",
    "breaks_off": "结果在中间断开，后面的内容未知",
    "not_finite_inside": "结果中有些数不是有限数值，不能作为依据",
    "part_of": "这里只有 {total} 项中的 {shown} 项；请获取其余部分，或说明回答只涉及一部分",
    "more": "这不是全部，还有更多；请获取其余部分，或说明回答只涉及一部分",
    "not_json": "返回的文本不是 JSON",
    "schema": "结果不符合声明的格式：{problems}",
    "required": "结果缺少 {paths}",
    "range": "{path} 为 {value}，超出范围 {allowed}",
    "check": "{problem}",
    "warned": "{problem}；请在回答中说明",
    "language": "结果不是以预期的语言（{language}）写成的",
    "stale": "结果已过时：时间为 {at}，距今 {age}；请在回答中说明",
    "no_time": "无法判断结果的新旧",
    "other_form": "返回内容的形式无法读取",
    "command": "它还要求了这里无法做到的事（{what}），该部分没有完成",
    "substituted": "用户所说的 `{field}` 是 {named}，此结果却是关于 {used} 的，而没有人提到过它；请在回答中说明",
    "answer_substituted": "注意：`{tool}` 使用的 `{field}` 是 {used}，而不是您所说的 {named}。",
    "note": "[{doubts}]",
    "done_in_doubt": "[此调用已经执行并已生效：请不要重复。但是：{problem}。请告知用户操作已执行，但其结果存疑。]",
    "answer_part_of": "注意：`{tool}` 只给出了 {total} 项中的 {shown} 项，因此内容可能不完整。",
    "answer_more": "注意：`{tool}` 只给出了一部分，因此内容可能不完整。",
    "answer_breaks_off": "注意：`{tool}` 的结果中途断开，因此内容可能不完整。",
    "answer_stale": "注意：`{tool}` 的数据时间为 {at}，距今 {age}。",
    "answer_warned": "关于 `{tool}` 的说明：{problem}。",
    "joint": "；",
}


def texts_of(locale: str) -> Mapping[str, str]:
    """Return the texts of a language; unknown languages get English."""
    return in_language(locale, ENGLISH, CHINESE)


def say(doubt: Doubt, locale: str = "en") -> str:
    """Say one thing about a result, as part of a sentence; empty for what is for the record alone."""
    return texts_of(locale).get(doubt.code, "").format(**doubt.facts)


def note(doubts: list[Doubt], locale: str = "en") -> str:
    """Write the doubts about a result as a line below it; empty where none of them is told."""
    texts = texts_of(locale)
    told = texts["joint"].join(words for doubt in doubts if (words := say(doubt, locale)))
    return texts["note"].format(doubts=told) if told else ""


def done_in_doubt(doubt: Doubt, locale: str = "en") -> str:
    """Say that a write happened although its result can't be used."""
    return texts_of(locale)["done_in_doubt"].format(problem=say(doubt, locale))


def for_user(doubt: Doubt, tool: str, locale: str = "en") -> str:
    """Say to the user what the answer left out about a result."""
    return texts_of(locale).get(f"answer_{doubt.code}", "").format(tool=tool, **doubt.facts)
