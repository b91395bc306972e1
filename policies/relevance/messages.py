"""What the model is asked when a proposal hardly fits the request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from reinforced_agent.policies.messages.catalogue import in_language


_ENGLISH: Final[Mapping[str, str]] = {
    "ask": (
        "Before `{tool}` runs, look once more at what the user asked for. If no tool is needed, or none does what is "
        "asked, answer directly without a call."
    ),
    "numbers": "The request names {list}, which no call uses.",
    "same": "Some calls are the same.",
    "again": "If this is what is needed, send it again as it is.",
}
_CHINESE: Final[Mapping[str, str]] = {
    "ask": (
        "运行 `{tool}` 之前，请再看一遍用户的请求。如果不需要工具，或者没有工具能完成该请求，请直接回答，不要调用工具。"
    ),
    "numbers": "请求中提到 {list}，但没有调用用到。",
    "same": "有些调用是相同的。",
    "again": "如果确实需要，请原样再发一次。",
}
_MOST: Final = 5
"""Values that are named."""

Hint: TypeAlias = tuple[str, Sequence[str]]
"""What looks odd: a key of the texts, and what it is about."""


def ask_again(tool: str, hints: Sequence[Hint], locale: str) -> str:
    """Ask whether a proposal is what the request needs.

    Args:
        tool: The tool that was called.
        hints: What looks odd.
        locale: Language of the question.

    """
    texts, joint, gap = in_language(locale, (_ENGLISH, ", ", " "), (_CHINESE, "、", ""))
    told = [texts[key].format(list=joint.join(names[:_MOST])) for key, names in hints]
    return gap.join([texts["ask"].format(tool=tool), *told, texts["again"]])
