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
    Unconfirmed,
    Undone,
    Unsaid,
)
from reinforced_agent.policies.answers.objections import Why
from reinforced_agent.policies.wording.results import for_user


ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "head": "Your answer was not sent to the user yet.",
        "unconfirmed": (
            "It says {values}, which neither the user nor any result holds. Correct it from the results, call the "
            "tool that knows, or leave it out."
        ),
        "undone": (
            "It says \u201c{words}\u201d, but `{tool}` has not done that. Call `{tool}` now if it is wanted, or say "
            "plainly that it was not done."
        ),
        "earlier": (
            "It says \u201c{words}\u201d, but `{tool}` has done that in an earlier turn only, not now. Call `{tool}` "
            "now if it is wanted anew, or say that it was done before."
        ),
        "other": (
            "It says \u201c{words}\u201d, but no call of `{tool}` was about {values}. Name what it was really done to, "
            "or call `{tool}` for it if it is wanted."
        ),
        "part": (
            "It says \u201c{words}\u201d, but a call of `{tool}` gave no result. Say what was done and what was not."
        ),
        "unknown": (
            "It says \u201c{words}\u201d, but nobody knows whether `{tool}` took effect. Say that it is not certain."
        ),
        "left_out": "It has to say: {text}",
        "unsaid": "It has to contain: {text}",
        "too_long": "It has {characters} characters; {most} are allowed. Write it shorter.",
        "tail": "Write the whole answer anew, for the user, without a word about this message.",
        "note_unconfirmed": "Note: not confirmed by any result: {values}.",
        "note_undone": "Note: this was not done: `{tool}` did not run successfully.",
        "note_earlier": "Note: this was not done again: `{tool}` ran earlier in this conversation only.",
        "note_other": "Note: this was not done to {values}: `{tool}` ran for something else.",
        "note_part": "Note: not all of this was done: a call of `{tool}` did not run successfully.",
        "note_unknown": "Note: it is not known whether this was done: the outcome of `{tool}` has to be looked up.",
        "refused": "I can't give this answer: it would hold content that is not allowed here.",
        "cut": "[The answer was cut.]",
        "joint": ", ",
        "space": " ",
    }
)

CHINESE: Mapping[str, str] = MappingProxyType(
    {
        "head": "你的回答还没有发送给用户。",
        "unconfirmed": (
            "其中提到 {values}，但用户和任何结果都没有给出。请根据结果更正、调用能查到它的工具，或者省略。"
        ),
        "undone": (
            "其中说“{words}”，但 `{tool}` 并没有完成此事。如果需要，请现在调用 `{tool}`，否则请明确说明没有完成。"
        ),
        "earlier": (
            "其中说“{words}”，但 `{tool}` 只在之前的对话中完成过此事，这次没有。如需再次执行，请现在调用 `{tool}`，"
            "否则请说明是之前完成的。"
        ),
        "other": (
            "其中说“{words}”，但没有任何 `{tool}` 调用涉及 {values}。请写明实际的对象；如果需要，请为其调用 `{tool}`。"
        ),
        "part": "其中说“{words}”，但有一次 `{tool}` 调用没有结果。请分别说明哪些已完成、哪些没有完成。",
        "unknown": "其中说“{words}”，但 `{tool}` 是否生效无法确定。请说明这一点尚不确定。",
        "left_out": "其中必须说明：{text}",
        "unsaid": "其中必须包含：{text}",
        "too_long": "回答有 {characters} 个字符，最多允许 {most} 个。请写得更短。",
        "tail": "请为用户重新写出完整的回答，不要提及此消息。",
        "note_unconfirmed": "注意：以下内容没有任何结果可以证实：{values}。",
        "note_undone": "注意：此事没有完成：`{tool}` 没有成功执行。",
        "note_earlier": "注意：此事没有再次执行：`{tool}` 只在之前的对话中执行过。",
        "note_other": "注意：此事没有对 {values} 执行：`{tool}` 的执行对象不同。",
        "note_part": "注意：此事没有全部完成：有一次 `{tool}` 没有成功执行。",
        "note_unknown": "注意：此事是否完成无法确定，需要核实 `{tool}` 的结果。",
        "refused": "无法给出此回答：其中会包含这里不允许的内容。",
        "cut": "[回答已被截断。]",
        "joint": "、",
        "space": "",
    }
)

_KEYS: Mapping[Why, str] = MappingProxyType(
    {"never": "undone", "earlier": "earlier", "other": "other", "part": "part", "unknown": "unknown"}
)
"""Key of the text for each way in which a claim is wrong."""

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
        case Unconfirmed(values=values):
            return texts["unconfirmed"].format(values=texts["joint"].join(values))
        case Undone(tool=tool, words=words, why=why, values=values):
            return texts[_KEYS[why]].format(tool=tool, words=words, values=texts["joint"].join(values))
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


def _note(objection: Unconfirmed | Undone | Uncertain | LeftOut | Unsaid, texts: Mapping[str, str], locale: str) -> str:
    match objection:
        case Unconfirmed(values=values):
            return texts["note_unconfirmed"].format(values=texts["joint"].join(values))
        case Undone(tool=tool, why=why, values=values):
            return texts[f"note_{_KEYS[why]}"].format(tool=tool, values=texts["joint"].join(values))
        case Uncertain(tool=tool):
            return texts["note_unknown"].format(tool=tool)
        case LeftOut(tool=tool, doubt=doubt):
            return for_user(doubt, tool, locale)
        case Unsaid(rule=rule):
            return rule.text
        case _:
            assert_never(objection)
