"""What the model is told about values that nobody gave, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A field whose value nobody gave, as data."""

    field: str
    """Its path in the arguments."""
    code: str
    """`user` where only the user may name it, `any` where a tool may too."""
    required: bool
    """Whether the call needs it."""
    lookup: str = ""
    """The tool that looks it up; empty where none is declared."""
    about: str = ""
    """What it is, in the words of the schema."""


ENGLISH: Final[Mapping[str, str]] = {
    "user": "`{field}` of `{tool}` has a value that the user never gave.",
    "any": "`{field}` of `{tool}` has a value that neither the user nor a tool result gave.",
    "required": "Don't make it up: ask the user for it{about}, and call `{tool}` once it is known.",
    "optional": "Leave it out, or ask the user for it{about}.",
    "lookup": "Don't make it up: look it up with `{lookup}`, or ask the user for it{about}.",
    "warn": "`{field}`: neither the user nor a tool result named this value.",
    "several": "{count} values for `{tool}` were given by nobody:",
    "ask_all": "Don't make them up. Ask the user for all that is missing in one question.",
    "joint": " ",
    "about": " ({about})",
}

CHINESE: Final[Mapping[str, str]] = {
    "user": "用户从未提供 `{tool}` 的 `{field}` 的值。",
    "any": "用户和工具结果都没有提供 `{tool}` 的 `{field}` 的值。",
    "required": "请不要编造：先向用户询问{about}，知道后再调用 `{tool}`。",
    "optional": "请省略此参数，或向用户询问{about}。",
    "lookup": "请不要编造：用 `{lookup}` 查询，或向用户询问{about}。",
    "warn": "`{field}`：用户和工具结果都没有提到过这个值。",
    "several": "`{tool}` 有 {count} 个值没有人提供：",
    "ask_all": "请不要编造。请一次向用户询问所有缺少的信息。",
    "joint": "",
    "about": "（{about}）",
}


def warn_of(field: str, locale: str = "en") -> str:
    """Tell a person who approves a call about a value that nobody named; unknown languages get English."""
    texts = in_language(locale, ENGLISH, CHINESE)
    return texts["warn"].format(field=field)


def ask_for(missing: Sequence[Missing], *, tool: str, locale: str = "en") -> str:
    """Tell the model which values nobody gave, and what to do; unknown languages get English."""
    texts = in_language(locale, ENGLISH, CHINESE)
    sentences = [_sentence(item, tool, texts) for item in missing]
    if len(sentences) == 1:
        return sentences[0]
    lead = texts["several"].format(tool=tool, count=len(sentences))
    return "\n".join([lead, *(f"- {sentence}" for sentence in sentences), texts["ask_all"]])


def _sentence(item: Missing, tool: str, texts: Mapping[str, str]) -> str:
    what = texts[item.code].format(field=item.field, tool=tool)
    about = texts["about"].format(about=item.about) if item.about else ""
    return what + texts["joint"] + texts[_advice(item)].format(tool=tool, lookup=item.lookup, about=about)


def _advice(item: Missing) -> str:
    """Choose the one thing to do."""
    if item.lookup:
        return "lookup"
    return "required" if item.required else "optional"
