"""Answers are held against what was brought and done; what follows from it in any simple way is no objection."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.answers import (
    AnswerRules,
    AnswerRulesError,
    Deed,
    Disclaimer,
    Evidence,
    Forbidden,
    Unconfirmed,
    Undone,
    judge_answer,
)
from reinforced_agent.policies.sanity import Doubt
from reinforced_agent.policies.wording.answers import CHINESE, ENGLISH, corrected, object_to
from reinforced_agent.tools.spec import ToolSpec


def write(name: str, description: str = "") -> ToolSpec:
    """Describe a tool that changes something."""
    return ToolSpec(name=name, description=description, parameters={"type": "object"})


WRITES = (
    write("send_email", "Send an e-mail to a person."),
    write("cancel_order", "Cancel an order."),
    write("delete_record", "Delete a record."),
    write("book_flight", "Book a flight."),
)
TRAIN = Evidence(
    request="When does the next train to Bern leave?",
    given=("When does the next train to Bern leave? We are 3, with 2 bags.",),
    results=(
        '{"train": "IC-8816", "leaves": "2026-05-04T17:20:00", "minutes": 56, "price": 29.5, "temp_c": 17.46}',
        '{"seats": [{"class": "first", "free": 118}, {"class": "second", "free": 301}]}',
    ),
    used=frozenset({"next_train"}),
    writes=WRITES,
)


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        pytest.param("It leaves at 17:45.", ("17:45",), id="time"),
        pytest.param("It leaves at 17:20.", (), id="given-time"),
        pytest.param("It leaves at 5:20 pm.", (), id="other-clock"),
        pytest.param("It arrives at 18:16.", (), id="time-and-span"),
        pytest.param("Take IC-9917.", ("IC-9917",), id="id"),
        pytest.param("Take the IC8816.", (), id="id-in-another-spelling"),
        pytest.param("It costs 34.75 francs.", ("34.75",), id="amount"),
        pytest.param("It costs 29.50 francs.", (), id="written-out"),
        pytest.param("Together that is 88.50.", (), id="three-times"),
        pytest.param("It is about 17.5 degrees.", (), id="rounded"),
        pytest.param("It is 63.4 °F.", (), id="unit"),
        pytest.param("419 seats are free.", (), id="sum"),
        pytest.param("183 more in second class.", (), id="difference"),
        pytest.param("About 300 seats are free in second class.", (), id="round-number"),
        pytest.param("70813 seats are free.", ("70813",), id="number"),
        pytest.param("1. Go to platform 7.\n2. Change once in 2026.", (), id="small-numbers-and-years"),
        pytest.param("Second class is 72 % of it.", (), id="share"),
        pytest.param("See https://a.test/98765432 and `x = 4711`.", (), id="code-and-addresses"),
        pytest.param("下一班火车 17:45 出发。", ("17:45",), id="chinese"),
        pytest.param("下一班火车 17:20 出发，票价 29.5 法郎。", (), id="chinese-given"),
    ],
)
def test_values_that_nobody_gave_are_named(answer: str, values: tuple[str, ...]) -> None:
    """Ids, times and numbers come from somewhere, or follow."""
    found = [one for one in judge_answer(answer, TRAIN, AnswerRules()) if isinstance(one, Unconfirmed)]
    assert tuple(value for one in found for value in one.values) == values


def test_a_large_number_of_a_long_conversation_was_given() -> None:
    """However many smaller numbers there are, a large value of a result may be worked with."""
    result = json.dumps([{"id": 10_007 * number} for number in range(1, 6000)] + [{"stock": 912_345_678.25}])
    evidence = Evidence(request="How much stock, and twice that?", results=(result,), used=frozenset({"count_stock"}))
    assert not judge_answer("The stock is 912,345,678.25; twice that is 1,824,691,356.50.", evidence, AnswerRules())


PRICES = json.dumps([{"item": f"item {at}", "price": round(3.19 + 17.37 * at, 2)} for at in range(100)])


@pytest.mark.parametrize(
    ("answer", "invented"),
    [
        pytest.param("It comes to 1,211.40 in all.", True, id="invented"),
        pytest.param("Item 2 costs 37.93.", False, id="given"),
        pytest.param("Item 2 costs 37.93, two of them 75.86.", False, id="twice"),
        pytest.param("Item 2 is 37.93 and item 3 is 55.30, together 93.23.", False, id="sum"),
        pytest.param("Item 2 costs 37.93, which is 34.74 more than the cheapest one.", False, id="difference"),
        pytest.param("There are 100 items.", False, id="count"),
    ],
)
def test_many_numbers_do_not_explain_any_other(answer: str, *, invented: bool) -> None:
    """Two of a hundred prices make almost any amount; computed is with what was said or stands in the answer."""
    evidence = Evidence(request="What do they cost?", results=(PRICES,), used=frozenset({"list_items"}))
    assert bool(judge_answer(answer, evidence, AnswerRules())) is invented


def test_an_answer_without_results_may_hold_any_number() -> None:
    """What the model knows by itself is not held against anything."""
    assert judge_answer("About 2,102,650 people live there.", Evidence(writes=WRITES), AnswerRules()) == ()


@pytest.mark.parametrize(
    ("answer", "tool"),
    [
        pytest.param("I have sent the e-mail to Bob.", "send_email", id="sent"),
        pytest.param("I've just cancelled your order.", "cancel_order", id="cancelled"),
        pytest.param("Record 9 has been deleted.", "delete_record", id="passive"),
        pytest.param("Done! Your order was successfully canceled.", "cancel_order", id="successfully"),
        pytest.param("Your flight has now been booked.", "book_flight", id="booked"),
        pytest.param("订单已取消。", "cancel_order", id="chinese"),
        pytest.param("我已经为您发送了邮件。", "send_email", id="chinese-first-person"),
        pytest.param("记录删除成功。", "delete_record", id="chinese-success"),
        pytest.param("I have not sent the e-mail.", None, id="denied"),
        pytest.param("Once I have cancelled your order, you get a letter.", None, id="later"),
        pytest.param("Shall I say that your order has been cancelled?", None, id="question"),
        pytest.param("I will cancel the order.", None, id="future"),
        pytest.param("I can't confirm that the record has been deleted.", None, id="doubted"),
        pytest.param("I sent my regards to the chef, so to speak.", None, id="about-something-else"),
        pytest.param("I have checked your order.", None, id="no-change"),
        pytest.param("订单尚未取消。", None, id="chinese-denied"),
        pytest.param("是否已取消订单？", None, id="chinese-question"),
        pytest.param("如果订单已取消，请告诉我。", None, id="chinese-if"),
    ],
)
def test_what_was_not_done_is_not_claimed(answer: str, tool: str | None) -> None:
    """Only a plain claim about what a tool of the agent does is objected to."""
    found = [
        one.tool for one in judge_answer(answer, Evidence(writes=WRITES), AnswerRules()) if isinstance(one, Undone)
    ]
    assert found == ([tool] if tool else [])


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(Evidence(writes=WRITES, deeds=(Deed("cancel_order"),)), id="done"),
        pytest.param(Evidence(writes=WRITES, told=('{"order": 9, "status": "cancelled"}',)), id="read"),
        pytest.param(Evidence(), id="no-such-tool"),
    ],
)
def test_what_was_done_or_read_may_be_told(evidence: Evidence) -> None:
    """A claim with something behind it is none to object to."""
    assert judge_answer("Your order has been cancelled.", evidence, AnswerRules()) == ()


def test_an_unknown_outcome_is_no_success() -> None:
    """The words say that nobody knows."""
    evidence = Evidence(writes=WRITES, deeds=(Deed("send_email", outcome="unknown"),))
    found = judge_answer("I have sent the e-mail.", evidence, AnswerRules())
    assert "nobody knows" in object_to(found, "en")
    assert "has to be looked up" in corrected("I have sent the e-mail.", found, "en")


@pytest.mark.parametrize(
    ("rules", "answer", "result"),
    [
        pytest.param(
            AnswerRules(disclaimers=(Disclaimer(text="No advice."),)), "Buy.", "Buy.\n\nNo advice.", id="always"
        ),
        pytest.param(
            AnswerRules(disclaimers=(Disclaimer(text="No advice."),)), "Buy. no advice.", "Buy. no advice.", id="said"
        ),
        pytest.param(
            AnswerRules(disclaimers=(Disclaimer(text="No advice.", tools=("quote",)),)), "Buy.", "Buy.", id="other-tool"
        ),
        pytest.param(
            AnswerRules(disclaimers=(Disclaimer(text="No advice.", topics=("bern",)),)),
            "Hi.",
            "Hi.\n\nNo advice.",
            id="topic",
        ),
        pytest.param(
            AnswerRules(forbidden=(Forbidden(pattern=r"acme \w+", message="No names."),)),
            "Ask Acme Bank.",
            "Ask […].",
            id="replaced",
        ),
        pytest.param(
            AnswerRules(forbidden=(Forbidden(pattern="acme", message="No.", otherwise="refuse"),)),
            "Ask Acme.",
            ENGLISH["refused"],
            id="refused",
        ),
        pytest.param(AnswerRules(most_characters=4), "Go on.", f"Go o\n{ENGLISH['cut']}", id="cut"),
    ],
)
def test_the_house_has_the_last_word(rules: AnswerRules, answer: str, result: str) -> None:
    """What the model does not do itself is done for it."""
    assert corrected(answer, judge_answer(answer, TRAIN, rules), "en") == result


@pytest.mark.parametrize(
    ("doubt", "answer", "left_out"),
    [
        pytest.param(
            Doubt("part_of", {"shown": "20", "total": "200"}, mention=True), "They are A and B.", True, id="part"
        ),
        pytest.param(
            Doubt("part_of", {"shown": "20", "total": "200"}, mention=True), "The first are A, B.", False, id="first"
        ),
        pytest.param(Doubt("stale", {"at": "x", "age": "3 h"}, mention=True), "It is 4.", True, id="old"),
        pytest.param(Doubt("stale", {"at": "x", "age": "3 h"}, mention=True), "As of noon it is 4.", False, id="as-of"),
        pytest.param(Doubt("warned", {"problem": "preview prices"}, mention=True), "It is 4.", True, id="warning"),
    ],
)
def test_warnings_reach_the_user(doubt: Doubt, answer: str, left_out: bool) -> None:  # noqa: FBT001  # a column
    """What the answer leaves out about a result is added to it."""
    evidence = Evidence(used=frozenset({"look"}), doubts=(("look", doubt),))
    found = judge_answer(answer, evidence, AnswerRules())
    assert bool(found) == left_out
    assert ("`look`" in corrected(answer, found, "en")) == left_out


@given(st.text(), st.lists(st.text(), max_size=3))
def test_any_answer_is_judged(answer: str, results: list[str]) -> None:
    """Whatever the model writes, the check gives a verdict, and the answer keeps its text."""
    evidence = Evidence(results=tuple(results), used=frozenset({"look"}), writes=WRITES)
    found = judge_answer(answer, evidence, AnswerRules())
    assert corrected(answer, found, "zh").startswith(answer)


def test_rules_that_can_not_be_kept_are_refused() -> None:
    """A mistake is named when the rules are written."""
    with pytest.raises(AnswerRulesError, match="no regular expression"):
        AnswerRules(forbidden=(Forbidden(pattern="(", message="x"),))
    with pytest.raises(AnswerRulesError, match="above zero"):
        AnswerRules(most_characters=0)


def test_both_languages_have_the_same_texts() -> None:
    """Nothing is said in one language only."""
    assert ENGLISH.keys() == CHINESE.keys()
