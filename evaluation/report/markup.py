"""Write HTML and SVG so that text can't become markup: whatever is not `Markup` already is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from reinforced_agent.evaluation.report.words import shown


class Markup(str):
    """Text that is markup, and safe to stand in a page; only this module makes it."""

    __slots__ = ()


Part: TypeAlias = str | Iterable["Markup"]

_EMPTY = frozenset({"meta", "circle", "line", "path", "rect"})
_TEXT_LENGTH = 2_000


def element(name: str, /, *parts: Part, **attributes: str | float | None) -> Markup:
    """Write an element.

    Args:
        name: Its name; from the program, never from data.
        parts: What stands in it, text or markup, one or several.
        attributes: Its attributes; `_` in a name becomes `-`, one at the end is dropped, `None` leaves it out.

    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY and not parts:
        return Markup(f"<{name}{written}>" if name == "meta" else f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(*parts)}</{name}>")


def join(*parts: Part) -> Markup:
    """Put parts one after the other."""
    return Markup("".join(text(part) if isinstance(part, str) else "".join(map(text, part)) for part in parts))


def text(part: str) -> Markup:
    """Escape text; markup stays as it is."""
    return part if isinstance(part, Markup) else Markup(escape(shown(part, _TEXT_LENGTH)))


def style(rules: str) -> Markup:
    """Write a style sheet of this program."""
    return Markup(f"<style>{rules}</style>")


def document(page: Markup) -> str:
    """Write a whole page."""
    return f"<!doctype html>\n{page}\n"


def _value(value: str | float) -> str:
    """Write the value of an attribute; numbers to a hundredth."""
    return text(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
