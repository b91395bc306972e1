"""Find in the facts of the flight desk what a call is about: reservation, user and flights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias


Data: TypeAlias = Mapping[str, Any]


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
