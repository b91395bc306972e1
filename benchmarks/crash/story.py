"""The story of every thread of the crash test: who is paid, what the model says, and what the person decides."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatResult

from benchmarks.crash.bank import Bank
from reinforced_agent.evaluation.crash.marks import Border, Marks
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.policies.approval import ApprovalPolicy, Condition, Exemption
from reinforced_agent.policies.grounding import GroundingPolicy
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import DidNotHappen, Happened, Reconciled, ToolSpec
from reinforced_agent.tools.toolset import tool


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment of the story."""

    reference: str
    """What it is for; no two of a thread are equal."""
    amount: int
    """What is paid in the end."""
    proposed: int | None = None
    """What the model proposes, where the person changes it."""


PAYMENTS = {
    payment.reference: payment
    for payment in (
        Payment("rent", 900),
        Payment("anna", 40),
        Payment("ben", 45),
        Payment("tip", 4),
        Payment("gift", 25, proposed=30),
    )
}
"""All payments by what they are for: one alone, two side by side, one that nobody has to approve, one edited."""

_MESSAGES = (("rent",), ("anna", "ben"), ("tip", "balance"), ("gift",))
"""What the model proposes together."""

FIRST = HumanMessage("Pay what is due.", id="message-1")
"""What the user asks for."""
SECOND = HumanMessage("Stop, that is enough.", id="message-2")
"""What an impatient user writes after a run was cut off."""

APPROVALS = ApprovalPolicy(exemptions=(Exemption(when=Condition(tools=("pay",), field="amount", at_most=5)),))
"""Who is asked: a person about every payment above 5."""

GROUNDING = GroundingPolicy(without=("pay",))
"""The model knows what is due without being told, so that every crash meets a payment."""


class Storyteller(ScriptedModel):
    """Says the line that follows on what it is shown, so that a new process goes on where the last one was killed."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        asked = max(at for at, message in enumerate(messages) if isinstance(message, HumanMessage))
        said = sum(isinstance(message, AIMessage) for message in messages[asked:])
        self._next[0] = len(self.lines) - 1 if messages[asked].id == SECOND.id else said
        return super()._generate(messages, *args, **kwargs)


def storyteller(life: int, *, inventive: bool = False) -> Storyteller:
    """Make the model of one process; like a real one it numbers its calls anew, so the call ids differ.

    Args:
        life: How many processes worked on the thread before.
        inventive: Whether it writes other arguments than the last process would have.

    """
    memo = f"as of {life}" if inventive else "as ever"
    lines = [{"tool_calls": [_call(name, life, memo) for name in names]} for names in _MESSAGES]
    return Storyteller(lines=[*lines, "That is all."])


def reference_of(call_id: str) -> str:
    """Return what a call is for, from its id."""
    return call_id.partition("-")[0]


def tools(bank: Bank, thread: str, marks: Marks, *, can_tell: bool, native: bool) -> list[ToolSpec]:
    """Return the payment and the look at the balance.

    Args:
        bank: Who pays.
        thread: Whose payments they are.
        marks: Told when the tool is entered and when the payment was made.
        can_tell: Whether the bank can be asked about a payment whose outcome is unknown.
        native: Whether the payment is a coroutine.

    """

    def pay(reference: str, amount: int, memo: str) -> str:
        """Pay an amount."""
        del memo
        marks.passed(Border.DISPATCHED, reference)
        marks.pause()
        bank.pay(thread, reference, amount)
        marks.passed(Border.PAID, reference)
        marks.pause()
        return _receipt(amount, reference)

    async def pay_later(reference: str, amount: int, memo: str) -> str:
        """Pay an amount."""
        return await asyncio.to_thread(pay, reference, amount, memo)

    def balance() -> str:
        """Tell the balance."""
        return f"{len(bank.entries(thread))} payments"

    def ask(arguments: Mapping[str, JSON], _key: str) -> Reconciled:
        """Look into the book."""
        paid = [entry for entry in bank.entries(thread) if entry.reference == arguments["reference"]]
        return Happened(_receipt(paid[0].amount, paid[0].reference)) if paid else DidNotHappen()

    payment = tool(risk="write")(pay_later if native else pay)
    payment = payment.declare(name="pay", reconcile=ask if can_tell else None)
    return [payment, tool(risk="read")(balance)]


def decide(request: Mapping[str, Any]) -> dict[str, Any]:
    """Decide as the person of the story does: approve what is right, and correct what is not."""
    pairs = zip(request["calls"], request["action_requests"], strict=True)
    return {"decisions": [{"token": held["token"], **_decision(action["args"])} for held, action in pairs]}


def _decision(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Decide about one payment."""
    right = PAYMENTS[arguments["reference"]].amount
    if arguments["amount"] == right:
        return {"type": "approve"}
    return {"type": "edit", "edited_action": {"name": "pay", "args": {**arguments, "amount": right}}}


def _call(name: str, life: int, memo: str) -> dict[str, Any]:
    """Write one call of the script."""
    call_id = f"{name}-{life}"
    if name not in PAYMENTS:
        return {"name": name, "arguments": {}, "id": call_id}
    payment = PAYMENTS[name]
    arguments = {"reference": name, "amount": payment.proposed or payment.amount, "memo": memo}
    return {"name": "pay", "arguments": arguments, "id": call_id}


def _receipt(amount: int, reference: str) -> str:
    """Return what the bank answers."""
    return f"paid {amount} for {reference}"
