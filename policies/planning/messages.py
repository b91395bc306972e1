"""What the model and people read about plans, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language


ENGLISH: Final[Mapping[str, str]] = {
    # The request for a plan.
    "brief": (
        "Before anything is done, make a plan for the newest message of the user. Call `{tool}` with its steps; "
        "call no other tool now. One step is one call of one tool. Give each step an id, the tool, its purpose, "
        "what it depends on, and the arguments that are known already. Make no values up: what an earlier step "
        "brings is left out, what only the user can tell is listed under `missing`. Plan at most {most} steps. "
        "When no tool is needed, hand in an empty list."
    ),
    "brief_text": 'Without tool calls, write the same as JSON: {"steps": [...]}.',
    "tools": "The tools there are:",
    "risk_write": "changes something",
    "risk_destructive": "can't be taken back",
    "replan": (
        "An earlier plan could not be kept. Plan only what is still to do; what is done stays done and is not "
        "repeated. How far it got:"
    ),
    "advice": "A person said about the last plan: {message}",
    # Faults of a plan.
    "faults": "This plan can't be followed:",
    "again": "Hand in the whole plan again, corrected.",
    "none_given": "A plan was asked for. Call `{tool}`; hand in an empty list when no tool is needed.",
    "two_plans": "There were several plans. Hand in one.",
    "no_id": "A step has an empty id. Give every step one of its own.",
    "same_id": "Several steps have the id `{step}`. Give every step one of its own.",
    "dangling": "Step `{step}` depends on `{other}`, which is no step. The steps are {known}.",
    "cycle": "The steps {steps} wait for each other. Remove one of these dependencies.",
    "too_many": "The plan has {count} steps; at most {most} are allowed. Leave out what the task doesn't need.",
    "too_long": (
        "The plan takes {rounds} rounds, one after the other, but only {left} are left. "
        "Let steps that don't need each other depend on nothing, or do less."
    ),
    "too_slow": "The steps take about {needed}, but only {left} of time is left. Plan less, or use faster tools.",
    "too_dear": "The steps cost about {needed}, but only {left} is left. Plan less, or use cheaper tools.",
    "at_step": "Step `{step}`: {what}",
    "withheld": "`{tool}` is not available now. Use another tool, or leave the step out.",
    "unknown_field": "`{field}` is no parameter of `{tool}`; these are: {known}.",
    "no_fields": "`{field}` is no parameter of `{tool}`; it takes none.",
    "unnamed": (
        "`{tool}` needs {fields}. Write the value under `arguments` where it is known, name the step that brings "
        "it under `depends_on`, or list the parameter under `missing` where only the user can tell."
    ),
    # Following.
    "plan": "The plan for this task:",
    "now": "Do now: {steps}. Call the tool; when the plan no longer fits, say so in your answer.",
    "blocked": "The open steps wait for steps that failed. Find another way, or tell the user what can't be done.",
    "nothing_open": "Every step is through. Answer the user.",
    "after": " (after {steps})",
    "pending": "open",
    "done": "done",
    "failed": "failed",
    "skipped": "skipped",
    "off_plan": (
        "`{tool}` is not in the plan, and it changes something. Go on with the plan{next}. If the call is needed "
        "all the same, propose it once more and say why; a person is asked then."
    ),
    "off_plan_next": ": {steps}",
    "too_early": (
        "The step of `{tool}` waits for {steps}. Do that first. If the call is needed now all the same, propose "
        "it once more and say why; a person is asked then."
    ),
    "ask_off_plan": "The plan has no such step.",
    "ask_early": "The plan has this step only after {steps}.",
    # For people.
    "approve": "The plan for: {request}",
    "rejected": "A person rejected the plan.",
    "rejected_because": "A person rejected the plan. Reason: {reason}",
    "open_step": "step {step} of the plan, `{tool}`: {purpose}",
    "list": ", ",
}

CHINESE: Final[Mapping[str, str]] = {
    "brief": (
        "在执行任何操作之前，请为用户的最新消息制定计划。请用步骤调用 `{tool}`，现在不要调用其他工具。"
        "一个步骤就是对一个工具的一次调用。每个步骤要有编号、工具、目的、所依赖的步骤，以及已知的参数。"
        "请不要编造：由前面步骤得到的值请省略，只有用户才知道的参数请列在 `missing` 中。最多 {most} 个步骤。"
        "如果不需要工具，请提交空列表。"
    ),
    "brief_text": '如果不能调用工具，请用 JSON 写出同样的内容：{"steps": [...]}。',
    "tools": "可用的工具：",
    "risk_write": "会产生更改",
    "risk_destructive": "无法撤销",
    "replan": "先前的计划无法继续。请只计划剩下的部分；已完成的保持不变，不要重复。目前进展：",
    "advice": "有人对上一份计划的意见：{message}",
    "faults": "此计划无法执行：",
    "again": "请修正后重新提交完整的计划。",
    "none_given": "需要一份计划。请调用 `{tool}`；如果不需要工具，请提交空列表。",
    "two_plans": "提交了多份计划。请只提交一份。",
    "no_id": "有一个步骤的编号为空。请给每个步骤一个编号。",
    "same_id": "多个步骤的编号都是 `{step}`。请给每个步骤一个不同的编号。",
    "dangling": "步骤 `{step}` 依赖 `{other}`，但没有这个步骤。已有的步骤：{known}。",
    "cycle": "步骤 {steps} 互相等待。请去掉其中一个依赖。",
    "too_many": "计划有 {count} 个步骤，最多允许 {most} 个。请去掉任务不需要的步骤。",
    "too_long": "计划需要先后 {rounds} 轮，但只剩 {left} 轮。请让互不需要的步骤不再依赖，或减少步骤。",
    "too_slow": "这些步骤大约需要 {needed}，但剩余时间为 {left}。请减少步骤，或使用更快的工具。",
    "too_dear": "这些步骤大约花费 {needed}，但只剩 {left}。请减少步骤，或使用更便宜的工具。",
    "at_step": "步骤 `{step}`：{what}",
    "withheld": "`{tool}` 目前不可用。请改用其他工具，或去掉此步骤。",
    "unknown_field": "`{field}` 不是 `{tool}` 的参数；其参数为：{known}。",
    "no_fields": "`{field}` 不是 `{tool}` 的参数；它没有参数。",
    "unnamed": (
        "`{tool}` 需要 {fields}。已知的值请写在 `arguments` 中；由其他步骤得到的，请在 `depends_on` 中写明该步骤；"
        "只有用户才知道的，请把参数列在 `missing` 中。"
    ),
    "plan": "此任务的计划：",
    "now": "现在执行：{steps}。请调用工具；如果计划不再适用，请在回答中说明。",
    "blocked": "未完成的步骤在等待失败的步骤。请换一种方式，或告诉用户哪些无法完成。",
    "nothing_open": "所有步骤都已处理。请回答用户。",
    "after": "（在 {steps} 之后）",
    "pending": "未完成",
    "done": "已完成",
    "failed": "失败",
    "skipped": "已跳过",
    "off_plan": (
        "`{tool}` 不在计划中，而且会产生更改。请按计划继续{next}。"
        "如果仍然需要此调用，请再次提出并说明原因，届时会征求人的同意。"
    ),
    "off_plan_next": "：{steps}",
    "too_early": (
        "`{tool}` 的步骤要等待 {steps}。请先完成它。如果现在仍然需要此调用，请再次提出并说明原因，届时会征求人的同意。"
    ),
    "ask_off_plan": "计划中没有这个步骤。",
    "ask_early": "按计划，此步骤应在 {steps} 之后。",
    "approve": "计划，针对：{request}",
    "rejected": "有人拒绝了此计划。",
    "rejected_because": "有人拒绝了此计划。原因：{reason}",
    "open_step": "计划的步骤 {step}，`{tool}`：{purpose}",
    "list": "、",
}


def say(code: str, locale: str, **facts: object) -> str:
    """Write a text in the reader's language; unknown languages get English.

    Raises:
        KeyError: On a code that no catalogue has, or a placeholder without its fact.

    """
    texts = in_language(locale, ENGLISH, CHINESE)
    return texts[code].format(**facts) if facts else texts[code]


def listed(names: object, locale: str) -> str:
    """Write names as a list, each as code."""
    return say("list", locale).join(f"`{name}`" for name in names)  # type: ignore[attr-defined]
