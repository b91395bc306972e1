"""An approval can't be spent twice, by whatever way the thread is brought back to where it was."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.graph.approval.test_approvals import APPROVE, BOB, edit, waiting
from tests.graph.house import House, assert_valid


def fork_at_the_question(house: House) -> Any:
    """Return the configuration of the checkpoint at which the question waited."""
    history = house.agent.get_state_history(house.config)
    return next(snapshot.config for snapshot in history if snapshot.next == ("approve",))


@pytest.mark.parametrize(
    ("first", "second", "effects"),
    [
        pytest.param(APPROVE, APPROVE, [("bob", "hi")], id="approved-twice"),
        pytest.param(APPROVE, {"type": "reject"}, [("bob", "hi")], id="approved-then-rejected"),
        pytest.param(APPROVE, edit("eve"), [("bob", "hi")], id="approved-then-edited"),
        pytest.param({"type": "reject"}, APPROVE, [], id="rejected-then-approved"),
        pytest.param({"type": "respond", "message": "By hand."}, APPROVE, [], id="answered-then-approved"),
        pytest.param(edit("eve"), APPROVE, [("eve", "hi")], id="edited-then-approved"),
        pytest.param(edit("eve"), edit("mia"), [("eve", "hi")], id="edited-twice"),
    ],
)
def test_an_old_checkpoint_can_not_spend_an_approval_again(
    first: dict[str, Any], second: dict[str, Any], effects: list[tuple[str, str]]
) -> None:
    """Going back in time to the question and answering it again with its token has no further effect."""
    house = waiting()
    question = house.question
    token = question.value["calls"][0]["token"]
    house.decide(first, context=BOB)
    past = fork_at_the_question(house)
    answer = {"decisions": [{**second, "token": token}]}
    house.agent.invoke(Command(resume={question.id: answer}), past, context=BOB)
    assert house.effects == effects


def test_a_replay_from_before_the_execution_takes_the_stored_result() -> None:
    """A checkpoint that is run again tells what was done, and does nothing."""
    house = waiting().decide(APPROVE)
    history = house.agent.get_state_history(house.config)
    past = next(snapshot.config for snapshot in history if snapshot.next == ("execute",))
    again = house.agent.invoke(None, past)
    assert house.effects == [("bob", "hi")]
    assert again["calls"]["c1"]["result"] == "sent to bob"
    assert again["calls"]["c1"]["attempts"] == 0


def test_a_message_that_is_sent_to_an_old_checkpoint_is_a_turn_of_its_own() -> None:
    """A fork with a new message asks for its own approval."""
    house = waiting().decide(APPROVE)
    first = list(house.agent.get_state_history(house.config))[-1]
    house.model = house.model
    forked = house.agent.invoke({"messages": [("user", "again")]}, first.config)
    assert house.effects == [("bob", "hi")]
    assert forked["messages"][-1].text == "Done."


def test_a_token_is_void_once_the_user_has_written_again() -> None:
    """A new message withdraws the question; its token is good for nothing, in the past either."""
    house = waiting()
    question = house.question
    token = question.value["calls"][0]["token"]
    house.say("Forget it.")
    assert_valid(house.history)
    past = fork_at_the_question(house)
    house.agent.invoke(Command(resume={question.id: {"decisions": [{**APPROVE, "token": token}]}}), past, context=BOB)
    assert house.effects == []


class LosesOne(InMemorySaver):
    """A store that fails once, after the effect."""

    fails = 0

    def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        """Forget what the executed call brought, as long as the failure is to come."""
        if not (self.fails and any(channel == "calls" for channel, _ in writes)):
            super().put_writes(config, writes, task_id, task_path)

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Fail when the outcome of the call is to be stored."""
        if self.fails and checkpoint["channel_values"]["calls"]["c1"]["status"] == "done":
            self.fails -= 1
            msg = "the disk is full"
            raise OSError(msg)
        return super().put(config, checkpoint, metadata, new_versions)


def test_an_approved_call_whose_outcome_was_lost_on_the_way_is_not_run_again() -> None:
    """Approved and executed, but not stored: going on takes the outcome from the ledger."""
    house = waiting(checkpointer=LosesOne())
    # Under strict reading the graph works with a copy of the store.
    store: Any = house.agent.checkpointer
    answer = {"decisions": [{**APPROVE, "token": house.question.value["calls"][0]["token"]}]}
    agent, config = house.agent, house.config
    agent.invoke(Command(resume={house.question.id: answer}), config, context=BOB, interrupt_before=["execute"])
    store.fails = 1
    with pytest.raises(OSError, match="disk is full"):
        agent.invoke(None, config, durability="sync")
    house.result = agent.invoke(None, config)
    assert house.effects == [("bob", "hi")]
    assert house.told("c1") == "sent to bob"
    assert_valid(house.history)


@pytest.mark.parametrize(
    ("at", "edited"),
    [
        pytest.param(0, HumanMessage("Tell Bob hello."), id="of-the-user"),
        pytest.param(1, AIMessage("I do it.", tool_calls=[tool_call(name="send_note", args={}, id="c1")]), id="call"),
        pytest.param(2, ToolMessage("sent, twice", tool_call_id="c1"), id="of-a-tool"),
        pytest.param(3, AIMessage("It is sent."), id="answer"),
    ],
)
def test_a_message_that_is_edited_by_its_id_takes_its_place(at: int, edited: AnyMessage) -> None:
    """Studio edits a message that way: the chat keeps its length and order, and the model sees the new text."""
    house = waiting().decide(APPROVE, context=BOB)
    before = house.history
    house.agent.update_state(house.config, {"messages": [edited.model_copy(update={"id": before[at].id})]})
    assert [message.id for message in house.history] == [message.id for message in before]
    assert house.history[at].text == edited.text
    assert edited.text in [message.text for message in house.say("And?").model.seen[-1]]
    assert_valid(house.history)
