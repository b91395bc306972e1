"""Show the text of a reply to those who listen to a run while it comes, and take back what was no answer.

Who listens to `stream_mode="messages"` gets pieces of text under the id that the message will be stored by. That mode
knows no way to take a piece back, so text is shown there only when it can't be part of a call any more
(`policies.parsing.streamed`); where a reply is dropped after all, an event of the mode `custom` says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.runnables import RunnableConfig
from langchain_core.tracers._streaming import _V2StreamingCallbackHandler
from langgraph.config import get_config, get_stream_writer
from langgraph.graph.message import push_message
from langgraph.pregel._messages import StreamMessagesHandler

from reinforced_agent.graph.budget.budget import run_of
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.state import Proposal, State, Update
from reinforced_agent.models.streaming import handlers_of
from reinforced_agent.policies.egress import LinkGate
from reinforced_agent.policies.parsing import Ending
from reinforced_agent.policies.parsing.native import CUT_OFF
from reinforced_agent.policies.parsing.streamed import StreamedText
from reinforced_agent.tools.call import canonical_json


WITHDRAWN: Final = "withdrawn"
"""Type of the event that takes the text of a message back; it names the message as `id`."""


def is_heard(config: RunnableConfig) -> bool:
    """Tell whether somebody listens to the pieces of messages; the newer protocol of events gets whole ones."""
    return any(
        isinstance(one, StreamMessagesHandler) and not isinstance(one, _V2StreamingCallbackHandler)
        for one in handlers_of(config)
    )


@dataclass(slots=True)
class StreamedReply:
    """One reply, as far as it was shown."""

    text: StreamedText
    taken: frozenset[str]
    """Ids of messages that the thread has already."""
    id: str = ""
    """The id under which it is shown; empty until something is."""
    gate: LinkGate | None = None
    """What holds links back that may carry a private value."""
    shown: str = field(default="", init=False)

    def hear(self, piece: AIMessageChunk) -> None:
        """Show what of a piece can be shown."""
        decided = self.text.add(piece.text)
        if said := self.gate.add(decided) if self.gate else decided:
            self.id = self.id or message_id(piece.id, self.taken)
            self.shown += said
            _show(AIMessageChunk(content=said, id=self.id))

    def finish(self, whole: str) -> bool:
        """Show the rest of a reply that stands; returns `False` where it says something else than what was shown."""
        if not self.shown:
            return True
        if not whole.startswith(self.shown):
            return False
        if rest := whole[len(self.shown) :]:
            self.shown = whole
            _show(AIMessageChunk(content=rest, id=self.id))
        return True

    def drop(self) -> None:
        """Take back what was shown."""
        if self.shown:
            withdraw(self.id)
            self.shown = self.id = ""


def reply_for(state: State, config: RunnableConfig, bound: Bindings) -> StreamedReply | None:
    """Return what shows the next reply while it comes; `None` where nobody listens, or it must be known whole first."""
    whole_first = bound.sampling is not None or bound.answers.attest or _was_left_open(state)
    if bound.streaming is None or whole_first or not is_heard(config):
        return None
    return StreamedReply(StreamedText(bound.rules.names), frozenset(one.id for one in state["messages"] if one.id))


def _was_left_open(state: State) -> bool:
    """Return whether a stream of this turn broke off in a call, or gave no reason: the next is asked for whole."""
    problems = (one for record in state.get("calls", {}).values() for one in record.get("problems", ()))
    return any(problem["code"] in (CUT_OFF[Ending.UNSAID], CUT_OFF[Ending.STOPPED]) for problem in problems)


def message_id(told: str | None, taken: frozenset[str]) -> str:
    """Return the id of a message: its own, unless the thread has one like it.

    A model that numbers its messages anew in every answer must not overwrite earlier ones.
    """
    return told if told and told not in taken else f"message-{uuid4().hex}"


def withdraw(message: str) -> None:
    """Say that the text of a message is taken back."""
    get_stream_writer()({"type": WITHDRAWN, "id": message})


def withdraw_replaced(state: State) -> None:
    """Take back the text of a proposal in whose place the model is asked for another."""
    proposal: Proposal = state.get("proposal") or {}
    if proposal.get("streamed") and not proposal.get("closed", True):
        withdraw(proposal["id"])


def settled(update: Update, reply: StreamedReply | None, config: RunnableConfig) -> Update:
    """Put down how much of a proposal was shown; one that doesn't stand, or says something else, is taken back."""
    if reply is None or not reply.shown:
        return update
    proposal = update["proposal"]
    answer = proposal.get("answer")
    whole = AIMessage(proposal.get("content", "")).text if answer is None else answer
    if (answer is not None or proposal.get("order")) and reply.finish(whole):
        shown: Proposal = {**proposal, "streamed": len(reply.shown), "streamed_in": run_of(config)}
        return {**update, "proposal": shown}
    reply.drop()
    return {**update, "proposal": {**proposal, "id": message_id(None, reply.taken)}}


def complete(messages: Iterable[object], proposal: Proposal) -> None:
    """Show what a stored message has beyond the pieces that were shown: its calls, and what stands below an answer.

    Who listens to a later run, which goes on after a question, gets the message whole.
    """
    if not (streamed := proposal.get("streamed", 0)) or proposal["streamed_in"] != run_of(get_config()):
        return
    for message in messages:
        if isinstance(message, AIMessage) and message.id == proposal["id"]:
            _show_rest(message, streamed)


def _show_rest(message: AIMessage, streamed: int) -> None:
    """Show the end of a message, and its calls."""
    if (rest := message.text[streamed:]) or message.tool_calls:
        calls: list[Any] = [
            tool_call_chunk(name=call["name"], args=canonical_json(call["args"]), id=call["id"], index=index)
            for index, call in enumerate(message.tool_calls)
        ]
        _show(AIMessageChunk(content=rest, id=message.id, tool_call_chunks=calls))


def _show(piece: AIMessageChunk) -> None:
    """Hand a piece to those who listen."""
    push_message(piece, state_key=None)
