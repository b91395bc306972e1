"""How a process of the crash test tells where it is: a line in a pipe for every border that a payment passes."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass
from enum import StrEnum


class Border(StrEnum):
    """What a payment passes on its way, in this order."""

    READY = "ready"
    """The process begins; concerns no payment."""
    ENTERED = "entered"
    """The call is about to be claimed."""
    RECALLED = "recalled"
    """The ledger, which knows the call already, is about to be asked again what came of it."""
    CLAIMED = "claimed"
    """The ledger granted the claim."""
    ANSWERED = "answered"
    """The ledger answered without granting anything."""
    DISPATCHED = "dispatched"
    """The tool was entered."""
    PAID = "paid"
    """The bank has made the payment."""
    SETTLED = "settled"
    """The ledger holds the outcome."""
    STORED = "stored"
    """The thread holds the outcome."""
    BROKEN = "broken"
    """The process ended with an error; concerns no payment."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One line."""

    border: Border
    reference: str = ""
    """Which payment passed."""
    note: str = ""

    @classmethod
    def read(cls, line: bytes) -> Mark:
        """Read a line."""
        border, _, rest = line.decode().partition(" ")
        reference, _, note = rest.partition(" ")
        return cls(Border(border), reference, note)

    def write(self) -> bytes:
        """Write a line."""
        return f"{self.border} {self.reference} {' '.join(self.note.split())[:1_000]}\n".encode()


class Marks:
    """The process's end of the pipe."""

    def __init__(self, descriptor: int, seed: int, width: float) -> None:
        """Write to a pipe.

        Args:
            descriptor: The pipe.
            seed: Of the pauses.
            width: Longest pause in seconds; it makes narrow windows wide enough to be hit.

        """
        self._descriptor = descriptor
        self._random = random.Random(seed)  # noqa: S311  # no secrets
        self._width = width

    def passed(self, border: Border, reference: str = "", note: str = "") -> None:
        """Tell that a border was passed; the line is in the pipe when this returns, so a kill can't lose it."""
        os.write(self._descriptor, Mark(border, reference, note).write())

    def pause(self) -> None:
        """Stay in the window for a while."""
        time.sleep(self._random.uniform(0.3, 1.0) * self._width)
