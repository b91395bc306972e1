"""What the user reads when a run ends without an answer of the model, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, as data."""

    outcome: str
    """Key of the reason in the catalogues."""
    request: str
    done: Sequence[str] = ()
    """Calls with a result, each with what it brought."""
    missing: Sequence[str] = ()
    """Calls without a result, each with the reason."""


ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "head": "I could not finish this request: {request}",
        "done": "What was done:",
        "missing": "What was not done:",
        "why": "Why I stopped: {reason}",
        "next": "Next step: {step}",
        "budget": "the same kind of mistake came back after it had been explained.",
        "budget_next": "say the request in other words, with the missing values.",
        "limit": "the limit of steps or time for one request is reached.",
        "limit_next": "ask for one thing at a time, or say what to continue with.",
        "unusable": "the model gave neither an answer nor a usable call.",
        "unusable_next": "send the request again; if this repeats, use another model.",
        "model_down": "the language model can't be reached.",
        "model_down_next": "send the request again later; nothing is lost.",
        "no_plan": "no plan for it could be made that passes the checks.",
        "no_plan_next": "ask for one thing at a time, and name every value that is needed.",
        "plan_rejected": "a person rejected the plan.",
        "plan_rejected_next": "say what should be done differently.",
        "degraded": "Note: {tools} could not be used; {others} served instead.",
        "static": "a fixed text",
        "cut": "[The answer was cut off by the output limit.]",
    }
)

CHINESE: Mapping[str, str] = MappingProxyType(
    {
        "head": "此请求未能完成：{request}",
        "done": "已完成：",
        "missing": "未完成：",
        "why": "停止原因：{reason}",
        "next": "下一步：{step}",
        "budget": "同类错误在说明之后再次出现。",
        "budget_next": "请换一种说法，并补充缺少的信息。",
        "limit": "已达到单个请求的步数或时间上限。",
        "limit_next": "请一次只提出一件事，或说明从哪里继续。",
        "unusable": "模型既没有给出回答，也没有给出可用的调用。",
        "unusable_next": "请重新发送请求；如果再次发生，请更换模型。",
        "model_down": "无法连接语言模型。",
        "model_down_next": "请稍后重新发送请求；没有丢失任何内容。",
        "no_plan": "未能制定出通过检查的计划。",
        "no_plan_next": "请一次只提出一件事，并写明所需的信息。",
        "plan_rejected": "有人拒绝了计划。",
        "plan_rejected_next": "请说明希望如何调整。",
        "degraded": "注意：{tools} 无法使用，由 {others} 代替。",
        "static": "固定文本",
        "cut": "[回答因输出上限被截断。]",
    }
)


def catalogue(locale: str) -> Mapping[str, str]:
    """Return the texts of a language; unknown languages get English."""
    return CHINESE if locale.lower().startswith("zh") else ENGLISH


def explain(ending: Ending, locale: str) -> str:
    """Write what was asked, what ran, what did not and why, and the next step."""
    texts = catalogue(locale)
    lines = [texts["head"].format(request=ending.request)]
    for title, items in (("done", ending.done), ("missing", ending.missing)):
        lines += [texts[title], *(f"- {item}" for item in items)] if items else []
    lines.append(texts["why"].format(reason=texts[ending.outcome]))
    lines.append(texts["next"].format(step=texts[f"{ending.outcome}_next"]))
    return "\n".join(lines)


def degraded(served: Mapping[str, str], locale: str) -> str:
    """Say which tools could not be used, and what stood in for them."""
    texts = catalogue(locale)
    tools = ", ".join(f"`{name}`" for name in served)
    others = ", ".join(texts["static"] if other == "static" else f"`{other}`" for other in served.values())
    return texts["degraded"].format(tools=tools, others=others)
