"""All about plans of one agent, compiled once: when one is made, how it is read, and what it is checked against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from reinforced_agent.policies.grounding import GroundingLayer, GroundingPolicy
from reinforced_agent.policies.parsing import ModelOutput
from reinforced_agent.policies.planning.checking import Checked, Outlook, PlanChecker, rules_for_plans
from reinforced_agent.policies.planning.messages import say
from reinforced_agent.policies.planning.policy import PLAN_TOOL, Planning
from reinforced_agent.policies.planning.reading import Draft, PlanReader, ReadPlan, Unreadable
from reinforced_agent.policies.planning.steps import Plan
from reinforced_agent.policies.rules import After, Order, Requires
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import Risk, ToolSpec


class PlanBook:
    """Decides about plans; knows no model, no state and no clock."""

    def __init__(
        self, policy: Planning, specs: Iterable[ToolSpec], *, layers: Iterable[Any] = (), grounding: GroundingPolicy
    ) -> None:
        """Compile what plans are checked against.

        Args:
            policy: When and within which bounds.
            specs: The registered tools; only those that are offered can be steps.
            layers: Rules of the host, of which those about order, quotas and prerequisites count.
            grounding: Which values must have been given by the user or a tool.

        """
        self.policy = policy
        self._specs = tuple(spec for spec in specs if spec.offered)
        self._reader = PlanReader()
        self._checker = PlanChecker(
            {spec.name: CompiledTool.compile(spec) for spec in self._specs},
            NameIndex(spec.name for spec in self._specs),
            rules_for_plans(layers),
            GroundingLayer(grounding),
        )

    def reason(self, *, resumed: bool = False) -> str:
        """Return why the request is planned; empty where it isn't.

        Args:
            resumed: Whether the last turn ended with a question that its plan raised.

        """
        if self.policy.mode == "off" or not self._specs:
            return ""
        if self.policy.mode == "always":
            return "always"
        if resumed:
            return "resumed"
        return "order" if self._is_ordered() else ""

    def _is_ordered(self) -> bool:
        """Return whether a rule of the host orders tools that are offered; one tool needs no plan."""
        offered = {spec.name for spec in self._specs}
        ordering = (known.rule for known in self._checker.rules if isinstance(known.rule, After | Requires | Order))
        return len(offered) > 1 and any(not rule.tools or not offered.isdisjoint(rule.tools) for rule in ordering)

    def read(self, output: ModelOutput, *, locale: str) -> ReadPlan:
        """Read what the model said."""
        return self._reader.read(output, locale=locale)

    def read_edit(self, arguments: dict[str, JSON], *, locale: str) -> Draft | Unreadable:
        """Read the plan that a person wrote."""
        return self._reader.of_arguments(arguments, locale=locale)

    def check(self, plan: Plan, situation: Callable[[ToolSpec], Situation], outlook: Outlook) -> Checked:
        """Check a plan."""
        return self._checker.check(plan, situation, outlook)

    def brief(self, locale: str, withheld: frozenset[str] = frozenset()) -> str:
        """Write what the model is told when it is asked for a plan."""
        offered = [spec for spec in self._specs if spec.name not in withheld]
        asked = say("brief", locale, tool=PLAN_TOOL, most=self.policy.most_steps)
        return "\n".join([asked, say("brief_text", locale), say("tools", locale), *self._lines(offered, locale)])

    def _lines(self, specs: Sequence[ToolSpec], locale: str) -> Iterable[str]:
        """Write one line a tool: its parameters, what it does, and whether it changes something."""
        for spec in specs:
            tool = self._checker.tools[spec.name]
            view = tool.view(tool.schema)
            fields = [name if name in view.required else f"{name}?" for name in view.properties]
            risk = "" if spec.risk is Risk.READ else f" [{say(f'risk_{spec.risk.value}', locale)}]"
            yield f"- {spec.name}({', '.join(fields)}){risk}: {' '.join(spec.description.split())}"
