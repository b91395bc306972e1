"""Where argument values come from: which of them only untrusted text named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Any, Final, TypeAlias, cast

from reinforced_agent.policies.egress.hosts import LONGEST_KEPT, domains_in, host_of, registrable
from reinforced_agent.policies.situation import ResultText
from reinforced_agent.policies.text.folds import path_text
from reinforced_agent.tools.call import JSON


SHORTEST_TEXT: Final = 4
"""Characters; shorter texts occur everywhere."""
FEWEST_DIGITS: Final = 5
"""Digits; shorter numbers occur everywhere."""
_LONGEST_SPACED: Final = 50
"""Characters of a text with white space up to which it may be an account as a whole."""
_LONGEST_PATTERN: Final = 200
"""Characters of a value up to which its borders and separators are looked at; a longer one is just looked for."""
_MOST_BITS: Final = 10_000
"""Size of a whole number up to which it can be written out and compared."""

_WIDE: Final = {ord("！") + offset: ord("!") + offset for offset in range(94)} | {0x3000: ord(" ")}
_INVISIBLE: Final = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF])
_FOLDS: Final = {**_WIDE, **_INVISIBLE}
"""Full-width forms become plain ones, and characters that nobody sees are dropped; each by itself, not in context."""

_SEPARATOR: Final = r"[\s.,'’_/-]"
_LATIN: Final = "[a-z0-9\u00df-\u024f\u0370-\u052f]"
"""What words are made of in scripts that put spaces between them; elsewhere a word may begin anywhere."""
_NUMBERED: Final = r"(?<![a-z0-9])(?=[a-z]{0,8}[0-9])[a-z0-9]++"
_TOKENS: Final = (
    re.compile(r"\S+"),
    re.compile(r"(?<![\w.+%-])[\w.+%-]++@[\w-]++(?:\.[\w-]++)*", re.ASCII),
    re.compile(r"(?<![a-z0-9+.-])[a-z0-9+.-]++://[^\s<>\"'()，。；、！？）】」]+"),
    re.compile(f"{_NUMBERED}(?:{_SEPARATOR}{_NUMBERED})*"),
)
"""Parts of a text that may be an address, a link or an account, in readings that may overlap; each in linear time."""
_NEVER: Final = re.compile(r"(?!)")
_AROUND: Final = ".,;:!?()[]{}<>\"'`，。；：、！？（）【】「」“”’"

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Taint:
    """An argument whose value only an untrusted text named."""

    path: Path
    """Where it is in the arguments."""
    source: str
    """The tool whose result named it; the first, where there are several."""

    @property
    def field(self) -> str:
        """The path as text, such as `items[0].sku`."""
        return path_text(self.path)


@dataclass(frozen=True, slots=True)
class _Voucher:
    """A trusted text, and what its own call was given: of that it says nothing new."""

    text: str
    own: str = ""


@dataclass(frozen=True, slots=True)
class _Needle:
    """A value to look for: easily found in untrusted text, and in trusted text only where it really stands."""

    plain: str
    untrusted: re.Pattern[str] | None = None
    trusted: re.Pattern[str] | None = None

    def is_named_in(self, text: str) -> bool:
        """Tell whether an untrusted text holds it."""
        return self.untrusted.search(text) is not None if self.untrusted else self.plain in text

    def is_vouched_for_by(self, voucher: _Voucher) -> bool:
        """Tell whether a trusted text holds it, and not only because its call did."""
        held = self.trusted.search(voucher.text) is not None if self.trusted else self.plain in voucher.text
        return held and not self.is_named_in(voucher.own)


@dataclass(frozen=True, slots=True)
class _Domain:
    """Where a link or an address leads: looked for as a domain that somebody registered, never as a piece of text."""

    name: str

    def is_named_in(self, text: str) -> bool:
        """Tell whether an untrusted text names a host of it."""
        return self.name in domains_in(text)

    def is_vouched_for_by(self, voucher: _Voucher) -> bool:
        """Tell whether a trusted text does, and not only because its call did."""
        return self.name in domains_in(voucher.text) and self.name not in domains_in(voucher.own)


@dataclass(frozen=True, slots=True)
class _Name:
    """A bare name that may be a host or a file: looked for as what it is, and by the domain it would belong to."""

    words: _Needle
    domain: _Domain

    def is_named_in(self, text: str) -> bool:
        """Tell whether an untrusted text holds it."""
        return self.words.is_named_in(text) or self.domain.is_named_in(text)

    def is_vouched_for_by(self, voucher: _Voucher) -> bool:
        """Tell whether a trusted text does."""
        return self.words.is_vouched_for_by(voucher) or self.domain.is_vouched_for_by(voucher)


_Sought: TypeAlias = _Needle | _Domain | _Name


def tainted(
    arguments: Mapping[str, JSON], *, trusted: Sequence[str], untrusted: Sequence[tuple[str, str]]
) -> tuple[Taint, ...]:
    """Find the arguments whose value occurs in an untrusted text and in no trusted one.

    Looks at texts of 4 characters and more, at numbers of 5 digits and more, and at addresses, links and accounts
    inside longer texts. A link or an address as a whole counts also where an untrusted text alone named the domain that
    it leads to, whatever else was put together with it. Case, white space, full-width forms, invisible characters and,
    in numbers and accounts, separators don't count. Prose that merely reports what a text said names none of its
    values, so it passes.

    Args:
        arguments: Canonical arguments of a call.
        trusted: Messages of the user and results of trusted tools. A `ResultText` vouches for no value that its own
            call was given, and the message of an error for none.
        untrusted: Texts that strangers may have written, each as the name of the tool and its result.

    Returns:
        One taint for each argument, in the order of the arguments.

    """
    if not untrusted:
        return ()
    vouched = [_voucher(text) for text in trusted if not (isinstance(text, ResultText) and text.error)]
    foreign = [(tool, _folded(text)) for tool, text in untrusted]
    found: dict[Path, str] = {}
    for path, leaf in _leaves(arguments):
        source = _source(_needles(leaf), vouched, foreign)
        if source is not None:
            found.setdefault(path, source)
    return tuple(Taint(path, source) for path, source in found.items())


def _voucher(text: str) -> _Voucher:
    return _Voucher(_folded(text), fold(text.arguments) if isinstance(text, ResultText) else "")


def _folded(text: str) -> str:
    """Fold a text of the thread, which is looked at for many calls."""
    return _kept(str(text)) if len(text) <= LONGEST_KEPT else fold(text)


def fold(text: str) -> str:
    """Reduce a text to what counts when values are compared."""
    return " ".join(text.translate(_FOLDS).casefold().split())


@lru_cache(maxsize=512)
def _kept(text: str) -> str:
    return fold(text)


def value_at(arguments: Mapping[str, JSON], path: Path) -> JSON:
    """Return the value at the path of a taint; a name of a field that is an address stands for itself."""
    found: Any = arguments
    for step in path:
        known = step in found if isinstance(found, Mapping) else isinstance(found, list)
        found = found[step] if known else None
    return cast("JSON", found)


def _leaves(arguments: Mapping[str, JSON]) -> Iterator[tuple[Path, str | float]]:
    """Yield texts and numbers with their path; the names of fields count as texts where they hold an address."""
    todo: list[tuple[Path, JSON | Mapping[str, JSON]]] = [((), arguments)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, Mapping):
            todo += [((*path, key), inner) for key, inner in reversed(list(value.items()))]
            yield from (((*path, key), key) for key in value if _is_identifier(fold(key)))
        elif isinstance(value, list):
            todo += [((*path, number), inner) for number, inner in reversed(list(enumerate(value)))]
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield path, value


def _source(
    needles: Sequence[_Sought], trusted: Sequence[_Voucher], untrusted: Sequence[tuple[str, str]]
) -> str | None:
    """Name the tool whose text a value comes from; a value that was named as a whole needs no look at its parts."""
    for number, needle in enumerate(needles):
        if not any(needle.is_vouched_for_by(text) for text in trusted):
            source = next((tool for tool, text in untrusted if needle.is_named_in(text)), None)
            if source is not None:
                return source
        elif number == 0:
            return None
    return None


def _needles(leaf: str | float) -> list[_Sought]:
    """List what to look for: the whole value first, then its parts, then where it leads."""
    if not isinstance(leaf, str):
        return [*_number(leaf)]
    text = fold(leaf)
    if len(text) < SHORTEST_TEXT:
        return []
    if " " not in text and (domain := registrable(host_of(text))):
        return [*_texts(text), _Domain(domain)] if _is_address(text) else [_Name(_dotted(text), _Domain(domain))]
    return [*_texts(text)]


def _is_address(text: str) -> bool:
    """Tell whether a text with a host in it is a link or an address of mail, and no bare name, as files have one."""
    return "@" in text or "/" in text or "\\" in text or "%" in text


def _texts(text: str) -> list[_Needle]:
    """List the whole value and its parts."""
    if not _is_identifier(text):
        return [_words(text)]
    parts = {part.strip(_AROUND) for pattern in _TOKENS for part in pattern.findall(text)} - {text}
    tokens = sorted(part for part in parts if len(part) >= SHORTEST_TEXT and _is_identifier(part))
    is_account = " " not in text or len(text) <= _LONGEST_SPACED
    return [_identifier(text) if is_account else _words(text), *map(_identifier, tokens)]


def _is_identifier(text: str) -> bool:
    """Tell whether a text holds what looks like an address, a link or an account."""
    return "@" in text or "://" in text or sum(map(str.isdigit, text)) >= FEWEST_DIGITS


def _words(text: str) -> _Needle:
    """Look for ordinary words, which an untrusted text names only where they don't lie inside longer ones."""
    if len(text) > _LONGEST_PATTERN:
        return _Needle(text)
    return _Needle(text, re.compile(_apart(re.escape(text), text, _LATIN)))


def _dotted(text: str) -> _Needle:
    """Look for a name with dots in it, which is not named by one that goes on before or behind it."""
    if len(text) > _LONGEST_PATTERN:
        return _Needle(text)
    pattern = re.compile(rf"(?<![\w-])(?<!\w\.){re.escape(text)}(?![\w-]|\.\w)", re.ASCII)
    return _Needle(text, pattern, pattern)


def _apart(pattern: str, text: str, kind: str) -> str:
    """Let the pattern of a text match only where what it begins and ends with doesn't go on."""
    before = f"(?<!{kind})" if re.match(kind, text[0]) else ""
    after = f"(?!{kind})" if re.match(kind, text[-1]) else ""
    return before + pattern + after


def _identifier(text: str) -> _Needle:
    """Look for an address, a link or an account, which a trusted text names only where it isn't part of another."""
    if len(text) > _LONGEST_PATTERN:
        return _Needle(text)
    plain = re.escape(text)
    if "@" in text or "://" in text:
        trusted = rf"(?<![a-z0-9._%+@-]){plain}(?![a-z0-9_@]|[.-][a-z0-9])"
        return _Needle(text, None, re.compile(trusted))
    spaced = f"{_SEPARATOR}{{0,2}}".join(map(re.escape, re.sub(_SEPARATOR, "", text)))
    either = f"(?:{spaced}|{plain})"
    return _Needle(text, re.compile(_apart(either, text, "[0-9]")), re.compile(_apart(either, text, _LATIN)))


def _number(number: float) -> list[_Needle]:
    """Look for a number of enough digits, with and without separators for thousands."""
    if not isinstance(number, int):
        if not isfinite(number):
            return []
    elif number.bit_length() > _MOST_BITS:
        return [_Needle("", None, _NEVER)]  # too long to be written out: nobody can have vouched for it
    written = str(abs(number))
    digits = re.sub(r"\D", "", format(Decimal(written), "f").removesuffix(".0"))
    if len(digits.lstrip("0")) < FEWEST_DIGITS:
        return []
    either = r"[\s.,'’]?".join(digits) + "|" + re.escape(written)
    pattern = re.compile(rf"(?<![0-9])(?<![0-9][.,'’])(?:{either})(?![0-9])(?![.,'’][0-9]{{3}})")
    return [_Needle(written, pattern, pattern)]
