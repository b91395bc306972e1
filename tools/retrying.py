"""Plan whether, and after which wait, a failed call is tried again; pure, so that sync and async callers share it."""

from __future__ import annotations

from collections.abc import Callable

from reinforced_agent.tools.errors import Diagnosis
from reinforced_agent.tools.spec import Risk, ToolSpec


FIRST_WAIT = 0.2
"""Seconds that the first wait may take; each further one may take twice as long as the one before."""
LONGEST_WAIT = 5.0
"""Seconds that no wait of our own exceeds."""
LONGEST_ASKED_WAIT = 30.0
"""Seconds that a server may ask for; when it asks for more, the call isn't tried again."""


def next_wait(
    spec: ToolSpec,
    diagnosis: Diagnosis,
    *,
    failed: int,
    attempts: int,
    left: float,
    random: Callable[[], float],
) -> float | None:
    """Return the seconds to wait before the next attempt, or `None` when there is none.

    Only reads and idempotent tools are tried again, and only where the failure may pass by itself. The wait is random
    between nothing and a bound that doubles ("full jitter"), so that many callers don't come back together.

    Args:
        spec: The tool.
        diagnosis: What the last failure says.
        failed: Attempts so far, from 1.
        attempts: Attempts allowed altogether, the first one included.
        left: Seconds left for all further waits and attempts of the call.
        random: Returns a number from 0 to 1.

    """
    if failed >= attempts or not diagnosis.transient or not _may_repeat(spec):
        return None
    asked = diagnosis.retry_after or 0.0
    if asked > LONGEST_ASKED_WAIT:
        return None
    # Far beyond the cap, doubling only makes numbers that overflow.
    own = random() * min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(failed - 1, 16))
    wait = max(asked, own)
    return wait if wait < left else None


def _may_repeat(spec: ToolSpec) -> bool:
    """Tell whether running the call twice does no more than running it once."""
    return spec.risk is Risk.READ or spec.idempotent
