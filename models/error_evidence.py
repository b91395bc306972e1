"""What an error of a request to a model carries, wherever its client keeps it: status, codes, a wait, a page, numbers.

Nothing here knows a client: attributes and entries are looked for by name, and nothing that is looked at can break it.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit

from reinforced_agent.tools.results import message_of


_LONGEST: Final = 4_000
"""Characters of a message or a page that are looked at."""
_LONGEST_CODE: Final = 80
_MOST_DETAILS: Final = 20
"""Entries of the details of an error of Google that are looked at."""
_LONGEST_WAIT: Final = 30 * 24 * 3_600.0
"""Seconds; a server that names more means no wait."""
_UNREAD: Final = "Unexpected response type from OpenAI-compatible endpoint."
"""How `langchain_openai` begins to say that no JSON came; it keeps nothing but the beginning of what came."""

_OTHERWISE: Final = frozenset({413, 429})
"""Statuses of pages of gateways that say more than that it is a page: too long, and too many requests."""

_TITLE: Final = re.compile(r"(?i)<title(?:\s[^<>]{0,100})?>\s{0,50}([^<]{1,120})")
_FIRST_REFUSAL: Final = 400
"""The first status by which a request is refused."""

_CODE: Final = re.compile(r"[A-Za-z][\w.\-]{0,79}")
_SECONDS: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
_COMMA: Final = re.compile(r"(?<=\d),(?=\d\d\d(?!\d))")

_N: Final = r"(?<![\d.])(\d{1,9})(?![\d.]*\d)"
_WINDOW: Final = (
    re.compile(rf"> ?{_N}"),
    re.compile(rf"<= ?{_N}"),
    re.compile(rf"(?:context|prompt|model) (?:length|size|window|limit)(?: is| of)?(?: only)? ?\(?{_N}"),
    re.compile(rf"{_N} (?:tokens )?maximum"),
    re.compile(rf"(?:tokens allowed|limit of|token limit|limit)[ :(]{{0,3}}{_N}"),
    re.compile(rf"length should be \[\d{{1,9}}, ?{_N}"),
)
"""How servers write what a model takes in, the surest first."""
_INPUT: Final = (
    re.compile(rf"resulted in {_N}"),
    re.compile(rf"request has {_N} input"),
    re.compile(rf"{_N} (?:tokens )?(?:in|from) (?:the|your) (?:messages|prompt|input)"),
    re.compile(rf"{_N} of text input"),
    re.compile(rf"(?:request|input|prompt|token count|requested tokens) \((?:length )?{_N}"),
    re.compile(rf"(?:too long|context limit): {_N}"),
    re.compile(rf"contains (?:about )?{_N}"),
    re.compile(rf"given: {_N}"),
)
"""How they write what was sent, without what was to be written."""
_TOTAL: Final = re.compile(rf"requested(?: about| a total of)?:? {_N}")
_OUTPUT: Final = (
    re.compile(rf"{_N} (?:tokens )?(?:in|for) (?:the|your) (?:completion|output)"),
    re.compile(rf"max_completion_tokens' is too large: {_N}|max_tokens' is too large: {_N}"),
    re.compile(rf"context limit: \d{{1,9}} \+ {_N}"),
)
"""How they write what was kept free for the reply."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """What a refusal says of lengths, in tokens; `None` where it says nothing."""

    window: int | None = None
    """What the model takes in, the reply among it."""
    sent: int | None = None
    """What it counted of the request."""
    output: int | None = None
    """What was to be kept free for the reply."""


@dataclass(frozen=True)
class Evidence:
    """What one error carries."""

    error: BaseException

    @cached_property
    def statuses(self) -> tuple[int, ...]:
        """HTTP statuses, as numbers or as text."""
        return tuple(int(one) for one in self._said if _is_status(one))

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """Codes, types and states that a provider names."""
        return tuple(one for one in self._said if isinstance(one, str) and _CODE.fullmatch(one))

    @cached_property
    def words(self) -> str:
        """The message, in small letters and with numbers without commas."""
        return _COMMA.sub("", message_of(self.error)[:_LONGEST].lower())

    @cached_property
    def classes(self) -> frozenset[str]:
        """Names of the class and of those it is derived from."""
        return frozenset(one.__name__ for one in type(self.error).__mro__)

    @property
    def own_class(self) -> str:
        """Name of the class itself."""
        return type(self.error).__name__

    @cached_property
    def page(self) -> str:
        """What came in place of JSON, in words; empty where nothing else came, or where its status says more."""
        if _OTHERWISE.intersection(self.statuses):
            return ""
        text, headers = self._text, _field(_field(self.error, "response"), "headers")
        kind = str(_field(headers, "content-type") or _field(self.error, "content_type") or "").lower()
        if _is_markup(text) or "text/html" in kind:
            title = _TITLE.search(text)
            return f"a page of HTML with the title {' '.join(title[1].split())!r}" if title else "a page of HTML"
        succeeded = not any(status >= _FIRST_REFUSAL for status in self.statuses)
        return "a text that is no JSON" if self._is_unread and succeeded else ""

    @cached_property
    def address(self) -> str:
        """Where the request was sent, without what may be secret in it."""
        for place in (_field(self.error, "response"), self.error):
            url = urlsplit(str(_field(_field(place, "request"), "url") or ""))
            if url.hostname:
                return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"[:300]
        return ""

    @cached_property
    def retry_after(self) -> float | None:
        """Seconds after which a server wants to be asked again; `None` where it says nothing that can be used."""
        headers = _field(_field(self.error, "response"), "headers")
        asked = (
            _number(_field(headers, "retry-after-ms"), 1_000),
            _number(_field(headers, "retry-after"), 1),
            _until(_field(headers, "retry-after"), _field(headers, "date")),
            _number(_field(self.error, "retry_after"), 1),
            *(_delay(_field(one, "retryDelay")) for one in self._details),
        )
        return next((one for one in asked if one is not None and 0 <= one <= _LONGEST_WAIT), None)

    @cached_property
    def overflow(self) -> Overflow:
        """What the error says of lengths."""
        words, places = self.words, self._places
        window = next((one for place in places if (one := _count(_field(place, "n_ctx")))), None)
        sent = next((one for place in places if (one := _count(_field(place, "n_prompt_tokens")))), None)
        output = _found(_OUTPUT, words)
        sent = sent or _found(_INPUT, words)
        total = _found((_TOTAL,), words)
        if sent is None and total is not None and total > (output or 0):
            sent = total - (output or 0)
        return Overflow(window or _found(_WINDOW, words), sent, output)

    @cached_property
    def _places(self) -> tuple[Any, ...]:
        """Where clients keep what a server said."""
        error = self.error
        response, body, details = _field(error, "response"), _field(error, "body"), _field(error, "details")
        inner = _field(body, "error")
        said = error.args[0] if error.args and isinstance(error.args[0], Mapping) else None
        return (
            error,
            said,
            response,
            body,
            inner,
            _field(body, "innererror"),
            _field(inner, "innererror"),
            _field(response, "ResponseMetadata"),
            _field(response, "Error"),
            _field(details, "error"),
        )

    @cached_property
    def _details(self) -> tuple[Any, ...]:
        """The details that Google puts beside an error."""
        lists = (_field(place, "details") for place in self._places)
        return tuple(one for found in lists if isinstance(found, list | tuple) for one in found[:_MOST_DETAILS])

    @cached_property
    def _said(self) -> tuple[Any, ...]:
        """Statuses and codes, wherever a client keeps them."""
        names = ("status_code", "http_status", "HTTPStatusCode", "code", "Code", "type", "status")
        said = [_field(place, name) for place in self._places for name in names]
        said += [_field(one, "reason") for one in self._details]
        # The errors of gRPC name their state by a member of an enumeration, some by a method.
        states = (_field(self.error, "grpc_status_code"), _called(_field(self.error, "code")))
        said += [_field(state, "name") for state in states]
        if any("flagged_input" in found for found in map(_metadata, self._places)):
            said.append("flagged_input")
        return tuple(said)

    @cached_property
    def _text(self) -> str:
        """What came where JSON should have come, as far as it is known."""
        if self._quoted:
            return self._quoted.lstrip("'\"")[:_LONGEST]
        kept = (_field(self.error, name) for name in ("body", "doc", "text"))
        return next((one[:_LONGEST] for one in kept if isinstance(one, str)), "")

    @property
    def _is_unread(self) -> bool:
        """Tell whether a client says that it could not read a reply which is no JSON."""
        could_not = bool(self._quoted) or self.own_class == "UnreadableReplyError"
        return could_not and bool(self._text.strip()) and not self._text.lstrip().startswith(("{", "["))

    @property
    def _quoted(self) -> str:
        """What `langchain_openai` quotes of such a reply."""
        if not isinstance(self.error, ValueError):
            return ""
        before, _, quoted = message_of(self.error).partition(_UNREAD)
        return "" if before else quoted.partition("got str: ")[2]


def chain(error: BaseException, deepest: int = 8) -> Iterator[BaseException]:
    """Yield an error and what it was raised from, as far as that is worth looking at."""
    one: BaseException | None = error
    for _ in range(deepest):
        if one is None:
            return
        yield one
        one = one.__cause__


def _field(place: object, name: str) -> Any:
    """Return an entry or an attribute; `None` where there is none, or it can't be read."""
    try:
        if isinstance(place, Mapping):
            return place.get(name)
        return getattr(place, name, None)
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        return None


def _called(method: object) -> Any:
    try:
        return method() if callable(method) and not isinstance(method, type) else None
    except Exception:  # noqa: BLE001  # as above
        return None


def _metadata(place: object) -> Mapping[Any, Any]:
    """Return what OpenRouter says beside an error."""
    found = _field(place, "metadata")
    return found if isinstance(found, Mapping) else {}


def _is_status(value: object) -> bool:
    """Tell whether a value is an HTTP status, also as a text."""
    if isinstance(value, str):
        return len(value) == len("404") and value.isascii() and value.isdigit()
    return isinstance(value, int) and not isinstance(value, bool)


def _is_markup(text: str) -> bool:
    """Tell whether a text is a page: no JSON begins with this character."""
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def _number(value: object, parts: int) -> float | None:
    """Read a number of seconds, or of parts of one."""
    try:
        seconds = float(value) / parts  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return seconds if math.isfinite(seconds) else None


def _until(date: object, now: object) -> float | None:
    """Read the time until a date of HTTP, by the clock of the server where it tells it."""
    try:
        then = parsedate_to_datetime(str(date))
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    try:
        present = parsedate_to_datetime(str(now)).replace(tzinfo=UTC).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        present = time.time()
    return max(then.replace(tzinfo=UTC).timestamp() - present, 0.0)


def _delay(value: object) -> float | None:
    """Read a duration as Google writes it, such as "34s"."""
    found = _SECONDS.fullmatch(value) if isinstance(value, str) else None
    return float(found[1]) if found else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _found(patterns: tuple[re.Pattern[str], ...], words: str) -> int | None:
    """Return the number that the first pattern which fits finds."""
    for pattern in patterns:
        if (found := pattern.search(words)) is not None:
            number = int(next(one for one in found.groups() if one is not None))
            if number > 0:
                return number
    return None
