"""Facts are established when a result arrives or a person decides, and are kept with the thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from reinforced_agent import Context, Establishes, Limits, build_agent, tool
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.policies.rules import Forbidden, NotAgain, Quota, Requires, RuleError, RuleSet, Source
from reinforced_agent.policies.verdicts import Accept
from tests.graph.house import House, call, calls


LOGIN = call("log_in", {"user": "ann"}, "l1")
PAY = call("pay", {"amount": 5}, "p1")
LOGIN_FIRST = Requires(name="login first", tools=("pay",), fact="user_id")


def bank(**declared: Any) -> list[Any]:
    """Return a log-in whose result is long, a payment, and a refund that a person has to approve."""

    @tool(risk="read", **declared)
    def log_in(user: str) -> dict[str, Any]:
        """Log in."""
        return {"history": ["x" * 50] * 1000, "user_id": user, "more": ["y" * 50] * 1000}

    @tool(risk="read")
    def pay(amount: int) -> str:
        """Pay."""
        if amount > 100:
            msg = "too much"
            raise ValueError(msg)
        return f"paid {amount}"

    @tool(risk="write")
    def refund(order: str, amount: int) -> str:
        """Refund."""
        return f"refunded {amount} for {order}"

    return [log_in, pay, refund]


def facts_of(house: House) -> dict[str, Any]:
    """Return the facts that the thread keeps."""
    found: dict[str, Any] = house.agent.get_state(house.config).values["facts"]
    return found


@pytest.mark.parametrize(
    ("declared", "policies"),
    [
        pytest.param(
            {},
            RuleSet(rules=(LOGIN_FIRST,), sources=(Source(fact="user_id", tool="log_in", path="user_id"),)),
            id="set",
        ),
        pytest.param({"establishes": (Establishes(fact="user_id", path="user_id"),)}, [LOGIN_FIRST], id="tool"),
        pytest.param(
            {},
            [
                *RuleSet(rules=(LOGIN_FIRST,), sources=(Source(fact="user_id", tool="log_in", path="user_id"),)),
                lambda _call, _situation: Accept(layer="own"),
            ],
            id="beside-a-callable",
        ),
    ],
)
def test_a_fact_outlives_a_cut_result_and_a_shortened_history(declared: dict[str, Any], policies: Any) -> None:
    """The whole result teaches, with its provenance; nothing is read from the messages again."""
    house = House(
        calls(LOGIN),
        "Hello.",
        calls(PAY),
        "Paid.",
        tools=bank(**declared),
        policies=policies,
        limits=Limits(result_tokens=50),
    ).say()
    assert "user_id" not in house.told("l1")
    assert facts_of(house)["user_id"] == {"value": "ann", "from": "tool", "tool": "log_in"}
    house.agent.update_state(house.config, {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES)]}, as_node="answer")
    house.say("pay")
    assert house.told("p1") == "paid 5"


REFUNDS = RuleSet(
    rules=(Requires(name="agreed", tools=("pay",), fact="refund_agreed"),),
    sources=(Source(fact="refund_agreed", tool="refund", on="approval", roles=("manager",)),),
)


@pytest.mark.parametrize(
    ("roles", "runs"), [pytest.param(("manager",), True, id="manager"), pytest.param((), False, id="anybody")]
)
def test_the_approval_of_a_person_may_establish_a_fact(roles: tuple[str, ...], *, runs: bool) -> None:
    """A fact that only people of a role can establish counts once one of them has approved, and names that person."""
    house = House(
        calls(call("refund", {"order": "A1", "amount": 9}, "r1")),
        "Done.",
        calls(PAY),
        "End.",
        tools=bank(),
        policies=REFUNDS,
    ).say()
    house.decide({"type": "approve"}, context=Context(user_id="eve", roles=roles))
    house.say()
    assert (facts_of(house).get("refund_agreed") == {"value": True, "from": "person", "by": "eve"}) is runs
    assert (house.result["calls"]["p1"]["status"] == "done") is runs


def test_what_a_person_established_ends_with_the_requester() -> None:
    """Another requester of the thread doesn't inherit a decision that was made for somebody else."""
    house = House(
        calls(call("refund", {"order": "A1", "amount": 9}, "r1")), "Done.", "Hello.", tools=bank(), policies=REFUNDS
    ).say(context=Context(user_id="ann"))
    house.decide({"type": "approve"}, context=Context(user_id="eve", roles=("manager",)))
    house.say(context=Context(user_id="bob"))
    assert "refund_agreed" not in facts_of(house)


def test_a_call_that_failed_is_known_in_later_turns() -> None:
    """Its failure is kept with the facts; a refusal of a rule is no failure of the tool."""
    house = House(
        calls(call("pay", {"amount": 500}, "p1")),
        "It failed.",
        calls(call("pay", {"amount": 500}, "p2")),
        "Still not.",
        tools=bank(),
        policies=[NotAgain(name="failed before")],
    ).say()
    house.agent.update_state(house.config, {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES)]}, as_node="answer")
    house.say()
    assert "has failed before" in house.result["calls"]["p2"]["feedback"]


@pytest.mark.parametrize(
    ("rule", "ran"),
    [
        pytest.param(Quota(name="one", tools=("pay",), most=1), ["p1"], id="quota"),
        pytest.param(Forbidden(name="not both", tools=("pay",), with_tools=("log_in",)), ["l1"], id="forbidden"),
        pytest.param(Quota(name="ten", tools=("pay",), most=10), ["l1", "p1", "p2"], id="room-for-all"),
    ],
)
def test_a_rule_sees_the_calls_beside(rule: Any, ran: list[str]) -> None:
    """Calls of one message are counted together, each by its tool."""
    beside = call("pay", {"amount": 6}, "p2")
    house = House(calls(LOGIN, PAY, beside), "End.", tools=bank(), policies=[rule]).say()
    done = [name for name, record in house.result["calls"].items() if record["status"] == "done"]
    assert done == (["l1", *ran] if rule.name == "one" else ran)


def test_a_rules_file_is_taken_by_its_path(tmp_path: Path) -> None:
    """`policies` may be a file; it is checked against the tools at once."""
    file = tmp_path / "rules.toml"
    file.write_text('[[rule]]\nkind = "limit"\nname = "cap"\ntools = ["pay"]\nfield = "amount"\nat_most = 3\n')
    house = House(calls(PAY), "No.", tools=bank(), policies=str(file)).say()
    assert "at most 3" in house.result["calls"]["p1"]["feedback"]
    file.write_text(file.read_text().replace("amount", "amuont"))
    with pytest.raises(RuleError, match=r"rules.toml:5: rule\[0\].field: `pay` has no field 'amuont'"):
        build_agent(model=ScriptedModel(lines=[]), tools=bank(), policies=file)


def test_a_quota_of_a_user_counts_over_threads() -> None:
    """Two payments a day, in whatever threads; another user has two of their own, and nobody known has none."""
    quota = Quota(name="two a day", tools=("pay",), most=2, per="user")
    lines = [line for at in range(5) for line in (calls(call("pay", {"amount": at}, f"p{at}")), "End.")]
    house = House(*lines, tools=bank(), policies=[quota])
    told = []
    for thread, user in enumerate(["ann", "ann", "ann", "bob", ""]):
        house.config = {"configurable": {"thread_id": f"t{thread}"}}
        house.say(context=Context(user_id=user))
        told.append(house.result["calls"][f"p{thread}"]["status"])
    assert told == ["done", "done", "revise", "done", "revise"]


def test_the_model_is_told_the_facts_that_rules_refer_to() -> None:
    """Known and missing facts stand in the system message, without secrets and without long texts."""
    rules = RuleSet(
        rules=(LOGIN_FIRST, Requires(name="pin", tools=("pay",), fact="pin"), Requires(name="x", fact="verified")),
        sources=(Source(fact="user_id", tool="log_in", path="user_id"),),
        host_facts=("pin", "verified"),
        tell_facts=True,
        secret_facts=("pin",),
    )
    house = House("Hello.", tools=bank(), policies=rules).say(context=Context(facts={"pin": "4711", "user_id": "ann"}))
    told = str(house.model.seen[-1][0].content)
    assert "Known in this session: `user_id`: ann; `pin`: known." in told
    assert "Not known yet in this session: `verified`." in told
    assert "4711" not in told
