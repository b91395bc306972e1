"""The account of a turn that tools kept from its end names the tool, what is the matter with it, and what to do."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from reinforced_agent import ApprovalPolicy, ApprovalRule, Breaker, Context, Limits, tool
from reinforced_agent.graph.execution.wording import judge
from reinforced_agent.graph.queries.effects import Place
from reinforced_agent.tools.result_rules import ResultRules
from tests.graph.house import House, call, calls
from tests.graph.services import Answered


GENERIC = "in other words"


def raising(fault: BaseException) -> Callable[[str], Any]:
    """Make a service that fails."""

    def fail(_: str) -> Any:
        raise fault

    return fail


def hang(_: str) -> Any:
    """Never answer in time."""
    threading.Event().wait(2)


def until_second(currency: str) -> str:
    """Fail once, and then work."""
    if currency == "C0":
        raise ConnectionError(currency)
    return f"{currency}: 11"


def rates(service: Callable[[str], Any], **declared: Any) -> Any:
    """Make a tool over a service."""

    @tool(risk="read", **declared)
    def rate(currency: str) -> Any:
        """Tell the rate of a currency."""
        return service(currency)

    return rate


OTHERS = [calls(call("rate", {"currency": f"C{number}"}, f"c{number}")) for number in range(9)]
AGAIN = [calls(call("rate", {"currency": "NOK"}, f"c{number}")) for number in range(9)]
WRONG = [calls(call("rate", {"money": number}, f"w{number}")) for number in range(9)]


@dataclass(frozen=True)
class Case:
    """How a turn goes wrong, and what its account must and must not say."""

    id: str
    service: Callable[[str], Any]
    lines: list[Any]
    says: tuple[str, ...]
    never: str = GENERIC
    limits: dict[str, Any] = field(default_factory=dict)
    declared: dict[str, Any] = field(default_factory=dict)


DOWN = raising(ConnectionError("no route"))
CASES = [
    Case("other arguments", DOWN, OTHERS, ("`rate` keeps failing", "again later", "tell whoever runs this service")),
    Case("the same call", DOWN, AGAIN, ("`rate` keeps failing", "again later")),
    Case("hangs", hang, OTHERS, ("did not answer within 0.05 seconds", "ask for less"), declared={"timeout": 0.05}),
    Case(
        "hangs for the whole run",
        hang,
        OTHERS,
        ("the time for one request, 0.2 seconds", "`rate` did not answer within"),
        limits={"seconds": 0.2},
    ),
    Case("refused access", raising(Answered(403)), OTHERS, ("refused access", "trying again does not help"), "later"),
    Case("nothing of that name", raising(Answered(404)), OTHERS, ("the values it was called with", "check the names")),
    Case(
        "too many calls",
        raising(Answered(429, **{"Retry-After": "150"})),
        OTHERS,
        ("takes no more calls for about 2 minutes 30 seconds", "again in about 2 minutes 30 seconds"),
    ),
    Case(
        "left alone by its breaker",
        DOWN,
        OTHERS,
        ("is left alone; it may be back in about 5 minutes", "again in about 5 minutes"),
        declared={"breaker": Breaker(failures=1, cooldown=300)},
    ),
    Case(
        "returns what was not declared",
        lambda _: {"status": "error", "message": "closed"},
        OTHERS,
        ("nothing that can be used",),
        declared={"result": ResultRules(required=("rate",))},
    ),
    Case("steps used up", DOWN, OTHERS, ("2 proposals for one request", "`rate` keeps failing"), limits={"steps": 2}),
    Case("worked in the end", until_second, OTHERS, ("3 proposals",), "`rate` failed.", limits={"steps": 3}),
    Case("wrong arguments", DOWN, WRONG, ("same kind of mistake", GENERIC), "keeps failing"),
    Case("failed once, then wrong arguments", DOWN, [OTHERS[0], *WRONG], ("same kind of mistake",), "`rate` failed."),
    Case("works, but is called for ever", str, AGAIN, ("same call again and again", "what stands above")),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_account_says_what_is_the_matter_with_a_tool(case: Case) -> None:
    """And tells to say it in other words only where other words can help."""
    limits = Limits(call_attempts=1, **case.limits)
    house = House(*case.lines, tools=[rates(case.service, **case.declared)], limits=limits).say("At what?")
    reason = house.answer.partition("Why I stopped: ")[2]
    for words in case.says:
        assert words in reason
    assert case.never not in reason


def test_the_account_says_it_in_chinese() -> None:
    """A Chinese user reads what is the matter, and times in Chinese."""
    house = House(*OTHERS, tools=[rates(hang, timeout=0.05)], limits=Limits(call_attempts=1))
    house.say("汇率", context=Context(locale="zh-CN"))
    assert "它在 0.05 秒内都没有响应" in house.answer
    assert "稍后重新发送请求" in house.answer


@pytest.mark.parametrize("fault", [ConnectionError("no route"), Answered(403)], ids=["down", "refused-access"])
def test_what_was_done_is_not_to_be_done_again(fault: BaseException) -> None:
    """Also where a tool fails after a write."""

    @tool
    def note(text: str) -> str:
        """Write a note."""
        return f"noted {text}"

    free = ApprovalPolicy(write=ApprovalRule(ask=False))
    lines = [calls(call("note", {"text": "hi"}, "n")), *OTHERS]
    house = House(*lines, tools=[note, rates(raising(fault))], limits=Limits(call_attempts=1), approvals=free).say()
    assert "only for what was not done" in house.answer
    assert "tell whoever runs this service" in house.answer


def test_a_time_of_an_earlier_version_is_still_read() -> None:
    """It stood as bare seconds in the message."""
    house = House("Hello.").say()
    failure = {"type": "TimeoutError", "message": "0.99792", "traceback": ""}
    record: Any = {"id": "c", "tool": "wait_long", "status": "failed", "failure": failure, "step": 1}
    bound: Any = type("Bound", (), {"limits": Limits(), "toolset": {"wait_long": House().tools()[4]}})()
    place = Place(house.result, "", bound)  # type: ignore[arg-type]
    assert judge(record, place)["feedback"] == "`wait_long` gave no answer within 1 second."
