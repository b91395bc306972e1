"""Look for text that reads like orders to the model; what is found warns people, and changes nothing else."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from reinforced_agent.policies.untrusted.invisible import reveal
from reinforced_agent.tools.containers import typed_containers


LONGEST_SCREENED: Final = 20_000
"""Characters; of a longer text the beginning and the end are looked at, as those are what is shown of it."""
_LONGEST_PASSAGE: Final = 200
"""Characters of a passage as it is told."""
_LIKELY: Final = 0.5
"""Probability from which a classifier has found something."""

Classifier: TypeAlias = Callable[[str], bool | float | str]
"""Tells whether a text reads like orders to the model: yes or no, a probability, or the passage itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Screening:
    """How results of tools with `untrusted_output` are treated.

    >>> house = Screening(classifier=lambda text: "open the vault" in text.casefold())
    >>> off = Screening(fence=False, clean=False, screen=False)

    """

    fence: bool = True
    """Show the model where such a text begins and ends."""
    clean: bool = True
    """Take out what is hidden in it, and defuse what chat templates are made of."""
    screen: bool = True
    """Look for text that reads like orders to the model; what is found is a warning on later writes, nothing more."""
    classifier: Classifier | None = None
    """Looks too, at 100,000 characters at most: true, a probability of 0.5 and more, and a passage become a warning.
    One that raises makes a warning as well, because nobody has looked then."""


def _pattern(*written: str) -> re.Pattern[str]:
    """Compile ways to say a thing: a space stands for any white space, `~` for up to three words between two."""
    either = "|".join(written).replace("~", r"(?:\s{1,3}\w{1,15}){0,3}?\s{1,3}").replace(" ", r"\s{1,3}")
    return re.compile(either, re.IGNORECASE)


PATTERNS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "sets instructions aside": _pattern(
            r"\b(?:ignore|disregard|forget|override)~(?:previous|prior|earlier|above|preceding|your|all)"
            r"~(?:instruction|prompt|guideline|directive)s?\b",
            r"(?:忽略|无视|忘记)[^。\n]{0,6}(?:之前|先前|以上|上述|所有|你的)[^。\n]{0,6}(?:指令|指示|提示|规则)",
        ),
        "addresses the model": _pattern(
            r"\b(?:note|notice|message|instructions?) (?:to|for) (?:(?:the|any|all|every) )?"
            r"(?:ai|llms?|language models?|assistants?|chatbots?)\b",
            r"\b(?:you|dear|hello|hey|attention),? (?:(?:an|the) )?(?:ai|llm|language model)\b",
            r"(?:致|给|告知)(?:所有|任何)?(?:ai|人工智能|大?语言模型|智能)(?:助手|助理|模型|代理)?[:,，：]",
        ),
        "speaks as the system": _pattern(
            r"(?:^|[\n<\[*#])\s?(?:system|developer) (?:prompt|message|instruction|override)s?\W{0,3}[:\]>]",
            r"\bnew (?:system )?instructions?\s?:",
            r"系统(?:消息|提示词?|指令)[:：\]】]",
        ),
        "gives the model another role": _pattern(
            r"\byou are (?:now|no longer)~(?:ai|assistant|model|bound|restricted)\b",
            r"\bfrom now on,? you (?:are|will|must)\b",
            r"你现在是|从现在(?:起|开始)[,，]?你",
        ),
        "wants to stay hidden from the user": _pattern(
            r"\b(?:do not|don['’]t|never|without)~(?:tell|inform|notify)(?:ing)?~(?:the|your) user\b",
            r"(?:不要|切勿|无需|不得)(?:告诉|告知|通知)用户",
        ),
        "holds marks of a chat template": re.compile(
            r"<[|｜][a-z_]{2,30}[|｜]>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|</?tool_call>", re.IGNORECASE
        ),
    }
)
"""What orders to a model often say, by what it does. A short list is a reason to look, and no protection."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A passage that reads like orders to the model."""

    patterns: tuple[str, ...]
    """What was found: names of patterns, or what the classifier did."""
    passage: str
    """The first passage, shortened, as a reader would see it."""


def screen(text: str, policy: Screening) -> Finding | None:
    """Return what reads like orders to the model, if anything does; bounded in time, and never raises."""
    if not policy.screen or not text:
        return None
    shown = unicodedata.normalize("NFKC", reveal(_edges(text), Counter()))
    found = [*_matched(shown), *(_classified(shown, policy.classifier) if policy.classifier else ())]
    return Finding(tuple(name for name, _ in found), found[0][1]) if found else None


def _edges(text: str) -> str:
    """Return the parts that are looked at."""
    half = LONGEST_SCREENED // 2
    return text if len(text) <= LONGEST_SCREENED else f"{text[:half]}\n{text[-half:]}"


def _matched(text: str) -> Iterator[tuple[str, str]]:
    for name, pattern in PATTERNS.items():
        if match := pattern.search(text):
            yield name, _passage(text[match.start() :])


def _classified(text: str, classifier: Classifier) -> Iterator[tuple[str, str]]:
    try:
        found = classifier(text)
    except Exception as error:  # noqa: BLE001  # the classifier is the host's code, and a result must not be lost over it
        yield f"the classifier failed: {type(error).__name__}", _passage(text)
        return
    if isinstance(found, str):
        yield from [("found by the classifier", _passage(found))] if found else []
    elif found >= _LIKELY:
        yield "found by the classifier", _passage(text)


def _passage(text: str) -> str:
    """Write the beginning of a text in one line, without what can't be seen."""
    words = " ".join(text[: 3 * _LONGEST_PASSAGE].split())
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in words)
    return shown if len(shown) <= _LONGEST_PASSAGE else f"{shown[:_LONGEST_PASSAGE]}…"
