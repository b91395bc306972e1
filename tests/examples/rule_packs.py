"""The tools of the example rule packs, and conversations to put their rules to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.recorded.packs import FOLDER, RulePack
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept
from reinforced_agent.tools.call import JSON, Call
from reinforced_agent.tools.spec import ToolSpec


DATA = Path(__file__).parents[3] / "shared" / "data"
AIRLINE, RETAIL = (RulePack(FOLDER / f"{name}.toml") for name in ("airline", "retail"))
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
WHOLE = {"type": "integer"}


def fields(*names: str) -> dict[str, Any]:
    """Declare text fields."""
    return dict.fromkeys(names, TEXT)


def records(*names: str, **others: Any) -> dict[str, Any]:
    """Declare a list of objects."""
    return {"type": "array", "items": {"type": "object", "properties": fields(*names) | others}}


FLIGHTS = records("flight_number", "date")
PASSENGERS = records("first_name", "last_name", "dob")
BAGS = {"total_baggages": WHOLE, "nonfree_baggages": WHOLE}

AIRLINE_TOOLS: Mapping[str, Mapping[str, Any]] = {
    "book_reservation": fields("user_id", "origin", "destination", "flight_type", "cabin", "insurance")
    | BAGS
    | {
        "flights": FLIGHTS,
        "passengers": PASSENGERS,
        "payment_methods": records("payment_id", amount={"type": "number"}),
    },
    "update_reservation_flights": fields("reservation_id", "cabin", "payment_id") | {"flights": FLIGHTS},
    "update_reservation_baggages": fields("reservation_id", "payment_id") | BAGS,
    "update_reservation_passengers": fields("reservation_id") | {"passengers": PASSENGERS},
    "cancel_reservation": fields("reservation_id"),
    "send_certificate": fields("user_id") | {"amount": {"type": "number"}},
    "get_user_details": fields("user_id"),
    "get_reservation_details": fields("reservation_id"),
    "get_flight_status": fields("flight_number", "date"),
    "search_direct_flight": fields("origin", "destination", "date"),
    "search_onestop_flight": fields("origin", "destination", "date"),
}
CHANGE = fields("order_id", "payment_method_id") | {"item_ids": TEXTS}
RETAIL_TOOLS: Mapping[str, Mapping[str, Any]] = {
    "find_user_id_by_email": fields("email"),
    "find_user_id_by_name_zip": fields("first_name", "last_name", "zip"),
    "get_user_details": fields("user_id"),
    "get_product_details": fields("product_id"),
    "get_order_details": fields("order_id"),
    "cancel_pending_order": fields("order_id", "reason"),
    "modify_pending_order_address": fields("order_id", "address1"),
    "modify_pending_order_items": CHANGE | {"new_item_ids": TEXTS},
    "modify_pending_order_payment": fields("order_id", "payment_method_id"),
    "modify_user_address": fields("user_id", "address1"),
    "return_delivered_order_items": CHANGE,
    "exchange_delivered_order_items": CHANGE | {"new_item_ids": TEXTS},
}

Told = Sequence[tuple[str, Mapping[str, JSON], Any]]


def specs(tools: Mapping[str, Mapping[str, Any]]) -> dict[str, ToolSpec]:
    """Describe the tools of a pack."""
    return {
        name: ToolSpec(name=name, description=name, parameters={"type": "object", "properties": properties})
        for name, properties in tools.items()
    }


def conversation(told: Told) -> Iterator[dict[str, Any]]:
    """Write calls and their results as messages."""
    for number, (name, arguments, result) in enumerate(told):
        yield {"role": "assistant", "tool_calls": [{"id": f"c{number}", "name": name, "arguments": arguments}]}
        text = result if isinstance(result, str) else json.dumps(result)
        yield {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def objecting(
    pack: RulePack, tools: Mapping[str, Mapping[str, Any]], told: Told, name: str, arguments: Any, **known: Any
) -> list[str]:
    """Name the rules that object to a call after a conversation."""
    described = specs(tools)
    situation = Situation(spec=described[name], **known, facts=pack.facts(list(conversation(told))))
    verdicts = [layer(Call("c", name, arguments), situation) for layer in pack.layers(described.values())]
    return [verdict.layer for verdict in verdicts if not isinstance(verdict, Accept)]
