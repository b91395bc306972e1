"""An approval doesn't outlive the tool and the rules it was given under: deploys between a question and its answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from reinforced_agent import (
    ApprovalPolicy,
    ApprovalRule,
    Context,
    Escalation,
    Ledger,
    ScriptedModel,
    ToolSpec,
    build_agent,
)
from reinforced_agent.policies.approval import Condition
from reinforced_agent.policies.approval.fingerprint import fingerprint
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Refuse, Revise


ANN, BOB = Context(user_id="ann"), Context(user_id="bob", roles=("clerk",))
AMOUNT: dict[str, Any] = {"amount": {"type": "integer"}}
APPROVE = {"type": "approve"}


class Bank:
    """One thread and one ledger, over which versions of an agent are deployed one after the other."""

    def __init__(self) -> None:
        self.paid: list[dict[str, Any]] = []
        self.kept, self.ledger = InMemorySaver(), Ledger()
        self.config: Any = {"configurable": {"thread_id": "t"}}
        self.result: dict[str, Any] = {}
        self.agent: Any = None

    def refund(self, **declared: Any) -> ToolSpec:
        """Declare the tool, as version 1 has it where nothing else is said."""
        schema = {"type": "object", "properties": AMOUNT, "required": ["amount"]}
        first: dict[str, Any] = {"name": "refund", "description": "Refunds an amount.", "parameters": schema}
        return ToolSpec(**{**first, "run": self.pay, **declared})

    def pay(self, arguments: Any) -> str:
        """Pay, and remember it."""
        self.paid.append(dict(arguments))
        return "paid"

    def deploy(self, tools: list[ToolSpec] | None = None, **options: Any) -> Bank:
        """Put a version into service."""
        line = {"tool_calls": [{"name": "refund", "arguments": {"amount": 900}, "id": "c1"}]}
        first = self.agent is None
        self.agent = build_agent(
            model=ScriptedModel(lines=[line, "Done."] if first else ["Done."], repeat_last=True),
            tools=[self.refund()] if tools is None else tools,
            checkpointer=self.kept,
            ledger=self.ledger,
            **options,
        )
        return self

    def ask(self) -> Bank:
        """Bring the thread to its question."""
        self.result = self.agent.invoke({"messages": [("user", "Refund 900")]}, self.config, context=ANN)
        assert self.question["calls"][0]["call_id"] == "c1"
        return self

    def decide(self, decision: dict[str, Any], by: Context = BOB) -> Bank:
        """Answer the question that waits."""
        asked = self.agent.get_state(self.config).interrupts[0]
        answer = {"decisions": [{**decision, "token": asked.value["calls"][0]["token"]}]}
        self.result = self.agent.invoke(Command(resume={asked.id: answer}), self.config, context=by)
        return self

    @property
    def question(self) -> dict[str, Any]:
        """What the person is shown."""
        shown: dict[str, Any] = self.result["__interrupt__"][0].value
        return shown

    @property
    def status(self) -> str:
        """Where the call stands."""
        return str(self.result["calls"]["c1"]["status"])


def forbid(call: Any, _situation: object) -> Refuse | Accept:
    """A rule of the host: nothing above 500."""
    if call.arguments["amount"] > 500:
        return Refuse(layer="ceiling", kind=ErrorKind.POLICY, message="Refunds above 500 are not made.")
    return Accept(layer="ceiling")


class Ceiling:
    """A rule with a number in it."""

    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(self, call: Any, _situation: object) -> Revise | Accept:
        """Send back what is above."""
        if call.arguments["amount"] > self.most:
            return Revise(layer="ceiling", kind=ErrorKind.POLICY, message=f"At most {self.most}.")
        return Accept(layer="ceiling")


WITH_DEFAULT = {"type": "object", "properties": {**AMOUNT, "bank": {"type": "string", "default": "north"}}}
STRICTER = {"type": "object", "properties": {"amount": {"type": "integer", "maximum": 500}}, "required": ["amount"]}
FOUR_EYES = ApprovalPolicy(write=ApprovalRule(roles=("boss",), four_eyes=True))
BIG = ApprovalPolicy(escalations=(Escalation(when=Condition(field="amount", above=500), reason="big"),))

ASKED_ANEW: dict[str, Callable[[Bank], Any]] = {
    "it became destructive": lambda bank: bank.deploy([bank.refund(risk="destructive")]),
    "it means something else": lambda bank: bank.deploy([bank.refund(description="Charges an amount.")]),
    "its effect is told in other words": lambda bank: bank.deploy([bank.refund(effect="Charges {amount} euros")]),
    "it has another version": lambda bank: bank.deploy([bank.refund(version="2")]),
    "it has a new parameter with a default": lambda bank: bank.deploy([bank.refund(parameters=WITH_DEFAULT)]),
    "others have to decide": lambda bank: bank.deploy(approvals=FOUR_EYES),
    "its risk is raised": lambda bank: bank.deploy(approvals=BIG),
    "it became destructive and others decide": lambda bank: bank.deploy(
        [bank.refund(risk="destructive")], approvals=ApprovalPolicy(destructive=ApprovalRule(roles=("boss",)))
    ),
}
CLOSED: dict[str, Callable[[Bank], Any]] = {
    "a rule forbids it": lambda bank: bank.deploy(policies=[forbid]),
    "a rule with another number": lambda bank: bank.deploy(policies=[Ceiling(500)]),
    "its schema forbids it": lambda bank: bank.deploy([bank.refund(parameters=STRICTER)]),
    "it is gone": lambda bank: bank.deploy([bank.refund(name="other")]),
}
DAILY: dict[str, Callable[[Bank], Any]] = {
    "the same again": lambda bank: bank.deploy(),
    "another tool beside it": lambda bank: bank.deploy([bank.refund(), bank.refund(name="other")]),
    "another tool changed": lambda bank: bank.deploy([bank.refund(), bank.refund(name="other", risk="destructive")]),
    "another prompt": lambda bank: bank.deploy(prompt="Be kind."),
    "another way to run it": lambda bank: bank.deploy([bank.refund(run=bank.pay)]),
    "more time": lambda bank: bank.deploy([bank.refund(timeout=30.0)]),
    "a rule that lets it pass": lambda bank: bank.deploy(policies=[Ceiling(1_000)]),
    "nobody needs to be asked any more": lambda bank: bank.deploy(
        approvals=ApprovalPolicy(write=ApprovalRule(ask=False))
    ),
}


@pytest.mark.parametrize("name", ASKED_ANEW)
def test_a_changed_tool_or_other_terms_are_asked_about_anew(name: str) -> None:
    """Nothing runs on the old approval; the person is told what changed, and may approve what is shown now."""
    bank = Bank().deploy().ask()
    old = bank.question["calls"][0]["token"]
    ASKED_ANEW[name](bank)
    bank.decide(APPROVE)
    assert bank.paid == []
    held = bank.question["calls"][0]
    assert held["note"]
    assert held["token"] != old
    asked = bank.agent.get_state(bank.config).interrupts[0]
    replayed = {"decisions": [{**APPROVE, "token": old}]}
    bank.result = bank.agent.invoke(Command(resume={asked.id: replayed}), bank.config, context=BOB)
    assert bank.paid == []
    bank.decide(APPROVE, by=Context(user_id="eve", roles=("boss", "clerk")))
    assert len(bank.paid) == 1
    assert bank.status == "done"


@pytest.mark.parametrize("name", CLOSED)
def test_what_the_rules_of_now_forbid_is_closed(name: str) -> None:
    """The call does not run, whoever approves it; the model is told why, and the run goes on to an answer."""
    bank = Bank().deploy().ask()
    CLOSED[name](bank)
    bank.decide(APPROVE)
    assert bank.paid == []
    assert bank.result["messages"][-1].text.startswith("Done.")
    assert bank.status in {"refused", "revise"}
    assert [one["outcome"] for one in bank.result["receipt"]["writes"]] == ["not_run"] * (bank.status == "refused")
    assert "__interrupt__" not in bank.result


@pytest.mark.parametrize("name", [*ASKED_ANEW, *CLOSED])
@pytest.mark.parametrize(
    "decision", [{"type": "reject", "message": "no"}, {"type": "respond", "message": "7"}], ids=str
)
def test_a_person_can_always_say_no_or_answer_themselves(name: str, decision: dict[str, Any]) -> None:
    """What runs nothing needs no further question, whatever was deployed meanwhile."""
    bank = Bank().deploy().ask()
    (ASKED_ANEW | CLOSED)[name](bank)
    bank.decide(decision)
    assert bank.paid == []
    assert bank.status == {"reject": "rejected", "respond": "answered"}[decision["type"]]


@pytest.mark.parametrize("name", DAILY)
def test_a_deploy_that_changes_nothing_about_the_call_disturbs_nobody(name: str) -> None:
    """The approval holds, at once."""
    bank = Bank().deploy().ask()
    DAILY[name](bank)
    bank.decide(APPROVE)
    assert bank.paid == [{"amount": 900}]
    assert bank.status == "done"


def test_an_edit_meets_the_rules_of_now() -> None:
    """An edited call is checked anew in any case; of a changed tool the person sees it once more before it runs."""
    bank = Bank().deploy().ask()
    bank.deploy([bank.refund(version="2")])
    edit = {"type": "edit", "edited_action": {"name": "refund", "args": {"amount": 5}}}
    bank.decide(edit)
    assert bank.paid == []
    assert bank.question["action_requests"][0]["args"] == {"amount": 5}
    bank.decide(APPROVE)
    assert bank.paid == [{"amount": 5}]


def test_a_deploy_between_the_answer_and_the_run_voids_the_approval(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was cut off after the answer was taken down goes on under the new version, which nobody approved."""
    bank = Bank().deploy().ask()
    asked = bank.agent.get_state(bank.config).interrupts[0]
    answer = {"decisions": [{**APPROVE, "token": asked.value["calls"][0]["token"]}]}
    for update in bank.agent.stream(Command(resume={asked.id: answer}), bank.config, context=BOB):
        assert "approve" in update
        break
    bank.deploy([bank.refund(version="2")])
    bank.result = bank.agent.invoke(None, bank.config, context=BOB)
    assert bank.paid == []
    assert bank.status == "refused"


def test_a_new_message_closes_a_call_whose_tool_is_gone() -> None:
    """The user writes on: the question is over, and nothing breaks."""
    bank = Bank().deploy().ask()
    bank.deploy([bank.refund(name="other")])
    result = bank.agent.invoke({"messages": [("user", "never mind")]}, bank.config, context=ANN)
    assert result["messages"][-1].text == "Done."
    assert bank.paid == []


def test_the_fingerprint_is_the_same_in_another_process() -> None:
    """Hash seeds and addresses are no part of it: another worker finds the same for the same declarations."""
    code = (
        "from tests.security.test_deploys import *\n"
        "print(fingerprint([forbid, Ceiling(5), BIG, {'b', 'a', 'c'}, Bank().refund().parameters]))"
    )
    seen = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        seen.add(ran.stdout)
    assert len(seen) == 1
    assert fingerprint([forbid, Ceiling(6), BIG]) != fingerprint([forbid, Ceiling(5), BIG])
