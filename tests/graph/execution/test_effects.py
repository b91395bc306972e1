"""An effect happens once and is told as it was, whatever gets in between."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from langgraph.types import Command

from reinforced_agent import Limits, tool
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.fallbacks import Alternative, StaticAnswer
from tests.graph.house import House, assert_valid, call, calls, wait_until


def note(to: str, call_id: str) -> dict[str, Any]:
    """Write a call that has an effect."""
    return call("send_note", {"to": to, "text": "hi"}, call_id)


def edit(to: str) -> dict[str, Any]:
    """Decide to send the note to somebody else."""
    return {"type": "edit", "edited_action": {"name": "send_note", "args": {"to": to, "text": "hi"}}}


@pytest.mark.parametrize("when", ["still under way", "done meanwhile"])
def test_a_write_that_was_cut_off_is_told_as_it_is(when: str) -> None:
    """A run that is cancelled while a write is under way doesn't claim that nothing happened."""
    started, release, done = threading.Event(), threading.Event(), threading.Event()

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        started.set()
        release.wait(20)
        done.set()
        return f"paid {amount}"

    house = House(calls(call("pay", {"amount": 1}, "c1")), "I will look it up.", tools=[pay]).say()

    async def cancelled() -> None:
        answer = {"decisions": [{"type": "approve", "token": house.question.value["calls"][0]["token"]}]}
        run = asyncio.create_task(house.agent.ainvoke(Command(resume={house.question.id: answer}), house.config))
        await asyncio.to_thread(started.wait, 20)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(cancelled())
    if when == "done meanwhile":
        release.set()
        done.wait(20)
        wait_until(lambda: not house.agent.ledger.effects.unknown())
    house.say("Did it work?")
    release.set()
    assert ("paid 1" if when == "done meanwhile" else "UNKNOWN whether it took effect") in house.told("c1")
    assert_valid(house.history)


class Unspeakable(Exception):  # noqa: N818  # an exception that can't even be written
    """Breaks when it is looked at."""

    def __str__(self) -> str:
        raise RuntimeError


def _circle() -> list[Any]:
    """Make a list that holds itself."""
    ring: list[Any] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    "value",
    [{"pdf": b"\xff\xfe"}, _circle(), {"n": float("nan")}, Unspeakable(), (n for n in range(3)), object()],
    ids=["bytes", "circle", "nan", "exception", "generator", "object"],
)
def test_a_result_that_can_not_be_written_does_not_break_the_run(value: Any) -> None:
    """After the effect nothing may raise: the run goes on, and the effect is not repeated."""
    effects = []

    @tool
    def make() -> Any:
        """Make something."""
        effects.append(1)
        return value

    house = House(calls(call("make", {}, "c1")), "Well.", tools=[make]).say().decide({"type": "approve"})
    assert (house.answer.splitlines()[0], effects) == ("Well.", [1])
    assert_valid(house.history)


def test_an_edit_into_a_sibling_is_not_done_twice() -> None:
    """Two calls that became equal by an edit are one effect; the person is told."""
    house = House(calls(note("bob", "a"), note("ann", "b")), "Done.").say().decide({"type": "approve"}, edit("bob"))
    assert "exactly that already" in house.question.value["calls"][0]["note"]
    house.decide({"type": "reject"})
    assert house.effects == [("bob", "hi")]
    assert_valid(house.history)


def test_a_stand_in_equal_to_a_sibling_takes_its_result() -> None:
    """A fallback doesn't repeat what the same message has done already."""
    effects = []

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        effects.append(amount)
        return "paid"

    @tool(risk="read", fallbacks=(Alternative("pay"),))
    def settle(amount: int) -> str:
        """Settle."""
        msg = "down"
        raise OSError(msg)

    batch = calls(call("settle", {"amount": 1}, "a"), call("pay", {"amount": 1}, "b"))
    house = House(batch, "Done.", tools=[pay, settle]).say().decide({"type": "approve"})
    assert effects == [1]
    assert house.status("a") == "served"
    assert_valid(house.history)


def test_a_write_is_not_repeated_because_another_one_ran() -> None:
    """Only a read gets out of date by a change; a write that was done stays done."""
    house = House(calls(note("bob", "a"), note("ann", "b")), calls(note("bob", "c")), "Done.").say()
    house.decide({"type": "approve"}, {"type": "approve"})
    assert "__interrupt__" not in house.result
    assert sorted(house.effects) == [("ann", "hi"), ("bob", "hi")]


def test_an_edit_does_not_skip_a_question_of_the_host() -> None:
    """What a rule wants a person to know is put, also when the person's own edit raises it."""

    def over_bob(given: Call, situation: Situation) -> Verdict:
        del situation
        if given.arguments.get("to") == "bob":
            return Ask(layer="house", kind=ErrorKind.POLICY, message="Bob is the director.")
        return Accept(layer="house")

    house = House(calls(note("ann", "a")), "Done.", policies=[over_bob]).say().decide(edit("bob"))
    assert house.effects == []
    assert "Bob is the director." in house.question.value["calls"][0]["reason"]
    house.decide({"type": "approve"})
    assert house.effects == [("bob", "hi")]


def test_equal_stand_ins_serve_both_calls() -> None:
    """Two calls whose fallbacks are equal both get the result, and the history keeps them."""

    @tool(risk="read", fallbacks=(Alternative("table"),))
    def look(page: int) -> str:
        """Look."""
        msg = "down"
        raise OSError(msg)

    @tool(risk="read", fallbacks=(Alternative("table"),))
    def peek(page: int) -> str:
        """Peek."""
        msg = "down"
        raise OSError(msg)

    @tool(risk="read", offered=False)
    def table(page: int) -> str:
        """Read the table."""
        return f"page {page}"

    batch = calls(call("look", {"page": 1}, "a"), call("peek", {"page": 1}, "b"))
    house = House(batch, "Done.", tools=[look, peek, table]).say()
    assert [house.status(item) for item in ("a", "b")] == ["served", "served"]
    assert_valid(house.history)


def test_a_decision_beside_a_call_with_a_fallback_is_kept() -> None:
    """What a person said reaches the history although another call still goes to its fallback."""

    def too_dear(given: Call, situation: Situation) -> Verdict:
        del situation
        if given.tool == "look":
            return Refuse(layer="cost", kind=ErrorKind.TOO_EXPENSIVE, message="Too dear.")
        return Accept(layer="cost")

    @tool(risk="read", fallbacks=(StaticAnswer("closed"),))
    def look() -> str:
        """Look."""
        return ""

    tools = [look, *House().tools()]
    house = House(calls(call("look", {}, "a"), note("bob", "b")), "Done.", tools=tools, policies=[too_dear]).say()
    house.decide({"type": "respond", "message": "I sent it by hand."})
    assert "I sent it by hand." in house.told("b")
    assert house.status("a") == "served"
    assert_valid(house.history)


def test_rejections_count_as_steps() -> None:
    """A model that proposes one rejected write after the other ends at its step budget."""
    house = House(*[calls(note(f"n{n}", f"c{n}")) for n in range(9)], limits=Limits(steps=2)).say()
    house.decide({"type": "reject"}).decide({"type": "reject"})
    assert house.outcome == "limit"
    assert house.result["turn"]["step"] == 2
    assert_valid(house.history)


def test_a_long_chain_of_fallbacks_ends_with_an_answer() -> None:
    """However many alternatives fail, the run ends by itself; a mapping that breaks is passed over."""

    def broken(arguments: Any) -> dict[str, Any]:
        raise KeyError(arguments)

    @tool(risk="read", offered=False)
    def away() -> str:
        """Be away."""
        msg = "away"
        raise OSError(msg)

    chain = (*(Alternative(f"away{n}") for n in range(8)), Alternative("away0", broken), StaticAnswer("closed"))

    @tool(risk="read", fallbacks=chain)
    def door() -> str:
        """Look at the door."""
        msg = "stuck"
        raise OSError(msg)

    tools = [door, *(away.declare(name=f"away{n}") for n in range(8))]
    house = House(calls(call("door", {}, "c1")), "Closed.", tools=tools, limits=Limits(steps=2)).say()
    assert house.status("c1") == "served"
    assert_valid(house.history)


def test_a_hidden_tool_is_neither_called_nor_named() -> None:
    """What is not offered serves as a fallback only."""

    @tool(risk="read", offered=False)
    def secret_table(page: int) -> str:
        """Read the table."""
        return f"page {page}"

    tools = [secret_table, *House().tools()]
    house = House(calls(call("secret_table", {"page": 1}, "c1")), "I can't.", tools=tools).say()
    assert house.status("c1") == "revise"
    assert "available" in house.told("c1") or "no tool" in house.told("c1")
    assert "nearest: `secret_table`" not in house.told("c1")
