"""Bind a call of the state to the ledger: which thread, turn, call and arguments an approval or an effect is for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import Any, cast

from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Person as PersonRecord
from reinforced_agent.graph.context import known_as
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.queries.calls import consecutive_failures, exhausted_tools, past_calls, revisions
from reinforced_agent.graph.state import State
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.effects import Effect, Known, Permit, Running
from reinforced_agent.policies.approval import ApprovalRule, Person
from reinforced_agent.policies.situation import PastCall
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.spec import Risk


@dataclass(frozen=True)
class Place:
    """Where a call stands: the state, the thread, and the parts of the graph.

    What holds for all calls of a message is found out once.
    """

    state: State
    thread: str
    bound: Bindings
    answerable: bool = True
    """Whether the thread is kept, so that somebody can be asked and answer."""

    @property
    def locale(self) -> str:
        """Language of feedback and explanations."""
        return self.state["turn"].get("locale", "en")

    @property
    def requester(self) -> PersonRecord | None:
        """Who asked."""
        return self.state["turn"].get("requester")

    @cached_property
    def past(self) -> tuple[PastCall, ...]:
        """The calls of earlier proposals of this turn, oldest first."""
        return past_calls(self.state)

    @cached_property
    def failures(self) -> Counter[str]:
        """How often each tool failed since it last worked, within this turn."""
        return consecutive_failures(self.state)

    @cached_property
    def exhausted(self) -> frozenset[str]:
        """The tools that failed too often in this turn to be called again."""
        return exhausted_tools(self.state, self.bound.toolset, self.bound.limits)

    @cached_property
    def held_back(self) -> frozenset[str]:
        """The tools of which a call was held back before in this turn."""
        return frozenset(past.tool for past in self.past if past.status == Status.OPEN)

    @cached_property
    def _fates(self) -> frozenset[tuple[str, str]]:
        return frozenset((past.digest, past.status) for past in self.past)

    @cached_property
    def _revisions(self) -> Counter[str]:
        return revisions(self.state)

    def was(self, record: CallRecord, status: Status) -> bool:
        """Tell whether the very same call already met this fate in this turn."""
        return (record.get("digest", "-"), status) in self._fates

    def may_revise(self, kind: ErrorKind) -> bool:
        """Tell whether the budget of an error kind allows to ask the model once more."""
        return self._revisions[kind.value] < self.bound.limits.retries_for(kind)

    def binding(self, record: CallRecord) -> Binding:
        """Return what an approval of a call is good for."""
        return binding_of(record, self.state["turn"]["id"], self.thread)

    def known(self, records: Iterable[CallRecord]) -> dict[str, Known | Running]:
        """Return what the ledger knows about calls, by call id."""
        turn = self.state["turn"]["id"]
        asks = self.state["turn"].get("requester")
        keys = {effect_of(record, turn, self.thread, asks, self.bound).key: record["id"] for record in records}
        found = self.bound.ledger.effects.find(keys) if keys else {}
        return {keys[key]: known for key, known in found.items()}

    def known_by_token(self, record: CallRecord) -> Known | Running | None:
        """Return what the ledger knows about the effect that a call's token was used for, also after an edit."""
        key = self.bound.ledger.approvals.effect_of(record["token"])
        return self.bound.ledger.effects.find([key]).get(key) if key else None


def thread_of(config: RunnableConfig) -> str:
    """Return the id of the thread; empty where nothing is kept."""
    return str((config.get("configurable") or {}).get("thread_id", ""))


def binding_of(record: CallRecord, turn: str, thread: str) -> Binding:
    """Return what an approval of the call is good for."""
    return Binding(thread, turn, record["id"], record["tool"], record["digest"], record.get("terms", ""))


def effect_of(record: CallRecord, turn: str, thread: str, requester: PersonRecord | None, bound: Bindings) -> Effect:
    """Return the call as the ledger claims it, under the rules of now: an approval under others is not good for it."""
    return Effect(
        binding=replace(binding_of(record, turn, thread), terms=bound.rules.terms_of(record["tool"])),
        occurrence=record.get("occurrence", 0),
        repeatable=may_repeat(record, bound),
        held=record.get("held", False),
        namespace=bound.ledger.namespace,
        requester=known_as(requester),
    )


def may_repeat(record: CallRecord, bound: Bindings) -> bool:
    """Tell whether running the call twice does no more than running it once; of a tool that is gone, nobody knows."""
    spec = bound.toolset.get(record["tool"])
    return spec is not None and (spec.risk is Risk.READ or spec.idempotent)


def needs_claim(record: CallRecord, bound: Bindings) -> bool:
    """Tell whether running the call is an effect: everything but a read that nobody had to approve."""
    spec = bound.toolset.get(record["tool"])
    return spec is None or spec.risk is not Risk.READ or record.get("held", False)


def permit_of(record: CallRecord) -> Permit | None:
    """Return the approval of the call, if a person gave one."""
    decision = record.get("decision")
    if record["status"] != Status.APPROVED or decision is None or not record.get("token"):
        return None
    return Permit(record["token"], decision["by"])


def author_of(record: CallRecord, state: State) -> PersonRecord:
    """Return whose call it is: the requester's, or that of the person who changed it."""
    return record.get("author") or state["turn"]["requester"]


def person_in(person: PersonRecord) -> Person:
    """Return a person of the state as the rules see them."""
    return Person(person["user_id"], frozenset(person["roles"]), person["tenant"])


def terms_of(rule: ApprovalRule, bound: Bindings) -> CallRecord:
    """Return under which terms a person decides about a call, as plain data."""
    until = "" if rule.expires is None else (bound.now() + timedelta(seconds=rule.expires)).isoformat()
    terms: Any = {
        "held": True,
        "roles": list(rule.roles),
        "four_eyes": rule.four_eyes,
        "expires": rule.expires,
        "expires_at": until,
    }
    return cast("CallRecord", terms)


def rule_of(record: CallRecord) -> ApprovalRule:
    """Return the terms of a call that waits."""
    return ApprovalRule(
        roles=tuple(record.get("roles", ())), four_eyes=record.get("four_eyes", False), expires=record.get("expires")
    )


def renewed(record: CallRecord, place: Place) -> CallRecord:
    """Give a call that waits a fresh token, for the same time again."""
    rule = rule_of(record)
    token = place.bound.ledger.approvals.issue(
        place.binding(record), requester=place.state["turn"]["requester"], expires=rule.expires
    )
    return {**record, **terms_of(rule, place.bound), "token": token}


def withdraw(record: CallRecord, place: Place, *, by: PersonRecord) -> None:
    """Make the question about a call void."""
    place.bound.ledger.approvals.spend(record["token"], place.binding(record), decision="superseded", by=dict(by))


def is_outdated(record: CallRecord, bound: Bindings) -> bool:
    """Return whether the tool of a call, or a rule of the host, has changed since a person was asked about it."""
    return record.get("terms", "") != bound.rules.terms_of(record["tool"])
