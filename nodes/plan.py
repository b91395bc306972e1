"""Open a turn: take in the user's message, the requester and the host's facts, and close what was left open.

Where planning is on, the node is passed again for every draft of a plan, for every question about one, and when a step
has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import Overwrite, interrupt

from reinforced_agent.graph.agent import UndecidedError
from reinforced_agent.graph.answers.receipt import EMPTY
from reinforced_agent.graph.budget.budget import seconds_left
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.clarification import open_question
from reinforced_agent.graph.context import Context, context_of, person_of
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import learn_pauses, still_down
from reinforced_agent.graph.execution.outcomes import recalled
from reinforced_agent.graph.execution.requester import kept_of
from reinforced_agent.graph.execution.settle import derive
from reinforced_agent.graph.execution.wording import judge
from reinforced_agent.graph.facts import facts_after, facts_at_start
from reinforced_agent.graph.inputs import InputError, is_node_of_nested
from reinforced_agent.graph.planning.approval import question_about
from reinforced_agent.graph.planning.decision import act_on
from reinforced_agent.graph.planning.planner import begun, opened, plan_request, take_in, unreachable
from reinforced_agent.graph.planning.progress import replan_due
from reinforced_agent.graph.prompt.messages import exchange
from reinforced_agent.graph.prompt.overflow import ShownMessages
from reinforced_agent.graph.prompt.summary_message import carried
from reinforced_agent.graph.prompt.window import pruned
from reinforced_agent.graph.queries.calls import current, having, in_hand
from reinforced_agent.graph.queries.effects import Place, needs_claim, thread_of, withdraw
from reinforced_agent.graph.state import SCHEMA_VERSION, State, Turn, Update, merge_calls
from reinforced_agent.graph.tenancy import require_own
from reinforced_agent.ledger.effects import Known, Running
from reinforced_agent.models.errors import is_mistake_of_host
from reinforced_agent.models.plan_tool import bind_plan
from reinforced_agent.models.streaming import nostream
from reinforced_agent.models.waiting import RetryBudget, aask_within, ask_within
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.planning.policy import SPEC
from reinforced_agent.policies.status import RECHECKED, RUNNABLE, UNSETTLED, Status


def plan(state: State, runtime: Runtime[Context], config: RunnableConfig, *, bound: Bindings) -> Update:
    """Start the turn of the newest user message.

    Raises:
        LedgerError: When a question that waited can't be withdrawn.
        InputError: When there is no user message to answer, such as on a resume of an unknown thread; when the thread
            belongs to another tenant.

    """
    context = context_of(runtime.context)
    asked = _newest_question(state.get("messages", []), nested=is_node_of_nested(config))
    if asked is None:
        msg = (
            "There is no user message to answer: the newest one was answered already, or the thread is not the one "
            "that was meant. Read the thread's messages, or send a new one."
        )
        raise InputError(msg)
    require_own(state, context, thread_of(config))
    closed = _closed(state, thread_of(config), bound)
    facts = {**state.get("facts", {}), **facts_after(state, closed, bound)}
    update: Update = {
        "calls": Overwrite({}),
        "proposal": {},
        "steps": [],
        "receipt": EMPTY,
        "turn": {
            **_open_turn(asked, runtime.context, bound),
            **open_question(state, person_of(context), bound),
            "breakers": still_down(state),
        },
        "facts": Overwrite(facts_at_start({**state, "facts": facts}, context, bound)),
        "schema_version": SCHEMA_VERSION,
    }
    told = pruned(_told(state, closed) if closed else [], state["messages"], bound.sizes.context.keep_stored)
    if not told:
        return update
    if state.get("summary"):
        update["summary"] = carried(state, add_messages(state["messages"], told))  # type: ignore[arg-type]
    update["messages"] = told
    return update


def plan_ahead(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Open the turn, then make a plan in further passes: one model call, or one question to a person, each.

    Raises:
        LedgerError: When a question can't be written down or withdrawn.
        InputError: When there is no user message to answer.
        UndecidedError: When a decision can't be written down; the question waits on then.

    """
    place = Place(state, thread_of(config), bound)
    if _stage(place) != "draft":
        return _without_model(place, config)
    place, started = begun(place), bound.stopwatch()
    try:
        message = _listen(place, config)
    except GraphBubbleUp:
        raise
    except Exception as error:
        if is_mistake_of_host(error):
            raise
        # Whatever a client raises, the run still ends with an answer.
        return unreachable(place, error, bound.stopwatch() - started)
    return take_in(message, place, bound.stopwatch() - started)


async def aplan_ahead(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Open the turn and make a plan, in an event loop.

    Raises:
        LedgerError: When a question can't be written down or withdrawn.
        InputError: When there is no user message to answer.
        UndecidedError: When a decision can't be written down; the question waits on then.

    """
    place = Place(state, thread_of(config), bound)
    if _stage(place) != "draft":
        return await asyncio.to_thread(_without_model, place, config)
    await learn_pauses(bound)
    place, started = begun(place), bound.stopwatch()
    try:
        message = await _alisten(place, config)
    except GraphBubbleUp:
        raise
    except Exception as error:
        if is_mistake_of_host(error):
            raise
        # Whatever a client raises, the run still ends with an answer.
        return unreachable(place, error, bound.stopwatch() - started)
    # A plan that is held for a person is written down in the ledger.
    return await asyncio.to_thread(take_in, message, place, bound.stopwatch() - started)


def _listen(place: Place, config: RunnableConfig) -> AIMessage:
    """Ask for a plan; once more with less of the chat, where the model says that this was too long."""
    retries, shown = _retries(place), ShownMessages(lambda: plan_request(place), place.bound)
    speaker = bind_plan(place.bound.model, SPEC)
    while True:
        try:
            return ask_within(retries.left(), speaker, shown.messages, nostream(config))
        except Exception as error:
            if not shown.shorten(error):
                raise


async def _alisten(place: Place, config: RunnableConfig) -> AIMessage:
    """Do the same in an event loop."""
    retries, shown = _retries(place), ShownMessages(lambda: plan_request(place), place.bound)
    speaker = bind_plan(place.bound.model, SPEC)
    while True:
        try:
            return await aask_within(retries.left(), speaker, shown.messages, nostream(config))
        except Exception as error:
            if not shown.shorten(error):
                raise


def _retries(place: Place) -> RetryBudget:
    """Count what is left of the run."""
    return RetryBudget(seconds_left(place.state["turn"], place.bound.limits))


def _stage(place: Place) -> Literal["open", "draft", "held"]:
    """Tell what this pass is for: a new message opens a turn, whatever the last one was about."""
    state = place.state
    turn, phase = state.get("turn", {}), state.get("turn", {}).get("planning", {}).get("phase")
    newest = _newest_question(state.get("messages", []), nested=True)
    if newest is None or newest.id != turn.get("id") or turn.get("outcome"):
        return "open"
    if phase == "held":
        return "held"
    return "draft" if phase == "draft" or replan_due(state, place.bound) else "open"


def _without_model(place: Place, config: RunnableConfig) -> Update:
    """Open the turn, or ask a person about the plan that waits."""
    runtime = get_runtime(Context)
    if _stage(place) == "open":
        return opened(plan(place.state, runtime, config, bound=place.bound), place)
    answer = interrupt(question_about(place.state["turn"]["planning"]["held"], place))
    try:
        return act_on(answer, context_of(runtime.context), place)
    except Exception as error:
        raise UndecidedError from error


def _newest_question(messages: list[AnyMessage], *, nested: bool) -> HumanMessage | None:
    """Return the user message to answer: the last one; within another graph others may have spoken since."""
    newest = messages if nested else messages[-1:]
    return next((message for message in reversed(newest) if isinstance(message, HumanMessage)), None)


def _open_turn(message: HumanMessage, given: object, bound: Bindings) -> Turn:
    """Stamp the requester into the turn; later contexts belong to people who decide."""
    return {
        **kept_of(given),
        "id": message.id or uuid4().hex,
        "request": message.text,
        "started": bound.now().isoformat(),
        "step": 0,
        "seconds": 0.0,
        "spoken": [],
        "retries": {},
        "problem": "",
        "outcome": "",
        "detail": "",
    }


def _closed(state: State, thread: str, bound: Bindings) -> dict[str, CallRecord]:
    """Close an unfinished proposal of the last turn; nothing where there is none.

    The user wrote again while an approval waited, or a run was cut off. What had run keeps its result.
    """
    records = current(state)
    if not records or (state.get("proposal") or {}).get("closed", True) or not _has_outcome(records):
        return {}
    return _close(Place(state, thread, bound))


def _told(state: State, closed: Mapping[str, CallRecord]) -> list[Any]:
    """Write a proposal that was left open into the history, before the new message."""
    earlier, newest = _split(state["messages"], state["turn"]["id"])
    locale = state["turn"].get("locale", "en")
    answered = [closed[record["id"]] for record in current(state)]
    told = exchange(state["proposal"], answered, locale)
    return [RemoveMessage(REMOVE_ALL_MESSAGES), *earlier, *told, *newest]


def _has_outcome(records: list[CallRecord]) -> bool:
    """Tell whether there is more to keep than feedback, which concerns only the model's next try."""
    return any(record["status"] != Status.REVISE for record in records)


def _close(place: Place) -> dict[str, CallRecord]:
    """Give every call of the turn an outcome that is true, and withdraw the questions that waited."""
    records = in_hand(place.state)
    started = [record for record in having(records, *RUNNABLE) if needs_claim(record, place.bound)]
    known = place.known(started)
    for record in having(records, Status.WAITING, *RECHECKED):
        requester = place.state["turn"]["requester"]
        withdraw(record, place, by=requester)
        # The state may be older than what was done: a run that was cut off has used the token already.
        if (found := place.known_by_token(record)) is not None:
            known[record["id"]] = found
    closed = {record["id"]: _end(record, place, known.get(record["id"])) for record in records}
    return merge_calls(closed, derive(closed, place.locale))


def _end(record: CallRecord, place: Place, known: Known | Running | None) -> CallRecord:
    """Close one call that the new message overtook; what the ledger knows of it counts."""
    status = Status(record["status"])
    if "seconds" in record and not record.get("inspected"):
        return judge(record, place)
    if known is not None:
        # Whoever is running it still can't put the outcome into this thread any more.
        outcome = known if isinstance(known, Known) else Known("unknown", {}, 0)
        return judge({**record, **recalled(record, outcome)}, place)
    if status in RUNNABLE and not needs_claim(record, place.bound):
        words = tell("interrupted_read", place.locale, tool=record["tool"])
        return {**record, "status": Status.FAILED, "feedback": words}
    if status in UNSETTLED - {Status.SHARED, Status.DELEGATED}:
        return {**record, "status": Status.SUPERSEDED, "feedback": tell("superseded", place.locale)}
    return record


def _split(messages: list[AnyMessage], turn_id: str) -> tuple[list[AnyMessage], list[AnyMessage]]:
    """Part the history after everything that belongs to the turn, before the messages that came since."""
    at = next((i for i, message in enumerate(messages) if message.id == turn_id), len(messages) - 1) + 1
    while at < len(messages) and not isinstance(messages[at], HumanMessage):
        at += 1
    return messages[:at], messages[at:]
