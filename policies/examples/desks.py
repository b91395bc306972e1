"""The two example packs: their rules for a set of tools, and their facts from the messages of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any, Final

from reinforced_agent.policies.examples import airline, retail
from reinforced_agent.policies.rules.facts import Observed
from reinforced_agent.policies.rules.reading import load_rules, read_rules
from reinforced_agent.policies.rules.scene import Function
from reinforced_agent.policies.rules.sets import Bound, RuleSet
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import ToolSpec


_FOLDER: Final = files("reinforced_agent.policies.examples")
_FAILED: Final = "error"
"""How the results of these desks begin when a call has failed."""


@dataclass(frozen=True)
class Desk:
    """A rule file, its functions and the facts of its host."""

    file: str
    """Name of the rule file in this package."""
    functions: Mapping[str, Function]
    """What the rules compute."""
    writes: frozenset[str]
    """The tools that change something."""
    host_facts: Mapping[str, JSON] = field(default_factory=dict)
    """What is known before anything was said."""

    def rules(self, specs: Iterable[ToolSpec]) -> RuleSet:
        """Read the rules.

        Raises:
            RuleError: When they don't fit the tools.

        """
        return load_rules(_FOLDER / self.file, specs, functions=self.functions)

    def layers(self, specs: Iterable[ToolSpec]) -> tuple[Bound, ...]:
        """Give one layer a rule.

        Raises:
            RuleError: When the rules don't fit the tools.

        """
        return tuple(self.rules(specs))

    @cached_property
    def _sources(self) -> RuleSet:
        """The rules as they are written, whatever tools there are."""
        text = (_FOLDER / self.file).read_text(encoding="utf-8")
        return read_rules(text, file=self.file, functions=self.functions)

    def facts(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, JSON]:
        """Learn what a conversation has established: its messages have `role`, `content` and `tool_calls`."""
        return {**self.host_facts, **self._sources.facts(self._observed(messages), up_to_date=True)}

    def _observed(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[Observed]:
        """List the calls that have come back."""
        waiting: dict[str, Mapping[str, Any]] = {}
        for message in messages:
            if message["role"] == "tool" and message["tool_call_id"] in waiting:
                yield self._came_back(waiting.pop(message["tool_call_id"]), str(message["content"]))
            elif message["role"] != "tool":
                waiting = {call["id"]: call for call in message.get("tool_calls") or ()}

    def _came_back(self, call: Mapping[str, Any], result: str) -> Observed:
        arguments, name = call["arguments"], call["name"]
        return Observed(
            tool=name,
            result=result,
            arguments=arguments if isinstance(arguments, dict) else {},
            failed=result.lower().startswith(_FAILED),
            changes=name in self.writes,
        )


AIRLINE: Final = Desk(
    "airline.toml",
    airline.FUNCTIONS,
    frozenset(
        {
            "book_reservation",
            "cancel_reservation",
            "send_certificate",
            "update_reservation_baggages",
            "update_reservation_flights",
            "update_reservation_passengers",
        }
    ),
    {"now": "2024-05-15T15:00:00"},
)
"""The flight desk, on the day that its recorded conversations play."""
RETAIL: Final = Desk(
    "retail.toml",
    retail.FUNCTIONS,
    frozenset(
        {
            "cancel_pending_order",
            "exchange_delivered_order_items",
            "modify_pending_order_address",
            "modify_pending_order_items",
            "modify_pending_order_payment",
            "modify_user_address",
            "return_delivered_order_items",
        }
    ),
)
"""The shop desk."""
