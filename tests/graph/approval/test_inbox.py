"""Inboxes made for LangChain's `HITLRequest` show our question and can answer it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from langchain.agents.middleware.human_in_the_loop import ActionRequest, HITLRequest, ReviewConfig
from langchain_core.load import dumpd
from langgraph.types import Command
from pydantic import TypeAdapter

from reinforced_agent import ToolSpec, tool
from reinforced_agent.policies.grounding import MARKED_ONLY
from tests.graph.house import House, call, calls


NOTES = calls(
    call("send_note", {"to": "bob", "text": "hi"}, "c1"), call("send_note", {"to": "ann", "text": "hi"}, "c2")
)


def shown_by_agent_chat_ui(interrupt: Any) -> bool:
    """Decide as Agent Chat UI does whether an interrupt gets its approval view (`lib/agent-inbox-interrupt.ts`).

    Source: https://github.com/langchain-ai/agent-chat-ui, in our own words: both lists are there and not empty; each
    request has a text `name` and an object `args`; each configuration a text `action_name` and a list
    `allowed_decisions`.
    """
    value = interrupt.get("value")
    if not isinstance(value, Mapping):
        return False
    requests, configs = value.get("action_requests"), value.get("review_configs")
    if not isinstance(requests, list) or not isinstance(configs, list) or not requests or not configs:
        return False
    return all(isinstance(item.get("name"), str) and isinstance(item.get("args"), dict) for item in requests) and all(
        isinstance(item.get("action_name"), str) and isinstance(item.get("allowed_decisions"), list) for item in configs
    )


def on_the_wire(house: House) -> Any:
    """Return the interrupt as a server sends it: as JSON."""
    return json.loads(json.dumps({"id": house.question.id, "value": house.question.value}))


def test_an_agent_chat_ui_shows_the_question() -> None:
    """Its own check of the payload accepts ours."""
    assert shown_by_agent_chat_ui(on_the_wire(House(NOTES).say()))


def test_the_question_is_a_request_as_langchain_defines_it() -> None:
    """Every field LangChain's type asks for is there with the right type, one configuration a request, in order."""
    value = on_the_wire(House(NOTES).say())["value"]
    TypeAdapter(HITLRequest).validate_python(value)
    TypeAdapter(list[ActionRequest]).validate_python(value["action_requests"])
    TypeAdapter(list[ReviewConfig]).validate_python(value["review_configs"])
    assert [item["action_name"] for item in value["review_configs"]] == [r["name"] for r in value["action_requests"]]
    assert len(value["calls"]) == len(value["action_requests"]) == 2


@pytest.mark.parametrize(
    ("decision", "effects"),
    [
        pytest.param({"type": "approve"}, [("bob", "hi")], id="approve"),
        pytest.param(
            {"type": "edit", "edited_action": {"name": "send_note", "args": {"to": "ann", "text": "hi"}}},
            [("ann", "hi")],
            id="edit",
        ),
        pytest.param({"type": "reject", "message": "no"}, [], id="reject"),
        pytest.param({"type": "respond", "message": "done by hand"}, [], id="respond"),
    ],
)
def test_an_inbox_that_knows_no_tokens_answers_by_position(decision: Any, effects: list[Any]) -> None:
    """Where positions are switched on, a single question takes the plain decisions of existing inboxes."""
    one = calls(call("send_note", {"to": "bob", "text": "hi"}, "c1"))
    house = House(one, "Well.", positional_answers=True).say().resume({"decisions": [decision]})
    assert (house.effects, house.answer) == (effects, "Well.")


def test_an_inbox_decides_about_several_calls_in_their_order() -> None:
    """Each decision counts for the call at its position."""
    house = House(NOTES, "Done.", positional_answers=True).say()
    house.resume({"decisions": [{"type": "reject", "message": "no"}, {"type": "approve"}]})
    assert house.effects == [("ann", "hi")]
    assert [house.status("c1"), house.status("c2")] == ["rejected", "done"]


@pytest.mark.parametrize(
    ("decisions", "why"),
    [
        pytest.param([{"type": "approve"}], "calls that wait is 2, that of the decisions 1: none counts", id="too few"),
        pytest.param(
            [{"type": "approve"}] * 3, "calls that wait is 2, that of the decisions 3: none counts", id="too many"
        ),
        pytest.param([{"type": "approve"}, {"type": "respond"}], "Decision 2 can't be used", id="not whole"),
    ],
)
def test_decisions_by_position_that_do_not_fit_run_nothing(decisions: list[Any], why: str) -> None:
    """The question comes back with the reason, and can still be answered."""
    house = House(NOTES, "Done.", positional_answers=True).say().resume({"decisions": decisions})
    assert house.effects == []
    assert why in house.question.value["problem"]
    house.resume({"decisions": [{"type": "approve"}, {"type": "approve"}]})
    assert sorted(house.effects) == [("ann", "hi"), ("bob", "hi")]


def test_an_answer_by_position_that_is_sent_twice_meets_no_other_question() -> None:
    """It names the question by its id, and the next question has another one."""
    more = calls(
        call("send_note", {"to": "eve", "text": "1"}, "c3"), call("send_note", {"to": "kim", "text": "2"}, "c4")
    )
    house = House(NOTES, more, "Done.", positional_answers=True).say()
    answer = {house.question.id: {"decisions": [{"type": "approve"}, {"type": "approve"}]}}
    for _ in range(2):
        house.result = house.agent.invoke(Command(resume=answer), house.config)
    assert sorted(house.effects) == [("ann", "hi"), ("bob", "hi")]
    assert [held["call_id"] for held in house.question.value["calls"]] == ["c3", "c4"]


def test_the_question_says_what_will_happen_and_until_when() -> None:
    """A person reads the effect in words, the reason, who may decide and the time that is left."""

    @tool(risk="destructive", effect="Pays {amount:.2f} euros to {to}")
    def pay(to: str, amount: float) -> str:
        """Pay."""
        return "paid"

    house = House(calls(call("pay", {"to": "Ann", "amount": 12.5}, "c1")), tools=[pay]).say("Pay Ann 12.50 euros.")
    value = on_the_wire(house)["value"]
    held = value["calls"][0]
    assert held["effect"] == 'Pays 12.50 euros to "Ann"'
    assert value["action_requests"][0]["description"].startswith('Pays 12.50 euros to "Ann"\n')
    assert (held["risk"], held["reason"]) == ("destructive", "`pay` can't be undone.")
    assert held["expires_at"].endswith("+00:00")
    assert value["review_configs"][0]["args_schema"]["properties"].keys() == {"to", "amount"}


def test_the_payload_is_plain_data() -> None:
    """Nothing in the question needs a class of ours to be read."""
    value = House(NOTES).say().question.value
    assert dumpd(value) == value


def description(arguments: dict[str, Any], source: Any = None, **declared: Any) -> list[str]:
    """Return what an inbox shows of a call, line by line."""

    def send(body: str, subject: str, to: str, cc: list[str] | None = None, where: str = "", at: Any = None) -> str:
        """Send."""
        return f"{body} {subject} {to} {cc} {where} {at}"

    tools = [tool(source or send, **declared)]
    house = House(calls(call("send", arguments, "c1")), tools=tools, grounding=MARKED_ONLY).say()
    return str(house.question.value["action_requests"][0]["description"]).split("\n")


SENT: dict[str, Any] = {"body": "b" * 5_000, "subject": "Hi", "to": "ann", "where": "there"}
BODY = f'  body: "{"b" * 400}" … (5000 characters)'


@pytest.mark.parametrize(
    ("declared", "lines"),
    [
        pytest.param({}, ['  to: "ann"', '  subject: "Hi"', '  where: "there"', BODY], id="by-name"),
        pytest.param(
            {"destinations": ("where",)}, ['  where: "there"', '  subject: "Hi"', '  to: "ann"', BODY], id="declared"
        ),
        pytest.param(
            {"destinations": ()}, ['  subject: "Hi"', '  to: "ann"', '  where: "there"', BODY], id="none-declared"
        ),
        pytest.param(
            {"destinations": ("body",)}, [BODY, '  subject: "Hi"', '  to: "ann"', '  where: "there"'], id="a-long-one"
        ),
    ],
)
def test_no_argument_hides_another_one(declared: dict[str, Any], lines: list[str]) -> None:
    """Effect and reason come first, then where it goes, then the rest as in the schema, long ones last and each cut."""
    assert description(SENT, **declared) == ["Send.", "`send` changes data.", "send", *lines]


def test_what_nobody_sees_is_spelled_out_in_all_that_an_inbox_shows() -> None:
    """Names of fields from a schema of others, values inside of values, and the effect."""
    hidden = "p\u0430ypal\u202e\x1b[2J"
    raw = ToolSpec(
        name="send",
        description=f"Send {hidden}.",
        parameters={"type": "object", "properties": {"to\u200b: x\n  amount": {}}},
        run=lambda _: "sent",
    )
    lines = description({"to\u200b: x\n  amount": {"deep": [hidden]}}, raw)
    assert lines == [
        "Send p<U+0430>ypal<U+202E><U+001B>[2J.",
        "`send` changes data.",
        "send",
        r'  "to<U+200B>: x\n  amount": {"deep": ["p<U+0430>ypal<U+202E><U+001B>[2J"]}',
    ]
