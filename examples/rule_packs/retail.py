"""What the rules of `retail.toml` compute: whose items and payment methods they are, and what a change costs.

`benchmarks.recorded.packs` reads `FUNCTIONS`, `WRITES` and `FACTS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from reinforced_agent.policies.rules.scene import Function
from reinforced_agent.tools.call import JSON


Data: TypeAlias = Mapping[str, Any]

WRITES: Final = frozenset(
    {
        "cancel_pending_order",
        "exchange_delivered_order_items",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "modify_user_address",
        "return_delivered_order_items",
    }
)
"""The tools that change something."""
FACTS: Final[Mapping[str, JSON]] = {}
"""What is known before anything was said."""


def _order(arguments: Data, facts: Data) -> Data | None:
    """Find the order that a call is about."""
    found: Data | None = facts.get("orders", {}).get(arguments.get("order_id"))
    return found


def _variants(facts: Data) -> dict[str, tuple[str, Data]]:
    """List the items of all products that were looked up: item → product and details."""
    products = facts.get("products", {})
    return {
        item: (name, details)
        for name, product in products.items()
        for item, details in product.get("variants", {}).items()
    }


def _profile_methods(arguments: Data, facts: Data) -> Data:
    order = _order(arguments, facts) or {}
    methods: Data = facts.get("users", {}).get(order.get("user_id"), {}).get("payment_methods", {})
    return methods


def foreign_items(arguments: Data, facts: Data) -> JSON:
    """Count the items that the order doesn't have."""
    order = _order(arguments, facts)
    if order is None:
        return None
    own = Counter(item["item_id"] for item in order["items"])
    return (Counter(arguments["item_ids"]) - own).total()


def old_products(arguments: Data, facts: Data) -> JSON:
    """Name the product of each item."""
    order = _order(arguments, facts)
    if order is None:
        return None
    own = {item["item_id"]: item["product_id"] for item in order["items"]}
    return [own.get(item) for item in arguments["item_ids"]]


def new_products(arguments: Data, facts: Data) -> JSON:
    """Name the product of each new item; not known before the product was looked up."""
    known = _variants(facts)
    found = [known[item][0] if item in known else None for item in arguments["new_item_ids"]]
    return None if None in found else list(found)


def in_stock(arguments: Data, facts: Data) -> JSON:
    """Tell for each new item that was looked up whether it is available."""
    known = _variants(facts)
    return [known[item][1].get("available") is True for item in arguments["new_item_ids"] if item in known]


def unchanged_items(arguments: Data, _facts: Data) -> JSON:
    """Count the new items that are the old ones."""
    pairs = zip(arguments["item_ids"], arguments["new_item_ids"], strict=False)
    return sum(bool(old == new) for old, new in pairs)


def paid_with(arguments: Data, facts: Data) -> JSON:
    """List the payment methods that an order was paid with, the last one first."""
    order = _order(arguments, facts)
    if order is None:
        return None
    payments = [paid for paid in order["payment_history"] if paid["transaction_type"] == "payment"]
    return [paid["payment_method_id"] for paid in payments[-1:]]


def payment_methods(arguments: Data, facts: Data) -> JSON:
    """List the payment methods of the user, and of the order."""
    paid = paid_with(arguments, facts)
    return [*paid, *_profile_methods(arguments, facts)] if isinstance(paid, list) else None


def refund_methods(arguments: Data, facts: Data) -> JSON:
    """List where a refund may go."""
    paid = paid_with(arguments, facts)
    cards = [name for name, one in _profile_methods(arguments, facts).items() if one["source"] == "gift_card"]
    return [*paid, *cards] if isinstance(paid, list) else None


def _to_pay(arguments: Data, facts: Data) -> float | None:
    """Add up what is to be paid: the difference of the items, or the whole order."""
    order, known = _order(arguments, facts), _variants(facts)
    if order is None:
        return None
    if "new_item_ids" not in arguments:
        return float(sum(item["price"] for item in order["items"]))
    if any(item not in known for item in arguments["new_item_ids"]):
        return None
    prices = {item["item_id"]: item["price"] for item in order["items"]}
    old = sum(prices.get(item, 0) for item in arguments["item_ids"])
    return float(round(sum(known[item][1]["price"] for item in arguments["new_item_ids"]) - old, 2))


def is_covered(arguments: Data, facts: Data) -> JSON:
    """Tell whether a gift card holds what is to be paid; the other methods pay whatever it costs."""
    costs, name = _to_pay(arguments, facts), arguments["payment_method_id"]
    if not name.startswith("gift_card") or (costs is not None and costs <= 0):
        return True
    held = _profile_methods(arguments, facts).get(name, {}).get("balance")
    return None if held is None or costs is None else bool(costs <= held)


FUNCTIONS: Final[Mapping[str, Function]] = {
    function.__name__: function
    for function in (
        foreign_items,
        in_stock,
        is_covered,
        new_products,
        old_products,
        paid_with,
        payment_methods,
        refund_methods,
        unchanged_items,
    )
}
"""What the rule file calls `computed`."""
