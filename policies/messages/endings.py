"""What the user reads when a run ends without an answer of the model, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language
from reinforced_agent.policies.messages.durations import duration
from reinforced_agent.policies.messages.failed_tools import Trouble, next_step, tell_troubles
from reinforced_agent.policies.verdicts import ErrorKind


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
    unknown: Sequence[str] = ()
    """Calls that may or may not have taken effect, each with the reason."""
    changed: bool = False
    """Whether something that was done changed something."""
    limit: str = ""
    """The bound that was reached; empty where it is none, or isn't known."""
    most: float = 0
    """Its size."""
    mistake: str = ""
    """Error kind that came back, where that ended it."""
    fault: str = ""
    """What was wrong with the request to the model, where that ended it (`models.errors.FaultKind`)."""
    wait: float | None = None
    """Seconds after which the model may be asked again; `None` where it doesn't say."""
    troubles: Sequence[Trouble] = ()
    """What is the matter with the tools that kept it from its end."""


ENGLISH: Final[Mapping[str, str]] = {
    "head": "I could not finish this request: {request}",
    "all_done": "This was done:",
    "done": "What was done:",
    "unknown": "What may or may not have taken effect:",
    "missing": "What was not done:",
    "why": "Why I stopped: {reason}",
    "next": "Next step: {step}",
    "budget": "the same kind of mistake came back after it had been explained.",
    "budget_next": "say the request in other words, with the missing values.",
    "budget_duplicate": "the model made the same call again and again instead of answering.",
    "budget_duplicate_next": "ask again for what is missing from what stands above.",
    "budget_unreadable": "what the model wrote could not be used, also after it had been told why.",
    "budget_unreadable_next": "send the request again; if this repeats, use another model.",
    "budget_forbidden": "what the model wanted to do is not allowed here, and it found no other way.",
    "budget_forbidden_next": "ask for something that is allowed, or ask whoever runs this service.",
    "budget_rejected": "a person said no to what the model wanted to do, and it found no other way.",
    "budget_rejected_next": "say what should be done differently.",
    "budget_dear": "what the model wanted to do costs more than it may, and it found no other way.",
    "budget_dear_next": "ask for less at a time.",
    "limit": "the limit of steps or time for one request is reached.",
    "limit_steps": "the model may make {most} proposals for one request, and has made them.",
    "limit_seconds": "the time for one request, {most}, is used up.",
    "limit_tokens": "the model may read and write {most} tokens for one request, and has.",
    "limit_next": "ask for one thing at a time, or say what to continue with.",
    "unusable": "the model gave neither an answer nor a usable call.",
    "unusable_next": "send the request again; if this repeats, use another model.",
    "model_down": "the language model can't be reached.",
    "model_down_next": "send the request again later; nothing is lost.",
    "model_down_wait": "send the request again in {wait}; nothing is lost.",
    "model_down_server": "the provider of the language model has trouble of its own.",
    "model_down_busy": "the provider of the language model takes no more requests for now.",
    "model_down_page": "something else answered in place of the language model, such as a proxy.",
    "misconfigured": "the language model can't be used as this service is set up.",
    "misconfigured_access": "the provider of the language model doesn't accept the key of this service.",
    "misconfigured_model": "the provider doesn't know the language model that this service is set to use.",
    "misconfigured_request": "the provider of the language model refuses requests as this service makes them.",
    "misconfigured_address": "the address of the language model can't be used as this service has it.",
    "misconfigured_credit": "the account of this service at the provider of the language model is used up.",
    "misconfigured_page": "something else answers in place of the language model, such as a proxy.",
    "misconfigured_next": "tell whoever runs this service; sending the request again does not help.",
    "too_long": "the conversation is longer than the language model takes in.",
    "too_long_next": "say it in fewer words or in several messages, or begin a new conversation.",
    "filtered": "a filter of the language model's provider stopped it.",
    "filtered_next": "say it in other words; sending the same again does not help.",
    "no_plan": "no plan for it could be made that passes the checks.",
    "no_plan_next": "ask for one thing at a time, and name every value that is needed.",
    "plan_rejected": "a person rejected the plan.",
    "plan_rejected_next": "say what should be done differently.",
    "changed_next": "ask only for what was not done; what was done has taken effect and must not be done again.",
    "unknown_next": "have it looked up whether that took effect, before you ask for it again.",
    "cut": "[The answer was cut off by the output limit.]",
    "cut_filtered": "[A filter of the language model's provider stopped the answer here.]",
    "cut_stopped": "[The answer broke off here: the provider of the language model, or the connection to it, failed.]",
    "declined": "The language model declined to answer this request.",
}

CHINESE: Final[Mapping[str, str]] = {
    "head": "此请求未能完成：{request}",
    "all_done": "已完成以下操作：",
    "done": "已完成：",
    "unknown": "是否已经生效未知：",
    "missing": "未完成：",
    "why": "停止原因：{reason}",
    "next": "下一步：{step}",
    "budget": "同类错误在说明之后再次出现。",
    "budget_next": "请换一种说法，并补充缺少的信息。",
    "budget_duplicate": "模型反复提出相同的调用，而没有作出回答。",
    "budget_duplicate_next": "如果以上内容仍有欠缺，请再次提出。",
    "budget_unreadable": "模型所写的内容无法使用，说明原因之后仍然如此。",
    "budget_unreadable_next": "请重新发送请求；如果再次发生，请更换模型。",
    "budget_forbidden": "模型想做的事在这里不被允许，它也没有找到其他办法。",
    "budget_forbidden_next": "请提出允许的请求，或询问本服务的管理者。",
    "budget_rejected": "有人拒绝了模型想做的事，它也没有找到其他办法。",
    "budget_rejected_next": "请说明希望如何调整。",
    "budget_dear": "模型想做的事超出了允许的费用，它也没有找到其他办法。",
    "budget_dear_next": "请减少每次请求的内容。",
    "limit": "已达到单个请求的步数或时间上限。",
    "limit_steps": "模型对单个请求最多可提出 {most} 次，现已用完。",
    "limit_seconds": "单个请求的时间（{most}）已用完。",
    "limit_tokens": "模型对单个请求最多可读写 {most} 个词元，现已用完。",
    "limit_next": "请一次只提出一件事，或说明从哪里继续。",
    "unusable": "模型既没有给出回答，也没有给出可用的调用。",
    "unusable_next": "请重新发送请求；如果再次发生，请更换模型。",
    "model_down": "无法连接语言模型。",
    "model_down_next": "请稍后重新发送请求；没有丢失任何内容。",
    "model_down_wait": "请在 {wait} 后重新发送请求；没有丢失任何内容。",
    "model_down_server": "语言模型的提供方自身出现故障。",
    "model_down_busy": "语言模型的提供方目前不再接受请求。",
    "model_down_page": "作出回应的不是语言模型，而是代理之类的其他服务。",
    "misconfigured": "按本服务目前的设置，无法使用语言模型。",
    "misconfigured_access": "语言模型的提供方不接受本服务的密钥。",
    "misconfigured_model": "提供方没有本服务所设置的语言模型。",
    "misconfigured_request": "语言模型的提供方拒绝本服务发出的请求。",
    "misconfigured_address": "本服务所设置的语言模型地址无法使用。",
    "misconfigured_credit": "本服务在语言模型提供方的账户额度已用完。",
    "misconfigured_page": "作出回应的一直不是语言模型，而是代理之类的其他服务。",
    "misconfigured_next": "请告知本服务的管理者；重新发送请求无济于事。",
    "too_long": "对话内容超出了语言模型所能读取的长度。",
    "too_long_next": "请缩短内容或分成几条消息发送，或开始新的对话。",
    "filtered": "语言模型提供方的过滤器将其中止。",
    "filtered_next": "请换一种说法；重新发送相同的内容无济于事。",
    "no_plan": "未能制定出通过检查的计划。",
    "no_plan_next": "请一次只提出一件事，并写明所需的信息。",
    "plan_rejected": "有人拒绝了计划。",
    "plan_rejected_next": "请说明希望如何调整。",
    "changed_next": "请只要求未完成的部分；已完成的内容已经生效，请勿重复。",
    "unknown_next": "在再次提出之前，请先核实是否已经生效。",
    "cut": "[回答因输出上限被截断。]",
    "cut_filtered": "[语言模型提供方的过滤器在此处中止了回答。]",
    "cut_stopped": "[回答在此处中断：语言模型的提供方或与其的连接出现故障。]",
    "declined": "语言模型拒绝回答此请求。",
}

_BUDGETS: Final[Mapping[str, str]] = {
    ErrorKind.DUPLICATE: "budget_duplicate",
    ErrorKind.MALFORMED: "budget_unreadable",
    ErrorKind.TRUNCATED: "budget_unreadable",
    ErrorKind.UNKNOWN_TOOL: "budget_unreadable",
    ErrorKind.POLICY: "budget_forbidden",
    ErrorKind.WRONG_ORDER: "budget_forbidden",
    ErrorKind.REJECTED_BY_PERSON: "budget_rejected",
    ErrorKind.TOO_EXPENSIVE: "budget_dear",
}
"""What is said where one kind of mistake came back; the user can help with the others, by values and other words."""


def catalogue(locale: str) -> Mapping[str, str]:
    """Return the texts of a language; unknown languages get English."""
    return in_language(locale, ENGLISH, CHINESE)


def explain(ending: Ending, locale: str, instead: str = "") -> str:
    """Write what was asked, what ran, what did not and why, and the next step.

    Args:
        ending: How the run ended.
        locale: Language of the user.
        instead: What the host tells the user; the reason and the next step stand in it.

    """
    texts = catalogue(locale)
    if _is_done(ending):
        return "\n".join([texts["all_done"], *(f"- {item}" for item in ending.done)])
    lines = [instead or texts["head"].format(request=ending.request)]
    for title, items in (("done", ending.done), ("unknown", ending.unknown), ("missing", ending.missing)):
        lines += [texts[title], *(f"- {item}" for item in items)] if items else []
    if not instead:
        lines.append(texts["why"].format(reason=_reason(ending, texts, locale)))
    if not instead or ending.unknown or ending.changed:
        lines.append(texts["next"].format(step=_next_step(ending, texts, locale)))
    return "\n".join(lines)


def fault_sentence(outcome: str, fault: str, locale: str) -> str:
    """Say in a sentence why a run ended that a request to the model ended."""
    sentence = _told(Ending(outcome, "", fault=fault), catalogue(locale))
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _is_done(ending: Ending) -> bool:
    """Return whether a model only fell silent after a change that took effect, with nothing left undone."""
    return ending.outcome == "unusable" and ending.changed and not ending.missing and not ending.unknown


def _reason(ending: Ending, texts: Mapping[str, str], locale: str) -> str:
    """Say why the run ended: that a tool doesn't work comes before that the model had no more tries."""
    troubles = tell_troubles(ending.troubles, locale)
    if troubles and not ending.limit:
        return troubles
    most = duration(ending.most, locale) if ending.limit == "seconds" else f"{ending.most:g}"
    reason = texts[f"limit_{ending.limit}"].format(most=most) if ending.limit else _told(ending, texts)
    gap = "" if texts is CHINESE else " "
    return f"{reason}{gap}{troubles}" if troubles else reason


def _told(ending: Ending, texts: Mapping[str, str]) -> str:
    """Say what was wrong with the request to the model, else why the run ended."""
    return texts.get(f"{_code(ending)}_{ending.fault}", texts[_code(ending)])


def _next_step(ending: Ending, texts: Mapping[str, str], locale: str) -> str:
    """Choose the one thing to do: whoever sends the whole request again must do nothing twice."""
    if ending.unknown:
        return texts["unknown_next"]
    if ending.troubles:
        return next_step(ending.troubles, locale, changed=ending.changed)
    if ending.changed:
        return texts["changed_next"]
    if ending.outcome == "model_down" and ending.wait is not None:
        return texts["model_down_wait"].format(wait=duration(ending.wait, locale))
    return texts[f"{_code(ending)}_next"]


def _code(ending: Ending) -> str:
    """Name the text about how a run ended."""
    return _BUDGETS.get(ending.mistake, ending.outcome) if ending.outcome == "budget" else ending.outcome
