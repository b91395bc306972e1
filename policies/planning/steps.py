"""A plan as a value: its steps, what they wait for, and in which order they can be done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from reinforced_agent.tools.call import JSON


_TEMPLATE: Final = re.compile(r"\s*(\{\{[^{}]{1,200}\}\}|\$\{[^{}]{1,200}\})\s*")
_BRACKETED: Final = re.compile(r"\s*(<[^<>]{1,200}>|\[[^\[\]]{1,200}\]|\$[\w.\[\]-]{1,200})\s*")
_WORD: Final = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing to do with one tool."""

    id: str
    tool: str
    purpose: str = ""
    depends_on: tuple[str, ...] = ()
    """Ids of the steps that come first."""
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    """The values that are known already."""
    missing: tuple[str, ...] = ()
    """Parameters whose value only the user can tell."""

    def plain(self) -> dict[str, JSON]:
        """Return it as plain data, as the state and people see it."""
        return {
            "id": self.id,
            "tool": self.tool,
            "purpose": self.purpose,
            "depends_on": list(self.depends_on),
            "arguments": dict(self.arguments),
            "status": "pending",
            "calls": [],
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in the order in which they were written."""

    steps: tuple[Step, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to do."""
        return bool(self.steps)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its steps."""
        return frozenset(step.id for step in self.steps)

    def in_order(self) -> tuple[Step, ...]:
        """Return the steps so that each comes after what it depends on; those that never can are left out."""
        done: dict[str, Step] = {}
        waiting = list(self.steps)
        while ready := [step for step in waiting if not (set(step.depends_on) & self.ids) - done.keys()]:
            # One at a time, so that the written order is kept as far as possible.
            done[ready[0].id] = ready[0]
            waiting.remove(ready[0])
        return tuple(done.values())

    @property
    def rounds(self) -> tuple[tuple[Step, ...], ...]:
        """The steps in as few groups as possible, one after the other: what depends on each other can't share one."""
        depth: dict[str, int] = {}
        groups: list[list[Step]] = []
        for step in self.in_order():
            depth[step.id] = 1 + max((depth[other] for other in step.depends_on if other in depth), default=-1)
            groups += [[] for _ in range(depth[step.id] + 1 - len(groups))]
            groups[depth[step.id]].append(step)
        return tuple(map(tuple, groups))


def plan_of(steps: Iterable[Mapping[str, Any]]) -> Plan:
    """Make a plan of data that fits the schema; a stand-in for what another step brings is no value yet."""
    return Plan(
        tuple(
            _without_stand_ins(
                Step(
                    id=str(item["id"]).strip(),
                    tool=str(item["tool"]).strip(),
                    purpose=" ".join(str(item.get("purpose", "")).split()),
                    depends_on=tuple(dict.fromkeys(str(one).strip() for one in item.get("depends_on") or ())),
                    arguments=dict(item.get("arguments") or {}),
                    missing=tuple(dict.fromkeys(str(one).strip() for one in item.get("missing") or ())),
                )
            )
            for item in steps
        )
    )


def _without_stand_ins(step: Step) -> Step:
    """Leave out arguments such as `{{1.id}}`: they will be known once the steps before have brought them."""
    known = {name: value for name, value in step.arguments.items() if not _stands_in(value, step.depends_on)}
    return step if len(known) == len(step.arguments) else replace(step, arguments=known)


def _stands_in(value: JSON, steps: Iterable[str]) -> bool:
    """Tell whether a value, or a part of it, is a template for a later value."""
    if isinstance(value, dict):
        return any(_stands_in(part, steps) for part in value.values())
    if isinstance(value, list):
        return any(_stands_in(part, steps) for part in value)
    if not isinstance(value, str):
        return False
    if _TEMPLATE.fullmatch(value):
        return True
    # `<flight of step 1>` and `$1.id` could be texts of their own, unless they name a step that comes first.
    return _BRACKETED.fullmatch(value) is not None and not set(_WORD.findall(value)).isdisjoint(steps)
