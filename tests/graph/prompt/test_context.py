"""What the model is shown of a long conversation, and of a history that others have broken."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call

from reinforced_agent import ContextPolicy, Limits, ScriptedModel, build_agent, tool
from reinforced_agent.graph.prompt.repair import repaired
from reinforced_agent.graph.prompt.window import tokens_of
from reinforced_agent.graph.settings.sizes import window_of
from reinforced_agent.models.text import TextToolModel
from reinforced_agent.policies.text.tokens import approximate
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.parents import Parent, as_node, nested


@tool(risk="read")
def look_up(number: int) -> str:
    """Look something up."""
    return f"entry {number}: " + "what stands there is of no great interest. " * 20


def turn(number: int) -> list[Any]:
    """Write an earlier turn."""
    asked = tool_call(name="look_up", args={"number": number}, id=f"c{number}")
    found = ToolMessage(f"entry {number}: {'nothing of interest. ' * 40}", tool_call_id=f"c{number}", name="look_up")
    return [
        HumanMessage(f"question {number}: what stands in entry {number}?"),
        AIMessage("", tool_calls=[asked]),
        found,
        AIMessage(f"answer {number}"),
    ]


def size(messages: list[Any]) -> int:
    """Count a request as the graph does."""
    return sum(6 + tokens_of(message, approximate) for message in messages)


def conversation(turns: int, **options: Any) -> House:
    """Have a conversation in which every turn looks something up."""
    lines = [line for n in range(turns) for line in (calls(call("look_up", {"number": n}, f"c{n}")), f"answer {n}")]
    house = House(*lines, tools=[look_up], **options)
    for n in range(turns):
        house.say(f"question {n}: what stands in entry {n}?")
    return house


def test_a_long_conversation_stays_within_the_budget() -> None:
    """In 200 turns no request is longer than the budget; the state keeps all, and what is shown is complete."""
    house = House(tools=[look_up], context=ContextPolicy(tokens=2_000))
    earlier = [message for n in range(196) for message in turn(n)]
    house.agent.update_state(house.config, {"messages": earlier}, as_node="answer")
    for n in range(196, 200):
        house.model.lines += [calls(call("look_up", {"number": n}, f"c{n}")), f"answer {n}"]
        house.say(f"question {n}: what stands in entry {n}?")
    sizes = [size(request) for request in house.model.seen]
    assert max(sizes) <= 2_000
    assert max(sizes) > 1_000
    assert len(house.history) == 200 * 4
    for request in house.model.seen[-2:]:
        assert_valid(request)
        assert request[0].text.startswith("You are a helpful assistant.")
        assert "oldest messages of this conversation are not shown" in request[0].text
        assert "question 199" in next(m for m in reversed(request) if isinstance(m, HumanMessage)).text


def test_a_conversation_that_fits_is_shown_as_it_is() -> None:
    """Nothing is left out, and nothing is said about it."""
    bounded = conversation(5, context=ContextPolicy(tokens=100_000)).model.seen
    free = conversation(5).model.seen
    texts = [[[message.text for message in request] for request in seen] for seen in (bounded, free)]
    assert texts[0] == texts[1]


def test_old_results_go_before_the_last_turns() -> None:
    """Of the newest earlier turns question and answer stay, when their results don't fit any more."""
    house = conversation(3, context=ContextPolicy(tokens=560, keep_last=2))
    request = house.model.seen[-1]
    assert size(request) <= 560
    assert [m.text[:10] for m in request if isinstance(m, HumanMessage)] == ["question 0", "question 1", "question 2"]
    results = [m.text for m in request if isinstance(m, ToolMessage)]
    assert results[0].startswith("[The result of this call was left out here")
    assert results[-1].startswith("entry 2")


def test_results_of_one_turn_share_what_there_is() -> None:
    """Four calls at once with long results: the sum stays within the budget, and each shows its beginning."""

    @tool(risk="read")
    def read_file(name: str) -> str:
        """Read a file."""
        return f"{name} begins. " + "word " * 60_000

    four = calls(*[call("read_file", {"name": name}, name) for name in "abcd"])
    house = House(four, "done", tools=[read_file], context=ContextPolicy(tokens=3_000)).say()
    request = house.model.seen[-1]
    assert size(request) <= 3_000
    assert [name for name in "abcd" if f"{name} begins." in house.told(name)] == list("abcd")
    assert_valid(request)
    assert house.answer == "done"


def test_older_results_of_the_present_turn_go_first() -> None:
    """A turn with many calls keeps its newest results, and says how to read the others that are kept."""

    @tool(risk="read")
    def read_file(name: str) -> str:
        """Read a file."""
        return f"{name} begins. " + "word " * 60_000

    steps = [calls(call("read_file", {"name": name}, name)) for name in "abcdef"]
    limits = Limits(result_tokens=500)
    house = House(*steps, "done", tools=[read_file], limits=limits, context=ContextPolicy(tokens=1_500)).say()
    assert max(map(size, house.model.seen)) <= 1_500
    results = [m.text for m in house.model.seen[-1] if isinstance(m, ToolMessage)]
    assert 'can be read with `read_result`, reference "' in results[0]
    assert "f begins." in results[-1]


def test_the_newest_failure_is_always_shown() -> None:
    """Feedback is not lost in a long conversation."""
    house = conversation(30, context=ContextPolicy(tokens=1_000))
    house.model.lines += [calls(call("look_up", {"numbr": 1}, "wrong")), "sorry"]
    house.say()
    shown = house.model.seen[-1]
    assert any(isinstance(m, ToolMessage) and "numbr" in m.text for m in shown)
    assert size(shown) <= 1_000


@pytest.mark.parametrize("loop", [False, True], ids=["sync", "async"])
def test_the_view_is_trimmed_within_another_graph(loop: bool) -> None:  # noqa: FBT001  # a parameter of the test
    """The parent keeps the whole chat; the model inside is shown what fits."""
    house = nested(*[f"answer {n} " + "so it is. " * 60 for n in range(12)], context=ContextPolicy(tokens=800))
    parent = Parent(house).chain(("agent", as_node(house)))
    for n in range(12):
        parent.say(f"question {n}", loop=loop)
    assert max(map(size, house.model.seen)) <= 800
    assert len(parent.chat) == 24


def test_a_model_that_is_told_tools_in_words_is_shown_a_trimmed_chat() -> None:
    """The trimmed view can be written as plain turns, and a notice stands in the system text."""
    inner = ScriptedModel(lines=[f"answer {n} " + "so it is. " * 60 for n in range(12)])
    agent = build_agent(model=TextToolModel(inner=inner), tools=[look_up], context=ContextPolicy(tokens=800))
    chat = [message for n in range(11) for message in (HumanMessage(f"q {n}"), AIMessage("so it is. " * 60))]
    parent = Parent(House()).chain(("agent", agent))
    parent.run({"messages": [*chat, HumanMessage("and now?")]})
    (request,) = inner.seen
    assert "not shown" in request[0].text
    assert size(request) < 800 + size([request[0]])


def test_the_state_is_bounded_where_the_host_wants_it() -> None:
    """Whole turns go from the state when a new one begins, and the chat stays complete."""
    house = conversation(8, context=ContextPolicy(keep_stored=3))
    assert [m.text[:10] for m in house.history if isinstance(m, HumanMessage)] == [
        "question 5",
        "question 6",
        "question 7",
    ]
    assert_valid(house.history)


def test_a_question_that_waited_is_closed_when_the_state_is_pruned() -> None:
    """What the new message overtakes is told, and older turns go."""
    house = House(
        "one", calls(call("send_note", {"to": "ann", "text": "hi"}, "s")), "two", context=ContextPolicy(keep_stored=2)
    )
    house.say("first").say("second").say("third")
    assert [m.text for m in house.history if isinstance(m, HumanMessage)] == ["second", "third"]
    assert_valid(house.history)
    assert "new message" in house.told("s")


@pytest.mark.parametrize(
    "policy", [{"tokens": 0}, {"keep_last": -1}, {"keep_stored": 0}], ids=["tokens", "keep_last", "keep_stored"]
)
def test_a_policy_that_shows_nothing_is_refused(policy: dict[str, int]) -> None:
    """The error names the field and its least value."""
    with pytest.raises(ValueError, match=f"ContextPolicy.{next(iter(policy))} is"):
        ContextPolicy(**policy)


def test_the_window_comes_from_the_profile_of_the_model() -> None:
    """Tools and the answer are taken off; a model inside another one is asked; without a profile there is no bound."""
    known = ScriptedModel(lines=["hi"], profile={"max_input_tokens": 10_000})
    assert window_of(known) == window_of(TextToolModel(inner=known)) == 10_000
    assert window_of(ScriptedModel(lines=[])) is None
    house = House(tools=[look_up])
    house.agent = build_agent(model=known, tools=[look_up])
    long = [message for n in range(40) for message in (HumanMessage(f"q {n}"), AIMessage("so it is. " * 120))]
    Parent(house).chain(("agent", house.agent)).run({"messages": [*long, HumanMessage("and now?")]})
    assert 5_000 < size(known.seen[0]) < 8_000


def asks(*ids: str, text: str = "") -> AIMessage:
    """Write a message that makes calls."""
    return AIMessage(text, tool_calls=[tool_call(name="look_up", args={}, id=call_id) for call_id in ids])


def result(call_id: str, text: str = "found") -> ToolMessage:
    """Write a result."""
    return ToolMessage(text, tool_call_id=call_id)


BROKEN: list[Any] = [
    pytest.param([asks("a")], ["a: none"], id="no-result"),
    pytest.param([asks("a", "b"), result("b")], ["a: none", "b: found"], id="one-of-two"),
    pytest.param([result("z")], [], id="result-without-call"),
    pytest.param([asks("a"), result("a", "one"), result("a", "two")], ["a: one"], id="two-results"),
    pytest.param([asks("a"), HumanMessage("wait"), result("a")], ["a: found"], id="result-too-late"),
    pytest.param([asks("a", "b"), result("b"), result("a")], ["a: found", "b: found"], id="other-order"),
    pytest.param(
        [asks("a"), HumanMessage("again"), asks("a"), result("a", "new")], ["a: none", "a: new"], id="id-used-again"
    ),
    pytest.param([asks("a", "a"), result("a")], ["a: found"], id="one-id-twice"),
    pytest.param([result("a"), asks("a")], ["a: none"], id="result-before-its-call"),
    pytest.param(
        [AIMessage("", invalid_tool_calls=[invalid_tool_call(name="x", args="{", id="i", error="cut")])],
        ["i: none"],
        id="unreadable-call",
    ),
    pytest.param([asks(""), HumanMessage("hm")], ["call-1-0-tool_calls: none"], id="no-id"),
    pytest.param([], [], id="nothing-to-put-right"),
]


@pytest.mark.parametrize(("messages", "results"), BROKEN)
def test_a_broken_history_is_shown_in_a_form_that_providers_accept(messages: list[Any], results: list[str]) -> None:
    """Every call gets exactly one result right behind it, a true one where there is any; the rest stays."""
    before = [HumanMessage("hello"), *messages, HumanMessage("and now?")]
    copies = [message.model_copy(deep=True) for message in before]
    shown = repaired(before, "en")
    told = [m for m in shown if isinstance(m, ToolMessage)]
    assert [f"{m.tool_call_id}: {'none' if 'unknown whether' in m.text else m.text}" for m in told] == results
    assert [m.text for m in shown if isinstance(m, HumanMessage)] == [
        m.text for m in before if isinstance(m, HumanMessage)
    ]
    assert_valid([m for m in shown if not (isinstance(m, ToolMessage) and m.tool_call_id == "i")])
    assert before == copies
    assert repaired(shown, "en") == shown


@pytest.mark.parametrize(("messages", "results"), BROKEN)
def test_a_broken_history_of_a_parent_doesn_t_end_the_conversation(messages: list[Any], results: list[str]) -> None:
    """The model is shown the mended chat, and the parent's own is left as it was."""
    house = nested("fine")
    parent = Parent(house).chain(("agent", as_node(house)))
    parent.run({"messages": [HumanMessage("hello"), *messages, HumanMessage("and now?")]})
    assert len([m for m in house.model.seen[0] if isinstance(m, ToolMessage)]) == len(results)
    assert parent.chat[-1].text == "fine"
    assert len(parent.chat) == len(messages) + 3


def test_missing_results_are_told_in_the_language_of_the_turn() -> None:
    """Chinese for a Chinese conversation."""
    shown = repaired([HumanMessage("你好"), asks("a")], "zh-CN")
    assert "未知" in shown[-1].text


def test_pictures_are_counted() -> None:
    """What is no text takes room, too."""
    picture = HumanMessage([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:x"}}])
    assert tokens_of(picture, approximate) > 900
    assert tokens_of(SystemMessage("look"), approximate) < 10


def test_the_view_is_trimmed_in_an_event_loop() -> None:
    """Async runs are shown the same."""
    house = conversation(20, context=ContextPolicy(tokens=1_000))
    house.model.lines.append("bye")
    asyncio.run(house.agent.ainvoke({"messages": [("user", "bye")]}, house.config))
    assert size(house.model.seen[-1]) <= 1_000
