"""What the model writes beside a call: another action or another amount is stopped, steps on the way are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.rules import Announces, RuleError, validate
from reinforced_agent.policies.situation import Sibling
from tests.policies.rule_bench import TOOLS, judged, message, objects


RULE = Announces(
    name="as announced",
    announced={"pay": ("pay", "transfer", "付款", "支付"), "add_to_cart": ("add", "加入")},
    amount="amount",
)


@pytest.mark.parametrize(
    "text",
    [
        "I will pay your order now.",
        "Sure. I'll pay it.",
        "Great, I’ll go ahead and transfer the money.",
        "I'm now paying your order.",
        "Let me add this to your cart.",
        "我将为您付款。",
        "好的，我现在就把这笔订单支付。",
    ],
)
def test_a_text_that_announces_another_action_is_held_against_the_call(text: str) -> None:
    """The model says that it acts, and looks something up."""
    verdict = judged(RULE, "search", {"query": "x"}, text=text)
    assert "another action" in message(verdict)
    assert "另" not in message(verdict)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I'll search for it.",
        "Before I pay, let me look up the order.",
        "First I'll look up the order, then I'll pay it.",
        "Once this is confirmed I will pay your order.",
        "I will not pay this order.",
        "I can't pay this, let me see what there is.",
        "Would you like me to pay? I'll pay only then.",
        "You asked me to pay your order.",
        "The payment was refused.",
        "我不会付款。",
        "我先查一下订单，然后我会付款。",
        "如果没问题，我会付款。",
        "您要付款吗？",
    ],
)
def test_steps_on_the_way_conditions_and_negations_announce_nothing(text: str) -> None:
    """Only a plain announcement counts."""
    assert not objects(judged(RULE, "search", {"query": "x"}, text=text))


def test_an_action_that_is_called_in_the_same_message_is_as_announced() -> None:
    """The announcement may be meant for the call beside."""
    beside = (Sibling("pay", {"amount": 5}, later=True),)
    assert not objects(judged(RULE, "search", {"query": "x"}, text="I will pay it now.", beside=beside))


@pytest.mark.parametrize(
    ("text", "amount", "stopped"),
    [
        pytest.param("I'll pay 50 now.", 500, True, id="other-amount"),
        pytest.param("I'll pay 50 now.", 50, False, id="same"),
        pytest.param("I'll pay $1,200.50 now.", 1200.5, False, id="written-out"),
        pytest.param("I will pay the order for 80 euros.", 90, True, id="currency"),
        pytest.param("I'll pay order 4711 now.", 90, False, id="a-number-that-is-no-amount"),
        pytest.param("I'll pay it now.", 90, False, id="no-amount"),
        pytest.param("我会支付50元。", 500, True, id="chinese"),
        pytest.param("我会支付500元。", 500, False, id="chinese-same"),
        pytest.param("It costs 80 euros. I'll pay it.", 90, False, id="another-sentence"),
    ],
)
def test_an_announced_amount_is_that_of_the_call(text: str, amount: float, *, stopped: bool) -> None:
    """Amounts are what follows the verb, and what has a currency."""
    assert objects(judged(RULE, "pay", {"amount": amount}, text=text)) is stopped


@given(st.text(max_size=400))
def test_no_text_breaks_the_rule(text: str) -> None:
    """Whatever the model writes, there is a verdict."""
    judged(RULE, "pay", {"amount": 5}, text=text)


def test_the_tools_of_announcements_exist() -> None:
    """A slip in the name of a tool, or a tool without verbs, stops the build."""
    with pytest.raises(RuleError, match=r"there is no tool 'pai'. Use one of `pay`(.|\n)*List the verbs"):
        validate([Announces(name="x", announced={"pai": ("pay",), "pay": ()})], TOOLS.values())
