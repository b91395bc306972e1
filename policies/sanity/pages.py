"""See that a result is one page of several, by the names that interfaces commonly give to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from reinforced_agent.policies.sanity.verdicts import Doubt


_MORE: Final = frozenset(
    {"hasmore", "hasnext", "hasnextpage", "moreavailable", "istruncated", "truncated", "incompleteresults"}
)
_NEXT: Final = frozenset(
    {
        *("nextpage", "nextpagetoken", "nexttoken", "nextcursor", "nextlink", "nexturl", "nextpageurl", "nextoffset"),
        *("continuationtoken", "odatanextlink", "nextmarker", "lastevaluatedkey"),
    }
)
_ABOUT: Final = frozenset({"pagination", "paging", "pageinfo", "responsemetadata", "meta", "metadata", "links", "page"})
_TOTALS: Final = frozenset({"total", "totalcount", "totalresults", "totalitems", "totalhits", "totalelements"})
_LISTS: Final = frozenset(
    {
        *("items", "results", "data", "records", "entries", "rows", "hits", "matches", "documents", "elements", "list"),
        *("messages", "emails", "files", "users", "events", "tasks", "values", "objects"),
    }
)
_MONEY: Final = re.compile(
    r"price|amount|cost|currency|tax|subtotal|paid|payment|quantity|qty|fee|discount|balance|score|vote"
)


def partial(value: Mapping[str, Any]) -> Doubt | None:
    """See that there is more than what is here."""
    fields = {_folded(key): item for key, item in list(value.items())[:50]}
    nested = [item for key, item in fields.items() if key in _ABOUT and isinstance(item, Mapping)]
    about = [fields, *({_folded(key): item for key, item in list(inner.items())[:50]} for inner in nested)]
    lists = {key: item for key, item in fields.items() if isinstance(item, list)}
    shown = len(next(iter(lists.values()))) if len(lists) == 1 else None
    total = next((found for fields_ in about if (found := _total(fields_)) is not None), None)
    if total is not None and shown is not None and _counts(value, lists) and 0 < shown < total:
        return Doubt("part_of", {"shown": str(shown), "total": str(total)}, mention=True)
    if any(_goes_on(fields_) for fields_ in about):
        return Doubt("more", {"shown": str(shown)} if shown is not None else {}, mention=True)
    return None


def _folded(key: object) -> str:
    """Write a key without case and separators."""
    return re.sub(r"[^a-z]", "", str(key).lower()[:50])


def _goes_on(fields: Mapping[str, Any]) -> bool:
    """Tell whether a flag or a mark of the next page is set."""
    if any(fields.get(key) is True for key in _MORE):
        return True
    following = fields.get("next")
    if isinstance(following, str) and following.startswith(("http", "/")):
        return True
    return any(_is_mark(item) for key, item in fields.items() if key in _NEXT)


def _is_mark(item: object) -> bool:
    """Tell whether a value can name a next page."""
    return isinstance(item, str | int | dict) and bool(item) and item is not True


def _total(fields: Mapping[str, Any]) -> int | None:
    """Read the number of all items."""
    totals = [item for key, item in fields.items() if key in _TOTALS]
    return next((item for item in totals if isinstance(item, int) and not isinstance(item, bool)), None)


def _counts(value: Mapping[str, Any], lists: Mapping[str, list[Any]]) -> bool:
    """Tell whether a total counts the items of the list: the total of an order is money."""
    if not lists.keys() <= _LISTS:
        return False
    first = next((item[0] for item in lists.values() if item), None)
    names = [*value, *(first if isinstance(first, Mapping) else ())]
    return not any(_MONEY.search(str(name).lower()) for name in names)
