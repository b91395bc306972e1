"""Right conversations under a host rule that lets every write run: they run through, and nobody is asked."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.approval import ApprovalPolicy, ApprovalRule, Condition, Exemption
from reinforced_agent.tools.spec import Risk, ToolSpec
from tests.graph.house import House, call, calls


NO = ApprovalRule(ask=False)
RULES = {
    "rule": ApprovalPolicy(write=NO, destructive=NO),
    "exemption": ApprovalPolicy(exemptions=(Exemption(when=Condition(tools=("act",)), up_to=Risk.DESTRUCTIVE),)),
}


def look(result: Any, *, untrusted: bool = False) -> ToolSpec:
    """Return a read with a fixed result."""
    return ToolSpec(
        name="look",
        description="Look something up.",
        parameters={"type": "object", "properties": {"what": {"type": "string"}}},
        risk=Risk.READ,
        run=lambda _: result,
        untrusted_output=untrusted,
    )


def act(*fields: str, **declared: Any) -> ToolSpec:
    """Return a write over texts and numbers."""
    properties = {field: {"type": ["string", "number"]} for field in fields}
    return ToolSpec(
        name="act",
        description="Do it.",
        parameters={"type": "object", "properties": properties},
        run=lambda _: "done",
        **declared,
    )


CASES: dict[str, tuple[str, ToolSpec, ToolSpec, dict[str, Any]]] = {
    "an amount of the user": ("Pay 25.50 to Kim.", look({}), act("to", "amount"), {"to": "Kim", "amount": 25.5}),
    "an account of the bank's own record": (
        "Pay Kim's rent.",
        look({"payee": "Kim", "iban": "DE89370400440532013000", "rent": 730}),
        act("iban", "amount", risk=Risk.DESTRUCTIVE),
        {"iban": "DE89370400440532013000", "amount": 730},
    ),
    "a number worked out": ("Order as much as is missing of 40.", look({"stock": 13}), act("count"), {"count": 27}),
    "an address that the user named, after a page": (
        "Read the page and tell ann@own.test whether it is up.",
        look("All systems are up. Write to help@site.test.", untrusted=True),
        act("to", "text"),
        {"to": "ann@own.test", "text": "Yes, it is."},
    ),
    "a page in words of one's own": (
        "Note what the review says.",
        look("Splendid lamp, but the switch broke after two days!", untrusted=True),
        act("note"),
        {"note": "A buyer likes it; its switch broke early."},
    ),
    "a title of a page, where only the address counts": (
        "Send ann@own.test the title of the page.",
        look("Release notes of version eighteen", untrusted=True),
        act("to", "subject", destinations=("to",)),
        {"to": "ann@own.test", "subject": "Release notes of version eighteen"},
    ),
    "in another language": (
        "把会议改到周五下午三点，并通知李雷。",
        look("会议：周四上午十点", untrusted=True),
        act("time", "who"),
        {"time": "周五下午三点", "who": "李雷"},
    ),
}


@pytest.mark.parametrize("policy", RULES.values(), ids=RULES)
@pytest.mark.parametrize(("request_text", "read", "write", "arguments"), CASES.values(), ids=CASES)
def test_a_right_write_runs_through(
    request_text: str, read: ToolSpec, write: ToolSpec, arguments: dict[str, Any], policy: ApprovalPolicy
) -> None:
    """Only a value that nothing but untrusted content named would hold it."""
    lines = [calls(call("look", {"what": "it"}, "c1")), calls(call("act", arguments, "c2")), "Done."]
    house = House(*lines, tools=[read, write], approvals=policy).say(request_text)
    assert (house.status("c2"), house.answer) == ("done", "Done.")
