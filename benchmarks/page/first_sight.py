"""The part of the page about heuristics: what each did on data that was not in view when it was made.

Such a figure can be measured only once, so these are kept as they were found, here and in decision 0009. A heuristic
that has none says so.
"""

from __future__ import annotations

from typing import Final

from benchmarks.page.writing import Section, table


_NONE: Final = "not measured on unseen data"
_STRUCTURE: Final = (
    "not measured apart; format, routing and arguments together flagged 0.04% of 6,918 right calls that nobody had seen"
)
_COLUMNS: Final = ("heuristic", "what it may do by default", "on data not in view when it was made")
_ROWS: Final = (
    ("calls that leaked into a text", "read them, or ask for them again", _STRUCTURE),
    ("tool and field names written differently", "take them for the one that is meant", _STRUCTURE),
    ("values of another type or spelling (coercions)", "straighten what loses nothing", _STRUCTURE),
    ("the nearest names and values as suggestions", "name them in feedback", _NONE),
    ("values of writes that nobody named (grounding)", "warn whoever approves", _NONE),
    (
        "values that only untrusted content named (provenance)",
        "warn; hold a write that a rule lets run unasked",
        "held, where a rule lets every write run, 344 of 352 attacks, and 90 of 168 harmless runs too",
    ),
    (
        "patterns of orders in untrusted content",
        "warn",
        (
            "0 of 136 attack texts, 0 of 343 harmless ones; one pattern was added after that, which finds 27 of the "
            "136, in view by then"
        ),
    ),
    (
        "private values in reads that go out and in links of answers",
        "hold the read; make the link inert",
        "1 of 30 attacks by the author of the check got through, 0 of 30 harmless conversations were held or changed",
    ),
    ("hidden text in untrusted content", "take it out, and say so", _NONE),
    ("failures that a result reports in its structure", "withhold the result of a change", _NONE),
    ("results that are a part, or break off", "tell the model", _NONE),
    ("a status that says queued, running and the like (polling)", "allow an equal read", _NONE),
    ("a value in place of one that the user named (substitution)", "note it in the result and in the receipt", _NONE),
    ("the model's own account of its answer (attestation)", "nothing; off unless switched on", _NONE),
    (
        "relevance scorer",
        "nothing; off unless switched on",
        "cross-validated by question: 21.0% of the wrong first proposals flagged, 0.70% of the right ones",
    ),
    (
        "airline rules of the examples",
        "nothing; a host takes them",
        "with all checks of that time, 24% of the wrong writes of the closed half found (47% of the half in view)",
    ),
)


def first_sight_section() -> Section:
    """Write what is known of each heuristic that is left."""
    text = (
        "A heuristic looks good on the data it was made on. This is what each of those that are left did on data that "
        "nobody had looked at then. Such a figure is found once: these are not computed anew, and are argued in "
        "[decision 0009](decisions/0009-proof-doubt-opinion.md)."
    )
    return Section("At first sight", (), (text, table(_COLUMNS, _ROWS)))
