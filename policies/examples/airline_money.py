"""What things cost at the flight desk, what pays for them, and what is given back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from reinforced_agent.policies.examples.airline_records import (
    Data,
    kept_flights,
    mark_of,
    offers_of,
    reservation_of,
    trip_of,
    user_of,
)
from reinforced_agent.tools.call import JSON


_BAG: Final = 50
_INSURANCE: Final = 30
_FREE_BAGS: Final = MappingProxyType(
    {
        "regular": {"basic_economy": 0, "economy": 1, "business": 2},
        "silver": {"basic_economy": 1, "economy": 2, "business": 3},
        "gold": {"basic_economy": 2, "economy": 3, "business": 4},
    }
)
_ALSO_FREE: Final = MappingProxyType({("gold", "business"): 3})
"""Where an earlier edition of the desk's policy says otherwise; both are accepted."""


def _method(arguments: Data, facts: Data, payment: object) -> Data | None:
    """Find a payment method in the profile."""
    found: Data | None = (user_of(arguments, facts) or {}).get("payment_methods", {}).get(payment)
    return found


def price(arguments: Data, facts: Data) -> JSON:
    """Add up a booking; where no search tells the fares, take what the desk itself has asked for."""
    offers, cabin = offers_of(arguments, facts), arguments["cabin"]
    if offers is None or any(cabin not in offer.get("prices", {}) for offer in offers):
        told = re.search(r"total price is (\d+)", str(facts.get("booking_error", "")))
        return int(told[1]) if told else None
    one = sum(offer["prices"][cabin] for offer in offers) + _INSURANCE * (arguments["insurance"] == "yes")
    total: float = one * len(arguments["passengers"]) + _BAG * arguments["nonfree_baggages"]
    return total


def balances(arguments: Data, facts: Data) -> JSON:
    """Tell what each payment method holds; a credit card pays what it is asked to."""
    found: list[JSON] = []
    for payment in arguments["payment_methods"]:
        method = _method(arguments, facts, payment["payment_id"])
        if method is None:
            return None
        found.append(method.get("amount", payment["amount"]))
    return found


def payment_mix(arguments: Data, facts: Data) -> JSON:
    """Count certificates, credit cards and gift cards."""
    methods = [_method(arguments, facts, payment["payment_id"]) for payment in arguments["payment_methods"]]
    kinds = [method["source"] for method in methods if method]
    return [kinds.count("certificate"), kinds.count("credit_card"), kinds.count("gift_card")]


def spent_certificates(_arguments: Data, facts: Data) -> JSON:
    """List the certificates that have paid for a reservation."""
    paid = [paid for one in facts.get("reservations", {}).values() for paid in one.get("payment_history", ())]
    return [payment["payment_id"] for payment in paid if str(payment["payment_id"]).startswith("certificate")]


def payment_source(arguments: Data, facts: Data) -> JSON:
    """Tell the kind of the payment method of a change: `none` where nothing is paid, empty for one of somebody else."""
    reservation, name = reservation_of(arguments, facts), arguments["payment_id"]
    if reservation is None:
        return None
    if "flights" not in arguments and arguments["nonfree_baggages"] <= reservation["nonfree_baggages"]:
        return "none"
    if user_of(arguments, facts) is None:
        # The profile wasn't looked at, but what has paid for the reservation is the user's as well.
        paid = {payment["payment_id"] for payment in reservation.get("payment_history", ())}
        return str(name).rpartition("_")[0] if name in paid else None
    return str((_method(arguments, facts, name) or {}).get("source", ""))


def is_covered(arguments: Data, facts: Data) -> JSON:
    """Tell whether the payment method of a change holds enough, as far as price and balance are known."""
    method, costs = _method(arguments, facts, arguments["payment_id"]) or {}, _difference(arguments, facts)
    return costs is None or "amount" not in method or bool(costs <= method["amount"])


def _difference(arguments: Data, facts: Data) -> float | None:
    """Add up what a change costs."""
    reservation = reservation_of(arguments, facts)
    if reservation is None:
        return None
    if "flights" not in arguments:
        more: int = arguments["nonfree_baggages"] - reservation["nonfree_baggages"]
        return _BAG * max(0, more)
    offers = offers_of(arguments, facts)
    if offers is None:
        return None
    kept = kept_flights(arguments, facts)
    stays = sum(kept[mark_of(flight)]["price"] for flight in arguments["flights"] if mark_of(flight) in kept)
    bought = sum(offer.get("prices", {}).get(arguments["cabin"], 0) for offer in offers)
    before = sum(flight["price"] for flight in reservation["flights"])
    return float(stays + bought - before) * len(reservation["passengers"])


def _paid_bags(arguments: Data, facts: Data, levels: Iterable[str]) -> list[int]:
    """Count the bags beyond the allowance at the user's level, or at others as long as it isn't known."""
    user, trip = user_of(arguments, facts), trip_of(arguments, facts)
    if "cabin" not in trip:
        return []
    cabin = trip["cabin"]
    possible = [user["membership"]] if user else levels
    each = [_FREE_BAGS[level][cabin] for level in possible]
    each += [_ALSO_FREE[level, cabin] for level in possible if (level, cabin) in _ALSO_FREE]
    return [max(0, arguments["total_baggages"] - free * len(trip["passengers"])) for free in each]


def fewest_paid_bags(arguments: Data, facts: Data) -> JSON:
    """Count the bags that have to be paid for certain; those paid before stay paid."""
    return min(_paid_bags(arguments, facts, _FREE_BAGS), default=None)


def most_paid_bags(arguments: Data, facts: Data) -> JSON:
    """Count the bags that may have to be paid, with those paid before."""
    before = (reservation_of(arguments, facts) or {}).get("nonfree_baggages", 0)
    return max((max(bags, before) for bags in _paid_bags(arguments, facts, _FREE_BAGS)), default=None)


def compensations(arguments: Data, facts: Data) -> JSON:
    """List the amounts that the seen reservations of a user allow."""
    user = user_of(arguments, facts)
    if user is None:
        return None
    member = user["membership"] != "regular"
    own = [one for one in facts.get("reservations", {}).values() if one["user_id"] == arguments["user_id"]]
    entitled = [one for one in own if member or one["insurance"] == "yes" or one["cabin"] == "business"]
    return [rate * len(one["passengers"]) for one in entitled for rate in (50, 100)]
