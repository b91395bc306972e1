"""Show text of others so that a person sees what is there: nothing hidden, nothing turned around, nothing disguised.

Whatever a terminal would obey or a reader could not see stands as its code, such as `<U+202E>`, and so do letters that
pass for others. Ordinary text of any script stays as it is, emoji included.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from reinforced_agent.policies.untrusted.invisible import KINDS
from reinforced_agent.tools.call import JSON


_ASCII: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_HIDING: Final = tuple(pattern for kind, found in KINDS.items() if kind != "terminal sequences" for pattern in found)
"""Where such a character is needed, as within an emoji, a pattern keeps it in its first group."""
_OTHERS: Final = re.compile(
    "[\x85\u180b-\u180f\u2028\u2029\u2800\ud800-\udfff\ue000-\uf8ff\ufff0-\uffff\U0001bca0-\U0001bca3\U000e0080-\U000e00ff"
    "\U000e01f0-\U000e0fff\U000f0000-\U0010ffff]"
)
"""Breaks of lines and blanks that nobody sees, halves of pairs, and characters of which nothing says how they look."""
_MARKS: Final = re.compile("[\u061c\u200e\u200f]")
"""Marks of direction; text that is written from right to left needs them."""

_BLANKS: Final = re.compile(r"[^\S\t\n\r]{20,}")
"""So many that what comes after them could pass for a line of its own."""

_LONGEST_NAME: Final = 80
"""Characters of the name of a field that are shown at least."""

_LOOK_ALIKES: Final = str.maketrans(
    {
        letter: plain
        for plain, letters in {
            "a": "\u0430\u03b1\u0251",
            "b": "\u0432\u03b2",
            "c": "\u0441\u03f2",
            "d": "\u0501",
            "e": "\u0435\u03b5\u0454",
            "g": "\u0261",
            "h": "\u04bb\u043d",
            "i": "\u0456\u0131\u03b9",
            "j": "\u0458",
            "k": "\u043a\u03ba",
            "l": "\u04cf\u0142",
            "m": "\u043c",
            "n": "\u03b7\u0578",
            "o": "\u043e\u03bf\u00f8",
            "p": "\u0440\u03c1",
            "q": "\u051b",
            "r": "\u0433",
            "s": "\u0455",
            "t": "\u0442\u03c4",
            "u": "\u03c5\u057d",
            "v": "\u03bd\u0475",
            "w": "\u051d\u03c9",
            "x": "\u0445\u03c7",
            "y": "\u0443\u03b3",
            "A": "\u0410\u0391",
            "B": "\u0412\u0392",
            "C": "\u0421",
            "E": "\u0415\u0395",
            "H": "\u041d\u0397",
            "I": "\u0406\u0399",
            "J": "\u0408",
            "K": "\u041a\u039a",
            "M": "\u041c\u039c",
            "N": "\u039d",
            "O": "\u041e\u039f",
            "P": "\u0420\u03a1",
            "S": "\u0405",
            "T": "\u0422\u03a4",
            "X": "\u0425\u03a7",
            "Y": "\u0423\u03a5",
            "Z": "\u0396",
            "'": "\u2018\u2019\u201a\u201b\u2032",
            '"': "\u201c\u201d\u201e\u201f\u2033",
            "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
        }.items()
        for letter in letters
    }
)
"""Letters of other alphabets, and typographic marks, that look like plain ones."""

_TOKEN: Final = re.compile(r"[^\s<>()\[\]{}\"'`,;]+")
_WORD: Final = re.compile(r"\w+")
_TWINS: Final = frozenset("асԁеһіјӏорԛѕԝхуѵАВСЕНІЈКМОРЅТХУԌԚԜаікνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսհՕՏ")
"""Letters of other scripts that can't be told from Latin ones."""
_SCRIPTS: Final = frozenset(
    {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "MATHEMATICAL", "FULLWIDTH"}
)
"""Scripts, as they stand at the front of the names of letters, that have letters which look like those of another."""
_RARE: Final = frozenset({"CHEROKEE", "COPTIC", "LISU", "MATHEMATICAL"})
"""Those of which no word has single letters among Latin ones but to deceive."""

Spell = Callable[[str], str]


def visible(text: str) -> str:
    """Show a text; it may still have several lines."""
    shown = _revealed(text.replace("\r\n", "\n"), _code)
    return shown.replace("\r", _code("\r")).replace("\t", "    ")


def written(value: JSON, most: int | None = None) -> str:
    r"""Show a value on one line, texts in quotes.

    A text that is too long is cut, and so is a list: what is left out is counted behind it.

    >>> written({"to": "ann\u202e", "body": "x" * 99}, 3)
    '{"to": "ann<U+202E>", "body": "xxx" … (99 characters)}'

    Args:
        value: Plain data.
        most: Characters of a text, and entries of a list, that are shown; `None` for all.

    """
    if isinstance(value, str):
        quoted = json.dumps(_BLANKS.sub(_counted, _revealed(value[:most], _code)), ensure_ascii=False)
        return quoted if most is None or len(value) <= most else f"{quoted} … ({len(value)} characters)"
    if isinstance(value, list):
        items = [written(one, most) for one in value[:most]]
        left_out = f" … ({len(value)} entries)" if len(items) < len(value) else ""
        return f"[{', '.join(items)}]{left_out}"
    if isinstance(value, Mapping):
        longest = most and max(most, _LONGEST_NAME)
        return "{" + ", ".join(f"{written(name, longest)}: {written(one, most)}" for name, one in value.items()) + "}"
    return json.dumps(value)


def _counted(blanks: re.Match[str]) -> str:
    return f"<{len(blanks[0])} blanks>"


def exact_json(value: Any) -> str:
    """Write JSON of which nothing is hidden either, and which means the same to a program."""
    return _hidden(json.dumps(value, ensure_ascii=False), lambda hidden: json.dumps(hidden)[1:-1])


def _code(hidden: str) -> str:
    return "".join(f"<U+{ord(one):04X}>" for one in hidden)


def _revealed(text: str, spell: Spell) -> str:
    """Spell out what is hidden, and letters that pass for others."""
    shown = _hidden(text, spell)
    return shown if shown.isascii() else _TOKEN.sub(_undisguised, shown)


def _hidden(text: str, spell: Spell) -> str:
    """Spell out what can't be seen."""
    if text.isascii():
        return _ASCII.sub(lambda found: spell(found[0]), text)
    for pattern in _HIDING:
        text = pattern.sub(lambda found: (found[1] if found.re.groups else None) or spell(found[0]), text)
    text = _OTHERS.sub(lambda found: spell(found[0]), text)
    if not _MARKS.search(text):
        return text
    return "\n".join(
        line if _is_right_to_left(line) else _MARKS.sub(lambda found: spell(found[0]), line)
        for line in text.split("\n")
    )


def _is_right_to_left(line: str) -> bool:
    return any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in line if not _MARKS.match(letter))


def _undisguised(found: re.Match[str]) -> str:
    """Spell out letters of a word, or of a name with dots such as an address, that pass for those of another script."""
    token = found[0]
    if token.isascii():
        return token
    dotted = ("." in token or "@" in token) and any(_script(letter) == "LATIN" for letter in token)
    return _WORD.sub(lambda word: _spelled(word[0], dotted=dotted), token)


def _spelled(word: str, *, dotted: bool) -> str:
    """Spell out what passes for something else in a word.

    That is the rarer script of a word of two, if each of its letters looks like one of the other, and a whole part of
    an address that looks Latin beside parts that are.
    """
    scripts = Counter(script for script in map(_script, word) if script)
    if not scripts or set(scripts) == {"LATIN"}:
        return word
    main = max(scripts, key=lambda script: (scripts[script], script == "LATIN"))
    if len(scripts) == 1:
        odd = frozenset(letter for letter in word if _script(letter))
        deceives = dotted and (odd <= _TWINS or main in {"MATHEMATICAL", "FULLWIDTH"})
    else:
        odd = frozenset(letter for letter in word if _script(letter) not in {"", main})
        deceives = all(map(_looks_like_another, odd))
    return "".join(_code(letter) if letter in odd else letter for letter in word) if deceives else word


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """Name the script of a letter; empty for those of which none looks like one of another."""
    if letter.isascii():
        return "LATIN" if letter.isalpha() else ""
    script = unicodedata.name(letter, "").partition(" ")[0]
    return script if script in _SCRIPTS and letter.isalpha() else ""


@lru_cache(maxsize=4096)
def _looks_like_another(letter: str) -> bool:
    if _script(letter) == "LATIN":
        return letter.lower() in _LIKE_OTHERS
    return _script(letter) in _RARE or _plain(letter).isascii()


def _plain(text: str) -> str:
    """Write a text with plain letters, each in its place."""
    if text.isascii():
        return text
    odd = {ord(letter): _plain_letter(letter) for letter in set(text) if not letter.isascii()}
    return text.translate(odd).translate(_LOOK_ALIKES)


@lru_cache(maxsize=4096)
def _plain_letter(letter: str) -> str:
    folded = unicodedata.normalize("NFKD", letter)
    base = folded[0] if len(folded) > 1 and unicodedata.combining(folded[1]) else folded
    return base if len(base) == 1 else letter


_LIKE_OTHERS: Final = frozenset(one for code in range(0x370, 0x590) if (one := _plain(chr(code)).lower()).isascii())
"""Latin letters that one of another script looks like."""
