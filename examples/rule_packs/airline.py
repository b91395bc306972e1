"""What the rules of `airline.toml` compute: routes, seats, what may still be changed, prices and payments.

`benchmarks.recorded.packs` reads `FUNCTIONS`, `WRITES` and `FACTS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from reinforced_agent.policies.rules.scene import Function
from reinforced_agent.tools.call import JSON


Data: TypeAlias = Mapping[str, Any]

WRITES: Final = frozenset(
    {
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
    }
)
"""The tools that change something."""
FACTS: Final[Mapping[str, JSON]] = {"now": "2024-05-15T15:00:00"}
"""What is known before anything was said: the day that the recorded conversations play."""

_UNAVAILABLE: Final = "not available"
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
"""Where an earlier edition of the airline's policy says otherwise; both are accepted."""


# What a call is about.


def reservation_of(arguments: Data, facts: Data) -> Data | None:
    """Find the reservation that a call is about."""
    found: Data | None = facts.get("reservations", {}).get(arguments.get("reservation_id"))
    return found


def user_of(arguments: Data, facts: Data) -> Data | None:
    """Find the user that a call is about, directly or through the reservation."""
    name = arguments.get("user_id") or (reservation_of(arguments, facts) or {}).get("user_id")
    found: Data | None = facts.get("users", {}).get(name)
    return found


def mark_of(flight: Data) -> str:
    """Name a flight on its date, as the facts do."""
    return f"{flight['flight_number']} {flight['date']}"


def kept_flights(arguments: Data, facts: Data) -> dict[str, Data]:
    """Find the flights that a reservation has already, in the cabin that is asked for."""
    reservation = reservation_of(arguments, facts) or {}
    same = reservation.get("cabin") == arguments.get("cabin")
    return {mark_of(flight): flight for flight in reservation.get("flights", ()) if same}


def booked_flights(facts: Data) -> dict[str, Data]:
    """Find the flights of all reservations that were looked at."""
    reservations = facts.get("reservations", {}).values()
    return {mark_of(flight): flight for one in reservations for flight in one["flights"]}


def offers_of(arguments: Data, facts: Data) -> list[Data] | None:
    """Find the searched flights that would be bought."""
    kept, known = kept_flights(arguments, facts), facts.get("flights", {})
    offers = [known.get(mark_of(flight)) for flight in arguments["flights"] if mark_of(flight) not in kept]
    return None if None in offers else offers


def seen_offers(arguments: Data, facts: Data) -> list[Data]:
    """Find those of the flights to be bought that were searched; `flights seen` sees to the others."""
    kept, known = kept_flights(arguments, facts), facts.get("flights", {})
    marks = [mark_of(flight) for flight in arguments["flights"]]
    return [known[mark] for mark in marks if mark in known and mark not in kept]


def trip_of(arguments: Data, facts: Data) -> Data:
    """Take the trip from the booking, or from the reservation."""
    return reservation_of(arguments, facts) or arguments


# Flights.


def new_flights(arguments: Data, facts: Data) -> JSON:
    """Name the flights that no reservation of the conversation has, in whatever cabin."""
    booked = booked_flights(facts)
    return [mark_of(flight) for flight in arguments["flights"] if mark_of(flight) not in booked]


def states_on_sale(arguments: Data, facts: Data) -> JSON:
    """Tell the state of each flight to be bought."""
    return [offer.get("status", _UNAVAILABLE) for offer in seen_offers(arguments, facts)]


def seats_left(arguments: Data, facts: Data) -> JSON:
    """Count the seats left in the flights to be bought; those that are kept have theirs."""
    offers, cabin = seen_offers(arguments, facts), arguments["cabin"]
    return [offer.get("available_seats", {}).get(cabin, 0) for offer in offers]


def passengers(arguments: Data, facts: Data) -> JSON:
    """Count the passengers of the reservation, or of the booking."""
    reservation = reservation_of(arguments, facts)
    if "reservation_id" in arguments:
        return len(reservation["passengers"]) if reservation else None
    return len(arguments["passengers"])


def _legs(arguments: Data, facts: Data) -> list[tuple[str, str]] | None:
    """Find the airports of each flight."""
    known = {**booked_flights(facts), **facts.get("flights", {})}
    flights = [known.get(mark_of(flight)) for flight in arguments["flights"]]
    return None if None in flights else [(flight["origin"], flight["destination"]) for flight in flights if flight]


def route(arguments: Data, facts: Data) -> JSON:
    """Tell where the flights start and end, and whether each starts where the one before has ended."""
    legs = _legs(arguments, facts)
    if not legs:
        return None
    breaks = [at for at in range(1, len(legs)) if legs[at][0] != legs[at - 1][1]]
    return [legs[0][0], _turn(arguments, facts, legs), legs[-1][1], len(breaks)]


def _turn(arguments: Data, facts: Data, legs: Iterable[tuple[str, str]]) -> str:
    """Return the destination, if the flights get there."""
    wanted = str(trip_of(arguments, facts).get("destination"))
    return wanted if wanted in {end for _, end in legs} else ""


def expected_route(arguments: Data, facts: Data) -> JSON:
    """Tell where the flights have to start, turn and end."""
    trip = trip_of(arguments, facts)
    back = trip.get("flight_type") == "round_trip"
    return [trip.get("origin"), trip.get("destination"), trip.get("origin" if back else "destination"), 0]


def flights_change(arguments: Data, facts: Data) -> JSON:
    """Tell whether other flights than now are asked for."""
    reservation = reservation_of(arguments, facts)
    if reservation is None:
        return None
    return {mark_of(flight) for flight in reservation["flights"]} != {
        mark_of(flight) for flight in arguments["flights"]
    }


def reservation_state(arguments: Data, facts: Data) -> JSON:
    """Tell whether a reservation is cancelled."""
    reservation = reservation_of(arguments, facts)
    return None if reservation is None else reservation.get("status") or "open"


def departed(arguments: Data, facts: Data) -> JSON:
    """Tell whether the call would touch a flight that has left; one that is kept as it is, is not touched."""
    reservation = reservation_of(arguments, facts)
    if reservation is None:
        return None
    kept = kept_flights(arguments, facts)
    stays = {mark_of(flight) for flight in arguments.get("flights", ())} & kept.keys()
    return any(_has_left(flight, facts) for flight in reservation["flights"] if mark_of(flight) not in stays)


def _has_left(flight: Data, facts: Data) -> bool:
    """Tell whether a flight has left, by its state, or else on a day before today."""
    state = facts.get("flight_states", {}).get(mark_of(flight))
    return state in {"flying", "landed"} or (flight["date"] < str(facts["now"])[:10] and state != "cancelled")


def may_cancel(arguments: Data, facts: Data) -> JSON:
    """Tell whether any ground for a cancellation is there; whether an illness is real, nobody can compute."""
    reservation = reservation_of(arguments, facts)
    if reservation is None:
        return None
    age = datetime.fromisoformat(facts["now"]) - datetime.fromisoformat(reservation["created_at"])
    states = [facts.get("flight_states", {}).get(mark_of(flight)) for flight in reservation["flights"]]
    insured, business = reservation["insurance"] == "yes", reservation["cabin"] == "business"
    return age <= timedelta(hours=24) or insured or business or "cancelled" in states


# Money.


def _method(arguments: Data, facts: Data, payment: object) -> Data | None:
    """Find a payment method in the profile."""
    found: Data | None = (user_of(arguments, facts) or {}).get("payment_methods", {}).get(payment)
    return found


def price(arguments: Data, facts: Data) -> JSON:
    """Add up a booking; where no search tells the fares, take what the airline itself has asked for."""
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


FUNCTIONS: Final[Mapping[str, Function]] = {
    function.__name__: function
    for function in (
        balances,
        compensations,
        departed,
        expected_route,
        fewest_paid_bags,
        flights_change,
        is_covered,
        may_cancel,
        most_paid_bags,
        new_flights,
        passengers,
        payment_mix,
        payment_source,
        price,
        reservation_state,
        route,
        seats_left,
        spent_certificates,
        states_on_sale,
    )
}
"""What the rule file calls `computed`."""
