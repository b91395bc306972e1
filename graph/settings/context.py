"""Decide how much of a long conversation a model is shown: which earlier turns, and which results in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ContextPolicy:
    """How much of a conversation a model is shown; the state keeps all of it, unless `keep_stored` says otherwise."""

    tokens: int | None = None
    """Most tokens of the messages, the system prompt among them; `None` takes what the model's profile says it takes
    in, less the tools and room for an answer, and shows everything where there is no profile."""
    keep_last: int = 2
    """Earlier turns that stay, with their results left out, before a whole turn is left out."""
    keep_stored: int | None = None
    """Turns that the state keeps, the present one among them; older ones are removed when a turn begins, so that a
    thread can't grow for ever. `None` keeps all. Values that only removed messages gave count as given by nobody."""

    def __post_init__(self) -> None:
        """Refuse bounds that no conversation could keep.

        Raises:
            ValueError: When a bound is too small.

        """
        for name, least in (("tokens", 1), ("keep_last", 0), ("keep_stored", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                msg = f"ContextPolicy.{name} is {value!r}, but must be at least {least}."
                raise ValueError(msg)


def turns_to_show(newest_first: Iterable[tuple[int, int]], left: int, keep_last: int) -> list[bool]:
    """Decide which earlier turns are shown.

    Args:
        newest_first: For each earlier turn, its tokens in full and without its results; read only as far as needed.
        left: Tokens left for them.
        keep_last: How many may be shown without their results where they don't fit in full.

    Returns:
        For each turn that is shown, newest first, whether it is shown in full; all older ones are left out.

    """
    shown: list[bool] = []
    for full, bare in newest_first:
        whole = full <= left
        if not whole and (len(shown) >= keep_last or bare > left):
            break
        left -= full if whole else bare
        shown.append(whole)
    return shown


def results_to_leave_out(savings: Sequence[int], over: int) -> int:
    """Return how many results, oldest first, have to be left out to save this many tokens."""
    for count, saved in enumerate(savings):
        if over <= 0:
            return count
        over -= max(saved, 0)
    return len(savings)
