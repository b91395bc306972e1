"""The functions of the flight desk by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reinforced_agent.policies.examples import airline_flights, airline_money
from reinforced_agent.policies.rules.scene import Function


FUNCTIONS: Final[Mapping[str, Function]] = {
    function.__name__: function
    for function in (
        airline_money.balances,
        airline_money.compensations,
        airline_flights.departed,
        airline_flights.expected_route,
        airline_money.fewest_paid_bags,
        airline_flights.flights_change,
        airline_money.is_covered,
        airline_flights.may_cancel,
        airline_money.most_paid_bags,
        airline_flights.new_flights,
        airline_flights.passengers,
        airline_money.payment_mix,
        airline_money.payment_source,
        airline_money.price,
        airline_flights.reservation_state,
        airline_flights.route,
        airline_flights.seats_left,
        airline_money.spent_certificates,
        airline_flights.states_on_sale,
    )
}
"""What the rule file calls `computed`."""
