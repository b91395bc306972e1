"""What the rules of the flight desk compute about flights: routes, seats, and what may still be changed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from reinforced_agent.policies.examples.airline_records import (
    Data,
    booked_flights,
    kept_flights,
    mark_of,
    reservation_of,
    seen_offers,
    trip_of,
)
from reinforced_agent.tools.call import JSON


_UNAVAILABLE: Final = "not available"


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
