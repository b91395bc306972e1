"""What clients and people at a terminal see of a question to the user."""

from __future__ import annotations

import json
from io import StringIO
from typing import Annotated, Any

from langchain_core.messages import AIMessage, HumanMessage
from pydantic import Field
from rich.console import Console

from reinforced_agent import Context, tool
from reinforced_agent.models.local.prompt import QUESTION, read_conversation
from reinforced_agent.service.cli.console import TerminalWatcher
from reinforced_agent.service.cli.conversation import Conversation, decline
from reinforced_agent.service.http.replies import ended, reply_of
from tests.graph.house import House, call, calls


@tool(risk="read")
def get_order(order_id: Annotated[str, Field(json_schema_extra={"x-ground": "user"})]) -> str:
    """Look an order up.

    Args:
        order_id: Number of the order.
    """
    return f"{order_id} was shipped"


LINES: list[Any] = [
    calls(call("get_order", {"order_id": "A-1234"}, "c1")),
    "Which order?",
    calls(call("get_order", {"order_id": "A-1003"}, "c2")),
    "It was shipped.",
]


def test_a_client_reads_what_the_user_is_asked_for() -> None:
    """A reply and the last event say which field of which tool is missing, and nothing once it was given."""
    house = House(*LINES, tools=[get_order]).say("Has my order been shipped?")
    reply = reply_of("thread", house.agent.get_state(house.config), Context())
    assert (reply["outcome"], reply["answer"]) == ("asked", "Which order?")
    assert [(item["tool"], item["field"]) for item in reply["missing"]] == [("get_order", "order_id")]
    assert ended(reply)["missing"] == reply["missing"]
    house.say("A-1003")
    reply = reply_of("thread", house.agent.get_state(house.config), Context())
    assert (reply["outcome"], reply["missing"]) == ("answered", [])
    assert "missing" not in ended(reply)


def test_a_conversation_at_the_terminal_goes_on_after_a_question() -> None:
    """The question is shown as one, and the next line typed answers it."""
    shown = StringIO()
    watcher = TerminalWatcher(Console(file=shown, width=200))
    conversation = Conversation(House(*LINES, tools=[get_order]).agent, watcher=watcher, decide=decline)
    asked = conversation.ask("Has my order been shipped?")
    assert (asked.outcome, [item["field"] for item in asked.missing]) == ("asked", ["order_id"])
    assert json.loads(json.dumps(asked.as_json()))["missing"][0]["description"] == "Number of the order"
    assert "question" in shown.getvalue()
    told = conversation.ask("A-1003")
    assert (told.outcome, told.calls[0]["status"], told.missing) == ("answered", "done", ())


def test_the_embedded_model_takes_a_short_answer_with_its_request() -> None:
    """What was asked back about and the few words that answer it are one request; another request stands alone."""
    before = [HumanMessage("Has my order been shipped?"), AIMessage(f"{QUESTION}number of the order. Which?")]
    assert read_conversation([*before, HumanMessage("A-1003")]).request == "Has my order been shipped? A-1003"
    other = "What is 17 times 23?"
    assert read_conversation([*before, HumanMessage(other)]).request == other
