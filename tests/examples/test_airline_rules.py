"""The airline rules of the examples: what its rules stop, and what they let pass."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.situation import Sibling
from tests.examples.rule_packs import AIRLINE, AIRLINE_TOOLS, Told, objecting


USER = {
    "membership": "silver",
    "payment_methods": {
        "credit_card_1": {"source": "credit_card", "id": "credit_card_1"},
        "gift_card_1": {"source": "gift_card", "id": "gift_card_1", "amount": 90},
        "certificate_1": {"source": "certificate", "id": "certificate_1", "amount": 100},
    },
}
OUT = {"flight_number": "F1", "date": "2024-05-20"}
BACK = {"flight_number": "F2", "date": "2024-05-22"}
TRIP = {
    "reservation_id": "R1",
    "user_id": "ann",
    "origin": "AAA",
    "destination": "BBB",
    "flight_type": "one_way",
    "cabin": "economy",
    "flights": [{**OUT, "price": 100, "origin": "AAA", "destination": "BBB"}],
    "passengers": [{"first_name": "Ann"}],
    "payment_history": [{"payment_id": "credit_card_1", "amount": 100}],
    "created_at": "2024-05-01T10:00:00",
    "total_baggages": 1,
    "nonfree_baggages": 0,
    "insurance": "no",
}


def offer(start: str, end: str, *, number: str, seats: int = 3, status: str = "available") -> dict[str, Any]:
    """Make a flight as a search shows it."""
    found = {"flight_number": number, "origin": start, "destination": end, "status": status}
    return found | {
        "available_seats": {"economy": seats, "business": seats},
        "prices": {"economy": 120, "business": 200},
    }


def searched(**parts: Any) -> Told:
    """Look up the user and search both ways."""
    there = {"origin": "AAA", "destination": "BBB", "date": "2024-05-20"}
    back = {"origin": "BBB", "destination": "AAA", "date": "2024-05-22"}
    return [
        ("get_user_details", {"user_id": "ann"}, USER),
        ("search_direct_flight", there, [offer("AAA", "BBB", number="F1", **parts)]),
        ("search_direct_flight", back, [[offer("BBB", "AAA", number="F2", **parts)]]),
    ]


def booking(*payments: tuple[str, float], **changed: Any) -> dict[str, Any]:
    """Make a booking of both ways for one person: 120 each way, three bags of which two are free."""
    return {
        "user_id": "ann",
        "origin": "AAA",
        "destination": "BBB",
        "flight_type": "round_trip",
        "cabin": "economy",
        "flights": [OUT, BACK],
        "passengers": [{"first_name": "Ann", "last_name": "Lee", "dob": "1990-01-01"}],
        "payment_methods": [{"payment_id": name, "amount": amount} for name, amount in payments],
        "total_baggages": 3,
        "nonfree_baggages": 1,
        "insurance": "yes",
    } | changed


CARD = ("credit_card_1", 320)
FIVE_MORE = [{"first_name": name, "last_name": "Lee", "dob": "1990-01-01"} for name in "abcdef"]


@pytest.mark.parametrize(
    ("told", "arguments", "rules"),
    [
        pytest.param(searched(), booking(CARD), [], id="right"),
        pytest.param(searched(), booking(("certificate_1", 100), ("credit_card_1", 220)), [], id="right-in-parts"),
        pytest.param(searched(), booking(("credit_card_1", 319)), ["paid in full"], id="too-little"),
        pytest.param(
            searched(), booking(("certificate_1", 110), ("credit_card_1", 210)), ["payments covered"], id="balance"
        ),
        pytest.param(
            searched(), booking(("credit_card_9", 320)), ["own payment methods", "payments covered"], id="foreign-card"
        ),
        pytest.param(
            searched(),
            booking(("certificate_1", 60), ("certificate_1", 40), ("credit_card_1", 220)),
            ["payment methods mixed"],
            id="two-certificates",
        ),
        pytest.param(
            searched(), booking(("credit_card_1", 370), nonfree_baggages=2), ["paid bags"], id="free-bag-paid"
        ),
        pytest.param(searched(), booking(CARD, flight_type="one_way"), ["route kept"], id="route"),
        pytest.param(searched(seats=0), booking(CARD), ["seats left"], id="full"),
        pytest.param(searched(status="flying"), booking(CARD), ["flights on sale"], id="not-on-sale"),
        pytest.param(
            searched(seats=9),
            booking(("credit_card_1", 1620), passengers=FIVE_MORE, total_baggages=0, nonfree_baggages=0),
            ["five passengers"],
            id="six-passengers",
        ),
        pytest.param(
            searched()[:1], booking(CARD), ["flights seen", "route kept", "paid in full"], id="nothing-searched"
        ),
    ],
)
def test_a_booking_is_checked_against_what_was_looked_up(told: Told, arguments: Any, rules: list[str]) -> None:
    """Prices, balances, bags, seats and routes come from the results of the conversation."""
    assert objecting(AIRLINE, AIRLINE_TOOLS, told, "book_reservation", arguments) == rules


def reserved(**parts: Any) -> Told:
    """Look up user, reservation and flights."""
    return [*searched(), ("get_reservation_details", {"reservation_id": "R1"}, TRIP | parts)]


FLOWN = [{**TRIP["flights"][0], "date": "2024-05-10"}]  # type: ignore[index]  # a list of tables
LATER = {"flight_number": "F2", "date": "2024-05-22"}


@pytest.mark.parametrize(
    ("told", "tool", "arguments", "rules"),
    [
        pytest.param(reserved(insurance="yes"), "cancel_reservation", {}, [], id="insured"),
        pytest.param(reserved(cabin="business"), "cancel_reservation", {}, [], id="business"),
        pytest.param(reserved(cabin="basic_economy"), "cancel_reservation", {}, ["basic economy is final"], id="basic"),
        pytest.param(
            reserved(cabin="basic_economy", created_at="2024-05-15T01:00:00"), "cancel_reservation", {}, [], id="today"
        ),
        pytest.param(
            [*reserved(cabin="basic_economy"), ("get_flight_status", OUT, "cancelled")],
            "cancel_reservation",
            {},
            [],
            id="cancelled-by-airline",
        ),
        pytest.param(
            reserved(flights=FLOWN, insurance="yes"), "cancel_reservation", {}, ["flown flights stay"], id="flown"
        ),
        pytest.param(
            reserved(status="cancelled", insurance="yes"), "cancel_reservation", {}, ["reservation alive"], id="twice"
        ),
        pytest.param(
            reserved(),
            "update_reservation_flights",
            {"cabin": "business", "flights": [OUT], "payment_id": "credit_card_1"},
            [],
            id="cabin",
        ),
        pytest.param(
            reserved(),
            "update_reservation_flights",
            {"cabin": "business", "flights": [OUT], "payment_id": "gift_card_1"},
            ["change covered"],
            id="cabin-gift-card-empty",
        ),
        pytest.param(
            reserved(),
            "update_reservation_flights",
            {"cabin": "business", "flights": [OUT], "payment_id": "certificate_1"},
            ["payment method fits"],
            id="cabin-certificate",
        ),
        pytest.param(
            reserved(),
            "update_reservation_flights",
            {"cabin": "economy", "flights": [LATER], "payment_id": "credit_card_1"},
            ["route kept"],
            id="other-route",
        ),
        pytest.param(
            reserved(cabin="basic_economy"),
            "update_reservation_flights",
            {"cabin": "basic_economy", "flights": [OUT, LATER], "payment_id": "credit_card_1"},
            ["route kept", "basic economy flights stay", "seats left"],
            id="basic-flights",
        ),
        pytest.param(
            reserved(),
            "update_reservation_passengers",
            {"passengers": FIVE_MORE},
            ["passengers counted"],
            id="more-people",
        ),
        pytest.param(
            reserved(),
            "update_reservation_baggages",
            {"total_baggages": 0, "nonfree_baggages": 0, "payment_id": "credit_card_1"},
            ["bags only added"],
            id="bag-taken-away",
        ),
    ],
)
def test_a_reservation_changes_as_the_rules_allow(told: Told, tool: str, arguments: Any, rules: list[str]) -> None:
    """What is booked, flown, cancelled and paid decides what may still be changed."""
    found = objecting(AIRLINE, AIRLINE_TOOLS, told, tool, {"reservation_id": "R1", **arguments})
    assert sorted(found) == sorted(rules)


def test_the_airline_makes_one_call_at_a_time() -> None:
    """A change that stands beside another call waits, whichever comes first."""
    beside = (Sibling("search_direct_flight", later=True),)
    found = objecting(AIRLINE, AIRLINE_TOOLS, searched(), "book_reservation", booking(CARD), beside=beside)
    assert found == ["one call at a time"]


@pytest.mark.parametrize("tool", [name for name in AIRLINE_TOOLS if not name.startswith(("get_", "search_"))])
def test_nothing_is_written_at_the_airline_before_it_was_looked_at(tool: str) -> None:
    """With nothing looked up, every write is stopped."""
    arguments = booking(CARD) | {"reservation_id": "R1", "payment_id": "credit_card_1", "amount": 50}
    own = {name: value for name, value in arguments.items() if name in AIRLINE_TOOLS[tool]}
    assert objecting(AIRLINE, AIRLINE_TOOLS, [], tool, own)


@pytest.mark.parametrize(
    ("amount", "level", "stopped"),
    [
        pytest.param(50, "silver", False, id="delay"),
        pytest.param(100, "gold", False, id="cancellation"),
        pytest.param(75, "gold", True, id="amount"),
        pytest.param(50, "regular", True, id="not-entitled"),
    ],
)
def test_a_compensation_goes_to_those_entitled(amount: int, level: str, *, stopped: bool) -> None:
    """Fifty or a hundred for each passenger, for members, insured or business bookings."""
    told = [("get_user_details", {"user_id": "ann"}, USER | {"membership": level}), reserved()[-1]]
    arguments = {"user_id": "ann", "amount": amount}
    assert bool(objecting(AIRLINE, AIRLINE_TOOLS, told, "send_certificate", arguments)) is stopped
