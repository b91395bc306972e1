"""The retail rules of the examples, and both packs on recorded conversations."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.recorded.trajectories import replay_trajectories
from tests.examples.rule_packs import DATA, RETAIL, RETAIL_TOOLS, Told, objecting


ITEMS = [{"item_id": "i1", "product_id": "p1", "price": 20.0}, {"item_id": "i2", "product_id": "p2", "price": 5.0}]
PAID = [{"transaction_type": "payment", "amount": 25.0, "payment_method_id": "paypal_1"}]
ORDER = {"order_id": "#1", "user_id": "ann", "items": ITEMS, "payment_history": PAID}
VARIANTS = {
    "i1": {"item_id": "i1", "available": True, "price": 20.0},
    "i3": {"item_id": "i3", "available": True, "price": 31.0},
    "i4": {"item_id": "i4", "available": False, "price": 20.0},
}
METHODS = {
    "paypal_1": {"source": "paypal"},
    "gift_card_1": {"source": "gift_card", "balance": 10},
    "credit_card_1": {"source": "credit_card"},
}


def served(status: str, *, owner: str = "ann") -> Told:
    """Identify the user, and look up profile, order and product."""
    return [
        ("find_user_id_by_email", {"email": "a@b.example"}, "ann"),
        ("get_user_details", {"user_id": "ann"}, {"user_id": "ann", "payment_methods": METHODS}),
        ("get_order_details", {"order_id": "#1"}, ORDER | {"status": status, "user_id": owner}),
        ("get_product_details", {"product_id": "p1"}, {"product_id": "p1", "variants": VARIANTS}),
    ]


def change(new: str = "i3", old: str = "i1", paid: str = "paypal_1") -> dict[str, Any]:
    """Exchange one item."""
    return {"order_id": "#1", "item_ids": [old], "new_item_ids": [new], "payment_method_id": paid}


CANCEL = {"order_id": "#1", "reason": "no longer needed"}


@pytest.mark.parametrize(
    ("told", "tool", "arguments", "rules"),
    [
        pytest.param(served("pending"), "cancel_pending_order", CANCEL, [], id="cancel"),
        pytest.param(served("delivered"), "cancel_pending_order", CANCEL, ["pending order"], id="cancel-delivered"),
        pytest.param(
            served("pending")[1:], "cancel_pending_order", CANCEL, ["identity first", "own order"], id="unknown"
        ),
        pytest.param(served("pending", owner="bob"), "cancel_pending_order", CANCEL, ["own order"], id="foreign-order"),
        pytest.param(
            served("pending")[:2], "cancel_pending_order", CANCEL, ["own order", "pending order"], id="order-not-seen"
        ),
        pytest.param(served("delivered"), "exchange_delivered_order_items", change(), [], id="exchange"),
        pytest.param(
            served("delivered"),
            "exchange_delivered_order_items",
            change(new="i4"),
            ["new items in stock"],
            id="sold-out",
        ),
        pytest.param(
            served("delivered"), "exchange_delivered_order_items", change(new="i1"), ["another option"], id="same-item"
        ),
        pytest.param(
            served("delivered"),
            "exchange_delivered_order_items",
            change(old="i2"),
            ["same product"],
            id="other-product",
        ),
        pytest.param(
            served("delivered"),
            "exchange_delivered_order_items",
            change(old="i9"),
            ["items of the order", "same product"],
            id="foreign-item",
        ),
        pytest.param(
            served("delivered"),
            "exchange_delivered_order_items",
            change(paid="gift_card_1"),
            ["gift card covers it"],
            id="gift-card-empty",
        ),
        pytest.param(
            served("delivered"),
            "return_delivered_order_items",
            {"order_id": "#1", "item_ids": ["i1"], "payment_method_id": "credit_card_1"},
            ["refund goes back"],
            id="refund-elsewhere",
        ),
        pytest.param(
            served("pending"),
            "modify_pending_order_payment",
            {"order_id": "#1", "payment_method_id": "paypal_1"},
            ["another payment method"],
            id="same-method",
        ),
        pytest.param(
            served("pending"),
            "modify_user_address",
            {"user_id": "bob", "address1": "x"},
            ["own profile"],
            id="foreign-profile",
        ),
    ],
)
def test_an_order_changes_as_the_rules_allow(told: Told, tool: str, arguments: Any, rules: list[str]) -> None:
    """Who is served, what the order holds, its status and the stock decide."""
    assert objecting(RETAIL, RETAIL_TOOLS, told, tool, arguments) == rules


def test_a_call_that_failed_is_not_repeated_at_the_shop() -> None:
    """An error of the shop marks the call as failed, and the very same call is stopped."""
    told = [*served("pending"), ("cancel_pending_order", CANCEL, "Error: not now")]
    assert objecting(RETAIL, RETAIL_TOOLS, told, "cancel_pending_order", CANCEL) == ["failed before"]


@pytest.mark.skipif(not (DATA / "tau_recorded.jsonl.gz").is_file(), reason="the recorded conversations are not at hand")
def test_the_packs_stop_what_went_wrong_and_spare_what_was_right() -> None:
    """On recorded conversations: a third of the wrong writes, most failing ones, all repetitions, few right ones."""
    found = replay_trajectories(DATA)
    shares = {group: counts["flagged"] / counts["total"] for group, counts in found["airline"].items()}
    assert shares["wrong_writes"] >= 1 / 3
    assert shares["failing_writes"] >= 0.6
    assert shares["right_writes"] <= 0.05
    assert shares["repeated_failures"] == 1
    assert found["retail"]["right_writes"]["flagged"] <= 0.05 * found["retail"]["right_writes"]["total"]
