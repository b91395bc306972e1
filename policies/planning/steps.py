"""A plan as a value: its steps, what they wait for, and in which order they can be done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reinforced_agent.tools.call import JSON


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
    """Make a plan of data that fits the schema."""
    return Plan(
        tuple(
            Step(
                id=str(item["id"]).strip(),
                tool=str(item["tool"]).strip(),
                purpose=" ".join(str(item.get("purpose", "")).split()),
                depends_on=tuple(dict.fromkeys(str(one).strip() for one in item.get("depends_on") or ())),
                arguments=dict(item.get("arguments") or {}),
                missing=tuple(dict.fromkeys(str(one).strip() for one in item.get("missing") or ())),
            )
            for item in steps
        )
    )
