"""What the user is asked where a call lacks a value, and what the model is told of it, in English and Chinese."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from reinforced_agent.policies.clarification.request import MissingField
from reinforced_agent.policies.messages.catalogue import in_language
from reinforced_agent.policies.text.language import is_plain_english
from reinforced_agent.tools.call import JSON, canonical_json


_MOST_CHOICES: Final = 20
"""Values to choose from that a question lists."""
_LONGEST: Final = 1_500
"""Characters of known arguments that the model is reminded of."""
_HAN: Final = re.compile("[\u3400-\u9fff]")
_LATIN_WORD: Final = re.compile(r"[a-z]{2}")

ENGLISH: Final[Mapping[str, str]] = {
    "done": "What was done so far:",
    "one": "To go on, I need one more thing from you: {what}.",
    "several": "To go on, I need from you:",
    "choices": "{what} (one of: {choices})",
    "more": "{choices} and {count} more",
    "comma": ", ",
    "open": (
        "In your last message you asked the user for what a call of `{tool}` lacks: {what}. The user's newest "
        "message may hold it, also in a few words. Then propose the call with it; make nothing up. "
        "If the message is about something else, answer that instead."
    ),
    "known": "Arguments of the call that are known already: {arguments}",
}

CHINESE: Final[Mapping[str, str]] = {
    "done": "目前已完成：",
    "one": "要继续，我还需要您提供：{what}。",
    "several": "要继续，我还需要您提供以下信息：",
    "choices": "{what}（可选：{choices}）",
    "more": "{choices} 等，另有 {count} 项",
    "comma": "、",
    "open": (
        "你在上一条消息中向用户询问了调用 `{tool}` 所缺少的信息：{what}。"
        "用户最新的消息可能就是回答，哪怕只有几个字。如果是，请带上它提出调用，不要编造。如果消息说的是别的事，就只回应那件事。"
    ),
    "known": "此调用已知的参数：{arguments}",
}


def ask(missing: Sequence[MissingField], locale: str, *, done: Sequence[str] = ()) -> str:
    """Ask the user for what is missing: wholly in the user's language, or wholly in English.

    A description of the host stands in the question where it is in the language of the question, and else the name of
    the field as code; values to choose from are code, too. A Chinese question needs a Chinese description of all.

    Args:
        missing: What to ask for.
        locale: Language of the user; unknown ones get English.
        done: What was changed already, one entry a call.

    """
    chinese = all(_is_chinese(item["description"]) for item in missing)
    texts = in_language(locale, ENGLISH, CHINESE) if chinese else ENGLISH
    lines = [texts["done"], *(f"- {item}" for item in done), ""] if done else []
    wanted = list(dict.fromkeys(_what(item, texts, locale) for item in missing))
    if len(wanted) == 1:
        return "\n".join([*lines, texts["one"].format(what=wanted[0])])
    return "\n".join([*lines, texts["several"], *(f"- {what}" for what in wanted)])


def remind(tool: str, missing: Sequence[MissingField], arguments: Mapping[str, JSON], locale: str) -> str:
    """Tell the model what it asked the user for, and what is known of the call."""
    texts = in_language(locale, ENGLISH, CHINESE)
    what = texts["comma"].join(f"`{item['field']}`" for item in missing)
    known = canonical_json(dict(arguments)) if arguments else ""
    told = [texts["open"].format(tool=tool, what=what)]
    if known and len(known) <= _LONGEST:
        told.append(texts["known"].format(arguments=known))
    return "\n".join(told)


def _what(item: MissingField, texts: Mapping[str, str], locale: str) -> str:
    """Name a value, with what there is to choose from."""
    words = item["description"]
    if texts is ENGLISH and not _is_english(words, locale):
        words = f"`{item['field']}`"
    elif not words[1:2].isupper():
        words = words[:1].lower() + words[1:]
    if not item["allowed"]:
        return words
    shown = [f"`{value if isinstance(value, str) else json.dumps(value)}`" for value in item["allowed"]]
    choices = texts["comma"].join(shown[:_MOST_CHOICES])
    if more := shown[_MOST_CHOICES:]:
        choices = texts["more"].format(choices=choices, count=len(more))
    return texts["choices"].format(what=words, choices=choices)


def _is_chinese(words: str) -> bool:
    """Tell whether a description is Chinese throughout; abbreviations such as IBAN stand in Chinese as well."""
    return _HAN.search(words) is not None and _LATIN_WORD.search(words) is None


def _is_english(words: str, locale: str) -> bool:
    """Tell whether a description can stand in an English question.

    For a user of English its letters decide. A description for users of another language may be in that one, and has
    to show by its words that it isn't.
    """
    if locale.lower().startswith("en"):
        return not any(letter.isalpha() and not letter.isascii() for letter in words)
    return is_plain_english(words)
