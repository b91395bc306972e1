"""Values that follow from what was said: computed ones pass, invented ones don't, however many numbers were said."""

from __future__ import annotations

import json
import random

import pytest

from reinforced_agent.policies.grounding import agrees, said_by_user
from reinforced_agent.policies.grounding.matching import Finding, find
from reinforced_agent.policies.grounding.said import Said


LINES = json.dumps(
    {
        "lines": [
            {"name": "pen", "unit_price": 2.4, "quantity": 10},
            {"name": "pad", "unit_price": 6.9, "quantity": 4},
        ],
        "shipping": 4.9,
    }
)
BILLS = json.dumps([{"bill_id": "B-17", "amount": 120.5}, {"bill_id": "B-18", "amount": 79.9}, {"amount": 45}])


@pytest.mark.parametrize(
    ("text", "result", "right", "wrong"),
    [
        pytest.param("charge 80 minus the 20 % discount", "", 64, 66, id="discount"),
        pytest.param("three shirts at 25 each, 10% off the total", "", 67.5, 65.5, id="discount-on-a-product"),
        pytest.param("a third off the 240", "", 160, 170, id="discount-in-words"),
        pytest.param("这件399元，打八折", "", 319.2, 319, id="discount-in-chinese"),
        pytest.param("buy it, please", '{"price": 250, "discount_percent": 30}', 175, 170, id="discount-of-a-result"),
        pytest.param("buy two with 5 % off", '{"price": 74.5, "stock": 9}', 141.55, 145.15, id="several-at-a-discount"),
        pytest.param("bill them 349.50 with 8.25% sales tax", "", 378.33, 378.13, id="tax-to-the-cent"),
        pytest.param("the gross is 119 with 19% tax inside, refund the net", "", 100, 105, id="tax-taken-out"),
        pytest.param("pay 2,000 with the 2.9% + 0.30 card fee", "", 2058.3, 2085.3, id="percent-and-a-fee"),
        pytest.param("send 250 euros in dollars", '{"rate": 1.0873}', 271.83, 273.83, id="exchange"),
        pytest.param("pay 89 pounds in euros", '{"EURGBP": 0.8561}', 103.96, 106.93, id="exchange-the-other-way"),
        pytest.param("3.2 kg at 4.99 per kg", "", 15.97, 16.97, id="rate-to-the-cent"),
        pytest.param("we were four, the bill is 143, ask each for a share", "", 35.75, 36.75, id="split"),
        pytest.param("split 2450 evenly among me, Ann and Tom", "", 816.67, 861.67, id="split-by-names"),
        pytest.param("split 88.20 equally with Mia and Jon", "", 29.4, 24.9, id="split-with-others"),
        pytest.param("96.40 plus 18% tip, split three ways", "", 37.92, 39.72, id="split-with-a-tip"),
        pytest.param("房租4800四个人平分", "", 1200, 1250, id="split-in-chinese"),
        pytest.param("send her twelve fifty", "", 12.5, 15.2, id="words-short"),
        pytest.param("send her twelve fifty", "", 1250, 1205, id="words-short-in-hundreds"),
        pytest.param("forty-two dollars and fifty cents", "", 42.5, 45.2, id="words-with-cents"),
        pytest.param("pay a grand and a half", "", 1500, 1050, id="words-and-a-half"),
        pytest.param("pay him a ten and a five", "", 15, 25, id="words-side-by-side"),
        pytest.param("付3元，再付25元", "", 25, 35, id="chinese-comma-before-a-number"),
        pytest.param("anything between 30 and 50 is fine", "", 45, 60, id="range"),
        pytest.param("offer them 1000-1200", "", 1100, 1300, id="range-with-a-dash"),
        pytest.param("200到300之间都行", "", 250, 350, id="range-in-chinese"),
        pytest.param("the fee is 240 a year, pay it monthly", "", 20, 24, id="months-of-a-year"),
        pytest.param("a car for two weeks at 39 a day", "", 546, 564, id="days-of-weeks"),
        pytest.param("每月1500，付半年", "", 9000, 9500, id="half-a-year"),
        pytest.param("750 g at 16 per kg", "", 12, 14, id="grams-of-a-kilogram"),
        pytest.param("300 g flour for 4, I cook for 6", "", 450, 400, id="proportion"),
        pytest.param("pay all my bills", BILLS, 245.4, 254.4, id="total-of-a-list"),
        pytest.param("order it all", LINES, 51.6, 56.1, id="total-of-an-order"),
        pytest.param("order it all", LINES, 56.5, 65.5, id="total-of-an-order-with-shipping"),
        pytest.param("2 tickets at 18 and 3 at 9.5", "", 64.5, 65.4, id="total-of-products"),
        pytest.param("for 3 people", '{"price": 212, "bag_fee": 35}', 741, 714, id="several-of-a-sum"),
        pytest.param("118 and 3.50 tax a night, 4 nights", "", 486, 468, id="sum-several-times"),
        pytest.param("refund the difference", '{"old_price": 458, "new_price": 391.5}', 66.5, 65.6, id="difference"),
        pytest.param("top my card up to 100", '{"balance": 37.25}', 62.75, 67.25, id="difference-to-a-result"),
        pytest.param("pay two thirds of 1500", "", 1000, 1100, id="fraction"),
        pytest.param("ask Leo for 1/3 of the 471", "", 157, 175, id="fraction-in-digits"),
        pytest.param("先付1600的四分之三", "", 1200, 1300, id="fraction-in-chinese"),
    ],
)
def test_what_follows_passes_and_its_neighbour_does_not(text: str, result: str, right: float, wrong: float) -> None:
    """A value that was rightly computed passes; one with a slip in it is made up."""
    said = Said((f"Please do it: {text}",), (result,) if result else ())
    assert find(right, said) in {Finding.SAID, Finding.DERIVED}
    assert find(wrong, said) is Finding.UNSAID


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        pytest.param("check in on 2026-12-05 for 3 nights", "2026-12-08", "2026-12-09", id="nights"),
        pytest.param("from December 30, 2026 for four nights", "2027-01-03", "2027-01-04", id="over-the-year"),
        pytest.param("2026年12月5日入住，住两晚", "2026-12-07", "2026-12-10", id="nights-in-chinese"),
        pytest.param("remind me 3 days before 2026-12-24", "2026-12-21", "2026-12-20", id="before"),
        pytest.param("two weeks after 2026-11-10", "2026-11-24", "2026-11-25", id="weeks"),
        pytest.param("from 2026-01-31 for one month", "2026-02-28", "2026-03-31", id="a-shorter-month"),
        pytest.param("from 1 May 2026 for one year", "2027-04-30", "2027-06-01", id="last-day-of-a-year"),
        pytest.param("合同2026年9月1日开始，为期半年", "2027-03-01", "2027-04-01", id="half-a-year"),
    ],
)
def test_a_day_follows_from_a_day_and_a_period(text: str, right: str, wrong: str) -> None:
    """Whoever says when something begins and how long it takes has said when it ends."""
    assert find(right, Said((text,))) is Finding.DERIVED
    assert find(wrong, Said((text,))) is Finding.UNSAID


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("refund order 10234 of 3 March 2026", id="order-and-date"),
        pytest.param("I paid A-5521 with the card ending 4417", id="codes"),
        pytest.param("call me at 555-0142 after 9:40, we are 2 on seats 14A and 14C", id="phone-time-seats"),
    ],
)
@pytest.mark.parametrize("invented", [28, 117, 150, 612, 5087, 49.99])
def test_nothing_is_computed_from_codes_and_dates(text: str, invented: float) -> None:
    """Ids, telephone numbers, days and times are no numbers that somebody adds up."""
    assert find(invented, Said((text,))) is Finding.UNSAID


@pytest.mark.parametrize("count", [5, 20, 100])
def test_many_numbers_prove_few_amounts(count: int) -> None:
    """However many numbers stand in a conversation, few invented amounts pass for computed."""
    chance = random.Random(count)  # noqa: S311 - no secret
    passed = tried = 0
    for _ in range(8):
        rows = [{"item": "thing", "price": chance.randint(5, 300)} for _ in range(count)]
        said = Said(("please pay for two of these",), (json.dumps(rows),))
        findings = [find(chance.randint(10, 500), said) for _ in range(40)]
        passed += findings.count(Finding.DERIVED)
        tried += len(findings) - findings.count(Finding.SAID)
    assert passed <= 0.2 * tried


@pytest.mark.parametrize(
    ("reply", "agreed"),
    [
        pytest.param("y", True, id="letter"),
        pytest.param("k", True, id="short-ok"),
        pytest.param("👍", True, id="thumb"),
        pytest.param("👍🏽", True, id="thumb-with-a-colour"),
        pytest.param("hmm ok", True, id="hesitating"),
        pytest.param("let's do that", True, id="lets-do-that"),
        pytest.param("works for me, thanks", True, id="works"),
        pytest.param("whatever you suggest", True, id="left-to-the-assistant"),
        pytest.param("I guess you're right. Yes, please proceed", True, id="in-a-later-sentence"),
        pytest.param("the middle one", True, id="pick"),
        pytest.param("就这么办", True, id="chinese-so-be-it"),
        pytest.param("没毛病，付吧", True, id="chinese-nothing-wrong"),
        pytest.param("继续", True, id="chinese-go-on"),
        pytest.param("安排", True, id="chinese-arrange"),
        pytest.param("👎", False, id="thumb-down"),
        pytest.param("nope", False, id="nope"),
        pytest.param("not ok", False, id="not-ok"),
        pytest.param("kindly wait", False, id="word-that-begins-alike"),
        pytest.param("what? yes or no, tell me what it costs", False, id="yes-or-no"),
        pytest.param("算了", False, id="chinese-forget-it"),
        pytest.param("成都", False, id="chinese-word-that-begins-alike"),
    ],
)
def test_agreement_is_heard_in_few_words(reply: str, *, agreed: bool) -> None:
    """A letter, a picture or a phrase agrees; what only looks alike doesn't."""
    assert agrees(reply) is agreed


@pytest.mark.parametrize(
    ("proposed", "reply", "counts"),
    [
        pytest.param("There is standard for 75 or express for 95.", "express", True, id="one-of-two"),
        pytest.param("标准75元，还是加急95元？", "加急", True, id="one-of-two-in-chinese"),
        pytest.param("Express costs 95. Which street is it?", "express street", False, id="nothing-offered"),
        pytest.param("There is standard for 75 or express for 95.", "express?", False, id="question"),
        pytest.param("There is standard for 75 or express for 95.", "not express", False, id="objection"),
        pytest.param("There is standard for 75 or express for 95.", "overnight", False, id="something-else"),
    ],
)
def test_naming_one_of_what_was_offered_agrees(proposed: str, reply: str, *, counts: bool) -> None:
    """Whoever answers an offer with words of it has taken it up."""
    turns = [("user", "Send it"), ("assistant", proposed), ("user", reply)]
    assert (proposed in said_by_user(turns)) is counts
