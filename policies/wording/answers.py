"""What the model is told about its answer, and what the user reads where it stays as it is, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, assert_never

from reinforced_agent.policies.answers import (
    Banned,
    Forbidden,
    LeftOut,
    Objection,
    TooLong,
    Uncertain,
    Unsaid,
)
from reinforced_agent.policies.wording.results import for_user


ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "head": "Your answer was not sent to the user yet.",
        "left_out": "It has to say: {text}",
        "unsaid": "It has to contain: {text}",
        "too_long": "It has {characters} characters; {most} are allowed. Write it shorter.",
        "tail": "Write the whole answer anew, for the user, without a word about this message.",
        "note_unknown": "Note: it is not known whether this was done: the outcome of `{tool}` has to be looked up.",
        "refused": "I can't give this answer: it would hold content that is not allowed here.",
        "cut": "[The answer was cut.]",
        "space": " ",
    }
)

CHINESE: Mapping[str, str] = MappingProxyType(
    {
        "head": "你的回答还没有发送给用户。",
        "left_out": "其中必须说明：{text}",
        "unsaid": "其中必须包含：{text}",
        "too_long": "回答有 {characters} 个字符，最多允许 {most} 个。请写得更短。",
        "tail": "请为用户重新写出完整的回答，不要提及此消息。",
        "note_unknown": "注意：此事是否完成无法确定，需要核实 `{tool}` 的结果。",
        "refused": "无法给出此回答：其中会包含这里不允许的内容。",
        "cut": "[回答已被截断。]",
        "space": "",
    }
)

_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


def language_of(answer: str, locale: str) -> str:
    """Return the language in which an answer is added to: its own, where that is plain."""
    letters = len(re.findall(r"[^\W\d_]", answer)) or 1
    share = len(_HAN.findall(answer)) / letters
    return "zh" if share > 0.3 else locale if share or not answer.strip() else "en"  # noqa: PLR2004  # names stay Latin


def _texts(locale: str) -> Mapping[str, str]:
    return CHINESE if locale.lower().startswith("zh") else ENGLISH


def object_to(objections: Iterable[Objection], locale: str) -> str:
    """Tell the model what is wrong with its answer, all at once."""
    texts = _texts(locale)
    return texts["space"].join([texts["head"], *(_objection(one, texts, locale) for one in objections), texts["tail"]])


def _objection(objection: Objection, texts: Mapping[str, str], locale: str) -> str:
    match objection:
        case Uncertain(tool=tool):
            return texts["left_out"].format(text=texts["note_unknown"].format(tool=tool))
        case LeftOut(tool=tool, doubt=doubt):
            return texts["left_out"].format(text=for_user(doubt, tool, locale))
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
    texts = _texts(locale)
    notes: list[str] = []
    for objection in objections:
        match objection:
            case Banned(rule=rule) if rule.otherwise == "refuse":
                return texts["refused"]
            case Banned(rule=rule):
                answer = _without(rule, answer)
            case TooLong(most=most):
                answer = f"{answer[:most].rstrip()}\n{texts['cut']}"
            case _:
                notes.append(_note(objection, texts, locale))
    return "\n\n".join([answer, *dict.fromkeys(notes)])


def _without(rule: Forbidden, answer: str) -> str:
    """Put the replacement in the place of what is forbidden, as it stands."""
    return re.sub(rule.pattern, lambda _: rule.replacement, answer, flags=re.IGNORECASE)


def _note(objection: Uncertain | LeftOut | Unsaid, texts: Mapping[str, str], locale: str) -> str:
    match objection:
        case Uncertain(tool=tool):
            return texts["note_unknown"].format(tool=tool)
        case LeftOut(tool=tool, doubt=doubt):
            return for_user(doubt, tool, locale)
        case Unsaid(rule=rule):
            return rule.text
        case _:
            assert_never(objection)
