"""See a page of HTML where data was declared."""

from __future__ import annotations

import html
import re
from typing import Final

from reinforced_agent.policies.sanity.verdicts import Bad, Doubt


_PAGE: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEADING: Final = re.compile(r"<(?:title|h1|h2)\b[^>]{0,300}>([^<]{0,300})", re.IGNORECASE)
_UNSEEN: Final = re.compile(
    r"<(script|style|svg|head)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]{0,2000}>", re.IGNORECASE | re.DOTALL
)
_HEAD: Final = 20_000
_EXCERPT: Final = 300


def came(text: str, most: int = _EXCERPT) -> str:
    """Return the beginning of what came, in one line: of a page what a reader sees of it."""
    seen = _seen_in(text) if _is_page(text) else " ".join(text[: 2 * most].split())
    return seen if len(seen) <= most else f"{seen[:most]}…"


def page(text: str) -> Bad | None:
    """See that a whole page of HTML came where data was declared: something on the way answered, and not the tool."""
    if not _is_page(text):
        return None
    title = html.unescape(" ".join(" ".join(found[1].split()) for found in _HEADING.finditer(text[:_HEAD]))).strip()
    seen = came(text)
    return Bad(
        Doubt("page", {"title": title[:200] or seen[:100] or "HTML", **({"came": seen} if seen else {})}), lost=True
    )


def _is_page(text: str) -> bool:
    return "<" in text[:1_000] and _PAGE.match(text[:2_000]) is not None


def _seen_in(text: str) -> str:
    """Return what a reader sees of a page."""
    return " ".join(html.unescape(_UNSEEN.sub(" ", text[:_HEAD])).split())
