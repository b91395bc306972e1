"""Let the model propose: show it the chat and the newest feedback, and read what it says."""

from __future__ import annotations

import time
from typing import Any, Final, assert_never

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from reinforced_agent.graph.answers.attestation import attested, is_due, question_about, reporter
from reinforced_agent.graph.answers.checks import AskedAgain, Given, check_answer, last_word
from reinforced_agent.graph.answers.links import private_in, without_leaks
from reinforced_agent.graph.answers.model_failure import ended_by_filter, ended_without_reply
from reinforced_agent.graph.budget.budget import seconds_left, used_up_tools
from reinforced_agent.graph.clarification import what_it_asks
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import breakers_of, learn_pauses, still_served, withheld
from reinforced_agent.graph.execution.read_result import may_read
from reinforced_agent.graph.generation.guided import guidance_of, masking
from reinforced_agent.graph.generation.notices import notices_for
from reinforced_agent.graph.generation.proposal import read, record_of
from reinforced_agent.graph.generation.sampling import Heard, ahear, hear
from reinforced_agent.graph.prompt.messages import output_of, proposed_by
from reinforced_agent.graph.prompt.overflow import ShownMessages
from reinforced_agent.graph.prompt.provider_fields import bare, closed
from reinforced_agent.graph.prompt.summaries import awith_summary, with_summary
from reinforced_agent.graph.prompt.window import in_context, learn
from reinforced_agent.graph.queries.calls import exhausted_tools, may_revise
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.state import Proposal, Spoken, State, Turn, Update, plain
from reinforced_agent.graph.streaming import (
    StreamedReply,
    is_heard,
    message_id,
    reply_for,
    settled,
    withdraw_replaced,
)
from reinforced_agent.models.binding import bind_tools
from reinforced_agent.models.errors import is_mistake_of_host
from reinforced_agent.models.streaming import Hear, nostream
from reinforced_agent.models.waiting import aask_within, ask_within
from reinforced_agent.policies.egress import LinkGate
from reinforced_agent.policies.messages import for_model, for_operator
from reinforced_agent.policies.messages.endings import catalogue
from reinforced_agent.policies.parsing import Answer, Calls, Ending, Reading, Unusable
from reinforced_agent.policies.redaction import masked
from reinforced_agent.policies.verdicts import Problem


_logger = masking_logger(__name__)
_NO_ATTESTATION: Final = "The answer could not be attested; it is given as it is."


def propose(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Ask the model once, within what is left of the run."""
    before, state = state, with_summary(state, config, bound)
    started, reply = bound.stopwatch(), _opened(state, config, bound)
    try:
        shown, heard = _listen(state, config, bound, reply)
    except GraphBubbleUp:
        raise
    except Exception as error:
        if is_mistake_of_host(error):
            raise
        # Whatever a client raises, the run still ends with an answer.
        return _kept(before, state, _unheard(state, error, bound, bound.stopwatch() - started, reply))
    learn(shown, 0 if heard.tally else heard.input_tokens, bound)
    update = _take_in(state, heard, bound, bound.stopwatch() - started, reply)
    if is_due(state, update, bound):
        asked = question_about(update, shown)
        try:
            said = ask_within(seconds_left(update["turn"], bound.limits), reporter(bound), asked, nostream(config))
            update = attested(state, update, said, bound)
        except GraphBubbleUp:
            raise
        except Exception:
            _logger.exception(_NO_ATTESTATION)
    return _kept(before, state, settled(update, reply, config))


async def apropose(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Ask the model once, in an event loop, within what is left of the run."""
    before, state = state, await awith_summary(state, config, bound)
    await learn_pauses(bound)
    started, reply = bound.stopwatch(), _opened(state, config, bound)
    try:
        shown, heard = await _alisten(state, config, bound, reply)
    except GraphBubbleUp:
        raise
    except Exception as error:
        if is_mistake_of_host(error):
            raise
        # Whatever a client raises, the run still ends with an answer.
        return _kept(before, state, _unheard(state, error, bound, bound.stopwatch() - started, reply))
    learn(shown, 0 if heard.tally else heard.input_tokens, bound)
    update = _take_in(state, heard, bound, bound.stopwatch() - started, reply)
    if is_due(state, update, bound):
        asked, left = question_about(update, shown), seconds_left(update["turn"], bound.limits)
        try:
            said = await aask_within(left, reporter(bound), asked, nostream(config))
            update = attested(state, update, said, bound)
        except GraphBubbleUp:
            raise
        except Exception:
            _logger.exception(_NO_ATTESTATION)
    return _kept(before, state, settled(update, reply, config))


def _listen(
    state: State, config: RunnableConfig, bound: Bindings, reply: StreamedReply | None
) -> tuple[list[AnyMessage], Heard]:
    """Show the model the chat and hear it; once more with less, where it says that this was too long."""
    started, now, shown = bound.stopwatch(), state, ShownMessages(lambda: _shown(state, bound), bound)
    while True:
        speaker, told = _speaker(state, bound, reply), _told(config)
        try:
            return shown.messages, hear(speaker, shown.messages, told, now, bound, _hearing(reply))
        except Exception as error:
            if not shown.shorten(error):
                raise
        now = _later(state, bound.stopwatch() - started)


async def _alisten(
    state: State, config: RunnableConfig, bound: Bindings, reply: StreamedReply | None
) -> tuple[list[AnyMessage], Heard]:
    """Do the same in an event loop."""
    started, now, shown = bound.stopwatch(), state, ShownMessages(lambda: _shown(state, bound), bound)
    while True:
        speaker, told = _speaker(state, bound, reply), _told(config)
        try:
            return shown.messages, await ahear(speaker, shown.messages, told, now, bound, _hearing(reply))
        except Exception as error:
            if not shown.shorten(error):
                raise
        now = _later(state, bound.stopwatch() - started)


def _shown(state: State, bound: Bindings) -> list[AnyMessage]:
    """Return what the model is shown."""
    return in_context(state, notices_for(state, bound), bound)


def _later(state: State, seconds: float) -> State:
    """Return the state as it is after so much working time."""
    return {**state, "turn": {**state["turn"], "seconds": state["turn"].get("seconds", 0.0) + seconds}}


def _opened(state: State, config: RunnableConfig, bound: Bindings) -> StreamedReply | None:
    """Take back what was shown of the proposal before, and say how the next one is shown; `None` for not at all."""
    withdraw_replaced(state)
    reply = reply_for(state, config, bound)
    if reply is not None and (private := private_in(state, bound)) is not None:
        reply.gate = LinkGate(private)
    return reply


def _hearing(reply: StreamedReply | None) -> Hear | None:
    return None if reply is None else reply.hear


def _told(config: RunnableConfig) -> RunnableConfig:
    """Keep the message itself, which may be dropped, from those who listen: they get what stands, from here."""
    return nostream(config) if is_heard(config) else config


def _kept(before: State, state: State, update: Update) -> Update:
    """Keep a new summary of the conversation, so that it isn't made again."""
    summary = state.get("summary")
    return update if summary == before.get("summary") else {**update, "summary": summary}


def _speaker(state: State, bound: Bindings, reply: StreamedReply | None) -> Any:
    """Bind the tools that may be called now; one that failed too often is not offered."""
    failing = exhausted_tools(state, bound.toolset, bound.limits)
    failing -= still_served(failing, state, bound)
    failing |= used_up_tools(state, bound.toolset, bound.limits) | withheld(bound)
    reader = bound.sizes.policy.reader if may_read(state, bound) else None
    offered = [spec for name, spec in bound.toolset.items() if (spec.offered or name == reader) and name not in failing]
    model = bound.streaming if reply is not None and bound.streaming is not None else bound.model
    speaker = bind_tools(model, offered)
    return speaker.bind(masking=masking(bound.guide, offered, state)) if bound.guide and offered else speaker


def _unheard(state: State, error: Exception, bound: Bindings, seconds: float, reply: StreamedReply | None) -> Update:
    """End the turn when the model said nothing.

    An answer that was only sent back to be corrected is better than none.
    """
    turn = ended_without_reply(state["turn"], error, seconds, bound)
    if reply is not None:
        reply.drop()
    if (answer := last_word(state, bound)) is not None:
        told: Turn = {**state["turn"], "seconds": turn["seconds"], "spoken": turn["spoken"]}
        answer, told = without_leaks(answer, state, told, bound)
        return {"turn": told, "proposal": {**state["proposal"], "answer": answer, "content": answer}}
    return {"turn": turn, "proposal": {"closed": True}}


def _take_in(state: State, heard: Heard, bound: Bindings, seconds: float, reply: StreamedReply | None) -> Update:
    """Read the message and put its calls on record."""
    message = heard.message
    step = state["turn"]["step"] + 1
    turn: Turn = {**state["turn"], "step": step, "seconds": state["turn"].get("seconds", 0.0) + seconds}
    if met := breakers_of(state, bound):
        turn["breakers"] = met
    known = frozenset(told.id for told in state["messages"] if told.id)
    own_id = (reply.id if reply else "") or message_id(message.id, known)
    output = output_of(message.model_copy(update={"id": own_id}))
    started = time.perf_counter()
    reading = read(output, message, state, bound)
    turn["spoken"] = [*turn.get("spoken", ()), _spoken(step, reading, heard, seconds, time.perf_counter() - started)]
    proposal = proposed_by(message, reading, own_id)
    match reading:
        case Answer(text="", ending=Ending.FILTERED):
            reason = masked(output.finish_reason or "")
            return {"turn": ended_by_filter(turn, reason, bound), "proposal": closed(proposal)}
        case Answer():
            told = _words_of(reading, turn.get("locale", "en"))
            return _answered(state, turn, {**proposal, **what_it_asks(message)}, told, bound)
        case Calls(calls=calls, text=text):
            records = plain({call.id: record_of(call, step) for call in calls})
            content, turn = without_leaks(text, state, turn, bound)
            return {
                "turn": turn,
                "proposal": {**proposal, "order": list(records), "content": content},
                "calls": records,
            }
        case Unusable(problems=problems):
            return _unusable(state, turn, proposal, problems, bound)
        case _:
            assert_never(reading)


def _words_of(answer: Answer, locale: str) -> str:
    """Return an answer with a note where it did not end by itself, and a sentence where the model only declined."""
    texts = catalogue(locale)
    if answer.ending is Ending.REFUSED:
        return answer.text or texts["declined"]
    note = _NOTES.get(answer.ending)
    return f"{answer.text}\n{texts[note]}" if note else answer.text


_NOTES: Final = {Ending.CUT: "cut", Ending.FILTERED: "cut_filtered", Ending.STOPPED: "cut_stopped"}


def _answered(state: State, turn: Turn, proposal: Proposal, told: str, bound: Bindings) -> Update:
    """Give the answer, or ask the model to write it anew."""
    checked = check_answer(state, turn, told, bound)
    match checked:
        case Given(text=text):
            text, turn = without_leaks(text, state, turn, bound)
            return {"turn": turn, "proposal": {**proposal, "answer": text, "content": text}}
        case AskedAgain(feedback=feedback, turn=counted):
            return {"turn": counted, "proposal": {**proposal, "feedback": feedback, "withheld": told}}
        case _:
            assert_never(checked)


def _spoken(step: int, reading: Reading, heard: Heard, seconds: float, read_seconds: float) -> Spoken:
    """Put on record what a message was, and what it cost."""
    spoken: Spoken = {
        "step": step,
        "kind": _KINDS[type(reading)],
        "input_tokens": heard.input_tokens,
        "output_tokens": heard.output_tokens,
        "model_seconds": seconds,
        "read_seconds": read_seconds,
    }
    if heard.tally is not None:
        spoken["candidates"] = heard.tally
    if (guidance := guidance_of(heard.message)) is not None:
        spoken["guided"] = guidance
    if isinstance(reading, Answer) and reading.ending not in (Ending.NATURAL, Ending.CALLED, Ending.UNSAID):
        spoken["ending"] = reading.ending.value
    return {**spoken, "problem": reading.problems[0].kind.value} if isinstance(reading, Unusable) else spoken


_KINDS: dict[type, str] = {Answer: "answer", Calls: "call", Unusable: "unusable"}


def _unusable(state: State, turn: Turn, proposal: Proposal, problems: tuple[Problem, ...], bound: Bindings) -> Update:
    """Ask again for a message that held neither an answer nor a call, within its budget."""
    kind = problems[0].kind
    feedback = for_model(problems, tool="", locale=turn.get("locale", "en"))
    if not may_revise(state, kind, bound.limits):
        detail = masked(for_operator(problems, tool=""))
        return {"turn": {**turn, "outcome": "unusable", "detail": detail}, "proposal": closed(proposal)}
    asked = {**turn.get("retries", {}), kind.value: turn.get("retries", {}).get(kind.value, 0) + 1}
    return {"turn": {**turn, "retries": asked}, "proposal": {**bare(proposal), "feedback": feedback}}
