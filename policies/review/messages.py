"""What the assistant, and a person who decides, are told of the doubts of a reviewing model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language


_ENGLISH: Final[Mapping[str, str]] = {
    "wrong_tool": "A reviewer doubts `{tool}`: another tool seems to be meant.",
    "wrong_value": "A reviewer doubts `{tool}`: a value doesn't seem to be what was asked for.",
    "wrong_value_field": "A reviewer doubts `{tool}`: `{field}` doesn't seem to be what was asked for.",
    "left_out": "A reviewer doubts `{tool}`: something that was asked for seems to be left out.",
    "left_out_field": "A reviewer doubts `{tool}`: `{field}` seems to be asked for, but isn't as it should be.",
    "unneeded": "A reviewer doubts `{tool}`: this call doesn't seem to be asked for.",
    "against_instructions": "A reviewer doubts `{tool}`: it doesn't seem to follow the instructions.",
    "other": "A reviewer doubts `{tool}`.",
    "other_field": "A reviewer doubts `{tool}`, because of `{field}`.",
    "ask_user": "A reviewer doubts `{tool}`: it seems to need something that only the user can tell.",
    "ask_user_field": "A reviewer doubts `{tool}`: only the user seems to know `{field}`.",
    "reason": 'In its words, which may be wrong: "{reason}"',
    "then": (
        "Compare the call with what the user asked for. Correct it where the doubt is right; if it is right as it is, "
        "send it again unchanged."
    ),
    "then_ask": (
        "If nobody has said it, ask the user for it in plain words and don't make it up; if it was said, send the call "
        "again unchanged."
    ),
    "again": "A reviewing model objected to `{tool}`, and the assistant sent it again unchanged.",
    "again_reason": (
        'A reviewing model objected to `{tool}`, and the assistant sent it again unchanged. It said: "{reason}"'
    ),
}
_CHINESE: Final[Mapping[str, str]] = {
    "wrong_tool": "审阅模型对 `{tool}` 有疑问：似乎应使用另一个工具。",
    "wrong_value": "审阅模型对 `{tool}` 有疑问：某个值似乎与请求不符。",
    "wrong_value_field": "审阅模型对 `{tool}` 有疑问：`{field}` 似乎与请求不符。",
    "left_out": "审阅模型对 `{tool}` 有疑问：请求中的某项内容似乎被遗漏了。",
    "left_out_field": "审阅模型对 `{tool}` 有疑问：请求似乎涉及 `{field}`，但它不符合要求。",
    "unneeded": "审阅模型对 `{tool}` 有疑问：似乎没有人要求这次调用。",
    "against_instructions": "审阅模型对 `{tool}` 有疑问：似乎没有遵守指示。",
    "other": "审阅模型对 `{tool}` 有疑问。",
    "other_field": "审阅模型因 `{field}` 对 `{tool}` 有疑问。",
    "ask_user": "审阅模型对 `{tool}` 有疑问：似乎需要只有用户才知道的内容。",
    "ask_user_field": "审阅模型对 `{tool}` 有疑问：似乎只有用户知道 `{field}`。",
    "reason": "它的原话（可能有误）：“{reason}”",
    "then": "请将调用与用户的请求对照。疑问属实则更正；如果调用本来就正确，请原样再发一次。",
    "then_ask": "如果没有人说过，请用简单的话询问用户，不要编造；如果已经说过，请原样再发一次。",
    "again": "审阅模型曾反对 `{tool}`，助手又原样发送了一次。",
    "again_reason": "审阅模型曾反对 `{tool}`，助手又原样发送了一次。它说：“{reason}”",
}


def doubt(code: str, tool: str, field: str, reason: str, locale: str) -> str:
    """Say what a reviewing model doubts, and what to do about it.

    Args:
        code: A fault, or `ask_user`.
        tool: The tool that was called.
        field: The argument concerned; empty for the call as a whole.
        reason: The reviewing model's words, fit to be quoted; empty for none.
        locale: Language of the text.

    """
    texts = _texts(locale)
    key = f"{code}_field" if field and f"{code}_field" in texts else code
    parts = [texts[key], texts["reason"] if reason else "", texts["then_ask" if code == "ask_user" else "then"]]
    facts = {"tool": tool, "field": field, "reason": reason}
    return in_language(locale, " ", "").join(part.format_map(facts) for part in parts if part)


def sent_again(tool: str, reason: str, locale: str) -> str:
    """Tell a person that a call comes again after an objection."""
    return _texts(locale)["again_reason" if reason else "again"].format(tool=tool, reason=reason)


def _texts(locale: str) -> Mapping[str, str]:
    """Return the texts of a language."""
    return in_language(locale, _ENGLISH, _CHINESE)
