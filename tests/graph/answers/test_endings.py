"""However a model or a tool misbehaves, a run ends within its limits, with an account of what was done and what not."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call
from langgraph.types import Command

from reinforced_agent import Estimate, Limits, ToolLimits, tool
from reinforced_agent.graph.budget.budget import time_is_short
from reinforced_agent.policies.verdicts import ErrorKind
from tests.graph.house import House, assert_valid, call, calls


OSLO = {"city": "Oslo", "date": "2030-01-02"}
BERGEN = {"city": "Bergen", "date": "2030-01-02"}


def run(house: House, *, in_loop: bool) -> House:
    """Send a message, and approve whatever is asked, sync or in an event loop."""

    def once(given: Any) -> Any:
        if in_loop:
            return asyncio.run(house.agent.ainvoke(given, house.config))
        return house.agent.invoke(given, house.config)

    house.result = once({"messages": [("user", "Look after the garden.")]})
    while "__interrupt__" in house.result:
        tokens = [held["token"] for held in house.question.value["calls"]]
        decisions = [{"type": "approve", "token": token} for token in tokens]
        house.result = once(Command(resume={house.question.id: {"decisions": decisions}}))
    return house


def many(first: dict[str, Any], second: dict[str, Any] | None = None, name: str = "get_forecast") -> list[Any]:
    """Write a script that says the same, or the same two things, for ever; each call has its own id."""
    said = [first, second or first]
    return [calls(call(name, said[n % 2], f"c{n}")) for n in range(30)]


@dataclass(frozen=True)
class Loop:
    """A way to go on for ever, and the most requests to the model that it may take."""

    id: str
    lines: list[Any]
    most: int
    outcome: str
    limits: dict[str, Any] = field(default_factory=dict)


LOOPS = [
    Loop("the same call", many(OSLO), 1 + 2 + 1, "budget"),
    Loop("the same call, asked again once", many(OSLO), 1 + 1 + 1, "budget", {"retries": {ErrorKind.DUPLICATE: 1}}),
    Loop("two calls in turn", many(OSLO, BERGEN), 2 + 2 + 1, "budget"),
    Loop("a tool that doesn't exist", many(OSLO, name="water_roses"), 0 + 2 + 1, "budget"),
    Loop("arguments that are never right", many({"city": "Oslo", "date": "soon"}), 0 + 3 + 1, "budget"),
    Loop("a tool that always fails", many({"page": 1}, {"page": 2}, name="read_ledger"), 30, "budget", {"steps": 8}),
    Loop(
        "another tool that always fails",
        [calls(call("read_ledger", {"page": n}, f"c{n}")) for n in range(30)],
        2 + 2,
        "budget",
    ),
    Loop(
        "never an answer",
        [calls(call("get_forecast", {**OSLO, "city": f"C{n}"}, f"c{n}")) for n in range(30)],
        8,
        "limit",
    ),
    Loop("silence", [""] * 30, 0 + 2 + 1, "unusable"),
    Loop(
        "calls that can't be read", [calls(call("get_forecast", '{"city": ', f"c{n}")) for n in range(30)], 8, "budget"
    ),
]


@pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.id)
def test_a_model_that_goes_on_for_ever_is_stopped(loop: Loop, in_loop: bool) -> None:  # noqa: FBT001  # a parameter
    """At most the documented number of requests to the model: what ran, the tries of the mistake, and one more."""
    limits = Limits(**loop.limits)
    house = run(House(*loop.lines, limits=limits), in_loop=in_loop)
    assert len(house.model.seen) <= min(loop.most, limits.steps)
    assert house.outcome == loop.outcome
    assert house.answer.startswith("I could not finish this request: Look after the garden.")
    assert "Why I stopped: " in house.answer
    assert "Next step: " in house.answer
    assert_valid(house.history)


LINES = st.one_of(
    st.builds(
        lambda city, number: calls(call("get_forecast", {**OSLO, "city": city}, f"f{number}")),
        st.sampled_from(["Oslo", "Bergen"]),
        st.integers(0, 20),
    ),
    st.builds(lambda to: calls(call("send_note", {"to": to, "text": "hi"}, f"n-{to}")), st.sampled_from("abc")),
    st.builds(lambda page: calls(call("read_ledger", {"page": page}, f"p{page}")), st.integers(1, 3)),
    st.builds(
        lambda names: calls(*(call(name, OSLO, f"m{at}") for at, name in enumerate(names))),
        st.lists(st.sampled_from(["get_forecast", "water_roses", "send_note", "wait_long"]), min_size=1, max_size=6),
    ),
    st.sampled_from(
        [
            "",
            "All done.",
            ConnectionError("no route"),
            calls(call("get_forecast", '{"city": ', "broken")),
            calls(call("", {}, "")),
            calls(call("get_forecast", OSLO, "same"), call("get_forecast", OSLO, "same")),
            {"content": '{"name": "get_forecast"', "finish_reason": "length"},
            calls(call("delete_note", {"to": "ann"}, "d"), finish_reason="length"),
        ]
    ),
)


@pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
@given(lines=st.lists(LINES, min_size=1, max_size=6), steps=st.integers(1, 5), most=st.integers(1, 6))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_run_ends_within_its_limits(in_loop: bool, lines: list[Any], steps: int, most: int) -> None:  # noqa: FBT001
    """Whatever a model says: no more requests and calls than allowed, an answer, and one tool message for each call."""
    house = run(House(*lines, repeat_last=True, limits=Limits(steps=steps, calls=most)), in_loop=in_loop)
    assert len(house.model.seen) <= steps
    assert house.result["turn"]["spent"]["calls"] <= most
    assert len(house.effects) <= most
    assert house.outcome in {"answered", "asked", "budget", "limit", "unusable", "model_down"}
    assert house.answer.strip()
    assert_valid(house.history)


def test_a_model_that_goes_down_after_a_write_leaves_a_true_account() -> None:
    """The answer says what took effect and that it must not be done again; the model isn't asked once more."""
    note = call("send_note", {"to": "ann", "text": "hi"}, "c1")
    house = House(calls(note), ConnectionError("no route")).say("Write to Ann.").decide({"type": "approve"})
    assert house.outcome == "model_down"
    assert len(house.model.seen) == 2
    assert 'send_note {"text":"hi","to":"ann"}: sent to ann' in house.answer
    assert "must not be done again" in house.answer
    assert "send the request again" not in house.answer
    assert_valid(house.history)


def test_an_unknown_write_is_neither_done_nor_undone_in_the_account() -> None:
    """What nobody knows stands under its own head, and the next step is to look it up."""

    @tool(timeout=0.05)
    def pay(amount: int) -> str:
        """Pay."""
        time.sleep(1)
        return f"paid {amount}"

    house = House(calls(call("pay", {"amount": 5}, "c1")), ConnectionError("no route"), tools=[pay]).say()
    house.decide({"type": "approve"})
    told = house.answer.splitlines()
    at = told.index("What may or may not have taken effect:")
    assert told[at + 1] == '- pay {"amount":5}: `pay` gave no answer within 0.05 seconds.'
    assert "have it looked up" in told[-1]


def test_the_account_speaks_to_the_user() -> None:
    """Instructions to the model are left out, and so is a mistake that was put right."""
    lines = [
        calls(call("get_forecast", {"city": "Oslo"}, "c1")),
        calls(call("get_forecast", OSLO, "c2")),
        calls(call("read_ledger", {"page": 7}, "c3")),
        ConnectionError("no route"),
    ]
    house = House(*lines).say()
    assert "OSError: page 7 is torn" in house.answer
    assert house.answer.count("get_forecast") == 1
    assert "Don't" not in house.answer


def test_the_account_is_written_in_the_language_of_the_turn() -> None:
    """A Chinese user reads Chinese."""
    house = House(*many(OSLO), limits=Limits(steps=2)).say("奥斯陆天气", context={"locale": "zh-CN"})
    assert house.answer.startswith("此请求未能完成：奥斯陆天气")
    assert "最多可提出 2 次" in house.answer


def test_all_tools_being_withdrawn_leads_to_an_answer() -> None:
    """A model that has no tool left is asked once more, without any, and answers."""
    lines = [calls(call("read_ledger", {"page": n}, f"c{n}")) for n in range(2)]
    house = House(*lines, "The ledger can't be read.", tools=[House().tools()[3]]).say()
    assert (house.outcome, house.answer) == ("answered", "The ledger can't be read.")


def test_a_tool_may_fail_more_often_than_others() -> None:
    """`ToolLimits.failures` sets how often this one may fail in a row; the model is told at that number."""

    @tool(risk="read", limits=ToolLimits(failures=3, attempts=1))
    def knock(door: int) -> str:
        """Knock at a door."""
        msg = f"nobody at {door}"
        raise LookupError(msg)

    lines = [calls(call("knock", {"door": n}, f"c{n}")) for n in range(4)]
    house = House(*lines, "Nobody is in.", tools=[knock]).say()
    assert [house.status(f"c{n}") for n in range(4)] == ["failed", "failed", "failed", "open"]
    assert "Don't call it again" not in house.told("c1")
    assert "failed 3 times in a row" in house.told("c2")


@pytest.mark.parametrize(
    ("turn", "limits", "told"),
    [
        pytest.param({"step": 1, "seconds": 79.0}, Limits(seconds=100), "", id="time is left"),
        pytest.param({"step": 1, "seconds": 80.0}, Limits(seconds=100), "Most of the time", id="four fifths"),
        pytest.param({"step": 1, "seconds": 1e6}, Limits(seconds=None), "", id="no bound"),
        pytest.param({"step": 7, "seconds": 0.0}, Limits(steps=8), "This is your last message", id="last step"),
        pytest.param({"step": 0, "seconds": 0.0}, Limits(steps=1), "", id="only step"),
        pytest.param(
            {"step": 1, "spoken": [{"step": 1, "input_tokens": 70, "output_tokens": 20}]},
            Limits(tokens=100),
            "Most of what may be written",
            id="tokens",
        ),
        pytest.param({"step": 7, "seconds": 0.0, "locale": "zh"}, Limits(steps=8), "最后一条消息", id="Chinese"),
    ],
)
def test_the_model_is_told_to_finish_when_little_is_left(turn: Any, limits: Limits, told: str) -> None:
    """From four fifths of a bound on, and before the last message, the model reads that it has to finish."""
    state: Any = {"turn": {"id": "t", **turn}, "calls": {}, "proposal": {"closed": True}}
    bound: Any = SimpleNamespace(limits=limits)
    notice = time_is_short(state, bound)
    assert told in notice
    assert bool(told) == bool(notice)


def test_money_that_runs_out_is_told_to_the_model() -> None:
    """The system message says it when most of the money is spent, not before."""

    @tool(risk="read", estimate=Estimate(money=0.9))
    def search(query: str) -> str:
        """Search."""
        return f"found {query}"

    house = House(calls(call("search", {"query": "a"}, "c1")), "Found.", tools=[search], limits=Limits(money=1)).say()
    assert "Most of the money for this request is spent" in house.model.seen[1][0].text
    assert "Most of the money" not in house.model.seen[0][0].text


def test_used_up_tokens_end_the_run_with_an_account() -> None:
    """A model that has read and written what it may isn't asked again."""
    usage = {"input_tokens": 900, "output_tokens": 200, "total_tokens": 1100}
    asked = AIMessage("", tool_calls=[tool_call(name="get_forecast", args=OSLO, id="c1")], usage_metadata=usage)
    house = House(asked, "Cold.", limits=Limits(tokens=1000)).say()
    assert (house.outcome, len(house.model.seen)) == ("limit", 1)
    assert "1000 tokens for one request" in house.answer
    assert house.result["turn"]["spent"]["tokens"] == 1100
