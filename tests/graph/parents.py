"""A graph that has the agent in it, and the ways in which it can."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Interrupt

from tests.graph.house import House


class Chat(TypedDict, total=False):
    """The parent's channels."""

    messages: Annotated[list[AnyMessage], add_messages]


class Parent:
    """A graph with the agent in it, run on one thread."""

    def __init__(self, house: House, saver: Any = None, *, schema: Any = Chat, context: Any = None) -> None:
        """Draw an empty parent."""
        self.house = house
        self.drawn: Any = StateGraph(schema, context_schema=context)
        self.saver = saver or InMemorySaver()
        self.config: Any = {"configurable": {"thread_id": "parent"}}
        self.result: dict[str, Any] = {}

    def chain(self, *nodes: tuple[str, Any]) -> Parent:
        """Let the nodes run one after another."""
        self.drawn.add_sequence(nodes)
        self.drawn.add_edge(START, nodes[0][0])
        self.drawn.add_edge(nodes[-1][0], END)
        self.graph = self.drawn.compile(checkpointer=self.saver)
        return self

    def run(self, value: Any, *, loop: bool = False, **options: Any) -> Parent:
        """Run it, in an event loop or without."""
        if loop:
            self.result = asyncio.run(self.graph.ainvoke(value, self.config, **options))
        else:
            self.result = self.graph.invoke(value, self.config, **options)
        return self

    def say(self, text: str = "please", **options: Any) -> Parent:
        """Send a user message."""
        return self.run({"messages": [("user", text)]}, **options)

    def approve(self, **options: Any) -> Parent:
        """Approve the call that waits, by the id of its question."""
        decision = {"type": "approve", "token": self.question.value["calls"][0]["token"]}
        return self.run(Command(resume={self.question.id: {"decisions": [decision]}}), **options)

    @property
    def question(self) -> Interrupt:
        """The question that waits."""
        (found,) = self.result["__interrupt__"]
        asked: Interrupt = found
        return asked

    @property
    def chat(self) -> list[AnyMessage]:
        """The chat as the parent keeps it."""
        return list(self.graph.get_state(self.config).values["messages"])


def nested(*lines: Any, **options: Any) -> House:
    """Build an agent that keeps nothing itself."""
    return House(*lines, **{"checkpointer": None, **options})


def as_node(house: House) -> Any:
    """Make the agent itself the node."""
    return house.agent


def called(house: House) -> Any:
    """Call the agent from within the function of a node."""

    def node(state: Chat) -> Any:
        return {"messages": house.agent.invoke({"messages": state["messages"]})["messages"]}

    return node


def acalled(house: House) -> Any:
    """Call the agent from within the coroutine of a node."""

    async def node(state: Chat, config: RunnableConfig) -> Any:
        return {"messages": (await house.agent.ainvoke({"messages": state["messages"]}, config))["messages"]}

    return node
