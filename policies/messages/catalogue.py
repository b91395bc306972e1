"""The shape of a catalogue, the texts of all problems in one language, and which language a reader gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All texts of one language."""

    texts: Mapping[str, tuple[str, str]]
    """Code of a problem → what is wrong, and what to do about it (may be empty)."""
    terms: Mapping[str, str]
    """Words that facts name by a key: types of values and months."""
    frame: Mapping[str, str]
    """What stands around the problems: lead-in, closing instruction, example."""

    def either(self, keys: str) -> str:
        """Write terms, given as keys between `|`, as alternatives: "a number or a text"."""
        words = [self.terms.get(key, key) for key in keys.split("|")] if keys else []
        if {"number", "integer"} <= set(keys.split("|")):
            words = [word for word in words if word != self.terms["integer"]]
        return self.frame["or"].join(dict.fromkeys(words))


class Facts(dict[str, str]):
    """Values for placeholders; one that is missing leaves a gap instead of an error."""

    def __missing__(self, _key: str) -> str:
        return "…"


def in_language(locale: str, english: T, chinese: T) -> T:
    """Return what is in the reader's language: Chinese for `zh`, `zh-CN`, `zh_Hans` and the like, else English."""
    return chinese if locale.replace("_", "-").partition("-")[0].lower() == "zh" else english
