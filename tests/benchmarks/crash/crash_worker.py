"""A process that pays one bill with a tool that takes as long as the test wants."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.types import Command

from benchmarks.crash.bank import Bank
from benchmarks.crash.client import rehearse
from benchmarks.crash.sites import saver
from reinforced_agent import DidNotHappen, Happened, ScriptedModel, ThreadBusyError, build_agent, tool
from reinforced_agent.graph.agent import Agent
from reinforced_agent.ledger import Ledger
from reinforced_agent.tools.spec import Reconciled, ToolSpec


__all__ = ["Bill", "rehearse", "work"]

CONFIG: Any = {"configurable": {"thread_id": "thread"}}


@dataclass(frozen=True, kw_only=True)
class Bill:
    """What a worker is told."""

    ledger: str
    threads: str
    book: str
    gates: str
    """A folder: the tool goes on when the file `before`, and then the file `after` the payment, is there."""
    lease: float = 30.0
    can_tell: bool = False

    def wait(self, gate: str) -> None:
        """Wait until a gate opens."""
        while not (Path(self.gates) / gate).exists():
            time.sleep(0.005)


def work(plain: Mapping[str, Any], descriptor: int) -> int:
    """Go on with the thread; tell where it is, and at last what was told or why nothing was done."""

    def say(**event: Any) -> None:
        os.write(descriptor, json.dumps(event).encode() + b"\n")

    bill = Bill(**plain)
    with saver(bill.threads) as kept:
        agent = pay_agent(bill, kept, say)
        try:
            go_on(agent)
        except ThreadBusyError as error:
            say(event="busy", text=str(error))
            return 0
        record = agent.get_state(CONFIG).values["calls"]["c1"]
        text = agent.get_state(CONFIG).values["messages"][-2].text
        say(event="end", status=record["status"], text=text)
    return 0


def pay_agent(bill: Bill, kept: Any, say: Any) -> Agent:
    """Build the graph."""
    line = {"tool_calls": [{"name": "pay", "arguments": {"amount": 900}, "id": "c1"}]}
    ledger = Ledger.open(bill.ledger, lease=bill.lease)
    # A worker that goes on with the thread has the last line left to say.
    lines = [line, "Done."] if kept.get_tuple(CONFIG) is None else ["Done."]
    return build_agent(model=ScriptedModel(lines=lines), tools=[pay_tool(bill, say)], checkpointer=kept, ledger=ledger)


def pay_tool(bill: Bill, say: Any) -> ToolSpec:
    """Make the slow tool."""
    bank = Bank(Path(bill.book))

    def ask(_arguments: Any, _key: str) -> Reconciled:
        paid = bank.entries("thread")
        return Happened(f"paid {paid[0].amount}") if paid else DidNotHappen()

    @tool(reconcile=ask if bill.can_tell else None)
    def pay(amount: int) -> str:
        """Pay the bill."""
        say(event="entered")
        bill.wait("before")
        bank.pay("thread", "bill", amount)
        say(event="paid")
        bill.wait("after")
        return f"paid {amount}"

    return pay


def go_on(agent: Agent) -> None:
    """Answer the question that waits, or go on with what was cut off."""
    snapshot = agent.get_state(CONFIG)
    for question in snapshot.interrupts:
        answer = {"decisions": [{"type": "approve", "token": held["token"]} for held in question.value["calls"]]}
        agent.invoke(Command(resume={question.id: answer}), CONFIG, durability="sync")
        return
    agent.invoke(None, CONFIG, durability="sync")
