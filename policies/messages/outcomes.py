"""What the model is told about a call that gave no ordinary result, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language


ENGLISH: Final[Mapping[str, str]] = {
    "rule_broken": "`{tool}` can't be used now, because a rule about it can't be evaluated. Answer without it.",
    "not_run": "This call was not run.",
    "too_many_calls": (
        "Not run: your message holds {count} calls, and only the first {most} of a message are looked at. "
        "Send this call in your next message if it is still needed."
    ),
    "superseded": "Not run: the user wrote a new message before it was decided.",
    "rejected": "A person rejected this call; it was not run. Don't propose it again. Tell the user.",
    "rejected_because": (
        "A person rejected this call; it was not run. Reason: {reason} Don't propose it again in this form."
    ),
    "rejected_before": "A person has already rejected exactly this call. Don't propose it again. Tell the user.",
    "edited": "A person changed the arguments before the call ran. It ran with {arguments}. Result: {result}",
    "approval_void": (
        "`{tool}` was not run: its approval is not good for this call, or not any more. "
        "Propose it again if it is still wanted; a person is asked anew."
    ),
    "other_person": (
        "`{tool}` was not run: it works with the account of the user who asked, and somebody else goes on with it. "
        "Don't propose it again now. Tell the user that it was not done and that they can ask for it anew."
    ),
    "no_context": (
        "`{tool}` was not run: it works with the account of the user who asked, which is not at hand any more. "
        "Don't propose it again now. Tell the user that it was not done and that they can ask for it anew."
    ),
    "context_for_failed": (
        "`{tool}` was not run: it works with the account of the user who asked, which can't be used at the moment. "
        "Don't propose it again now. Tell the user that it was not done."
    ),
    "token_used": "The token of this call was used already, or its time is over. Decide again.",
    "token_expired": "The time to decide about this call is over. It was asked anew; decide again.",
    "token_foreign": "The question belongs to another conversation or call. It was asked anew; decide again.",
    "tool_gone": "`{tool}` was not run: this tool does not exist any more. Do without it.",
    "asked_anew": (
        "Nothing was run, for since this was asked there are changes in {changes}. Look at it again, and decide."
    ),
    "changed_tool": "the tool's declaration",
    "changed_arguments": "the arguments",
    "changed_terms": "the risk or who may decide",
    "changed_warnings": "the warnings",
    "edited_by_rule": "A rule changed your edit; what would run is shown. Decide again.",
    "edited_by_one": "{who} changed this call. Two people have to agree to it, so somebody else has to decide now.",
    "edited_to_twin": "Another call of this message does exactly that already. Reject this one, or change it.",
    "failed": "`{tool}` failed: {type}: {message}",
    "failed_often": (
        "`{tool}` failed {count} times in a row and is not available any more. "
        "Don't call it again. Explain to the user what could not be done."
    ),
    "never_begun": (
        "`{tool}` was not run: too many calls are under way. Nothing has happened, so it may be called again later."
    ),
    "timeout_read": "`{tool}` gave no answer within {time}.",
    "timeout_write": (
        "`{tool}` gave no answer within {time}. It is UNKNOWN whether it took effect. "
        "Don't repeat the call. Tell the user that the outcome has to be looked up."
    ),
    "broken_write": (
        "`{tool}` broke off: {type}: {message}. It is UNKNOWN whether it took effect. "
        "Don't repeat the call. Tell the user that the outcome has to be looked up."
    ),
    "interrupted_write": (
        "`{tool}` was started, but the run was cut off. It is UNKNOWN whether it took effect. "
        "Don't repeat the call. Tell the user that the outcome has to be looked up."
    ),
    "interrupted_read": "`{tool}` was started, but the run was cut off before a result came.",
    "bad_result": "`{tool}` returned something unusable: {problem}",
    "came": "It returned: {came}",
    "soft_error": "`{tool}` reported an error: {message}",
    "empty": "`{tool}` ran and returned nothing.",
    "unwritable": "parts of the result have no JSON form: {places}",
    "not_finite": "not a finite number, and so no value to rely on: {places}",
    "served": "[`{tool}` could not be used; `{other}` answered instead. Say so in your answer.]\n{result}",
    "served_on": "[`{tool}` could not be used, and `{other}` was to stand in for it.]\n{result}",
    "static": "[`{tool}` could not be used; a fixed text stands in. Say so in your answer.]\n{result}",
    "budget": "The limit of corrections is reached; the call was not run.",
    "unusable": "Your last message could not be used. {feedback}",
    "repeated_result": (
        "Exactly this call has run already and nothing has changed since; it was not run again. "
        "Its result: {result}\nUse that result, or answer the user."
    ),
    "repeated_failure": (
        "Exactly this call to `{tool}` has failed already and will fail again. "
        "Change the arguments, use another tool, or tell the user what is not possible."
    ),
    "repeated_unknown": (
        "It is unknown whether exactly this call to `{tool}` took effect. It must not be repeated. Tell the user."
    ),
    "repeated_edit": (
        "A person changed exactly this call before it ran. Don't propose the original again. "
        "Go on with the result you have."
    ),
    "alternating": (
        "You are going back and forth between the same two calls. Stop, and answer the user with what you know."
    ),
    "answered": "A person answered instead of the tool: {message}",
}

CHINESE: Final[Mapping[str, str]] = {
    "rule_broken": "`{tool}` 目前不能使用，因为有一条相关规则无法判定。请不要使用它，直接回答。",
    "not_run": "此调用没有执行。",
    "too_many_calls": (
        "没有执行：这条消息包含 {count} 个调用，而每条消息只处理前 {most} 个。如仍需要，请在下一条消息中发送。"
    ),
    "superseded": "没有执行：在作出决定之前，用户发来了新的消息。",
    "rejected": "有人拒绝了此调用，它没有执行。请不要再次提出，并告知用户。",
    "rejected_because": "有人拒绝了此调用，它没有执行。原因：{reason} 请不要以同样的形式再次提出。",
    "rejected_before": "有人已经拒绝过完全相同的调用。请不要再次提出，并告知用户。",
    "edited": "有人在执行前修改了参数。实际参数为 {arguments}。结果：{result}",
    "approval_void": ("`{tool}` 没有执行：其批准不适用于此调用，或已失效。如仍需要，请再次提出，届时会重新征求同意。"),
    "other_person": (
        "`{tool}` 没有执行：它以提出请求的用户的账户工作，而现在是由他人继续此请求。"
        "请暂时不要再次提出，并告知用户此事没有完成，可以重新提出请求。"
    ),
    "no_context": (
        "`{tool}` 没有执行：它以提出请求的用户的账户工作，而该账户信息已不可用。"
        "请暂时不要再次提出，并告知用户此事没有完成，可以重新提出请求。"
    ),
    "context_for_failed": (
        "`{tool}` 没有执行：它以提出请求的用户的账户工作，而该账户目前无法使用。"
        "请暂时不要再次提出，并告知用户此事没有完成。"
    ),
    "token_used": "此调用的令牌已被使用，或已过期。请重新决定。",
    "token_expired": "对此调用作出决定的时限已过。现重新提问，请再次决定。",
    "token_foreign": "此问题属于另一段对话或另一个调用。现重新提问，请再次决定。",
    "tool_gone": "`{tool}` 没有执行：该工具已不存在。请不要依赖它。",
    "asked_anew": "没有执行任何操作，因为提问之后以下内容有变化：{changes}。请重新查看并作出决定。",
    "changed_tool": "工具的声明",
    "changed_arguments": "参数",
    "changed_terms": "风险或有权决定的人",
    "changed_warnings": "警告",
    "edited_by_rule": "有规则更改了您的修改；将要执行的内容如所示。请再次决定。",
    "edited_by_one": "{who} 修改了此调用。此调用须经两人同意，因此现在须由他人决定。",
    "edited_to_twin": "此消息中的另一个调用已经做了完全相同的事。请拒绝此调用，或作出修改。",
    "failed": "`{tool}` 执行失败：{type}: {message}",
    "failed_often": "`{tool}` 连续失败 {count} 次，已不可用。请不要再调用它，并向用户说明哪些事情没有完成。",
    "never_begun": "`{tool}` 没有运行：正在进行的调用过多。什么都没有发生，可以稍后再次调用。",
    "timeout_read": "`{tool}` 在 {time}内没有响应。",
    "timeout_write": ("`{tool}` 在 {time}内没有响应，是否已经生效**未知**。请不要重复调用，并告知用户需要核实结果。"),
    "broken_write": (
        "`{tool}` 中断：{type}: {message}。是否已经生效**未知**。请不要重复调用，并告知用户需要核实结果。"
    ),
    "interrupted_write": (
        "`{tool}` 已经开始，但运行被中断。是否已经生效**未知**。请不要重复调用，并告知用户需要核实结果。"
    ),
    "interrupted_read": "`{tool}` 已经开始，但运行在得到结果之前被中断。",
    "bad_result": "`{tool}` 返回了无法使用的内容：{problem}",
    "came": "它返回了：{came}",
    "soft_error": "`{tool}` 报告了错误：{message}",
    "empty": "`{tool}` 已执行，没有返回内容。",
    "unwritable": "结果的部分内容没有 JSON 形式：{places}",
    "not_finite": "不是有限数值，不能作为依据：{places}",
    "served_on": "[`{tool}` 无法使用，原应由 `{other}` 代替。]\n{result}",
    "served": "[`{tool}` 无法使用，由 `{other}` 代为回答。请在回答中说明。]\n{result}",
    "static": "[`{tool}` 无法使用，以下为固定文本。请在回答中说明。]\n{result}",
    "budget": "修改次数已达上限，此调用没有执行。",
    "unusable": "上一条消息无法使用。{feedback}",
    "repeated_result": (
        "完全相同的调用已经执行过，此后没有任何变化，因此没有再次执行。其结果：{result}\n请使用该结果，或回答用户。"
    ),
    "repeated_failure": (
        "对 `{tool}` 的完全相同的调用已经失败，再次调用也会失败。请修改参数、改用其他工具，或告诉用户做不到。"
    ),
    "repeated_unknown": "无法确定对 `{tool}` 的完全相同的调用是否已经生效，不能重复。请告知用户。",
    "repeated_edit": "有人在执行前修改了完全相同的调用。请不要再次提出原来的调用，使用已有的结果继续。",
    "alternating": "你在两个相同的调用之间来回重复。请停止，用已知的信息回答用户。",
    "answered": "有人代替工具作答：{message}",
}


def tell(code: str, locale: str, **facts: object) -> str:
    """Say what happened to a call, in the reader's language; unknown languages get English.

    Raises:
        KeyError: On a code that no catalogue has, or a placeholder without its fact.

    """
    catalogue = in_language(locale, ENGLISH, CHINESE)
    return catalogue[code].format(**facts)
