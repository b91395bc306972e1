"""The front door: what applications import; each name loads its room, and the frameworks behind it, on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from reinforced_agent.graph.admission import InputError
    from reinforced_agent.graph.tenancy import OtherTenantError
    from reinforced_agent.graph.breakers import Breakers, BreakerStore
    from reinforced_agent.graph.build import build_agent
    from reinforced_agent.graph.context import Context
    from reinforced_agent.graph.entry import ThreadBusyError
    from reinforced_agent.graph.erasing import Erasure, aerase_person, erase_person
    from reinforced_agent.graph.good_results import GoodResults
    from reinforced_agent.graph.recording import ProposalRecord
    from reinforced_agent.graph.sizes import ResultPolicy, Summaries
    from reinforced_agent.graph.relevance import shipped_relevance
    from reinforced_agent.graph.review_setup import Reviewer
    from reinforced_agent.graph.sinks import LangSmithSink, LogSink, SqlSink
    from reinforced_agent.graph.studio import make_graph
    from reinforced_agent.models.factory import resolve_model
    from reinforced_agent.models.scripted import ScriptedModel
    from reinforced_agent.models.text import CompletionChatModel, TextToolModel
    from reinforced_agent.policies.answers import AnswerPolicy, Disclaimer, Forbidden
    from reinforced_agent.policies.approval import ApprovalPolicy, ApprovalRule, Condition, Escalation, Exemption
    from reinforced_agent.policies.choosing import Strategy, StrategyError
    from reinforced_agent.policies.context import ContextPolicy
    from reinforced_agent.policies.grounding import Ground, GroundingPolicy
    from reinforced_agent.policies.limits import Limits
    from reinforced_agent.policies.relevance import Relevance, Scorer
    from reinforced_agent.policies.planning.policy import Planning, PlanningError
    from reinforced_agent.policies.review import ReviewerError
    from reinforced_agent.policies.rules import RuleError, RuleSet, load_rules, parse_rules
    from reinforced_agent.tools.estimates import Estimate, Lighter
    from reinforced_agent.policies.screening import Screening
    from reinforced_agent.tools.failure_rules import FailureRules
    from reinforced_agent.tools.injection import IdempotencyKey, approved_by, idempotency_key, keyed, requester
    from reinforced_agent.tools.ledger import Ledger, LedgerError
    from reinforced_agent.tools.people import Person, Requester
    from reinforced_agent.tools.limits import ToolLimits
    from reinforced_agent.tools.result_rules import Completeness, Freshness, Range, ResultRules
    from reinforced_agent.tools.result_store import MemoryResults, ResultStore
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
    "AnswerPolicy": "policies.answers",
    "ApprovalPolicy": "policies.approval",
    "ApprovalRule": "policies.approval",
    "Breaker": "tools.breaker",
    "BreakerStore": "graph.breakers",
    "Breakers": "graph.breakers",
    "Completeness": "tools.result_rules",
    "CompletionChatModel": "models.text",
    "Condition": "policies.approval",
    "Context": "graph.context",
    "ContextPolicy": "policies.context",
    "DidNotHappen": "tools.spec",
    "Disclaimer": "policies.answers",
    "Erasure": "graph.erasing",
    "Escalation": "policies.approval",
    "Establishes": "tools.spec",
    "Estimate": "tools.estimates",
    "Example": "tools.spec",
    "Exemption": "policies.approval",
    "FailureRules": "tools.failure_rules",
    "Forbidden": "policies.answers",
    "Freshness": "tools.result_rules",
    "GiveUp": "tools.fallbacks",
    "GoodResults": "graph.good_results",
    "Ground": "policies.grounding",
    "GroundingPolicy": "policies.grounding",
    "Happened": "tools.spec",
    "IdempotencyKey": "tools.injection",
    "InputError": "graph.admission",
    "LangSmithSink": "graph.sinks",
    "LastGood": "tools.fallbacks",
    "Ledger": "tools.ledger",
    "LedgerError": "tools.ledger",
    "Lighter": "tools.estimates",
    "Limits": "policies.limits",
    "LogSink": "graph.sinks",
    "MemoryResults": "tools.result_store",
    "OtherTenantError": "graph.tenancy",
    "Person": "tools.people",
    "Planning": "policies.planning.policy",
    "PlanningError": "policies.planning.policy",
    "ProposalRecord": "graph.recording",
    "Range": "tools.result_rules",
    "Relevance": "policies.relevance",
    "Requester": "tools.people",
    "ResultPolicy": "graph.sizes",
    "ResultRules": "tools.result_rules",
    "ResultStore": "tools.result_store",
    "Reviewer": "graph.review_setup",
    "ReviewerError": "policies.review",
    "Risk": "tools.spec",
    "RuleError": "policies.rules",
    "RuleSet": "policies.rules",
    "Scorer": "policies.relevance",
    "Screening": "policies.screening",
    "ScriptedModel": "models.scripted",
    "SqlSink": "graph.sinks",
    "StaticAnswer": "tools.fallbacks",
    "Strategy": "policies.choosing",
    "StrategyError": "policies.choosing",
    "Summaries": "graph.sizes",
    "TextToolModel": "models.text",
    "ThreadBusyError": "graph.entry",
    "ToolLimits": "tools.limits",
    "ToolSpec": "tools.spec",
    "Toolset": "tools.toolset",
    "aerase_person": "graph.erasing",
    "approved_by": "tools.injection",
    "build_agent": "graph.build",
    "erase_person": "graph.erasing",
    "idempotency_key": "tools.injection",
    "keyed": "tools.injection",
    "load_rules": "policies.rules",
    "make_graph": "graph.studio",
    "parse_rules": "policies.rules",
    "requester": "tools.injection",
    "resolve_model": "models.factory",
    "shipped_relevance": "graph.relevance",
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
