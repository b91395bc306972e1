"""Long and broken histories, made up at random: what is shown is valid, within its budget, and the newest there is."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import ContextPolicy, ScriptedModel, build_agent
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.prompt import window as trimming
from reinforced_agent.graph.prompt.window import in_context, tokens_of
from reinforced_agent.graph.settings.sizes import Sizes
from reinforced_agent.graph.state import State
from reinforced_agent.policies.text.tokens import approximate
from tests.graph.house import assert_valid


def a_turn(number: int, dice: random.Random) -> Iterator[AnyMessage]:
    """Write a turn that may be broken: calls without results, results without calls or too late, notes in between."""
    yield HumanMessage(f"question {number} " * dice.choice([1, 1, 5, 60]), id=f"h{number}")
    if dice.random() < 0.1:
        yield SystemMessage(f"note {number}", id=f"s{number}")
    for step in range(dice.choice([0, 1, 1, 2])):
        ids = [f"c{number}-{step}-{n}" for n in range(dice.choice([1, 1, 3]))]
        named = [tool_call(name="look_up", args={"number": number}, id=one) for one in ids]
        yield AIMessage("", tool_calls=named, id=f"a{number}-{step}")
        dice.shuffle(ids)
        for one in ids:
            if dice.random() < 0.9:
                foreign = {"foreign": {"source": "look_up", "nonce": "ab12"}} if dice.random() < 0.3 else {}
                words = f"entry {number} " * dice.choice([1, 5, 200, 3_000])
                yield ToolMessage(
                    words, tool_call_id=one, name="look_up", id=f"t{number}-{one}", additional_kwargs=foreign
                )
    if dice.random() < 0.1:
        yield ToolMessage("nobody asked", tool_call_id=f"c{number - 1}-0-0", name="look_up", id=f"l{number}")
    if dice.random() < 0.9:
        yield AIMessage(f"answer {number} " * dice.choice([1, 20]), id=f"e{number}")


def shown(messages: list[AnyMessage], present: str, budget: int) -> list[AnyMessage]:
    """Return what the model would be shown."""
    bound: Any = Bindings.__new__(Bindings)
    policy = ContextPolicy(tokens=budget)
    for name, value in {"prompt": "Help.", "sizes": Sizes(context=policy, context_tokens=budget)}.items():
        object.__setattr__(bound, name, value)
    state: State = {"messages": messages, "turn": {"id": present}}
    return in_context(state, [], bound)


def estimated(messages: Iterable[Any]) -> int:
    """Count messages as the graph does before it has learned anything."""
    return sum(6 + tokens_of(message, approximate) for message in messages)


def texts(messages: list[AnyMessage]) -> list[Any]:
    """Return what can be compared."""
    return [(type(one), one.text, getattr(one, "tool_call_id", "")) for one in messages]


@pytest.mark.parametrize("seed", range(40))
def test_what_is_shown_of_a_long_history_is_valid_and_the_newest(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of up to 200 turns the newest that fit are shown, the same as if all had been weighed."""
    dice = random.Random(seed)  # noqa: S311  # nothing secret
    turns = dice.choice([1, 3, 20, 200])
    messages = [one for n in range(turns) for one in a_turn(n, dice)]
    if dice.random() < 0.3:
        messages = [SystemMessage("House rules.", id="rules"), *messages]
    if dice.random() < 0.5:
        messages = [one for one in messages if dice.random() < 0.97 or one.id == f"h{turns - 1}"]
    budget = dice.choice([1, 300, 1_500, 8_000, 200_000])
    found = shown(messages, f"h{turns - 1}", budget)
    assert_valid(found)
    asked = [one.text for one in found if isinstance(one, HumanMessage)]
    assert asked[-1].startswith(f"question {turns - 1}")
    assert asked == [one.text for one in messages if isinstance(one, HumanMessage)][-len(asked) :]
    earlier = [at for at, one in enumerate(found) if isinstance(one, HumanMessage)][:-1]
    assert not earlier or estimated(found) <= budget
    monkeypatch.setattr(trimming, "_newest", lambda state, _: (state, 0))
    weighed = shown(messages, f"h{turns - 1}", budget)
    assert texts(found)[1:] == texts(weighed)[1:]
    assert ("not shown" in found[0].text) == ("not shown" in weighed[0].text)


@pytest.mark.parametrize(
    ("times", "most"),
    [(2.0, 1_200), (1.0, 2_000), (0.5, 2_000), (50.0, 800)],
    ids=["twice", "as many", "half", "absurd"],
)
def test_the_estimate_of_tokens_learns_from_what_the_provider_counts(times: float, most: int) -> None:
    """A tokenizer with a small vocabulary makes more tokens of the same chat: less of it is shown from then on."""

    class Provider(ScriptedModel):
        """Counts with a tokenizer of its own."""

        def _generate(self, messages: Any, *given: Any, **more: Any) -> Any:
            """Say how many tokens were read."""
            result = super()._generate(messages, *given, **more)
            read = round(times * estimated(messages))
            usage: Any = {"input_tokens": read, "output_tokens": 5, "total_tokens": read + 5}
            result.generations[0].message = AIMessage(result.generations[0].text, usage_metadata=usage)
            return result

    model = Provider(lines=["There is much to say about it. " * 20], repeat_last=True)
    agent = build_agent(model=model, tools=[], context=ContextPolicy(tokens=2_000), checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "long"}}
    for n in range(25):
        agent.invoke({"messages": [("user", f"question {n}")]}, config)
    last = estimated(model.seen[-1])
    assert most * 0.7 < last <= most
