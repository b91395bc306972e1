"""Judge a whole result: by what its tool declares, and by structure that needs no declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from reinforced_agent.policies.results import declared, envelopes
from reinforced_agent.policies.results.result import MOST_UNDECLARED, Brought, came, is_nothing, page, unreadable
from reinforced_agent.policies.results.verdicts import REPORTS_ERROR, UNFINISHED, Bad, Doubt, Fine, Sanity, Suspicious
from reinforced_agent.tools.result_rules import ResultRules


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


@dataclass(frozen=True, slots=True)
class Expected:
    """What is known about the tool that a result comes from."""

    rules: ResultRules | None = None
    changes: bool = False
    """Whether its calls change something."""
    replaceable: bool = False
    """Whether the host declared what serves where it fails."""
    asked: frozenset[str] = frozenset()
    """Texts among the arguments of the call."""


_ANYTHING: Final = Expected()
_NO_RULES: Final = ResultRules()
_MOST_TOLD: Final = 1_000
"""Characters of an object with a failure in it that the model is told."""


def judge_result(brought: Brought | str, expected: Expected = _ANYTHING, now: datetime | None = None) -> Sanity:
    """Return whether a result can be used, can be used with a warning, or can't be used; never raises.

    Args:
        brought: The whole result, before it is cut.
        expected: What is known about the tool.
        now: The present time, for results whose age is bounded; without it no age is judged.

    """
    brought = Brought(brought) if isinstance(brought, str) else brought
    notes: list[Doubt] = []
    for found in _look(brought, expected.rules or _NO_RULES, expected, now):
        match found:
            case Bad():
                return found
            case Doubt():
                notes.append(found)
            case _:
                pass
    return Suspicious(_without_repeats(notes)) if notes else Fine()


def is_unfinished(text: str) -> bool:
    """Return whether a result says in its structure that something is still under way."""
    return len(text) <= MOST_UNDECLARED and envelopes.says_unfinished(Brought(text).data)


def _look(
    brought: Brought, rules: ResultRules, expected: Expected, now: datetime | None
) -> Iterator[Bad | Doubt | None]:
    """Look at everything, what makes a result unusable first."""
    if not brought.text.strip():
        yield Doubt("empty") if rules.may_be_empty else Bad(Doubt("nothing"))
        return
    if rules.undeclared:
        yield from _undeclared(brought, expected)
    if rules.declares_data:
        yield page(brought.text)
    if expected.rules is not None:
        yield _emptiness(brought, rules)
        yield declared.unfit(brought, rules)
        yield from declared.doubts(brought, rules, now)
    elif len(brought.text) <= MOST_UNDECLARED:
        yield _emptiness(brought, rules)


def _undeclared(brought: Brought, expected: Expected) -> Iterator[Bad | Doubt | None]:
    """Look for what no tool has to declare."""
    yield from unreadable(brought.head)
    if len(brought.text) > MOST_UNDECLARED:
        return
    if expected.changes:
        yield envelopes.fault_in(brought.head)
    if isinstance(brought.data, Mapping):
        yield _failure(brought, brought.data, expected)
        yield _partial(brought.data)
    if envelopes.says_unfinished(brought.data):
        yield Doubt(UNFINISHED)
    if brought.breaks_off:
        yield Doubt("breaks_off", mention=True)
    if brought.not_finite:
        yield Doubt("not_finite_inside")


def _failure(brought: Brought, data: Mapping[str, Any], expected: Expected) -> Bad | Doubt | None:
    """See that an object reports a failure: proof for a change, and for most reads an answer like any other.

    What a read was asked for may be the failure of something else, and structure can't tell the two apart: that it is
    the failure of the read itself is proven where the host declared what serves then. An object that is nested deeper
    than can be read reports none.
    """
    try:
        found = envelopes.failure_in(data, expected.asked)
    except RecursionError:
        return None
    if found is None:
        return None
    if not (expected.changes or expected.replaceable or envelopes.is_failed_tool_result(data)):
        return Doubt(REPORTS_ERROR)
    if not envelopes.says_more(data):
        return found
    facts = {**found.doubt.facts, "came": came(brought.text, _MOST_TOLD)}
    return replace(found, doubt=replace(found.doubt, facts=facts))


def _emptiness(brought: Brought, rules: ResultRules) -> Bad | Doubt | None:
    """See an empty list or object; it is a right answer unless the tool says otherwise."""
    if brought.data not in ([], {}, None) and not _holds_nothing(brought):
        return None
    return Doubt("none_found") if rules.may_be_empty else Bad(Doubt("nothing"))


def _holds_nothing(brought: Brought) -> bool:
    """Return whether a text is a word for nothing, or an object that has nothing in any field."""
    data = brought.data
    if isinstance(data, Mapping):
        return None in data.values() and all(item in (None, "", [], {}) for item in data.values())
    return is_nothing(brought.text)


def _without_repeats(notes: list[Doubt]) -> tuple[Doubt, ...]:
    """Keep the first doubt of each kind; that it is a part is said once."""
    kinds = {"more": "part_of"}
    return tuple({kinds.get(note.code, note.code): note for note in reversed(notes)}.values())[::-1]


def _partial(value: Mapping[str, Any]) -> Doubt | None:
    """See that there is more than what is here."""
    fields = {envelopes.folded(key): item for key, item in list(value.items())[:50]}
    nested = [item for key, item in fields.items() if key in _ABOUT and isinstance(item, Mapping)]
    about = [fields, *({envelopes.folded(key): item for key, item in list(inner.items())[:50]} for inner in nested)]
    lists = {key: item for key, item in fields.items() if isinstance(item, list)}
    shown = len(next(iter(lists.values()))) if len(lists) == 1 else None
    total = next((found for fields_ in about if (found := _total(fields_)) is not None), None)
    if total is not None and shown is not None and _counts(value, lists) and 0 < shown < total:
        return Doubt("part_of", {"shown": str(shown), "total": str(total)}, mention=True)
    if any(_goes_on(fields_) for fields_ in about):
        return Doubt("more", {"shown": str(shown)} if shown is not None else {}, mention=True)
    return None


def _goes_on(fields: Mapping[str, Any]) -> bool:
    """Tell whether a flag or a mark of the next page is set."""
    if any(fields.get(key) is True for key in _MORE):
        return True
    following = fields.get("next")
    if isinstance(following, str) and following.startswith(("http", "/")):
        return True
    marks = (fields.get(key) for key in _NEXT)
    return any(isinstance(mark, str | int | dict) and bool(mark) and mark is not True for mark in marks)


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
