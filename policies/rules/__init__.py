"""Business rules as data: written in Python, TOML or YAML, checked against the tools, and run as layers."""

from reinforced_agent.policies.rules.base import Finding
from reinforced_agent.policies.rules.claims import Claim, holds
from reinforced_agent.policies.rules.expressions import Computed, Count, Fact, Field, Result, Sum
from reinforced_agent.policies.rules.facts import Observed, Source
from reinforced_agent.policies.rules.ordering import After, NotAgain, Order, Quota, Requires
from reinforced_agent.policies.rules.problems import RuleError, RuleProblem
from reinforced_agent.policies.rules.reader import load_rules, parse_rules
from reinforced_agent.policies.rules.scene import Scene
from reinforced_agent.policies.rules.sets import Rule, RuleSet
from reinforced_agent.policies.rules.validation import validate
from reinforced_agent.policies.rules.values import Forbidden, Limit, Relation


__all__ = [
    "After",
    "Claim",
    "Computed",
    "Count",
    "Fact",
    "Field",
    "Finding",
    "Forbidden",
    "Limit",
    "NotAgain",
    "Observed",
    "Order",
    "Quota",
    "Relation",
    "Requires",
    "Result",
    "Rule",
    "RuleError",
    "RuleProblem",
    "RuleSet",
    "Scene",
    "Source",
    "Sum",
    "holds",
    "load_rules",
    "parse_rules",
    "validate",
]
