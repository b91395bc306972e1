"""Find values that are JSON in form only: doubled keys, numbers nobody can compute with, broken text, absurd depth."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias
from unicodedata import normalize

from reinforced_agent.policies.verdicts import ErrorKind, Problem


MAX_DEPTH = 64
"""Levels of nesting; real arguments stay below ten, and the decoder's own limit lies near a thousand."""
MAX_DIGITS = 19
"""Digits from which an integer may lie beyond 64 bits; such a one fits no checkpoint and few services."""
MOST_FAULTS = 10
"""How many faults of one call are reported."""

_NAMEABLE = re.compile(r"[\w $.-]{1,64}")


class Pairs(list[tuple[str, object]]):
    """An object as the pairs that were written, doubled keys included."""


@dataclass(frozen=True, slots=True)
class BadNumber:
    """A number that can't be used; stands for it in a tolerant decoding."""

    code: str
    """The code of its problem."""


Fault: TypeAlias = tuple[str, str]
"""A code and the path it was found at."""


def is_wide(text: str) -> bool:
    """Tell whether an integer, as it is written, lies beyond 64 bits; short ones are not even converted."""
    return len(text) >= MAX_DIGITS and (len(text) > MAX_DIGITS + 1 or not _fits(int(text)))


def _fits(number: int) -> bool:
    """Tell whether an integer fits 64 bits, signed or not."""
    return -(2**63) <= number < 2**64


def _integer(text: str) -> object:
    return BadNumber("integer_too_long") if is_wide(text) else 0


def _fraction(text: str) -> object:
    value = float(text)
    return BadNumber("not_finite_number") if value - value != 0 else 0


def _constant(_: str) -> object:
    return BadNumber("not_finite_number")


_TOLERANT = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=_integer, parse_float=_fraction, parse_constant=_constant, strict=False
)


def faults_of_text(text: str, start: int) -> tuple[tuple[Problem, ...], int]:
    """Decode once more, keeping what the strict decoder refuses, and name every fault.

    Returns:
        The problems, and where the JSON text ends.

    Raises:
        json.JSONDecodeError: It isn't JSON at all.

    """
    try:
        value, end = _TOLERANT.raw_decode(text, start)
    except RecursionError:
        return (too_deep(),), len(text)
    return faults_of_value(value), end


def faults_of_value(root: object) -> tuple[Problem, ...]:
    """Name the faults of a decoded value, outermost first; walks without recursion."""
    found: list[Problem] = []
    waiting: deque[tuple[object, str, int]] = deque([(root, "", 1)])
    while waiting and len(found) < MOST_FAULTS:
        value, path, depth = waiting.popleft()
        if depth > MAX_DEPTH and isinstance(value, dict | list):
            return (*found, too_deep())
        found += [_problem(code, where or "arguments") for code, where in _faults_here(value, path)]
        waiting.extend((child, where, depth + 1) for child, where in _children(value, path))
    return tuple(found[:MOST_FAULTS])


def too_deep() -> Problem:
    """Return the problem of a value that is nested beyond `MAX_DEPTH`."""
    return _problem("nested_too_deep", "")


def text_or_blank(value: object) -> str:
    """Return a text as it is, and nothing for whatever else a provider's client put in its place."""
    return value if isinstance(value, str) else ""


def encodable(text: str) -> bool:
    """Tell whether a text is free of lone surrogates, which no encoder, log or database takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _faults_here(value: object, path: str) -> Iterable[Fault]:
    if isinstance(value, str):
        return () if encodable(value) else (("lone_surrogate", path),)
    if isinstance(value, BadNumber):
        return ((value.code, path),)
    if isinstance(value, int):
        return () if _fits(value) else (("integer_too_long", path),)
    if isinstance(value, Pairs):
        return _key_faults([key for key, _ in value], path)
    if isinstance(value, dict):
        return _key_faults(list(value), path)
    return ()


def _key_faults(keys: list[str], path: str) -> Iterable[Fault]:
    """Keys count as equal when they are so after Unicode composition: people and some decoders can't tell them apart.

    Keys that differ in case stay different here: in a free-form map, such as HTTP headers, both may be meant.
    """
    seen: dict[str, str] = {}
    doubled: dict[str, str] = {}
    for key in keys:
        if not encodable(key):
            yield "lone_surrogate", path
            continue
        form = key if key.isascii() else normalize("NFC", key)
        if form in seen:
            doubled[form] = "duplicate_key" if seen[form] == key else "lookalike_key"
        seen.setdefault(form, key)
    for form, code in doubled.items():
        yield code, _join(path, form)


def _children(value: object, path: str) -> Iterable[tuple[object, str]]:
    if isinstance(value, Pairs):
        return [(child, _join(path, key)) for key, child in value]
    if isinstance(value, dict):
        return [(child, _join(path, key)) for key, child in value.items()]
    if isinstance(value, list):
        return [(child, f"{path}[{index}]") for index, child in enumerate(value)]
    return ()


def _join(path: str, key: str) -> str:
    """Extend a path; a key that isn't an ordinary name is not repeated to the model."""
    name = key if _NAMEABLE.fullmatch(key) else "…"
    return f"{path}.{name}" if path else name


_FACTS: dict[str, dict[str, str]] = {"nested_too_deep": {"limit": str(MAX_DEPTH)}}


def _problem(code: str, path: str) -> Problem:
    return Problem(code, ErrorKind.MALFORMED, path, _FACTS.get(code, {}))
