"""Where a call stands between proposal and answer."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """The life of a call; every call ends in a settled status and gets exactly one tool message."""

    PROPOSED = "proposed"
    """Read, not checked yet."""
    EDITED = "edited"
    """Changed by a person, to be checked again from the first layer."""
    OUTDATED = "outdated"
    """Approved after its tool or its rules had changed, to be checked again from the first layer."""
    ACCEPTED = "accepted"
    """Passed all layers; runs next."""
    WAITING = "waiting"
    """Held for a person."""
    APPROVED = "approved"
    """A person said yes; runs next."""
    REVISE = "revise"
    """The model gets feedback and may propose again."""
    REFUSED = "refused"
    """Will not run; asking again can't help or the budget of its error kind is spent."""
    OPEN = "open"
    """The tool failed too often and is not available now."""
    REJECTED = "rejected"
    """A person said no."""
    ANSWERED = "answered"
    """A person gave the result instead of the tool."""
    DONE = "done"
    """Ran, with a usable result."""
    FAILED = "failed"
    """Ran and failed, or returned something unusable."""
    UNKNOWN = "unknown"
    """Was started and may or may not have taken effect."""
    SHARED = "shared"
    """Equal to an earlier call of the same proposal; takes its outcome."""
    DELEGATED = "delegated"
    """Another tool is tried in its place."""
    SERVED = "served"
    """A fallback gave the result."""
    SUPERSEDED = "superseded"
    """The user wrote something new before it ran."""


RUNNABLE = frozenset({Status.ACCEPTED, Status.APPROVED})
"""Goes to execution next."""

FAULTY = frozenset({Status.REFUSED, Status.OPEN, Status.FAILED})
"""Gave no result; a fallback may still give one."""

RECHECKED = frozenset({Status.EDITED, Status.OUTDATED})
"""Goes back to the first layer, with the decision of a person."""

UNSETTLED = frozenset({Status.PROPOSED, Status.WAITING, Status.SHARED, Status.DELEGATED}) | RECHECKED | RUNNABLE
"""Something still has to happen before the model can be told the outcome."""
