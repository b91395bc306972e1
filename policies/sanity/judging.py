"""Judge a whole result: by what its tool declares, and by signs that need no declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from reinforced_agent.policies.sanity import declared, signs
from reinforced_agent.policies.sanity.brought import MOST_UNDECLARED, Brought
from reinforced_agent.policies.sanity.errors import error_in, error_line
from reinforced_agent.policies.sanity.pages import partial
from reinforced_agent.policies.sanity.verdicts import Bad, Doubt, Fine, Sanity, Suspicious
from reinforced_agent.tools.result_rules import ResultRules


@dataclass(frozen=True, slots=True)
class Expected:
    """What is known about the tool that a result comes from."""

    rules: ResultRules | None = None
    changes: bool = False
    """Whether its calls change something."""
    strangers: bool = False
    """Whether it may return pages and texts that strangers wrote."""


_ANYTHING = Expected()
_NO_RULES = ResultRules()


def judge_result(brought: Brought | str, expected: Expected = _ANYTHING, now: datetime | None = None) -> Sanity:
    """Tell a result that can be used from one that can't, and from one that needs a warning; never raises.

    Args:
        brought: The whole result, before it is cut.
        expected: What is known about the tool.
        now: The present time, for results whose age is bounded; without it no age is judged.

    """
    brought = Brought(brought) if isinstance(brought, str) else brought
    rules = expected.rules or _NO_RULES
    notes: list[Doubt] = []
    for found in _look(brought, rules, expected, now):
        match found:
            case Bad():
                return found
            case Suspicious(doubts=doubts):
                notes += doubts
            case Doubt():
                notes.append(found)
            case _:
                pass
    return Suspicious(_without_repeats(notes)) if notes else Fine()


def _look(
    brought: Brought, rules: ResultRules, expected: Expected, now: datetime | None
) -> Iterator[Sanity | Doubt | None]:
    """Look at everything, what makes a result unusable first."""
    if not brought.text.strip():
        yield Doubt("empty") if rules.may_be_empty else Bad(Doubt("nothing"))
        return
    if rules.undeclared:
        yield from _undeclared(brought, expected)
    if rules.form != "any":
        yield signs.page(brought.head, "never")
    if expected.rules is not None:
        yield _emptiness(brought, rules)
        yield declared.unfit(brought, rules)
        yield from declared.doubts(brought, rules, now)
    elif rules.undeclared and len(brought.text) <= MOST_UNDECLARED:
        yield _emptiness(brought, rules)


def _undeclared(brought: Brought, expected: Expected) -> Iterator[Sanity | Doubt | None]:
    """Look for signs that no tool has to declare."""
    head = brought.head
    yield error_line(head) if len(brought.text) == len(head) else None
    yield signs.page(head, "always" if expected.strangers else "sometimes")
    yield signs.binary(head)
    yield signs.object_name(head)
    yield signs.broken_letters(head)
    if len(brought.text) > MOST_UNDECLARED:
        return
    data = brought.data
    if isinstance(data, Mapping):
        yield error_in(data, changes=expected.changes)
        yield partial(data)
    if brought.breaks_off:
        yield Doubt("breaks_off", mention=True)
    if brought.not_finite:
        yield Doubt("not_finite_inside")


def _emptiness(brought: Brought, rules: ResultRules) -> Bad | Doubt | None:
    """See an empty list or object; it is a right answer unless the tool says otherwise."""
    if brought.data not in ([], {}, None):
        return None
    return Doubt("none_found") if rules.may_be_empty else Bad(Doubt("nothing"))


def _without_repeats(notes: list[Doubt]) -> tuple[Doubt, ...]:
    """Keep the first doubt of each kind; that it is a part is said once."""
    kinds = {"more": "part_of"}
    return tuple({kinds.get(note.code, note.code): note for note in reversed(notes)}.values())[::-1]
