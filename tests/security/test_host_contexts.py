"""A context type of the host that nobody can make anew: no tool is given that of somebody else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime

from reinforced_agent import (
    Person,
    tool,
)
from tests.graph.house import House, call, calls
from tests.graph.parents import Parent
from tests.security.witnesses import (
    ANN,
    APPROVE,
    BOSS,
    PAY,
    THEN_READ,
    Seen,
    ShopContext,
    by_boss,
    in_a_shop,
    of_langchain,
    paying,
    shop_of,
    with_runtime,
    with_tool_runtime,
    with_tool_runtime_read,
)


def refuses(_who: Person) -> ShopContext:
    """Fail, as when a directory is away."""
    msg = "the directory is away"
    raise OSError(msg)


async def later(_who: Person) -> None:
    """Find the context out some time."""


WITHOUT: dict[str, tuple[Callable[[Seen], Any], dict[str, Any], str]] = {
    "other person, tool runtime": (with_tool_runtime, {}, "somebody else"),
    "other person, runtime": (with_runtime, {}, "somebody else"),
    "other person, langchain": (of_langchain, {}, "somebody else"),
    "no context that can be made": (with_runtime, {"context_for": refuses}, "can't be used"),
    "no context that is there": (with_runtime, {"context_for": lambda who: later(who)}, "can't be used"),  # noqa: PLW0108
}


@pytest.mark.parametrize(("source", "options", "reason"), WITHOUT.values(), ids=WITHOUT)
def test_a_tool_that_is_given_the_context_is_not_run_with_that_of_another(
    source: Callable[[Seen], Any], options: dict[str, Any], reason: str
) -> None:
    """The call is closed as refused, with the reason for the model, and the turn goes on to its answer."""
    seen: Seen = []
    parent = in_a_shop([source(seen)], **options)
    by_boss(parent)
    assert seen == []
    (told,) = [message.text for message in parent.chat if message.type == "tool"]
    assert reason in told
    assert parent.chat[-1].text.startswith("Done.")


@pytest.mark.parametrize(
    "other",
    [ShopContext("boss", "north", tenant="north"), ShopContext("", "north", tenant="north"), ANN, None],
    ids=["somebody else", "nobody named", "another type", "none"],
)
def test_a_run_that_was_cut_off_goes_on_with_the_requester_s_context_alone(other: Any) -> None:
    """A worker that brings another person's context, or none, runs no tool that is given it."""
    seen: Seen = []
    house = House(THEN_READ, "Done.", tools=[with_tool_runtime_read(seen)])
    own: Any = ShopContext("ann", "north", tenant="north")
    given: Any = {"messages": [("user", "Look.")]}
    house.agent.invoke(given, house.config, context=own, interrupt_before=["execute"])
    house.result = asyncio.run(house.agent.ainvoke(None, house.config, context=other))
    assert (house.status("c2"), seen) == ("refused", [])
    assert ("not at hand" if other is None else "somebody else") in house.told("c2")
    house.model.lines += [calls(call("look", {"page": 2}, "c3")), "Done."]
    house.agent.invoke(given, house.config, context=own, interrupt_before=["execute"])
    house.result = asyncio.run(house.agent.ainvoke(None, house.config, context=own))
    assert (house.status("c3"), seen[0]) == ("done", own)


def test_a_tool_that_asks_for_the_context_itself_finds_none() -> None:
    """It runs, for ann, and sees nobody else."""
    seen: Seen = []
    by_boss(in_a_shop([paying(seen)]))
    assert [one and one.user_id for one in seen] == [None, "ann", None]


def test_a_read_is_not_run_with_the_context_of_another_either() -> None:
    """What the requester still wanted to know after the approval is refused as well."""
    seen: Seen = []
    parent = in_a_shop([paying([]), with_tool_runtime_read(seen)], (PAY, THEN_READ, "Done."))
    by_boss_in_a_loop(parent)
    assert seen == []
    results = [message.text for message in parent.chat if message.type == "tool"]
    assert results[0] == "paid 5"
    assert "somebody else" in results[1]
    assert parent.chat[-1].text == "Done."


def by_boss_in_a_loop(parent: Parent) -> None:
    parent.approve(loop=True, context=ShopContext("boss", "north"))


def test_a_refused_write_may_be_asked_for_again() -> None:
    """The claim was given back: asked for by ann and approved by herself, it runs, once."""
    seen: Seen = []
    parent = in_a_shop([with_tool_runtime(seen)], (PAY, "Done.", PAY, "Done."))
    by_boss(parent)
    parent.say("Again.", context=ShopContext("ann", "north")).approve(context=ShopContext("ann", "north"))
    assert seen[0] == ShopContext("ann", "north")
    assert [message.text for message in parent.chat if message.type == "tool"][-1] == "paid 5"


def test_what_has_run_is_told_whoever_goes_on() -> None:
    """A write whose run was cut off after it ran is told as done, not as refused, where its tool may not run now."""
    seen: Seen = []
    done = threading.Event()

    @tool
    def pay(amount: int, runtime: Runtime[Any]) -> str:
        """Pay."""
        seen.append(runtime.context)
        done.set()
        return f"paid {amount}"

    house = House(PAY, "Done.", tools=[pay], context_for=shop_of).say(context=ANN)
    before = house.agent.get_state(house.config).config
    house.decide(APPROVE, context=BOSS)
    assert house.status("c1") == "done"
    again = House(
        PAY, "Done.", tools=[pay], context_for=refuses, checkpointer=house.agent.checkpointer, ledger=house.agent.ledger
    )
    again.config, again.result = before, {"__interrupt__": house.agent.get_state(before).interrupts}
    again.decide(APPROVE, context=BOSS)
    assert len(seen) == 1
    assert again.result["calls"]["c1"]["result"] == "paid 5"
