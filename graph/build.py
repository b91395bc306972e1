"""Every node and every edge of the graph, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Checkpointer

from reinforced_agent.graph.agent import Agent
from reinforced_agent.graph.context import Context
from reinforced_agent.graph.deps import Bindings, ContextFor, Sink
from reinforced_agent.graph.execution.injection import require_fillable
from reinforced_agent.graph.execution.node import Twofold
from reinforced_agent.graph.execution.read_result import with_reader
from reinforced_agent.graph.execution.requester import checked_context_for
from reinforced_agent.graph.generation.guided import guided
from reinforced_agent.graph.resilience.breakers import Breakers, breakers_of_one_graph
from reinforced_agent.graph.resilience.good_results import GoodResults
from reinforced_agent.graph.routes import (
    route_after_approve,
    route_after_check,
    route_after_fall_back,
    route_after_inspect,
    route_after_plan,
    route_after_propose,
)
from reinforced_agent.graph.settings.context import ContextPolicy
from reinforced_agent.graph.settings.planning import plan_book
from reinforced_agent.graph.settings.reviewer import Reviewer, reviewing_for
from reinforced_agent.graph.settings.rules import Policies, house_rules
from reinforced_agent.graph.settings.sizes import ResultPolicy, Summaries, sizes_for
from reinforced_agent.graph.settings.storage import chat_channel, choose_ledger, warn_of_open_serializer
from reinforced_agent.graph.settings.strategy import sampling_for
from reinforced_agent.graph.settings.validation import with_checked_options
from reinforced_agent.graph.state import Input, Output, State
from reinforced_agent.ledger import Ledger
from reinforced_agent.models.binding import without_streamed_calls
from reinforced_agent.models.factory import resolve_model
from reinforced_agent.models.streaming import streaming_form
from reinforced_agent.nodes.answer import answer
from reinforced_agent.nodes.approve import approve
from reinforced_agent.nodes.check import check
from reinforced_agent.nodes.execute import Order, aexecute, execute
from reinforced_agent.nodes.fall_back import fall_back
from reinforced_agent.nodes.inspect import inspect
from reinforced_agent.nodes.plan import aplan_ahead, plan, plan_ahead
from reinforced_agent.nodes.propose import apropose, propose
from reinforced_agent.nodes.review import areview, review
from reinforced_agent.policies.answers.policy import AnswerPolicy
from reinforced_agent.policies.approval import ApprovalPolicy
from reinforced_agent.policies.grounding import GroundingPolicy
from reinforced_agent.policies.guiding.strategy import Strategy
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.planning import PlanBook, PlanLayer, Planning
from reinforced_agent.policies.planning.policy import Mode
from reinforced_agent.policies.relevance import Relevance
from reinforced_agent.policies.rules.gathering import HouseRules
from reinforced_agent.policies.untrusted import Screening
from reinforced_agent.tools.spec import Risk
from reinforced_agent.tools.toolset import Toolset


PROMPT = "You are a helpful assistant. Call a tool when it is needed, otherwise answer directly."
"""The system prompt unless another is given."""


@with_checked_options
def build_agent(  # noqa: PLR0913  # each is given by name, and most are left out
    *,
    model: BaseChatModel | str,
    tools: Iterable[Any],
    policies: Policies = (),
    limits: Limits | None = None,
    prompt: str = PROMPT,
    checkpointer: Checkpointer = None,
    store: BaseStore | None = None,
    ledger: Ledger | str | None = None,
    approvals: ApprovalPolicy | None = None,
    grounding: GroundingPolicy | None = None,
    relevance: Relevance | None = None,
    reviewer: Reviewer | None = None,
    results: ResultPolicy | None = None,
    planning: Planning | Mode = "off",
    context: ContextPolicy | None = None,
    summaries: Summaries | None = None,
    breakers: Breakers | None = None,
    good_results: GoodResults | None = None,
    answers: AnswerPolicy | None = None,
    screening: Screening | None = None,
    strategy: Strategy | str = "retry",
    context_for: ContextFor | None = None,
    sinks: Sequence[Sink] = (),
    positional_answers: bool = False,
    name: str = "reinforced_agent",
) -> Agent:
    """Build the compiled graph.

    Args:
        model: A LangChain chat model, or a text for `resolve_model`.
        tools: Typed functions, LangChain tools and `ToolSpec`s; undeclared risk counts as write.
        policies: Rules of the host: callables that give a verdict on a call, rules, `RuleSet`s, or the path of a rules
            file (TOML or YAML).
        limits: Bounds of one run.
        prompt: System prompt; empty for none.
        breakers: Which tools are left alone because they keep failing; give the same ones to several graphs that use
            the same services, and to those that are built for every request. By default each graph has its own, with
            `Breaker()` for every tool that declares none.
        good_results: What `LastGood` tells again; by default the newest thousand results of this graph. Agents that are
            built for every request share one, or find nothing.
        checkpointer: Where threads are kept; needed for approvals that outlive the call. One whose serializer makes
            objects of whatever its database holds is used, and a warning in the log says how to close it.
        store: LangGraph's store, for tools that ask for it (`InjectedStore`, `ToolRuntime`); by default that of the
            server or the graph around this one, if there is any.
        ledger: Where approvals and effects are written down, so that every write happens once: a `Ledger`, or
            `sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`. Without it, a file beside that of a `SqliteSaver`, or
            memory where threads are kept in memory or not at all.
        approvals: Which calls a person must agree to, and who; by default everything that isn't a read asks anybody.
        grounding: Which values must have been given by the user or a tool; by default ids, addresses, accounts, phone
            numbers, the amounts of writes, and fields whose schema says `x-ground`. `MARKED_ONLY` leaves it at those.
        relevance: Who has an opinion on whether a first proposal fits the request, such as `shipped_relevance()`, which
            asks the model to look once more; by default nobody.
        reviewer: A second model that looks at risky calls before they run, and may send them back with a doubt, once or
            twice; by default nobody does.
        results: What happens to results over `Limits.result_tokens`: by default a preview is shown, the whole is kept
            with the ledger, and the model is offered `read_result` to read on.
        planning: Whether the model makes a plan, which is checked before anything runs: `auto` where it pays, `always`,
            or a `Planning`, for instance one that a person has to agree to.
        context: How much of a long conversation the model is shown: by default what its profile says it takes in.
        summaries: How what is not shown any more of a long conversation is put into words; by default it is left out.
        answers: What final answers are held against: by default, values that nothing confirms, claims that something
            was done that was not, and warnings about results that were left out.
        screening: How results of tools with `untrusted_output` are treated; by default they are cleaned of what is
            hidden, and fenced, and text in them that reads like orders to the model is a warning on later writes.
        strategy: How feedback steers generation: `retry` (the default) sends a refused call back; `candidates` then
            asks for three proposals, of which one that passes is taken; `guided` has the model's server mask what it
            writes (`guided:WAY`, such as `guided:vllm`, says how it is told); `guided+candidates` does both; a
            `Strategy` says all of it.
        context_for: Makes the context that tools see, of the person who asked: `context_for(requester)` returns an
            instance of the host's own context type. By default tools see a `Context` made of what is kept with the
            turn; a context of another type is theirs as long as the run is the requester's own, and otherwise tools
            that are given the context are not run.
        sinks: Where records of what was proposed and what came of it go, beside the stream of custom events.
        positional_answers: Accept decisions without tokens, one for each waiting call in the order of the question.
        name: Name of the graph in traces and in Studio.

    Raises:
        ApprovalPolicyError: When the approval policy doesn't fit the tools.
        GroundingPolicyError: When the grounding policy, or a marker in a schema, doesn't.
        LedgerError: When the ledger can't be opened, or none is named for threads that outlive the process.
        ToolDefinitionError: When a tool can't be described to a model, has the name of the built-in one, or asks for
            what the graph can't fill in.
        ToolSchemaError: When a tool's schema can't be used.
        ReviewerError: When the reviewer can't be used.
        RuleError: When a rule, or a file of rules, is wrong or doesn't fit the tools.
        StrategyError: When the strategy can't be used, or not with the model.
        ModelSpecError: When the model's text names no model.
        PlanningError: When the planning policy can't be used, or the model makes no plans.
        TypeError: When an option is of a kind that it can't be, such as a dict in place of `Limits`, when tools,
            policies or sinks are no list, or hold what they can't hold, or when `context_for` is async or takes more
            than the requester.

    """
    results, limits = results or ResultPolicy(), limits or Limits()
    toolset = with_reader(Toolset(tools), results.reader)
    require_fillable(toolset.values(), store)
    rules = house_rules(policies, toolset)
    book = choose_ledger(ledger, checkpointer, toolset)
    given = resolve_model(model) if isinstance(model, str) else model
    plans = plan_book(planning, given, toolset, rules.layers, grounding)
    layers = _rule_book(toolset, rules, plans, results, approvals, grounding, relevance)
    speaker, guide = guided(without_streamed_calls(given), strategy, layers)
    bound = Bindings(
        model=speaker,
        streaming=None if guide else streaming_form(given),
        toolset=toolset,
        plans=plans,
        rules=layers,
        sizes=sizes_for(speaker, results, context or ContextPolicy(), toolset, book, summaries=summaries),
        house=rules,
        breakers=breakers or breakers_of_one_graph(name for name in toolset if name != results.reader),
        good_results=good_results or GoodResults(),
        answers=answers or AnswerPolicy(),
        screening=screening or Screening(),
        guide=guide,
        sampling=sampling_for(speaker, strategy),
        reviewing=reviewing_for(reviewer),
        context_for=checked_context_for(context_for),
        sinks=tuple(sinks),
        limits=limits,
        ledger=book,
        prompt=prompt,
        positional_answers=positional_answers,
    )
    return _guarded(_kept_in(checkpointer, _draw(bound)).compile(checkpointer, store=store, name=name), bound)


def _guarded(compiled: CompiledStateGraph[State, Context, Any, Output], bound: Bindings) -> Agent:
    """Put the door in front of the compiled graph."""
    has_effects = any(spec.risk is not Risk.READ for spec in bound.toolset.values())
    longest = bound.toolset.longest_chain
    return Agent.guard(compiled, bound.limits, longest, bound.ledger, bound.breakers, has_effects=has_effects)


def _rule_book(
    toolset: Toolset,
    rules: HouseRules,
    plans: PlanBook | None,
    results: ResultPolicy,
    approvals: ApprovalPolicy | None,
    grounding: GroundingPolicy | None,
    relevance: Relevance | None,
) -> RuleBook:
    """Compile the rules that a proposal passes."""
    return RuleBook(
        toolset.values(),
        layers=(*rules.layers, PlanLayer()) if plans else rules.layers,
        approvals=approvals or ApprovalPolicy(),
        grounding=grounding or GroundingPolicy(),
        relevance=relevance or Relevance(),
        stopwatch=time.perf_counter,
        unlisted=frozenset([results.reader] if results.reader else []),
    )


def _kept_in(
    checkpointer: Checkpointer, drawn: StateGraph[State, Context, Input, Output]
) -> StateGraph[State, Context, Input, Output]:
    """Have the chat stored in the way that suits the checkpointer, and say where that reads back anything."""
    warn_of_open_serializer(checkpointer)
    if (chat := chat_channel(checkpointer)) is not None:
        drawn.channels["messages"] = chat
    return drawn


def _draw(bound: Bindings) -> StateGraph[State, Context, Input, Output]:
    """Draw the plan."""
    plan_of = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)

    def node(function: Callable[..., Any]) -> Any:
        return partial(function, bound=bound)

    opening = Twofold(node(plan_ahead), node(aplan_ahead)) if bound.plans else node(plan)
    plan_of.add_node("plan", opening, input_schema=State)
    plan_of.add_node("propose", Twofold(node(propose), node(apropose)), input_schema=State)
    plan_of.add_node("check", node(check), input_schema=State)
    plan_of.add_node("approve", node(approve), input_schema=State)
    plan_of.add_node("execute", Twofold(node(execute), node(aexecute)), input_schema=Order)
    plan_of.add_node("inspect", node(inspect), input_schema=State)
    plan_of.add_node("fall_back", node(fall_back), input_schema=State)
    plan_of.add_node("answer", node(answer), input_schema=State)

    plan_of.add_edge(START, "plan")
    plan_of.add_conditional_edges(
        "plan", node(route_after_plan), {"begin": "propose", "not done yet": "plan", "asked or over": "answer"}
    )
    called = "review" if bound.reviewing else "check"
    plan_of.add_conditional_edges("propose", route_after_propose, {"call": called, "no call": "answer"})
    if bound.reviewing:
        plan_of.add_node("review", Twofold(node(review), node(areview)), input_schema=State)
        plan_of.add_edge("review", "check")
    plan_of.add_conditional_edges(
        "check",
        node(route_after_check),
        {
            "revise": "propose",
            "accepted": "execute",
            "risky": "approve",
            "open, refused or limit": "fall_back",
        },
    )
    plan_of.add_conditional_edges(
        "approve",
        node(route_after_approve),
        {"runnable": "execute", "check again": "check", "not answered": "approve", "nothing to run": "fall_back"},
    )
    plan_of.add_edge("execute", "inspect")
    plan_of.add_conditional_edges(
        "inspect",
        node(route_after_inspect),
        {
            "go on": "propose",
            "bad result": "fall_back",
            "step failed": "plan",
            "ended or limit": "answer",
        },
    )
    plan_of.add_conditional_edges(
        "fall_back",
        node(route_after_fall_back),
        {"alternative": "check", "go on": "propose", "step failed": "plan", "nothing left": "answer"},
    )
    plan_of.add_edge("answer", END)
    return plan_of
