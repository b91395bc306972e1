"""The values in a result that may be private: secrets, and ids, addresses and accounts; told by their shape alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from reinforced_agent.policies.egress.hosts import LONGEST_KEPT
from reinforced_agent.policies.egress.shapes import squeezed
from reinforced_agent.policies.redaction import masked
from reinforced_agent.policies.redaction.numbers import is_iban
from reinforced_agent.tools.call import JSON


Grade: TypeAlias = Literal["secret", "identifier", "code"]
"""What a value may be. A code is too short, or too much like what is public, to say more than that it isn't prose: it
counts only where it would go to a host that untrusted content alone named."""

_SHORTEST: Final = 4
_LONGEST: Final = 200
"""Characters of a value."""
_FEWEST_DIGITS: Final = 5
_FEWEST_ALONE: Final = 8
"""Digits of a number that is an account wherever it stands."""
_RANDOM: Final = 12
"""Letters and digits without a gap from which a mixture of both is random."""
_CODE_DIGITS: Final = 3
_CARD: Final = range(13, 20)

_DATE: Final = re.compile(
    r"(?<!\d)(?:19|20)\d\d([-/.年]?)(?:0?[1-9]|1[0-2])(?:\1|月)(?:3[01]|[12]\d|0?[1-9])日?"
    r"(?:[T _]?[0-2]?\d[:.]?[0-5]\d(?:[:.]?[0-6]\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)"
    r"|(?<!\d)(?:3[01]|[12]\d|0?[1-9])([./-])(?:1[0-2]|0?[1-9])\2(?:19|20)?\d\d(?!\d)"
)
_PUBLIC: Final = re.compile(
    r"\b(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3}|10\.\d{4,9}/[^\s\"'<>]{1,100}|(?:arXiv:)?\d{4}\.\d{4,5}(?:v\d)?"
    r"|ISBN[ -]?(?:13|10)?:?[ ]?[\dX -]{10,17})(?!\w)|(?<![\d.])\d{1,6}(?:\.\d{1,6}){1,4}(?!\w)"
    r"|(?<!\w)0x[0-9a-f]{1,16}(?!\w)",
    re.IGNORECASE,
)
"""What is numbered in public: weaknesses, papers, books; versions and IPv4 addresses; numbers in hexadecimal."""
_MAIL: Final = re.compile(r"(?<![\w.+%-])[\w.+%-]++@[\w-]++(?:\.(?=[\w-]*[^\W\d])[\w-]++)+")
_IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d\d(?:[ ]?[A-Z0-9]){11,30}(?!\w)")
_NUMBER: Final = re.compile(r"(?<![\w.,+])\d(?:[ -]?\d){7,24}(?![\w]|[.,]\d)")
_PHONE: Final = re.compile(r"(?<!\w)\+\d(?:[ ().-]{0,2}\d){6,14}(?!\w)")
_LABELLED: Final = re.compile(
    r"(?<!\w)(\w{1,40})[\"']?[ ]?[:=：][ ]?[\"']?([^\s\"',;:：，；。]{4,200}+)(?![^\s\"',;，；。])"
)
_TOKEN: Final = re.compile(r"[^\s\"'`,;:<>()\[\]{}|=，；。：（）]{8,200}")
_RUN: Final = re.compile(r"[A-Za-z0-9]+")
_MIXED: Final = re.compile(r"(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[a-z])", re.IGNORECASE)
_PASSWORD: Final = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?=.*[!#$%^&*?~])[^\s./\\()\[\]{}<>]{8,64}", re.ASCII)


def values_in(text: str) -> Mapping[str, Grade]:
    """Return what in a result may be private, squeezed to letters and digits; takes time in proportion to it."""
    return _kept(str(text)) if len(text) <= LONGEST_KEPT else _read(text)


@lru_cache(maxsize=512)
def _kept(text: str) -> Mapping[str, Grade]:
    return _read(text)


def _read(text: str) -> Mapping[str, Grade]:
    found: dict[str, Grade] = {}
    for value, grade in _all(text):
        key = squeezed(value)
        if len(key) >= _SHORTEST and _rank(grade) > _rank(found.get(key)):
            found[key] = grade
    return MappingProxyType(found)


def _rank(grade: Grade | None) -> int:
    return (None, "code", "identifier", "secret").index(grade)


def _all(text: str) -> Iterator[tuple[str, Grade]]:
    if text[:100].lstrip()[:1] in {"{", "["}:
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            yield from _of_data(read)
            return
    yield from _of_prose(text)


def _of_data(value: JSON) -> Iterator[tuple[str, Grade]]:
    todo: list[tuple[str, JSON]] = [("", value)]
    while todo:
        name, inner = todo.pop()
        if isinstance(inner, dict):
            todo += inner.items()
        elif isinstance(inner, list):
            todo += ((name, one) for one in inner)
        elif isinstance(inner, int) and not isinstance(inner, bool):
            yield from _of_field(name, str(inner))
        elif isinstance(inner, str):
            yield from _of_field(name, inner)


def _of_field(name: str, text: str) -> Iterator[tuple[str, Grade]]:
    """Judge the value of a field: the whole where it is short, and what stands in it."""
    if len(text) <= _LONGEST and "\n" not in text:
        bare = _PUBLIC.sub(" ", _DATE.sub(" ", text))
        digits = sum(map(str.isdecimal, bare))
        if _is_secret(name, text):
            yield text, "secret"
        elif digits >= (_FEWEST_DIGITS if any(map(str.isalpha, bare)) else _FEWEST_ALONE) or (
            digits >= _SHORTEST and _is_id(name)
        ):
            yield text, "identifier"
        elif digits >= _CODE_DIGITS and " " not in text:
            yield text, "code"
    yield from _of_prose(text)


def _is_secret(name: str, text: str) -> bool:
    """Tell whether a value is one that may not be logged, or looks like a password or a key."""
    if " " in text or len(text) < _SHORTEST:
        return False
    return bool(_PASSWORD.fullmatch(text)) or _is_random(text) or bool(name and masked({name: text}) != {name: text})


def _is_id(name: str) -> bool:
    return name.casefold() == "id" or name.endswith(("_id", "-id", "Id", "ID"))


def _of_prose(text: str) -> Iterator[tuple[str, Grade]]:
    yield from ((match[0], "identifier") for match in _MAIL.finditer(text))
    for match in _IBAN.finditer(text):
        # What follows an account may look like a part of it.
        yield from ((match[0], "identifier"),) if is_iban(match[0]) else ()
    yield from _phones(text)
    bare = _PUBLIC.sub(" ", _DATE.sub(" ", text))
    for match in _NUMBER.finditer(bare):
        digits = re.sub(r"\D", "", match[0])
        if digits == match[0] or (len(digits) in _CARD and _has_check_digit(digits)):
            yield digits, "identifier"
    for match in _LABELLED.finditer(bare):
        yield from _labelled(match[1], match[2].rstrip(".!?)"))
    for match in _TOKEN.finditer(bare):
        if _is_random(match[0]):
            yield match[0], "secret"
    yield from (
        (match[0], "code") for match in _TOKEN.finditer(bare) if sum(map(str.isdecimal, match[0])) >= _CODE_DIGITS
    )


def _labelled(name: str, value: str) -> Iterator[tuple[str, Grade]]:
    """Judge what stands behind a name and a colon."""
    digits = sum(map(str.isdecimal, value))
    if _is_secret(name, value):
        yield value, "secret"
    elif digits >= _SHORTEST and (_is_id(name) or (digits >= _FEWEST_DIGITS and len(squeezed(value)) >= _FEWEST_ALONE)):
        yield value, "identifier"


def _has_check_digit(digits: str) -> bool:
    from stdnum import luhn  # noqa: PLC0415  # few processes ever see one

    return bool(luhn.is_valid(digits))


def _phones(text: str) -> Iterator[tuple[str, Grade]]:
    """Yield telephone numbers, as they stand and without the code of the country."""
    for match in _PHONE.finditer(text):
        import phonenumbers  # noqa: PLC0415  # few processes ever see one

        try:
            number = phonenumbers.parse(match[0])
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_possible_number(number):
            yield match[0], "identifier"
            yield phonenumbers.national_significant_number(number), "identifier"


def _is_random(text: str) -> bool:
    """Tell whether a text has a run of letters and digits that no word has: mixed all along, or in capitals."""
    return any(_is_random_run(run) for run in _RUN.findall(text) if len(run) >= _RANDOM)


def _is_random_run(run: str) -> bool:
    changes = len(_MIXED.findall(run))
    if changes >= 3 and changes * 5 >= len(run):  # noqa: PLR2004  # of random ones every third sign and more
        return True
    return len(run) >= 16 and run == run.upper() and changes >= 2 and not run.isdecimal()  # noqa: PLR2004
