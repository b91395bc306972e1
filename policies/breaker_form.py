"""Write the state of a breaker as plain data, and read it, for those who share it between processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from reinforced_agent.policies.breaker import BreakerState, Closed, Open, Probing
from reinforced_agent.tools.call import JSON


def as_plain(state: BreakerState) -> dict[str, JSON]:
    """Write a state as plain data."""
    match state:
        case Closed(seen=seen, epoch=epoch):
            return {"kind": "closed", "seen": [[at, failed] for at, failed in seen], "epoch": epoch}
        case Open(since=since, until=until, epoch=epoch):
            return {"kind": "open", "since": since, "until": until, "epoch": epoch}
        case Probing(since=since, until=until, epoch=epoch):
            return {"kind": "probing", "since": since, "until": until, "epoch": epoch}
        case _:
            assert_never(state)


def from_plain(data: Mapping[str, Any]) -> BreakerState:
    """Read a state.

    Raises:
        ValueError: On data of another form.

    """
    try:
        epoch = int(data["epoch"])
        if data["kind"] == "closed":
            return Closed(tuple((float(at), bool(failed)) for at, failed in data["seen"]), epoch)
        kinds: Mapping[str, type[Open | Probing]] = {"open": Open, "probing": Probing}
        return kinds[data["kind"]](float(data["since"]), float(data["until"]), epoch)
    except (KeyError, TypeError, ValueError) as error:
        msg = f"{dict(data)!r} is no state of a breaker."
        raise ValueError(msg) from error
