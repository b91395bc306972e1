"""Values that nobody gave, through the whole graph: the model asks for them, and persons may fill them in."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import Field

from reinforced_agent import Alternative, GroundingPolicy, tool
from tests.graph.house import House, call, calls


Email = Annotated[str, Field(json_schema_extra={"x-ground": "user"})]


@tool(risk="read")
def find_user(name: str) -> str:
    """Find a user."""
    return f"{name} has the address ann@corp.example"


@tool(risk="write")
def subscribe(company: str, email: Email) -> str:
    """Subscribe somebody."""
    return f"{email} reads the news of {company}"


def proposal(email: str, call_id: str = "c1") -> Any:
    """Let the model subscribe an address."""
    return calls(call("subscribe", {"company": "ACME", "email": email}, call_id))


def test_the_model_is_told_to_ask_for_what_it_made_up() -> None:
    """A made-up address never runs; the model reads which field is missing, and the user is asked."""
    house = House(proposal("user@example.com"), "Which address?", tools=[subscribe]).say("Subscribe me to ACME")
    record = house.result["calls"]["c1"]
    assert (record["status"], record["kind"]) == ("revise", "ungrounded_value")
    assert "`email`" in record["feedback"]
    assert "example.com" not in record["feedback"]
    assert house.result["messages"][-1].text == "Which address?"


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(["Subscribe me to ACME, I am ANN@corp.example"], id="now"),
        pytest.param(["I am ann@corp.example", "Subscribe me to ACME"], id="before"),
    ],
)
def test_what_the_user_said_in_any_turn_counts(said: list[str]) -> None:
    """A value of an earlier message is asked about like any write, not objected to."""
    lines = [*["Hello."] * (len(said) - 1), proposal("ann@corp.example")]
    house = House(*lines, tools=[subscribe])
    for text in said:
        house.say(text)
    assert "__interrupt__" in house.result


def test_a_tool_can_not_name_what_only_the_user_may() -> None:
    """An address that was looked up doesn't do for a field marked `user`."""
    look = calls(call("find_user", {"name": "Ann"}, "c0"))
    house = House(look, proposal("ann@corp.example"), "Which?", tools=[subscribe, find_user]).say("Subscribe Ann")
    assert house.result["calls"]["c1"]["kind"] == "ungrounded_value"


def test_what_a_person_writes_into_a_call_counts() -> None:
    """An edit is never sent back as made up."""
    house = House(proposal("ann@corp.example"), "Done.", tools=[subscribe]).say("Subscribe ann@corp.example to ACME")
    edited = {"name": "subscribe", "args": {"company": "ACME", "email": "bob@corp.example"}}
    house.decide({"type": "edit", "edited_action": edited})
    assert house.result["calls"]["c1"]["result"].endswith("bob@corp.example reads the news of ACME")


def test_what_the_host_puts_into_a_stand_in_counts() -> None:
    """A fallback whose mapping adds a value isn't sent back to a model that never wrote it."""

    @tool(risk="read", fallbacks=[Alternative("ask_desk", lambda _: {"desk_email": "desk@corp.example"})])
    def ask_office(question: str) -> str:
        """Ask the office."""
        raise ValueError(question)

    @tool(risk="read")
    def ask_desk(desk_email: str) -> str:
        """Ask the desk."""
        return f"{desk_email} is asked"

    asked = calls(call("ask_office", {"question": "open?"}, "c1"))
    house = House(asked, "Done.", tools=[ask_office, ask_desk]).say("Is it open?")
    assert "desk@corp.example is asked" in str(house.result["calls"])


def test_a_picture_may_hold_what_nobody_said() -> None:
    """Where the user sent more than text, nothing is called made up."""
    picture = {"type": "image", "url": "https://pictures.example/card.png"}
    message = HumanMessage([{"type": "text", "text": "Subscribe me to ACME"}, picture])
    house = House(proposal("ann@corp.example"), tools=[subscribe])
    assert "__interrupt__" in house.agent.invoke({"messages": [message]}, house.config)


def test_who_approves_a_write_is_warned_of_a_value_that_nobody_named() -> None:
    """The call waits like any write; the question and the record say which value is in doubt."""

    @tool(risk="write")
    def pay(iban: str, amount: float) -> str:
        """Pay somebody."""
        return f"{amount} paid to {iban}"

    proposed = calls(call("pay", {"iban": "DE89370400440532013000", "amount": 50}, "c1"))
    house = House(proposed, "Paid.", tools=[pay]).say("Pay the gardener 50 euros")
    [held] = house.question.value["calls"]
    assert [(one["code"], one["field"]) for one in held["warnings"]] == [("unnamed_value", "iban")]
    assert held["warnings"][0]["message"] in house.question.value["action_requests"][0]["description"]
    house.decide({"type": "approve"})
    assert (house.status("c1"), house.result["calls"]["c1"]["warnings"]) == ("done", held["warnings"])


def test_the_host_may_switch_it_off() -> None:
    """Without the layer the call waits for a person like any other write."""
    policy = GroundingPolicy(without=("subscribe",))
    house = House(proposal("user@example.com"), tools=[subscribe], grounding=policy).say("Subscribe me to ACME")
    assert "__interrupt__" in house.result
