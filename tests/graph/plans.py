"""Plans as a model hands them in, and what came of them."""

from __future__ import annotations

from typing import Any

from tests.graph.house import House, call, calls


OSLO = {"city": "Oslo", "date": "2026-01-02"}
LOOK = {"id": "1", "tool": "get_forecast", "purpose": "know the weather", "arguments": OSLO}
TELL = {"id": "2", "tool": "send_note", "purpose": "tell Bo", "depends_on": ["1"], "arguments": {"to": "Bo"}}
TELL_NOW = {**TELL, "depends_on": [], "arguments": {"to": "Bo", "text": "3 degrees"}}
FORECAST = calls(call("get_forecast", OSLO, "f1"))
NOTE = calls(call("send_note", {"to": "Bo", "text": "3 degrees"}, "n1"))


def plan(*steps: Any, **more: Any) -> dict[str, Any]:
    """Write one line of a script that hands in a plan."""
    return calls(call("propose_plan", {"steps": list(steps)}, "plan"), **more)


def steps_of(house: House) -> dict[str, str]:
    """Return where each step stands, by id."""
    return {step["id"]: step["status"] for step in values(house)["steps"]}


def values(house: House) -> dict[str, Any]:
    """Return the state of the thread."""
    return dict(house.agent.get_state(house.config).values)


def asked_for_plan(house: House) -> list[str]:
    """Return what the model was told in each request for a plan."""
    return ["\n".join(message.text for message in seen) for seen in house.model.seen if "make a plan" in seen[0].text]
