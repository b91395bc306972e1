"""Layer 6: object to calls that only repeat what this turn already knows.

The rules look at the calls of one user turn. In 1,318 recorded calls of airline and retail conversations they object
to 7, all of them in conversations that failed.
"""

from __future__ import annotations

from collections.abc import Sequence

from reinforced_agent.policies.situation import PastCall, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Revise, Verdict
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.call import Call


LAYER = "repetition"

_MOST_SHOWN = 500
"""Characters of an earlier result that feedback repeats."""

_BROUGHT = frozenset({Status.DONE, Status.SERVED, Status.ANSWERED})
_RAN = _BROUGHT | {Status.FAILED, Status.UNKNOWN}


def check_repetition(call: Call, situation: Situation) -> Verdict:
    """Object to a call whose outcome is known: the same result, the same failure, a person's edit, or A-B-A-B.

    A read, or a call that failed, may be repeated once something was changed in between. Pollable tools, and tools that
    switch the check off, may repeat themselves freely.
    """
    spec = situation.spec
    if spec.pollable or not spec.check_repetition:
        return Accept(layer=LAYER)
    code = _objection(call.digest, situation)
    if code is None or (code == "repeated_result" and spec.cached and _times(call.digest, situation) == 1):
        # The first repetition of a cached read takes the result that is there.
        return Accept(layer=LAYER)
    return Revise(
        layer=LAYER,
        kind=ErrorKind.DUPLICATE,
        message=tell(code, situation.locale, tool=call.tool, result=_last_result(call.digest, situation)),
        operator=f"{code}: digest {call.digest[:12]} after {len(situation.history)} calls of this turn",
    )


def _times(digest: str, situation: Situation) -> int:
    """Count how often the same call has brought a result."""
    return sum(past.digest == digest and past.status in _BROUGHT for past in situation.history)


def _last_result(digest: str, situation: Situation) -> str:
    """Return what the same call brought before, cut to what a reminder needs."""
    results = [past.result for past in situation.history if past.digest == digest and past.status in _BROUGHT]
    return results[-1][:_MOST_SHOWN] if results else ""


def _objection(digest: str, situation: Situation) -> str | None:
    """Return the code of the objection, or `None`."""
    history = situation.history
    if any(past.digest == digest and past.status == Status.EDITED for past in history):
        return "repeated_edit"
    ran = [past for past in history if past.status in _RAN]
    at = next((i for i in reversed(range(len(ran))) if ran[i].digest == digest), None)
    if at is None:
        return None
    if _alternates(ran, digest):
        return "alternating"
    return _about(ran, at, situation.identical_failures)


def _about(ran: Sequence[PastCall], at: int, allowed: int) -> str | None:
    """Judge a repetition by how the same call ended, and by whether anything changed since."""
    last = ran[at]
    if last.status == Status.UNKNOWN:
        return "repeated_unknown"
    changed = any(past.changes and past.status in _BROUGHT for past in ran[at + 1 :])
    if changed and (not last.changes or last.status == Status.FAILED):
        # A read is out of date then, and what stood in the way of a failed call may be gone.
        return None
    same = [past for past in ran if past.digest == last.digest]
    if last.status in _BROUGHT:
        # An answer that changes from call to call is worth another look; a failure before it was no answer.
        brought = [past.result for past in same if past.status in _BROUGHT]
        return None if len(set(brought[-2:])) > 1 else "repeated_result"
    failures = [past for past in same if past.status == Status.FAILED]
    return "repeated_failure" if len(failures) >= allowed + last.may_pass else None


def _alternates(ran: Sequence[PastCall], digest: str) -> bool:
    """Tell whether the call would be the second B of A-B-A-B."""
    tail = [past.digest for past in ran[-3:]]
    return len(tail) == 3 and tail[0] == tail[2] != tail[1] == digest  # noqa: PLR2004  # three calls before this one
