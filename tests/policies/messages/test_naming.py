"""No text leads a model to a tool that it did not propose, but for the reasons that are declared.

A reader of these texts is a model that does what it is told. So a text names a tool beside the one it is about only for
one of the reasons below, and every placeholder of every catalogue is held against this list.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any, Final, Literal, TypeAlias

from reinforced_agent import policies
from reinforced_agent.policies import messages as wording


Reason: TypeAlias = Literal["nearest", "demanded", "declared", "ran", "proposed"]
"""The registered name nearest to a misspelt one; what a rule of the host demands first or excludes; a stand-in, or a
look-up, that the host declared; what ran already; a step or a call that the model itself proposed."""

_READ_FROM: Final[tuple[str, ...]] = ("untrusted_value", "orders", "private_value")
"""Texts for people about what a tool that ran has returned."""

OTHER_TOOLS: Final[Mapping[str, Mapping[str, Reason]]] = {
    "near": {
        "unknown_tool_near": "nearest",
        "unreadable_tool_near": "nearest",
        "ambiguous_tool": "nearest",
        "leaked_unknown_tool_near": "nearest",
    },
    "source": {"requires_from": "demanded", "unchecked_from": "demanded", **dict.fromkeys(_READ_FROM, "ran")},
    "first": {"after": "demanded", "after_siblings": "demanded"},
    "others": {"forbidden_with": "demanded", "use": "declared"},
    "allowed": {"order": "demanded"},
    "lookup": {"lookup": "declared"},
    "other": {"served": "ran", "served_on": "ran"},
    "by": {"by_tool": "ran"},
    "tools": {"not_carried_out": "proposed"},
    "steps": {
        "now": "proposed",
        "off_plan_next": "proposed",
        "too_early": "proposed",
        "ask_early": "proposed",
        "after": "proposed",
        "cycle": "proposed",
    },
}
"""By placeholder and code of the text, why it may hold the name of another tool."""


WORDS = """
about age allowed arguments at bound came characters choices column cost count days default doubts edited elsewhere
expected fact feedback field fields finish format found got given hint high instead items key kinds language last left
length limit line list low message month month_number more most name named needed next nonce operator passage path paths
pattern period place places problem problems purpose reason reasons reference repairs request result risk role roles
rounds said search shape shown step summary target text there thing time title total traceback type unit used value what
wait who why words year changes
"""
PLAIN = frozenset(WORDS.split())
"""Placeholders that hold no name of a tool; `tool` is the tool that a text is about, `reader` reads results on."""
OF_FIELDS = frozenset(
    (
        "dangling",
        "unknown_argument",
        "unknown_argument_inside",
        "unknown_argument_unprintable",
        "unknown_field",
        "any_of_fields",
        "not_listed_near",
        "one_of_fields",
        "unknown_argument_near",
    )
)
"""Texts in which `known`, `near` and `other` are fields, values or steps."""
OF_SIZES = frozenset(("characters", "items", "lines", "page"))
"""Texts in which `first` is a number."""
ITS_OWN = frozenset({"tool", "reader"})


def catalogues() -> Iterator[Mapping[str, Any]]:
    """Find the texts of every module."""
    inside = (found.name for found in pkgutil.walk_packages(policies.__path__, f"{policies.__name__}."))
    names = (name for name in inside if name.startswith(wording.__name__) or name.endswith(".messages"))
    for module in map(importlib.import_module, names):
        for value in vars(module).values():
            if isinstance(value, Mapping) and value and all(isinstance(key, str) for key in value):
                yield value


def slots() -> set[tuple[str, str]]:
    """List every placeholder with the code of its text."""
    found = set()
    for texts in catalogues():
        for code, text in texts.items():
            parts = [text] if isinstance(text, str) else text if isinstance(text, tuple) else []
            for part in (one for one in parts if isinstance(one, str)):
                found |= {(name, code) for _, name, _, _ in Formatter().parse(part) if name and name.isidentifier()}
    return found


def test_every_placeholder_that_names_another_tool_is_declared() -> None:
    """A new placeholder has to be told apart: plain, about the call itself, or another tool with its reason."""
    unknown = {
        (name, code)
        for name, code in slots()
        if name not in PLAIN | ITS_OWN
        and code not in OTHER_TOOLS.get(name, {})
        and code not in {"known": OF_FIELDS, "near": OF_FIELDS, "other": OF_FIELDS, "first": OF_SIZES}.get(name, ())
    }
    assert unknown == set()


def test_nothing_is_declared_that_no_text_says() -> None:
    """A reason that nobody needs is taken off the list."""
    declared = {(name, code) for name, codes in OTHER_TOOLS.items() for code in codes}
    assert declared - slots() == set()
