"""Layer 6: object to calls that only repeat what this turn already knows.

The rules look at the calls of one user turn. In 1,318 recorded calls of airline and retail conversations they object
to 7, all of them in conversations that failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.situation import PastCall, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Revise, Verdict
from reinforced_agent.tools.call import Call


LAYER = "repetition"

_MOST_SHOWN = 500
"""Characters of an earlier result that feedback repeats."""

_BROUGHT = frozenset({Status.DONE, Status.SERVED, Status.ANSWERED})
_RAN = _BROUGHT | {Status.FAILED, Status.UNKNOWN}


def check_repetition(call: Call, situation: Situation) -> Verdict:
    """Object to a call whose outcome is known: the same result, the same failure, a person's edit, or A-B-A-B.

    A read, or a call that failed, may be repeated once something was changed in between, and a read for as long as its
    result says that something is still under way. Tools with `repeat="allow"` repeat themselves freely; with `"reuse"`
    the first repetition of a read takes the result that is there.
    """
    repeat = situation.spec.repeat
    code = None if repeat == "allow" else _objection(call.digest, situation)
    if code is None or (repeat == "reuse" and code == "repeated_result" and _times(call.digest, situation) == 1):
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
    same = [past for past in ran if past.digest == digest]
    if not same:
        return None
    last = same[-1]
    if last.status == Status.UNKNOWN:
        return "repeated_unknown"
    if _may_differ(last, same, ran):
        return None
    if _alternates(history, digest):
        return "alternating"
    if last.status in _BROUGHT:
        # An error that a read reported as its result may pass, as one that it raised.
        is_first_error = last.status == Status.DONE and last.may_pass and len(same) == 1
        return None if is_first_error else "repeated_result"
    failures = sum(past.status == Status.FAILED for past in same)
    return "repeated_failure" if failures >= situation.identical_failures + last.may_pass else None


def _may_differ(last: PastCall, same: Sequence[PastCall], ran: Sequence[PastCall]) -> bool:
    """Return whether there is a reason to expect another outcome than the last.

    After a change a read is out of date, and what stood in the way of a failed call may be gone. An answer that says
    that it is not final, or that changed from call to call, is worth another look; a failure before it was no answer.
    """
    since = takewhile(lambda past: past.digest != last.digest, reversed(ran))
    if (not last.changes or last.status == Status.FAILED) and any(p.changes and p.status in _BROUGHT for p in since):
        return True
    if last.status not in _BROUGHT:
        return False
    brought = [past.result for past in same if past.status in _BROUGHT]
    return (last.unfinished and not last.changes) or len(set(brought[-2:])) > 1


def _alternates(history: Sequence[PastCall], digest: str) -> bool:
    """Return whether the call would be the second B of A-B-A-B; a repetition that was sent back counts as well."""
    asked = [past.digest for past in history if past.status in _RAN or past.kind == ErrorKind.DUPLICATE]
    return len(asked) > 2 and asked[-3] == asked[-1] != asked[-2] == digest  # noqa: PLR2004  # three calls before it
