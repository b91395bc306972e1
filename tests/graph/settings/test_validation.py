"""What is given to a graph is looked at when it is built."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import SystemMessage
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import LogSink, ScriptedModel, Toolset, build_agent


MODEL = ScriptedModel(lines=["Hi."], repeat_last=True)
WRONG: dict[str, Any] = {
    "approvals": {"write": True},
    "answers": False,
    "breakers": {},
    "checkpointer": "sqlite",
    "context": {},
    "context_for": "user_id",
    "good_results": 10,
    "grounding": "strict",
    "ledger": 3,
    "limits": {"steps": 3},
    "model": 4,
    "name": 7,
    "planning": 3,
    "policies": 3,
    "positional_answers": "no",
    "prompt": lambda _state: "Be kind.",
    "relevance": 0.5,
    "results": 2000,
    "reviewer": MODEL,
    "screening": False,
    "sinks": LogSink(),
    "strategy": 3,
    "summaries": True,
    "tools": None,
}


@pytest.mark.parametrize("option", WRONG)
def test_an_option_of_a_wrong_kind_is_refused_when_the_graph_is_built(option: str) -> None:
    """The error names the option, what was given and what it may be."""
    given: dict[str, Any] = {"model": MODEL, "tools": [], option: WRONG[option]}
    kind = "None" if WRONG[option] is None else f"`{type(WRONG[option]).__name__}`"
    with pytest.raises(TypeError, match=f"The option `{option}` can't be .*{kind}.*: give ") as refused:
        build_agent(**given)
    assert "Traceback" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"limits": {"steps": 3}}, "give `Limits` or None, such as limits=Limits(steps=3).", id="dict"),
        pytest.param({"planning": 3}, "give `Planning`, 'off', 'auto' or 'always'.", id="words"),
        pytest.param({"tools": Toolset([])}, "give a list: what `.values()` of it gives.", id="toolset"),
        pytest.param({"sinks": [3]}, "give a list of callables.", id="element"),
        pytest.param({"sinks": LogSink()}, "give a list of callables, such as sinks=[it].", id="no-list"),
        pytest.param({"prompt": SystemMessage("x")}, "can't be a `SystemMessage`: give a text.", id="object"),
    ],
)
def test_the_error_says_what_to_write(given: dict[str, Any], said: str) -> None:
    """What was probably meant stands there, ready to be copied."""
    with pytest.raises(TypeError) as refused:
        build_agent(**{"model": MODEL, "tools": [], **given})
    assert str(refused.value).endswith(said)


async def _look_up(_who: Any) -> None:
    """Look somebody up."""


class _LookUp:
    """Look somebody up, as an object."""

    async def __call__(self, _who: Any) -> None:
        """Look somebody up."""


@pytest.mark.parametrize(
    ("context_for", "said"),
    [
        pytest.param(_look_up, "async", id="async"),
        pytest.param(_LookUp(), "async", id="async-object"),
        pytest.param(lambda: None, "called with the requester and nothing else", id="nothing"),
        pytest.param(lambda _who, _shop: None, "called with the requester and nothing else", id="two"),
        pytest.param(lambda *, who: who, "called with the requester and nothing else", id="by-name"),
    ],
)
def test_a_function_that_can_not_make_a_context_is_refused(context_for: Any, said: str) -> None:
    """It is called with one person, and nobody awaits it."""
    with pytest.raises(TypeError, match=f"`context_for` is {said}"):
        build_agent(model=MODEL, tools=[], context_for=context_for)


def test_secrets_in_what_was_given_are_not_told() -> None:
    """A key that was put into a wrong option doesn't reach the log of whoever builds the graph."""
    with pytest.raises(TypeError, match=r"\[hidden:key:[0-9a-f]{8}\]"):
        build_agent(model=MODEL, tools=[], limits={"api_key": "sk-abcdefghijklmnopqrst"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"model": MODEL.bind(temperature=0)}, id="bound-model"),
        pytest.param({"tools": iter(())}, id="iterator"),
        pytest.param({"sinks": (LogSink(),)}, id="tuple"),
        pytest.param({"checkpointer": True}, id="checkpointer-of-the-parent"),
        pytest.param({"context_for": dict}, id="class"),
        pytest.param({"context_for": lambda who, shop="north": (who, shop)}, id="default"),
        pytest.param({"limits": None, "ledger": None, "summaries": None}, id="left-out"),
    ],
)
def test_what_is_allowed_passes(given: dict[str, Any]) -> None:
    """Every kind that the signature names can be given, also a model with arguments bound to it."""
    assert build_agent(**{"model": MODEL, "tools": [], **given})


USES: dict[str, Any] = {
    "invoke": lambda agent, config: agent.invoke({"messages": [("user", "Hi")]}, config),
    "stream": lambda agent, config: list(agent.stream({"messages": [("user", "Hi")]}, config)),
    "state": lambda agent, config: agent.get_state(config),
    "history": lambda agent, config: list(agent.get_state_history(config)),
    "update": lambda agent, config: agent.update_state(config, {"messages": []}),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("config", [{}, {"configurable": {"thread_id": None}}], ids=["none", "null"])
def test_a_thread_that_is_not_named_is_asked_for(use: Any, config: Any) -> None:
    """The error says how to name one, whatever is done with the agent."""
    agent = build_agent(model=MODEL, tools=[], checkpointer=InMemorySaver())
    with pytest.raises(ValueError, match=r'config=\{"configurable": \{"thread_id": '):
        use(agent, config)


AUSES: dict[str, Any] = {
    "invoke": lambda agent: agent.ainvoke({"messages": [("user", "Hi")]}),
    "state": lambda agent: agent.aget_state({}),
    "history": lambda agent: anext(agent.aget_state_history({})),
    "update": lambda agent: agent.aupdate_state({}, {"messages": []}),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("use", AUSES.values(), ids=AUSES)
async def test_a_thread_is_asked_for_in_an_event_loop_as_well(use: Any) -> None:
    """The same error comes out of the async methods."""
    agent = build_agent(model=MODEL, tools=[], checkpointer=InMemorySaver())
    with pytest.raises(ValueError, match=r'config=\{"configurable": \{"thread_id": '):
        await use(agent)


def test_a_thread_that_is_bound_to_the_agent_counts() -> None:
    """A configuration that was put down with `with_config` names it, too."""
    config: Any = {"configurable": {"thread_id": "t"}}
    agent = build_agent(model=MODEL, tools=[], checkpointer=InMemorySaver()).with_config(config)
    agent.invoke({"messages": [("user", "Hi")]})
    assert agent.get_state({}).values["messages"][-1].text == "Hi."
