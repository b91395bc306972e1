"""Count how often a user has run tools over all threads, and let no more through than the quotas of the house allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import known_as
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.state import State
from reinforced_agent.ledger import LedgerError
from reinforced_agent.ledger.uses import Allowance
from reinforced_agent.policies.rules.messages import say
from reinforced_agent.policies.rules.ordering import Period, Quota
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind, Refuse, signal


_logger = masking_logger(__name__)

_SECONDS: Final[Mapping[Period, float]] = {"hour": 3_600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_592_000.0}


def user_of(state: State) -> str:
    """Return what stands for the requester in the book of uses; empty where it isn't known who asks."""
    return known_as(state["turn"].get("requester"))


def used_by(state: State, tool: str, bound: Bindings) -> dict[str, int]:
    """Count what the quotas about a tool want to know; what can't be counted is left out, and counts as used up."""
    quotas = _about(tool, bound)
    who = user_of(state) if quotas else ""
    if not who:
        return {}
    try:
        return {
            quota.counted: bound.ledger.uses.count(who, quota.tools, seconds=_SECONDS[quota.span]) for quota in quotas
        }
    except LedgerError:
        _logger.exception("The uses of %s can't be counted; its quotas count as used up.", tool)
        return {}


def is_counted(record: CallRecord, bound: Bindings) -> bool:
    """Tell whether a call counts for quotas of its requester."""
    return bool(record.get("counted_for")) and bool(_about(record["tool"], bound))


def take(record: CallRecord, key: str, bound: Bindings) -> bool:
    """Write a use down before the call runs; quotas that hold always are held to, whatever runs at the same time.

    Raises:
        LedgerError: When it can't be written down; the tool must not be run then.

    """
    quotas = [one for one in _about(record["tool"], bound) if not one.when and one.verdict in {"revise", "refuse"}]
    allowances = [Allowance(one.tools, one.most, _SECONDS[one.span]) for one in quotas]
    return bound.ledger.uses.take(key, record["counted_for"], record["tool"], allowances)


def give_back(ended: CallRecord, key: str, bound: Bindings) -> None:
    """Count no use of a call that failed for certain, or didn't run."""
    if ended["status"] not in {Status.FAILED, Status.REFUSED, Status.OPEN}:
        return
    try:
        bound.ledger.uses.give_back(key)
    except LedgerError:
        _logger.exception("The use %s can't be given back; it counts for its quotas.", key)


def over_quota(record: CallRecord, locale: str) -> CallRecord:
    """Refuse a call whose quota others have used up since it was checked."""
    words = say("quota_gone", locale, "", {"tool": record["tool"]})
    refusal = Refuse(layer="quota", kind=ErrorKind.POLICY, message=words, operator="used up by another thread")
    verdicts = [*record.get("verdicts", []), signal(refusal)]
    return {
        "id": record["id"],
        "status": Status.REFUSED,
        "kind": ErrorKind.POLICY,
        "feedback": words,
        "verdicts": verdicts,
    }


def _about(tool: str, bound: Bindings) -> tuple[Quota, ...]:
    """Return the quotas of users that a tool counts for."""
    return bound.house.user_quotas.get(tool, ())
