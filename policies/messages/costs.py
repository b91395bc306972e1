"""What the model and a person are told about calls that cost too much, and about a run that nears its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language
from reinforced_agent.policies.messages.durations import duration
from reinforced_agent.tools.call import JSON, canonical_json


@dataclass(frozen=True, slots=True)
class Excess:
    """A bound that a call breaks, as data."""

    code: str
    """Key of the text in the catalogues."""
    unit: str = ""
    """`money` or `seconds`; empty for bounds of another kind."""
    cost: float = 0.0
    most: float = 0.0


ENGLISH: Final[Mapping[str, str]] = {
    "time": "The time for this request is used up, so `{tool}` was not run.",
    "calls": "As many tools were called as one request may, so `{tool}` was not run.",
    "tool_calls": "`{tool}` was called as often as one request may.",
    "broken": "Nobody can tell what `{tool}` would cost with these arguments, so it was not run.",
    "call_money": "`{tool}` would cost about {cost} with these arguments; one call may cost {most}.",
    "money": "`{tool}` would cost about {cost} with these arguments; {most} is left for this request.",
    "seconds": "`{tool}` would take about {cost} with these arguments; {most} of time is left for this request.",
    "lighter": "Call `{tool}` with {arguments} instead.",
    "narrow": "Ask for less, such as a smaller range or number, or answer without it and say so.",
    "without": "Answer without it, and say what could not be done.",
    "ask_broken": "nobody can tell what `{tool}` would cost with these arguments",
    "ask_call_money": "it would cost about {cost}, and one call may cost {most}",
    "ask_money": "it would cost about {cost}, and {most} is left for this request",
    "ask": "A person has to agree, because {reasons}.",
    "and": "; ",
    "short_seconds": "Most of the time for this request is used up. Finish with what you have: {finish}",
    "short_money": "Most of the money for this request is spent. Finish with what you have: {finish}",
    "short_tokens": "Most of what may be written for this request is written. Finish with what you have: {finish}",
    "short_steps": "This is your last message for this request. Finish with what you have: {finish}",
    "finish": "answer the user, and say what could not be done.",
}

CHINESE: Final[Mapping[str, str]] = {
    "time": "此请求的时间已用完，因此没有执行 `{tool}`。",
    "calls": "单个请求可调用工具的次数已用完，因此没有执行 `{tool}`。",
    "tool_calls": "`{tool}` 在单个请求中的调用次数已用完。",
    "broken": "无法得知以这些参数调用 `{tool}` 的费用，因此没有执行。",
    "call_money": "以这些参数调用 `{tool}` 约需费用 {cost}；单次调用最多 {most}。",
    "money": "以这些参数调用 `{tool}` 约需费用 {cost}；此请求还剩 {most}。",
    "seconds": "以这些参数调用 `{tool}` 约需 {cost}；此请求剩余时间为 {most}。",
    "lighter": "请改为以 {arguments} 调用 `{tool}`。",
    "narrow": "请缩小范围或数量，或者不使用它直接回答并加以说明。",
    "without": "请不使用它直接回答，并说明哪些事情没有完成。",
    "ask_broken": "无法得知以这些参数调用 `{tool}` 的费用",
    "ask_call_money": "约需费用 {cost}，而单次调用最多 {most}",
    "ask_money": "约需费用 {cost}，而此请求还剩 {most}",
    "ask": "需要有人同意，因为{reasons}。",
    "and": "；",
    "short_seconds": "此请求的大部分时间已用完。请用已有的信息结束：{finish}",
    "short_money": "此请求的大部分费用已用完。请用已有的信息结束：{finish}",
    "short_tokens": "此请求可写内容的大部分已用完。请用已有的信息结束：{finish}",
    "short_steps": "这是此请求的最后一条消息。请用已有的信息结束：{finish}",
    "finish": "回答用户，并说明哪些事情没有完成。",
}


def tell_excess(excesses: Sequence[Excess], tool: str, locale: str) -> str:
    """Say which bounds a call breaks; unknown languages get English."""
    texts = in_language(locale, ENGLISH, CHINESE)
    told = (texts[one.code].format(tool=tool, **_amounts(one, locale)) for one in excesses)
    return in_language(locale, " ", "").join(told)


def advise(code: str, locale: str) -> str:
    """Say the one thing to do."""
    return in_language(locale, ENGLISH, CHINESE)[code]


def advise_lighter(tool: str, arguments: Mapping[str, JSON], locale: str) -> str:
    """Say which call would fit."""
    return in_language(locale, ENGLISH, CHINESE)["lighter"].format(tool=tool, arguments=canonical_json(dict(arguments)))


def question(excesses: Sequence[Excess], tool: str, locale: str) -> str:
    """Ask a person whether a call may cost what it costs."""
    texts = in_language(locale, ENGLISH, CHINESE)
    told = (
        texts[f"ask_{one.code}"].format(tool=tool, cost=written(one.cost), most=written(one.most)) for one in excesses
    )
    return texts["ask"].format(reasons=texts["and"].join(told))


def finish(code: str, locale: str) -> str:
    """Tell the model that something comes to its end."""
    texts = in_language(locale, ENGLISH, CHINESE)
    return texts[f"short_{code}"].format(finish=texts["finish"])


def written(amount: float) -> str:
    """Write an amount with at most four decimals; what is smaller is no nothing."""
    if 0 < amount < 0.0001:  # noqa: PLR2004  # the last decimal that is written
        return "< 0.0001"
    return f"{amount:.4f}".rstrip("0").rstrip(".")


def _amounts(excess: Excess, locale: str) -> dict[str, str]:
    """Write what a call costs and may cost, in its unit."""
    if excess.code == "seconds":
        return {"cost": duration(excess.cost, locale), "most": duration(excess.most, locale)}
    return {"cost": written(excess.cost), "most": written(excess.most)}
