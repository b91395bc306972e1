"""What the model is told about its answer, and what the user reads where it stays as it is, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, assert_never

from reinforced_agent.policies.answers.policy import (
    Banned,
    Forbidden,
    Objection,
    TooLong,
    Unsaid,
)
from reinforced_agent.policies.messages.catalogue import in_language


ENGLISH: Final[Mapping[str, str]] = {
    "head": "Your answer was not sent to the user yet.",
    "unsaid": "It has to contain: {text}",
    "too_long": "It has {characters} characters; {most} are allowed. Write it shorter.",
    "tail": "Write the whole answer anew, for the user, without a word about this message.",
    "unknown": "Note: it is not known whether `{tool}` took effect; that has to be looked up.",
    "failed": "Note: `{tool}` failed, so what it was to do was not done.",
    "not_run": "Note: `{tool}` was not run.",
    "link": (
        "A link in the answer carried a private value, from a result of `{tool}`, that the user had not named. It is "
        "written so that nothing loads or opens it."
    ),
    "attest": (
        "Before your answer is sent: which tools does it tell the user were carried out? Call `{tool}` with their "
        "names, or with an empty list. Nothing runs."
    ),
    "not_carried_out": (
        "Your answer was not sent to the user yet. By your own account it says that {tools} took effect, and in "
        "this turn that is not so. Write the whole answer anew, say plainly what was not done, and do nothing "
        "more for it."
    ),
    "joint": ", ",
    "refused": "I can't give this answer: it would hold content that is not allowed here.",
    "cut": "[The answer was cut.]",
    "space": " ",
}

CHINESE: Final[Mapping[str, str]] = {
    "head": "你的回答还没有发送给用户。",
    "unsaid": "其中必须包含：{text}",
    "too_long": "回答有 {characters} 个字符，最多允许 {most} 个。请写得更短。",
    "tail": "请为用户重新写出完整的回答，不要提及此消息。",
    "unknown": "注意：`{tool}` 是否生效无法确定，需要核实。",
    "failed": "注意：`{tool}` 执行失败，它要做的事没有完成。",
    "not_run": "注意：`{tool}` 没有执行。",
    "link": "回答中的一个链接带有 `{tool}` 返回的、用户没有提到过的私密值，已改写为不会自动加载、也无法点开的形式。",
    "attest": (
        "在回答发送之前：它告诉用户哪些工具已经执行？请用这些名称调用 `{tool}`，没有则用空列表。不会执行任何操作。"
    ),
    "not_carried_out": (
        "你的回答还没有发送给用户。按你自己的说明，它表示 {tools} 已经生效，而本次并非如此。"
        "请重新写出完整的回答，明确说明哪些没有完成，不要为此再做任何操作。"
    ),
    "joint": "、",
    "refused": "无法给出此回答：其中会包含这里不允许的内容。",
    "cut": "[回答已被截断。]",
    "space": "",
}


def tell_outcome(outcome: Literal["failed", "unknown", "not_run"], tool: str, locale: str) -> str:
    """Say below an answer that a write did not end done."""
    return in_language(locale, ENGLISH, CHINESE)[outcome].format(tool=tool)


def attest(tool: str, locale: str) -> str:
    """Ask the model which tools its answer says were carried out."""
    return in_language(locale, ENGLISH, CHINESE)["attest"].format(tool=tool)


def not_carried_out(tools: Iterable[str], locale: str) -> str:
    """Tell the model that tools which it named itself did not run."""
    texts = in_language(locale, ENGLISH, CHINESE)
    return texts["not_carried_out"].format(tools=texts["joint"].join(f"`{tool}`" for tool in tools))


def object_to(objections: Iterable[Objection], locale: str) -> str:
    """Tell the model what is wrong with its answer, all at once."""
    texts = in_language(locale, ENGLISH, CHINESE)
    return texts["space"].join([texts["head"], *(_objection(one, texts) for one in objections), texts["tail"]])


def _objection(objection: Objection, texts: Mapping[str, str]) -> str:
    match objection:
        case Unsaid(rule=rule):
            return texts["unsaid"].format(text=rule.text)
        case Banned(rule=banned):
            return banned.message
        case TooLong(characters=characters, most=most):
            return texts["too_long"].format(characters=characters, most=most)
        case _:
            assert_never(objection)


def corrected(answer: str, objections: Iterable[Objection], locale: str) -> str:
    """Return an answer with what the model left uncorrected: qualified, completed, or without what is forbidden."""
    texts = in_language(locale, ENGLISH, CHINESE)
    notes: list[str] = []
    for objection in objections:
        match objection:
            case Banned(rule=rule) if rule.otherwise == "refuse":
                return texts["refused"]
            case Banned(rule=rule):
                answer = _without(rule, answer)
            case TooLong(most=most):
                answer = f"{answer[:most].rstrip()}\n{texts['cut']}"
            case Unsaid(rule=missing):
                notes.append(missing.text)
            case _:
                assert_never(objection)
    return "\n\n".join([answer, *dict.fromkeys(notes)])


def _without(rule: Forbidden, answer: str) -> str:
    """Put the replacement in the place of what is forbidden, as it stands."""
    return re.sub(rule.pattern, lambda _: rule.replacement, answer, flags=re.IGNORECASE)


def tell_link(tool: str, locale: str) -> str:
    """Say that a link of the answer was made inert, and whose value it carried."""
    return in_language(locale, ENGLISH, CHINESE)["link"].format(tool=tool)
