"""A bank whose tool fails in the way a test chooses, and a house that lets the model pay once."""

from __future__ import annotations

from typing import Any

from reinforced_agent import IdempotencyKey, tool
from tests.graph.house import House, call, calls


APPROVE = {"type": "approve"}
PAY = call("pay", {"amount": 5}, "c1")


class Bank:
    """A tool that pays, and fails in a way a test chooses."""

    def __init__(self, *faults: BaseException, **declared: Any) -> None:
        """Fail with these, one after the other, then work."""
        self.faults = list(faults)
        self.keys: list[str] = []
        self.booked: list[int] = []
        self.spec = tool(self.pay, **{"risk": "write", **declared})

    def pay(self, amount: int, key: IdempotencyKey) -> str:
        """Pay."""
        self.keys.append(key)
        if self.faults:
            raise self.faults.pop(0)
        self.booked.append(amount)
        return f"paid {amount}"


def paying(bank: Bank, *lines: Any, **options: Any) -> House:
    """Let the model pay once, and approve it where that is asked."""
    house = House(calls(PAY), *(lines or ("Done.", "Done.")), tools=[bank.spec], **options).say()
    return house.decide(APPROVE) if "__interrupt__" in house.result else house
