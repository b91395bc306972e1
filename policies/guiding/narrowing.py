"""What feedback has refused is masked in the next attempt, as long as something right may be left.

A value of a listed field goes where the objection was to that field alone, whatever stands beside it. A tool goes where
another has to run before it, whatever its arguments. A mask that would be empty stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from reinforced_agent.policies.guiding.masks import Mask
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import canonical_json


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that the checks refused, since something last ran."""

    tool: str
    arguments: Mapping[str, Any]
    kind: str
    """Error kind of the objection."""
    fields: tuple[str, ...] = ()
    """Paths of the arguments concerned."""
    newest: bool = False
    """Whether it is of the newest proposal."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that the model may call, and what it may write."""

    name: str
    mask: Mask


_OF_A_VALUE: Final = frozenset({ErrorKind.UNGROUNDED_VALUE, ErrorKind.POLICY, ErrorKind.OFF_PLAN})
"""Objections that may be to one value; others are to form, or to the call as a whole."""


def narrowed(offers: Sequence[Offer], refused: Iterable[Refused]) -> list[Offer]:
    """Return what is left to propose after refusals, the same where nothing is to be masked."""
    refused = list(refused)
    out_of_order = {one.tool for one in refused if one.newest and one.kind == ErrorKind.WRONG_ORDER and not one.fields}
    left = [offer for offer in offers if offer.name not in out_of_order] or list(offers)
    barred = _barred(refused)
    return [_without(offer, barred) for offer in left]


def _barred(refused: Iterable[Refused]) -> dict[tuple[str, str], set[str]]:
    """Collect the refused values by tool and field, in canonical form."""
    found: dict[tuple[str, str], set[str]] = {}
    for one in refused:
        if one.kind in _OF_A_VALUE and len(one.fields) == 1 and one.fields[0] in one.arguments:
            found.setdefault((one.tool, one.fields[0]), set()).add(canonical_json(one.arguments[one.fields[0]]))
    return found


def _without(offer: Offer, barred: Mapping[tuple[str, str], set[str]]) -> Offer:
    """Mask the refused values of one tool."""
    properties = offer.mask.get("properties", {})
    changed = {
        name: _fewer(properties[name], values)
        for (tool, name), values in barred.items()
        if tool == offer.name and name in properties
    }
    return replace(offer, mask={**offer.mask, "properties": {**properties, **changed}}) if changed else offer


def _fewer(mask: Mask, values: set[str]) -> Mask:
    """Leave refused values out of a list, unless none would be left."""
    options = [True, False] if mask.get("type") == "boolean" else mask.get("enum", [])
    left = [option for option in options if canonical_json(option) not in values]
    if not left or left == options:
        return mask
    return {**{key: value for key, value in mask.items() if key != "type"}, "enum": left}
