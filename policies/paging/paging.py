"""Read a page of a long result: items, fields, lines or characters from an offset, or those that hold a text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Final

from reinforced_agent.policies.messages.sizes import size_text
from reinforced_agent.policies.paging.previewing import read_json, shrink, write_json
from reinforced_agent.policies.text.tokens import Count, fits, head


_FRAME: Final = 120
"""Tokens for what is told beside the page."""
_MOST_REPEATED: Final = 80
"""Characters of a text that is looked for which are repeated in the page."""
_LONG_LINE: Final = 2_000
"""Characters of an average line from which a text is read by characters."""

_INDEX = re.compile(r"\[(\d{1,9})\]")
_MOST_TOLD: Final = 20
_LONGEST: Final = 60


class PathError(LookupError):
    """Nothing is at this place; the text says what is there instead."""


def resolve(value: Any, path: str, locale: str = "en") -> Any:
    """Return what is at a path: keys of objects and numbers of items or lines, with points between.

    A key that has points in it is found, too. `rows[120].name` is understood.

    Raises:
        PathError: When nothing is there.

    """
    rest, walked = _INDEX.sub(r".\1", path.strip()).removeprefix("$").strip("."), ""
    while rest:
        part = _part(value, rest)
        if part is None:
            raise PathError(_nothing_at(value, path, walked, locale))
        value = _inner(value, part)
        walked = f"{walked}.{part}".strip(".")
        rest = rest[len(part) :].removeprefix(".")
    return value


def _part(value: Any, rest: str) -> str | None:
    """Return the longest beginning of a path that names something here."""
    parts = rest.split(".")
    if isinstance(value, dict):
        names = (".".join(parts[:length]) for length in range(min(len(parts), 20), 0, -1))
        return next((name for name in names if name in value), None)
    if isinstance(value, list | str) and parts[0].isdecimal() and len(parts[0]) < 10:  # noqa: PLR2004  # no such list
        return parts[0] if int(parts[0]) < _size(value) else None
    return None


def _size(value: list[Any] | str) -> int:
    """Count the items of a list or the lines of a text."""
    return len(value) if isinstance(value, list) else value.count("\n") + 1


def _inner(value: Any, part: str) -> Any:
    """Step into a value."""
    if isinstance(value, dict):
        return value[part]
    return value[int(part)] if isinstance(value, list) else value.split("\n")[int(part)]


def _nothing_at(value: Any, path: str, walked: str, locale: str) -> str:
    """Say how far the path leads, and what is there."""
    if isinstance(value, dict):
        names = [str(key)[:_LONGEST] for key in list(value)[:_MOST_TOLD]]
        there = ", ".join(f"`{name}`" for name in names) + (", …" if len(value) > _MOST_TOLD else "")
    elif isinstance(value, list):
        there = f"0 … {len(value) - 1}" if value else "[]"
    else:
        there = "-"
    place = f"`{walked}`" if walked else size_text("place_top", locale)
    return size_text("unknown_path", locale, path=path[:_LONGEST], place=place, there=there or "{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for."""

    path: str = ""
    """Where in the result; empty for all of it."""
    offset: int = 0
    limit: int | None = None
    """Most items, fields, lines or characters; `None` for what the budget holds."""
    search: str = ""
    """Only what holds this text, whatever the case."""


def _short_search(request: Request) -> str:
    """Repeat what was looked for, as far as it tells anything."""
    text = request.search
    return text if len(text) <= _MOST_REPEATED else f"{text[:_MOST_REPEATED]}…"


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads results of one tool."""

    tool: str
    tokens: int
    """Budget of a page with what is told beside it."""
    count: Count
    locale: str = "en"

    def page(self, text: str, request: Request) -> str:
        """Return a page, with how to go on.

        Raises:
            PathError: When nothing is at the path; it says what is there.

        """
        value = read_json(text)
        if request.path:
            value = resolve(text if value is None else value, request.path, self.locale)
        elif value is None:
            value = text
        if not isinstance(value, list | dict | str):
            value = write_json(value)
        if isinstance(value, str) and not request.search and not _by_lines(value):
            return self._characters(value, request)
        return self._entries(_Listing.of(value), request)

    @property
    def _budget(self) -> int:
        """Tokens for the page itself."""
        return max(self.tokens - min(_FRAME, self.tokens // 2), 1)

    def _say(self, code: str, **facts: object) -> str:
        """Write a text of the catalogue."""
        return size_text(code, self.locale, tool=self.tool, **facts)

    def _next(self, end: int, total: int) -> str:
        """Say where the page goes on."""
        return self._say("page_next", at=end) if end < total else self._say("page_end")

    def _characters(self, text: str, request: Request) -> str:
        """Read a text without lines."""
        unit, total = self._say("unit_characters"), len(text)
        if request.offset >= total:
            return self._say("page_empty", total=total, unit=unit)
        most = total if request.limit is None else request.limit
        shown = head(text[request.offset : request.offset + most], self._budget, self.count)
        # One character is shown at least, so that whoever reads on comes to an end.
        shown = shown or text[request.offset]
        end = request.offset + len(shown)
        words = self._say(
            "page", unit=unit, first=request.offset, last=end - 1, total=total, next=self._next(end, total)
        )
        return f"{words}\n{shown}"

    def _entries(self, listing: _Listing, request: Request) -> str:
        """Read a list, an object or lines."""
        unit = self._say(f"unit_{listing.unit}")
        total = sum(1 for _ in listing.holding(request.search)) if request.search else listing.total
        if request.search and not total:
            return self._say("page_unfound", search=_short_search(request))
        if request.offset >= total:
            return self._say("page_empty", total=total, unit=unit)
        shown, cut = self._take(listing.holding(request.search), request)
        end = request.offset + len(shown)
        more = [self._say("page_cut", at=f"{request.path}.{cut}".strip("."))] if cut else []
        onward = " ".join([self._next(end, total), *more])
        if request.search:
            words = self._say(
                "page_found", unit=unit, search=_short_search(request), shown=len(shown), total=total, next=onward
            )
        else:
            words = self._say("page", unit=unit, first=request.offset, last=end - 1, total=total, next=onward)
        return "\n".join([words, *shown])

    def _take(self, entries: Iterator[tuple[str, Any]], request: Request) -> tuple[list[str], str]:
        """Take entries until the budget or the limit is reached; a long one is cut short. Returns one that was cut."""
        shown: list[str] = []
        left, cut = self._budget, ""
        stop = None if request.limit is None else min(request.offset + request.limit, sys.maxsize)
        for place, value in islice(entries, request.offset, stop):
            line = f"{place}: {_text(value)}"
            long = not fits(line, self._budget // 2, self.count)
            line = f"{place}: {self._short(value)}" if long else line
            cost = self.count(line) + 1
            if shown and cost > left:
                break
            shown.append(line)
            cut = cut or (place if long else "")
            left -= cost
        return shown, cut

    def _short(self, value: Any) -> str:
        """Cut a long entry short."""
        budget = max(self._budget // 2 - 20, 1)

        def left_out(what: str, count: int) -> str:
            return self._say(f"{what}_out", count=count)

        if not isinstance(value, str) and (shrunk := shrink(value, budget, self.count, left_out)) is not None:
            return shrunk.text
        text = _text(value)
        start = head(text, budget, self.count)
        return f"{start}{left_out('characters', len(text) - len(start))}"


@dataclass(frozen=True, slots=True)
class _Listing:
    """Something that is read by its entries, each with its place."""

    unit: str
    total: int
    entries: Callable[[], Iterator[tuple[str, Any]]]
    find: Callable[[str], Iterator[tuple[str, Any]]] | None = None
    """A faster way to the entries that hold a text."""

    @classmethod
    def of(cls, value: Any) -> _Listing:
        """List the items of a list, the fields of an object, or the lines of a text."""
        if isinstance(value, list):
            return cls("items", len(value), lambda: ((str(at), item) for at, item in enumerate(value)))
        if isinstance(value, dict):
            return cls("fields", len(value), lambda: iter(value.items()))
        lines = cls("lines", _count_lines(value), lambda: ((str(at), line) for at, line in enumerate(_lines(value))))
        return replace(lines, find=partial(_lines_with, value))

    def holding(self, search: str) -> Iterator[tuple[str, Any]]:
        """Return the entries that hold a text, whatever the case."""
        if not search:
            return self.entries()
        if self.find is not None:
            return self.find(search)
        sought = search.casefold()
        return (
            (place, value)
            for place, value in self.entries()
            if sought in _text(value).casefold() or (self.unit == "fields" and sought in place.casefold())
        )


def _text(value: Any) -> str:
    """Write an entry: a string as it is, everything else as JSON."""
    return value if isinstance(value, str) else write_json(value)


def _count_lines(text: str) -> int:
    """Count lines; the end of the last one begins no other."""
    return text.count("\n") + (not text.endswith("\n"))


def _by_lines(text: str) -> bool:
    """Tell whether a text has lines of a size that can be shown."""
    return "\n" in text and len(text) <= _LONG_LINE * _count_lines(text)


def _lines_with(text: str, search: str) -> Iterator[tuple[str, str]]:
    """Yield the lines that hold a text, whatever the case, without a look at each line."""
    sought = re.compile(re.escape(search), re.IGNORECASE)
    at = number = 0
    while (found := sought.search(text, at)) is not None:
        number += text.count("\n", at, found.start())
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        yield str(number), text[text.rfind("\n", 0, found.start()) + 1 : end].removesuffix("\r")
        at, number = end + 1, number + text.count("\n", found.start(), found.end()) + 1


def _lines(text: str) -> Iterator[str]:
    """Yield lines without a copy of the whole text."""
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text[at:end].removesuffix("\r")
        at = end + 1
