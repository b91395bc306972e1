"""The front door: what applications import; each name loads its room, and the frameworks behind it, on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from reinforced_agent.graph.inputs import InputError
    from reinforced_agent.graph.tenancy import OtherTenantError
    from reinforced_agent.graph.resilience.breakers import Breakers, BreakerStore
    from reinforced_agent.graph.build import build_agent
    from reinforced_agent.graph.context import Context
    from reinforced_agent.graph.agent import ThreadBusyError
    from reinforced_agent.graph.erasure import Erasure, aerase_person, erase_person
    from reinforced_agent.graph.resilience.good_results import GoodResults
    from reinforced_agent.graph.records.record import ProposalRecord
    from reinforced_agent.graph.settings.sizes import ResultPolicy, Summaries
    from reinforced_agent.graph.settings.relevance import shipped_relevance
    from reinforced_agent.graph.settings.reviewer import Reviewer
    from reinforced_agent.graph.records.sinks import LangSmithSink, LogSink, SqlSink
    from reinforced_agent.service.studio import make_graph
    from reinforced_agent.models.factory import resolve_model
    from reinforced_agent.models.scripted import ScriptedModel
    from reinforced_agent.models.text import CompletionChatModel, TextToolModel
    from reinforced_agent.policies.answers.policy import AnswerPolicy, Disclaimer, Forbidden
    from reinforced_agent.policies.approval import ApprovalPolicy, ApprovalRule, Condition, Escalation, Exemption
    from reinforced_agent.policies.guiding.strategy import Strategy, StrategyError
    from reinforced_agent.graph.settings.context import ContextPolicy
    from reinforced_agent.policies.grounding import Ground, GroundingPolicy
    from reinforced_agent.policies.limits import Limits
    from reinforced_agent.policies.relevance import Relevance, Scorer
    from reinforced_agent.policies.planning.policy import Planning, PlanningError
    from reinforced_agent.policies.review import ReviewerError
    from reinforced_agent.policies.rules import RuleError, RuleSet, load_rules, parse_rules
    from reinforced_agent.tools.estimates import Estimate, Lighter
    from reinforced_agent.policies.untrusted import Screening
    from reinforced_agent.tools.error_rules import FailureRules
    from reinforced_agent.tools.injection import IdempotencyKey, approved_by, idempotency_key, keyed, requester
    from reinforced_agent.ledger import Ledger, LedgerError
    from reinforced_agent.tools.people import Person, Requester
    from reinforced_agent.tools.limits import ToolLimits
    from reinforced_agent.tools.result_rules import Completeness, Freshness, Range, ResultRules
    from reinforced_agent.ledger.result_store import MemoryResults, ResultStore
    from reinforced_agent.tools.spec import (
        DidNotHappen,
        Establishes,
        Example,
        Happened,
        Risk,
        ToolSpec,
    )
    from reinforced_agent.tools.breaker import Breaker
    from reinforced_agent.tools.fallbacks import Alternative, GiveUp, LastGood, StaticAnswer
    from reinforced_agent.tools.toolset import Toolset, tool


__all__ = [
    "Alternative",
    "AnswerPolicy",
    "ApprovalPolicy",
    "ApprovalRule",
    "Breaker",
    "BreakerStore",
    "Breakers",
    "Completeness",
    "CompletionChatModel",
    "Condition",
    "Context",
    "ContextPolicy",
    "DidNotHappen",
    "Disclaimer",
    "Erasure",
    "Escalation",
    "Establishes",
    "Estimate",
    "Example",
    "Exemption",
    "FailureRules",
    "Forbidden",
    "Freshness",
    "GiveUp",
    "GoodResults",
    "Ground",
    "GroundingPolicy",
    "Happened",
    "IdempotencyKey",
    "InputError",
    "LangSmithSink",
    "LastGood",
    "Ledger",
    "LedgerError",
    "Lighter",
    "Limits",
    "LogSink",
    "MemoryResults",
    "OtherTenantError",
    "Person",
    "Planning",
    "PlanningError",
    "ProposalRecord",
    "Range",
    "Relevance",
    "Requester",
    "ResultPolicy",
    "ResultRules",
    "ResultStore",
    "Reviewer",
    "ReviewerError",
    "Risk",
    "RuleError",
    "RuleSet",
    "Scorer",
    "Screening",
    "ScriptedModel",
    "SqlSink",
    "StaticAnswer",
    "Strategy",
    "StrategyError",
    "Summaries",
    "TextToolModel",
    "ThreadBusyError",
    "ToolLimits",
    "ToolSpec",
    "Toolset",
    "aerase_person",
    "approved_by",
    "build_agent",
    "erase_person",
    "idempotency_key",
    "keyed",
    "load_rules",
    "make_graph",
    "parse_rules",
    "requester",
    "resolve_model",
    "shipped_relevance",
    "tool",
]

_HOMES = {
    "Alternative": "tools.fallbacks",
    "AnswerPolicy": "policies.answers.policy",
    "ApprovalPolicy": "policies.approval",
    "ApprovalRule": "policies.approval",
    "Breaker": "tools.breaker",
    "BreakerStore": "graph.resilience.breakers",
    "Breakers": "graph.resilience.breakers",
    "Completeness": "tools.result_rules",
    "CompletionChatModel": "models.text",
    "Condition": "policies.approval",
    "Context": "graph.context",
    "ContextPolicy": "graph.settings.context",
    "DidNotHappen": "tools.spec",
    "Disclaimer": "policies.answers.policy",
    "Erasure": "graph.erasure",
    "Escalation": "policies.approval",
    "Establishes": "tools.spec",
    "Estimate": "tools.estimates",
    "Example": "tools.spec",
    "Exemption": "policies.approval",
    "FailureRules": "tools.error_rules",
    "Forbidden": "policies.answers.policy",
    "Freshness": "tools.result_rules",
    "GiveUp": "tools.fallbacks",
    "GoodResults": "graph.resilience.good_results",
    "Ground": "policies.grounding",
    "GroundingPolicy": "policies.grounding",
    "Happened": "tools.spec",
    "IdempotencyKey": "tools.injection",
    "InputError": "graph.inputs",
    "LangSmithSink": "graph.records.sinks",
    "LastGood": "tools.fallbacks",
    "Ledger": "ledger",
    "LedgerError": "ledger",
    "Lighter": "tools.estimates",
    "Limits": "policies.limits",
    "LogSink": "graph.records.sinks",
    "MemoryResults": "ledger.result_store",
    "OtherTenantError": "graph.tenancy",
    "Person": "tools.people",
    "Planning": "policies.planning.policy",
    "PlanningError": "policies.planning.policy",
    "ProposalRecord": "graph.records.record",
    "Range": "tools.result_rules",
    "Relevance": "policies.relevance",
    "Requester": "tools.people",
    "ResultPolicy": "graph.settings.sizes",
    "ResultRules": "tools.result_rules",
    "ResultStore": "ledger.result_store",
    "Reviewer": "graph.settings.reviewer",
    "ReviewerError": "policies.review",
    "Risk": "tools.spec",
    "RuleError": "policies.rules",
    "RuleSet": "policies.rules",
    "Scorer": "policies.relevance",
    "Screening": "policies.untrusted",
    "ScriptedModel": "models.scripted",
    "SqlSink": "graph.records.sinks",
    "StaticAnswer": "tools.fallbacks",
    "Strategy": "policies.guiding.strategy",
    "StrategyError": "policies.guiding.strategy",
    "Summaries": "graph.settings.sizes",
    "TextToolModel": "models.text",
    "ThreadBusyError": "graph.agent",
    "ToolLimits": "tools.limits",
    "ToolSpec": "tools.spec",
    "Toolset": "tools.toolset",
    "aerase_person": "graph.erasure",
    "approved_by": "tools.injection",
    "build_agent": "graph.build",
    "erase_person": "graph.erasure",
    "idempotency_key": "tools.injection",
    "keyed": "tools.injection",
    "load_rules": "policies.rules",
    "make_graph": "service.studio",
    "parse_rules": "policies.rules",
    "requester": "tools.injection",
    "resolve_model": "models.factory",
    "shipped_relevance": "graph.settings.relevance",
    "tool": "tools.toolset",
}
"""The module that defines each public name."""


if not TYPE_CHECKING:  # hidden from type checkers, so that they still object to names that don't exist

    def __getattr__(name: str) -> object:
        """Load a public name from its room."""
        home = _HOMES.get(name)
        if home is None:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
        return value

    def __dir__() -> list[str]:
        """List the public names beside what is loaded already."""
        return sorted({*globals(), *__all__})
