"""Compare the books: what a thread tells of every payment, what the ledger says, and what the bank really paid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from benchmarks.crash.bank import Entry
from benchmarks.crash.story import FIRST, PAYMENTS
from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.effects import Effect, Known
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.call import digest


Told: TypeAlias = Literal["done", "unknown", "not run", "nothing"]
"""What a thread tells of a payment; `nothing` where it does not tell of it at all."""

Fault: TypeAlias = Literal["lost", "doubled", "misreported"]
"""Lost: approved, neither made nor said to be uncertain, and no user changed their mind. Doubled: made more than once.
Misreported: told otherwise than it was, in the history, in the records or in the ledger."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be."""

    fault: Fault
    thread: str
    reference: str
    """The payment, or `history`."""
    text: str


@dataclass(frozen=True, slots=True)
class Account:
    """One payment in all books."""

    reference: str
    told: Told
    amount: int
    """As told."""
    recorded: str
    """The status of its record; empty where the state has none any more."""
    ledger: str
    """What the ledger holds: `committed`, `failed`, `unknown`, `running` or `nothing`."""
    entries: tuple[Entry, ...]
    """What the bank paid."""


def accounts_of(state: Mapping[str, Any], ledger: Ledger, entries: Sequence[Entry], thread: str) -> list[Account]:
    """Collect what all books say about every payment of a thread."""
    calls = _calls(state["messages"])
    records = {record.get("arguments", {}).get("reference"): record for record in state.get("calls", {}).values()}
    accounts = []
    for reference, payment in PAYMENTS.items():
        call, answer = calls.get(reference, (None, None))
        arguments = call["args"] if call else {}
        account = Account(
            reference=reference,
            told=_told(answer),
            amount=arguments.get("amount", payment.amount),
            recorded=str(records.get(reference, {}).get("status", "")),
            ledger=_in(ledger, thread, arguments),
            entries=tuple(entry for entry in entries if entry.reference == reference),
        )
        accounts.append(account)
    return accounts


def audit(thread: str, accounts: Iterable[Account], *, impatient: bool, can_tell: bool) -> list[Finding]:
    """Find what must not be.

    Args:
        thread: The thread.
        accounts: Its payments.
        impatient: Whether the user stopped it, so that payments may be missing.
        can_tell: Whether the bank could be asked, so that nothing has to stay unknown unless the user stopped it.

    """
    findings = []
    for account in accounts:
        for fault, text in _faults(account, impatient=impatient, can_tell=can_tell):
            told = f"told: {account.told}, ledger: {account.ledger}, entries: {len(account.entries)}"
            findings.append(Finding(fault, thread, account.reference, f"{text} ({told})"))
    return findings


def audit_history(thread: str, messages: Sequence[AnyMessage]) -> list[Finding]:
    """Find calls without exactly one answer right behind their message, and answers without a call."""
    wanted: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if not wanted or message.tool_call_id != wanted.pop(0):
                return [_broken(thread, f"the answer {message.tool_call_id!r} has no call before it")]
        elif wanted:
            return [_broken(thread, f"the call {wanted[0]!r} has no answer")]
        elif isinstance(message, AIMessage):
            wanted = [str(call["id"]) for call in message.tool_calls]
    ends = not wanted and bool(messages) and isinstance(messages[-1], AIMessage)
    return [] if ends else [_broken(thread, "the last message is no answer to the user")]


def _faults(account: Account, *, impatient: bool, can_tell: bool) -> Iterable[tuple[Fault, str]]:
    """Name everything that is wrong with one payment."""
    count = len(account.entries)
    if count > 1:
        yield "doubled", f"paid {count} times"
    if account.told in {"nothing", "not run"} and not impatient:
        yield "lost", "approved, but neither made nor said to be uncertain"
    if account.told == "done" and count == 0:
        yield "misreported", "told as done, but never paid"
    if account.told in {"nothing", "not run"} and count:
        yield "misreported", "paid, but told as not run"
    if any(entry.amount != account.amount for entry in account.entries):
        yield "misreported", f"told with the amount {account.amount}, but paid with another"
    if account.ledger != _AGREES[account.told]:
        yield "misreported", f"the ledger says {account.ledger}"
    if account.recorded and _SAYS.get(account.recorded, "not run") != account.told:
        yield "misreported", f"the record says {account.recorded}"
    if account.told == "unknown" and can_tell and not impatient:
        yield "misreported", "told as unknown, but the bank could have been asked"


_AGREES: dict[Told, str] = {"done": "committed", "unknown": "unknown", "not run": "nothing", "nothing": "nothing"}
"""What the ledger must hold, by what is told."""
_SAYS: dict[str, Told] = {Status.DONE: "done", Status.UNKNOWN: "unknown"}
"""What is told, by the status of a record."""


def _calls(messages: Sequence[AnyMessage]) -> dict[str, tuple[Any, ToolMessage | None]]:
    """Return every payment of a history with its answer; of one that was proposed again, the last."""
    answers = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return {call["args"]["reference"]: (call, answers.get(str(call["id"]))) for call in calls if call["name"] == "pay"}


def _told(answer: ToolMessage | None) -> Told:
    """Read what an answer tells the model and, through it, the user."""
    if answer is None:
        return "nothing"
    if answer.status == "success":
        return "done"
    return "unknown" if "UNKNOWN whether" in answer.text else "not run"


def _in(ledger: Ledger, thread: str, arguments: Mapping[str, Any]) -> str:
    """Look a payment up in the ledger."""
    binding = Binding(thread, str(FIRST.id), "", "pay", digest("pay", arguments))
    key = Effect(binding=binding).key
    match ledger.effects.find([key]).get(key):
        case Known(status=status):
            return status
        case None:
            return "nothing"
        case _:
            return "running"


def _broken(thread: str, text: str) -> Finding:
    """Report a history that a model could not go on with."""
    return Finding("misreported", thread, "history", text)
