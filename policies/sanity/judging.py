"""Judge a whole result: by what its tool declares, and by signs that need no declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reinforced_agent.policies.sanity import declared, markup, signs
from reinforced_agent.policies.sanity.brought import MOST_UNDECLARED, Brought
from reinforced_agent.policies.sanity.envelopes import error_in
from reinforced_agent.policies.sanity.pages import partial
from reinforced_agent.policies.sanity.statements import statement
from reinforced_agent.policies.sanity.subjects import Subject
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
    subject: Subject = "anything"
    """What its results are about, where that isn't declared."""
    purpose: str = ""
    """Its name and description: a tool that rejects does its work where something is rejected."""

    @property
    def speaks_of(self) -> Subject:
        """What its results are about."""
        declared = None if self.rules is None else self.rules.about_errors
        return self.subject if declared is None else "errors" if declared else "anything"


_ANYTHING = Expected()
_MOST_STATE = 12
_REFUSAL = re.compile(
    r"declin|reject|refus|den[iy]|block|fail|abort|revok|disabl|suspend|cancel|拒绝|失败|取消", re.IGNORECASE
)
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
        yield markup.page(brought.head, "never")
    if expected.rules is not None:
        yield _emptiness(brought, rules)
        yield declared.unfit(brought, rules)
        yield from declared.doubts(brought, rules, now)
    elif rules.undeclared and len(brought.text) <= MOST_UNDECLARED:
        yield _emptiness(brought, rules)


def _undeclared(brought: Brought, expected: Expected) -> Iterator[Sanity | Doubt | None]:
    """Look for signs that no tool has to declare."""
    head = brought.head
    content = expected.strangers or expected.speaks_of != "anything"
    if len(brought.text) == len(head):
        yield _graded(statement(signs.plain(head), changes=expected.changes), expected, soften=content)
        yield _graded(markup.document(head), expected, soften=content)
    yield markup.page(head, "always" if content else "sometimes")
    yield signs.binary(head)
    yield signs.object_name(head)
    yield signs.broken_letters(head)
    if len(brought.text) > MOST_UNDECLARED:
        return
    yield from _of_data(brought, expected)
    if brought.breaks_off:
        yield Doubt("breaks_off", mention=True)
    if brought.not_finite:
        yield Doubt("not_finite_inside")


def _of_data(brought: Brought, expected: Expected) -> Iterator[Sanity | Doubt | None]:
    """Look at what was decoded; a list of one error is as good as the error, but for what may be in other lists."""
    data, about_errors = brought.data, expected.speaks_of == "errors"
    if isinstance(data, Mapping):
        yield _graded(_error_of(data, expected), expected, soften=about_errors)
        yield partial(data)
    elif isinstance(data, list) and len(data) == 1 and isinstance(data[0], Mapping):
        yield _graded(_error_of(data[0], expected), expected, soften=True)


def _error_of(data: Mapping[str, Any], expected: Expected) -> Sanity | None:
    """See an error in an object; one that is nested deeper than can be read is none."""
    try:
        return error_in(data, changes=expected.changes)
    except RecursionError:
        return None


def _graded(found: Sanity | None, expected: Expected, *, soften: bool) -> Sanity | None:
    """Make of proof a warning where results speak of other things; what a change may have failed to do must be told."""
    if isinstance(found, Bad) and (soften or (expected.changes and _is_meant(found.doubt, expected))):
        found = found.softened()
    if not (isinstance(found, Suspicious) and expected.changes):
        return found
    return Suspicious(tuple(_of_change(doubt, expected) for doubt in found.doubts))


def _of_change(doubt: Doubt, expected: Expected) -> Doubt:
    """Have the answer mention that a change may not have been made, unless it was to be no other."""
    if doubt.code not in {"reads_like_error", "maybe_not_done"}:
        return doubt
    meant = expected.speaks_of != "anything" or _is_meant(doubt, expected, longest=_MOST_STATE * 10)
    return Doubt("reads_like_error" if meant else "maybe_not_done", doubt.facts, mention=not meant)


def _is_meant(doubt: Doubt, expected: Expected, longest: int = _MOST_STATE) -> bool:
    """Tell whether a tool that rejects, cancels or the like says but that it did."""
    message = doubt.facts.get("message", "")
    said = {word.lower() for word in _REFUSAL.findall(message)}
    return len(message) <= longest and bool(said & {word.lower() for word in _REFUSAL.findall(expected.purpose)})


def _emptiness(brought: Brought, rules: ResultRules) -> Bad | Doubt | None:
    """See an empty list or object; it is a right answer unless the tool says otherwise."""
    if brought.data not in ([], {}, None) and not _holds_nothing(brought):
        return None
    return Doubt("none_found") if rules.may_be_empty else Bad(Doubt("nothing"))


def _holds_nothing(brought: Brought) -> bool:
    """Tell a word for nothing, and an object that has nothing in any field."""
    if signs.is_nothing(brought.text[:20]) and len(brought.text) <= 20:  # noqa: PLR2004  # longer than any such word
        return True
    data = brought.data
    return isinstance(data, Mapping) and None in data.values() and not any(map(_is_something, data.values()))


def _is_something(item: object) -> bool:
    return item not in (None, "", [], {})


def _without_repeats(notes: list[Doubt]) -> tuple[Doubt, ...]:
    """Keep the first doubt of each kind; that it is a part is said once."""
    kinds = {"more": "part_of"}
    return tuple({kinds.get(note.code, note.code): note for note in reversed(notes)}.values())[::-1]
