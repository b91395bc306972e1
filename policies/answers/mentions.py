"""Tell whether an answer mentions what was in doubt about a result, in its own words."""

from __future__ import annotations

import re
from typing import Final

from reinforced_agent.policies.sanity import Doubt


_PART: Final = re.compile(
    r"\b(?:first|only|some|partial\w*|incomplete|more|further|remaining|rest|not all|page|total|out of|at least|so far"
    r"|sample|includ\w+|such as|among|of \d+|here are \d+)\b|部分|仅|只|前|更多|其余|剩余|不完整|共|至少|页|等",
    re.IGNORECASE,
)
_OLD: Final = re.compile(
    r"\b(?:as of|ago|old|older|outdated|stale|last updated|dated|not current|may have changed|yesterday|from \d)"
    r"|截至|之前|以前|过时|旧|不是最新|更新于",
    re.IGNORECASE,
)
_WRONG: Final = re.compile(
    r"\b(?:not|n['’]t|error\w*|fail\w*|unable|cannot|declined|rejected|refused|denied|unclear|unknown|uncertain|wrong)\b"
    r"|n['’]t\b|错误|失败|未|没有|没能|无法|不能|拒绝|不确定|出错|异常",
    re.IGNORECASE,
)
_WORDS: Final = {
    **dict.fromkeys(("part_of", "more", "breaks_off"), _PART),
    "stale": _OLD,
    "maybe_not_done": _WRONG,
    "errors_beside": re.compile(f"{_PART.pattern}|{_WRONG.pattern}", re.IGNORECASE),
}


def is_mentioned(doubt: Doubt, answer: str) -> bool:
    """Tell whether an answer says it; a warning of the host must share most of its words with the answer."""
    if any(doubt.facts.get(name, "\0") in answer for name in ("total", "at")):
        return True
    if (pattern := _WORDS.get(doubt.code)) is not None:
        return pattern.search(answer) is not None
    words = re.findall(r"[^\W_]{4,}|[\u4e00-\u9fff]{2}", doubt.facts.get("problem", "").casefold())
    told = answer.casefold()
    return bool(words) and 2 * sum(word in told for word in words) >= len(words)
