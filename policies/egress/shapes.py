"""The shapes in which a text may hold a value: decoded, taken apart, and with nothing but letters and digits left."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from reinforced_agent.policies.egress.hosts import LONGEST_KEPT


_GAPS: Final = re.compile(r"[\W_]+")
_RUN: Final = re.compile(r"[^\W_]+")
_SHORTEST_INSIDE: Final = 8
"""Letters and digits of a value from which it is looked for inside longer runs."""
_MOST_JOINED: Final = 6
"""Runs of letters and digits that may make up one short value, such as `A-10-22`."""
_PERCENT_ROUNDS: Final = 3
_DEEPEST: Final = 2
"""How often an encoding inside an encoding is taken off."""
_HEX: Final = re.compile(r"[0-9a-fA-F]{10,}")
_BASE64: Final = (re.compile(r"[A-Za-z0-9+_-]{8,}"), re.compile(r"[A-Za-z0-9+/]{8,}"))
_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/_-]+")


@dataclass(frozen=True, slots=True)
class Forms:
    """All that a text may be read as."""

    squeezed: tuple[str, ...]
    tokens: frozenset[str]
    """Runs of letters and digits, and neighbours of them joined."""

    def hold(self, value: str) -> bool:
        """Tell whether one of the forms holds a squeezed value; a short one has to stand alone."""
        if len(value) < _SHORTEST_INSIDE:
            return value in self.tokens
        return any(value in form for form in self.squeezed)


def squeezed(text: str) -> str:
    """Reduce a text to its letters and digits, in one width and case."""
    return _kept_squeezed(str(text)) if len(text) <= LONGEST_KEPT else _squeeze(text)


def holds(text: str, value: str) -> bool:
    """Tell whether a text, as it is, holds a squeezed value; a short one has to stand alone."""
    return value in squeezed(text) and (len(value) >= _SHORTEST_INSIDE or value in frozenset(_tokens(text)))


def _squeeze(text: str) -> str:
    return _GAPS.sub("", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=1_024)
def _kept_squeezed(text: str) -> str:
    return _squeeze(text)


def forms_of(texts: Sequence[str]) -> Forms:
    """Read texts alone and together, as they are and with encodings taken off; takes time in proportion to them."""
    plain = [decoded for text in texts for decoded in _percent(text)]
    parts = [part for text in texts for part in _parts(_percent(text)[-1])]
    joined = ["".join(parts), "".join(_percent(text)[-1] for text in texts)]
    read = list(dict.fromkeys([*plain, *joined]))
    whole = [_NOT_BASE64.sub("", one) for one in joined]
    read += [decoded for one in dict.fromkeys([*read, *whole]) for decoded in _blobs(one, _DEEPEST)]
    tokens = frozenset(token for one in plain for token in _tokens(one))
    return Forms(tuple(dict.fromkeys(map(_squeeze, read))), tokens)


def _percent(text: str) -> list[str]:
    """Take off percent-encoding and entities, round by round."""
    found = [text]
    for _ in range(_PERCENT_ROUNDS):
        more = html.unescape(unquote_plus(found[-1]))
        if more == found[-1]:
            break
        found.append(more)
    return found


def _parts(text: str) -> Iterator[str]:
    """Take a link apart, so that names between its values don't matter; other texts stay whole."""
    try:
        link = urlsplit(text.replace("\\", "/"))
        values = [value for _, value in parse_qsl(link.query, keep_blank_values=True)]
    except ValueError:
        yield text
        return
    if not values:
        yield text
        return
    yield from (link.netloc, link.path, *values, link.fragment)


def _tokens(text: str) -> Iterator[str]:
    runs = _RUN.findall(unicodedata.normalize("NFKC", text).casefold())
    for at in range(len(runs)):
        token = ""
        for run in runs[at : at + _MOST_JOINED]:
            token += run
            yield token


def _blobs(text: str, depth: int) -> Iterator[str]:
    """Decode what may be base64 or hexadecimal, at any place where it may begin."""
    if depth == 0:
        return
    for chunk in dict.fromkeys(chunk for pattern in _BASE64 for chunk in pattern.findall(text)):
        plain = chunk.replace("-", "+").replace("_", "/")
        yield from _with_percent((_base64(plain[skip:]) for skip in range(4)), depth)
    for chunk in _HEX.findall(text):
        yield from _with_percent((_hex(chunk[skip:]) for skip in range(2)), depth)


def _with_percent(texts: Iterator[str], depth: int) -> Iterator[str]:
    for text in texts:
        for decoded in _percent(text):
            yield decoded
            # What isn't plain text is no encoding of one: most of what is tried was none.
            yield from _blobs(decoded, depth - 1) if decoded.isascii() else ()


def _base64(chunk: str) -> str:
    body = chunk[: len(chunk) - (len(chunk) % 4 == 1)]
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def _hex(chunk: str) -> str:
    return bytes.fromhex(chunk[: len(chunk) // 2 * 2]).decode("utf-8", "replace")
