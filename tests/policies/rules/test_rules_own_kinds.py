"""A kind of rule from outside the package: made by subclassing, read from files, checked and worded like the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import pytest

from reinforced_agent import RuleError, RuleSet, ToolSpec, parse_rules
from reinforced_agent.policies.rules import Claim, Finding, Rule, Scene, holds
from reinforced_agent.policies.rules.problems import RuleProblem
from tests.policies.rules.rule_bench import TOOLS, judged, message, objects


@dataclass(frozen=True, slots=True, kw_only=True)
class Unless(Rule):
    """A tool is closed at some hours, unless a claim holds."""

    kind: Literal["closed"] = "closed"
    hours: tuple[int, ...]
    unless: Claim | None = None

    def objection(self, scene: Scene) -> Finding | None:
        """Object at these hours."""
        if self.unless is not None and holds(self.unless, scene):
            return None
        if scene.facts.get("hour") not in self.hours:
            return None
        return Finding("closed", words={"en": "`{tool}` is closed now.", "zh": "`{tool}` 现在关闭。"})

    def problems(self, tools: Mapping[str, ToolSpec]) -> Iterator[RuleProblem]:
        """Check the hours."""
        if not self.hours:
            yield RuleProblem(("hours",), f"is empty; list hours for {len(tools)} tools.")


FILE = """
host_facts = ["hour", "vip"]

[[rule]]
kind = "closed"
name = "at night"
tools = ["pay"]
hours = [0, 1, 2]
unless = { value = { fact = "vip" }, equals = true }
"""


def test_a_kind_of_ones_own_is_read_from_a_file_and_judges() -> None:
    """The file names it by its kind; its claims see the facts, its words follow the language."""
    (rule,) = parse_rules(FILE, TOOLS.values(), kinds=[Unless])
    assert message(judged(rule, "pay", {}, facts={"hour": 1})) == "`pay` is closed now."
    assert message(judged(rule, "pay", {}, facts={"hour": 1}, locale="zh")) == "`pay` 现在关闭。"
    assert not objects(judged(rule, "pay", {}, facts={"hour": 1, "vip": True}))
    assert not objects(judged(rule, "pay", {}, facts={"hour": 9}))
    assert not objects(judged(rule, "search", {}, facts={"hour": 1}))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("hours = [0, 1, 2]", "hour = [0]", "there is no such entry here. Use one of `hours`", id="entry"),
        pytest.param("hours = [0, 1, 2]", "hours = []", "hours: is empty; list hours for 5 tools", id="own-check"),
        pytest.param("hours = [0, 1, 2]", 'hours = ["a"]', "valid integer", id="type"),
        pytest.param('fact = "vip"', 'fact = "wip"', "nothing establishes the fact 'wip'. Use `vip`", id="claim"),
        pytest.param('"closed"', '"close"', "`not_again`, `closed`", id="kind"),
    ],
)
def test_mistakes_in_it_are_told_with_line_and_entry(old: str, new: str, said: str) -> None:
    """The checks of the house look into it, and its own come on top."""
    with pytest.raises(RuleError) as error:
        parse_rules(FILE.replace(old, new), TOOLS.values(), kinds=[Unless])
    assert said in str(error.value)
    assert str(error.value).startswith("rules.toml:")


def test_a_kind_needs_a_name_of_its_own() -> None:
    """A name that is taken, or anything that is no rule, is refused at once."""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Taken(Rule):
        kind: Literal["limit"] = "limit"

    for kind in (Taken, RuleSet):
        with pytest.raises(TypeError, match="can't be a kind of rule"):
            parse_rules(FILE, TOOLS.values(), kinds=[kind])  # type: ignore[list-item]  # the slip that is refused


def test_without_it_the_file_is_refused() -> None:
    """A kind counts only where it was handed over."""
    with pytest.raises(RuleError, match="is no kind of rule"):
        parse_rules(FILE, TOOLS.values())
