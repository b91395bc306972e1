"""The ways of working that the threads of a crash test take in turn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias


Durability: TypeAlias = Literal["sync", "async", "exit"]
"""When LangGraph stores the state of a thread: before it goes on, while it goes on, or when a run ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the processes of one thread work, and what kind of model, bank and user they have."""

    durability: Durability
    asynchronous: bool = False
    """Whether they run in an event loop, tools included."""
    inventive: bool = False
    """Whether the model never says the same twice."""
    can_tell: bool = False
    """Whether the bank can be asked about a payment."""
    impatient: bool = False
    """Whether the user writes something new after the first cut, instead of waiting for the run to go on."""

    @property
    def names(self) -> list[str]:
        """Name what is special about it."""
        special = {
            "inventive model": self.inventive,
            "bank that can tell": self.can_tell,
            "impatient user": self.impatient,
        }
        way = "async" if self.asynchronous else "sync"
        return [f"durability {self.durability}", f"{way} calls", *(name for name, holds in special.items() if holds)]


def _manners() -> tuple[Manner, ...]:
    """List the ways in which nothing may go wrong, different ones side by side.

    Where the state is stored late, a killed process has done what the thread knows nothing of. The ledger gives the
    outcomes to a run that goes on in the same way; a model that then says something else, or a user who does, passes
    them by. So those two are tried only where the state is stored first.
    """
    strict = [
        Manner(durability="sync", asynchronous=asynchronous, inventive=True, can_tell=can_tell, impatient=impatient)
        for can_tell, impatient, asynchronous in product((False, True), (False, True), (False, True))
    ]
    late: list[Durability] = ["async", "exit"]
    loose = [
        Manner(durability=durability, asynchronous=asynchronous, can_tell=can_tell)
        for can_tell, asynchronous, durability in product((False, True), (True, False), late)
    ]
    return tuple(manner for pair in zip(strict, loose, strict=True) for manner in pair)


MANNERS = _manners()
"""All ways that a crash test takes."""
