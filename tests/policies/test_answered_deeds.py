"""What an answer says was done is held against what was done: when, to what, and whether anybody knows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reinforced_agent.policies.answers import AnswerRules, Deed, Evidence, Uncertain, Undone, judge_answer
from reinforced_agent.tools.spec import Risk, ToolSpec


SHOP = (
    ("get_order", "Look up an order.", Risk.READ),
    ("cancel_order", "Cancel an order.", Risk.WRITE),
    ("refund_order", "Refund an order.", Risk.WRITE),
    ("book_flight", "Book a flight.", Risk.WRITE),
    ("book_hotel", "Book a hotel.", Risk.WRITE),
    ("transfer_money", "Transfer money.", Risk.WRITE),
    ("send_message", "Send a message to a person.", Risk.WRITE),
    ("invite_person", "Invite a person to an event.", Risk.WRITE),
    ("move_event", "Move an event in the calendar.", Risk.WRITE),
    ("create_ticket", "Create a ticket.", Risk.WRITE),
    ("run_workflow", "Run a workflow.", Risk.WRITE),
    ("set_status", "Set a status.", Risk.WRITE),
)
WRITES = tuple(
    ToolSpec(name=name, description=text, parameters={"type": "object"})
    for name, text, risk in SHOP
    if risk != Risk.READ
)


def deed(tool: str, outcome: Any = "done", *, earlier: bool = False, made_good: bool = False, **arguments: Any) -> Deed:
    """Describe one call."""
    result = '{"ok": true}' if outcome == "done" else ""
    return Deed(tool, arguments, result, outcome, earlier=earlier, made_good=made_good)


W11 = deed("cancel_order", order_id="#W11")
BEFORE = deed("cancel_order", earlier=True, order_id="#W11")
LOST = deed("cancel_order", "not_done", order_id="#W12")
UNKNOWN = deed("transfer_money", "unknown", to="Ann", amount=250)
ORDERS = json.dumps([{"id": "#W11", "status": "cancelled"}, {"id": "#W12", "status": "pending"}])


def objected(answer: str, request: str, *deeds: Deed, told: tuple[str, ...] = (), offer: str = "") -> list[str]:
    """Return why each claim of an answer is objected to."""
    evidence = Evidence(request=request, writes=WRITES, deeds=deeds, told=(request, *told), offer=offer)
    found = judge_answer(answer, evidence, AnswerRules())
    return [one.why if isinstance(one, Undone) else type(one).__name__ for one in found]


@pytest.mark.parametrize(
    ("request_", "answer", "why"),
    [
        pytest.param("Did you cancel it?", "Yes, I have cancelled your order.", [], id="asked-about"),
        pytest.param("Is #W11 cancelled?", "Yes, order #W11 has been cancelled.", [], id="state"),
        pytest.param("Thanks!", "You're welcome! I have cancelled order #W11 for you.", [], id="recap"),
        pytest.param("Book a flight too.", "I cancelled your order earlier; which flight?", [], id="said-earlier"),
        pytest.param("Please cancel #W11.", "Order #W11 has been cancelled.", [], id="done-for-good"),
        pytest.param("Cancel my other order, too.", "I have cancelled your order.", ["earlier"], id="asked-anew"),
        pytest.param("Cancel #W12.", "I have cancelled your order.", ["earlier"], id="asked-anew-by-id"),
        pytest.param("把另一个订单也取消。", "已为您取消订单。", ["earlier"], id="chinese-anew"),
        pytest.param("取消了吗？", "是的，已为您取消订单。", [], id="chinese-asked-about"),
    ],
)
def test_what_was_done_in_an_earlier_turn_counts_where_it_is_meant(request_: str, answer: str, why: list[str]) -> None:
    """A request for the same again needs a call of its own; a question about what was done does not."""
    assert objected(answer, request_, BEFORE) == why


def test_an_agreement_asks_for_what_was_offered() -> None:
    """Yes means what the assistant has asked about; no, or thanks, means nothing new."""
    offer = "I have cancelled #W11. Shall I cancel #W12 as well?"
    assert objected("I've cancelled your order.", "Yes, please", BEFORE, offer=offer) == ["earlier"]
    assert objected("Fine. I've cancelled your order.", "No, thanks", BEFORE, offer=offer) == []


@pytest.mark.parametrize(
    ("request_", "answer", "deeds", "why"),
    [
        pytest.param("Cancel #W12.", "I've cancelled order #W12.", (W11,), ["other"], id="swapped"),
        pytest.param("Cancel #W12.", "I've cancelled your order.", (W11,), ["other"], id="no-id-but-asked-for"),
        pytest.param("Cancel it.", "I've cancelled your order.", (W11,), [], id="no-id"),
        pytest.param("Cancel them.", "All of them have been cancelled.", (W11, LOST), ["part"], id="all"),
        pytest.param(
            "Cancel #W11 and #W12.", "#W11 and #W12 have been cancelled.", (W11, LOST), ["other"], id="one-of-two"
        ),
        pytest.param("Cancel #W11 and #W12.", "Both orders have been cancelled.", (W11, LOST), ["other"], id="both"),
        pytest.param(
            "Cancel #W11 and #W12.", "I cancelled #W11, but #W12 has shipped already.", (W11, LOST), [], id="qualified"
        ),
        pytest.param(
            "Send 250 to Ann.", "I sent €500 to Ann.", (deed("transfer_money", amount=250),), ["other"], id="sum"
        ),
        pytest.param(
            "Send 250 to Ann.", "I sent €250 to Ann.", (deed("transfer_money", amount=250),), [], id="right-sum"
        ),
        pytest.param(
            "Invite Ann and Bob.",
            "I've invited Ann and Bob.",
            (deed("invite_person", person="Ann"),),
            ["other"],
            id="name",
        ),
        pytest.param(
            "Invite Ann and Bob.",
            "I've invited Ann and Bob.",
            (deed("invite_person", person="Ann"), deed("invite_person", person="Bob")),
            [],
            id="both-names",
        ),
        pytest.param(
            "Book a flight and a hotel.",
            "I've booked your flight and your hotel.",
            (deed("book_flight", flight="LH454"),),
            ["never"],
            id="other-thing",
        ),
    ],
)
def test_a_claim_is_about_what_it_names(request_: str, answer: str, deeds: tuple[Deed, ...], why: list[str]) -> None:
    """Ids, sums and names of a claim have to be those of a call; without any, those of the request count."""
    assert objected(answer, request_, *deeds) == why


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Done!", id="done"),
        pytest.param("All set, see you on Friday!", id="all-set"),
        pytest.param("Your order was cancelled.", id="past"),
        pytest.param("Your order is now cancelled.", id="present"),
        pytest.param("Order cancelled.", id="bare"),
        pytest.param("I checked your order and cancelled it.", id="second-verb"),
        pytest.param("I was able to cancel your order.", id="able"),
        pytest.param("I've processed your cancellation.", id="noun"),
        pytest.param("Your cancellation is confirmed.", id="noun-of-others"),
        pytest.param("After checking, I have cancelled it.", id="after"),
        pytest.param("搞定了！", id="chinese-done"),
        pytest.param("我帮您取消了订单。", id="chinese-own"),
    ],
)
def test_a_claim_may_take_any_form(answer: str) -> None:
    """Without a call, each of them is objected to; with one, none is."""
    asked = "取消订单 #W11" if answer[0] > "z" else "Cancel #W11, please."
    assert objected(answer, asked) == ["never"]
    assert objected(answer, asked, W11) == []


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("I can cancel the order. Shall I?", id="offer"),
        pytest.param("Once it has been cancelled, the refund is issued.", id="once"),
        pytest.param("If everything went well, your order has been cancelled.", id="if"),
        pytest.param("Refunds are issued after the order is cancelled.", id="general"),
        pytest.param("It could not be cancelled.", id="denied"),
        pytest.param("Would you like me to cancel it?", id="question"),
        pytest.param("Draft:\n\nSubject: Order\nHi Tom,\nI have cancelled the order.", id="draft"),
        pytest.param("To cancel the order I need its number.", id="need"),
        pytest.param("I've made a list of your orders.", id="of-the-answer"),
        pytest.param("退款成功后，款项会在三天内到账。", id="chinese-after"),
        pytest.param("要我帮您取消吗？", id="chinese-offer"),
    ],
)
def test_what_is_no_claim_is_left_alone(answer: str) -> None:
    """Offers, conditions, questions, denials and drafts say nothing about what was done."""
    assert objected(answer, "Cancel #W11, please.") == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param("Order #W11 was already cancelled.", [], id="this-one"),
        pytest.param("Order #W12 has been cancelled.", ["never"], id="other-one"),
        pytest.param("I have cancelled order #W11.", ["never"], id="own"),
    ],
)
def test_what_was_read_may_be_told_of_what_it_is_about(answer: str, why: list[str]) -> None:
    """A result vouches for the order it names, and not for what the assistant claims of itself."""
    assert objected(answer, "Cancel them.", told=(ORDERS,)) == why


def test_what_is_wished_or_denied_is_no_fact() -> None:
    """Neither the user's wish nor an error that names the deed says that it was done."""
    denied = "The order can not be cancelled."
    assert objected("Your order has been cancelled.", "I want my order cancelled.", told=(denied,)) == ["never"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param("The transfer has been completed.", ["unknown"], id="claimed"),
        pytest.param("Your transfer failed; no money was moved.", ["unknown"], id="denied"),
        pytest.param("Thank you for your patience!", ["Uncertain"], id="silent"),
        pytest.param("It is not certain whether the money was sent.", [], id="told"),
        pytest.param("转账成功！", ["unknown"], id="chinese"),
    ],
)
def test_an_unknown_outcome_is_neither_success_nor_failure(answer: str, why: list[str]) -> None:
    """The user has to be told that nobody knows; what was looked up since is known."""
    assert objected(answer, "Send 250 euros to Ann.", UNKNOWN) == why


def test_a_doubt_that_was_cleared_need_not_be_told() -> None:
    """A later look at what came of it is enough."""
    cleared = deed("transfer_money", "unknown", made_good=True, amount=250)
    found = judge_answer("Your balance is 80.", Evidence(writes=WRITES, deeds=(cleared,)), AnswerRules())
    assert not [one for one in found if isinstance(one, Uncertain)]


def test_a_tool_of_any_name_may_have_done_it() -> None:
    """A tool whose verb nobody lists, or whose result says so, stands behind a claim."""
    handled = Deed("run_workflow", {"action": "cancel"}, "ok")
    changed = Deed("set_status", {"order": "#W11"}, '{"status": "cancelled"}')
    for one in (handled, changed):
        assert objected("I've cancelled your order.", "Cancel it.", one) == []


def test_a_verb_that_is_not_listed_is_known_from_the_tool() -> None:
    """Any tool's own verb may be claimed."""
    archive = ToolSpec(name="archive_project", description="Archive a project.", parameters={"type": "object"})
    evidence = Evidence(request="Archive project Apollo.", writes=(archive,))
    found = judge_answer("I've archived the project.", evidence, AnswerRules())
    assert [one.tool for one in found if isinstance(one, Undone)] == ["archive_project"]
