"""The agent as one node of a LangGraph graph that was there before: a router in front of it, a node after it.

Run `.venv/bin/python examples/subgraph.py`: a turn past the agent, a turn with an approval, and one that reads.
The parent keeps the threads, hands its chat over, and its own context type says who asks (`user_id`) and decides.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command
from stand_in import StandIn, model_or

from reinforced_agent import build_agent, tool


PAID: list[str] = []
CALLS = {
    "refund": [{"name": "refund", "args": {"order_id": "A-1003", "amount_eur": 20}}],
    "status": [{"name": "order_status", "args": {"order_id": "A-1003"}}],
}


@dataclass(frozen=True)
class ShopContext:
    """The context of this shop; the agent takes the fields that it knows, here `user_id`."""

    user_id: str
    shop: str


class Shop(TypedDict, total=False):
    """The channels of this shop; the agent shares `messages`."""

    messages: Annotated[list[AnyMessage], add_messages]
    topic: str
    audit: Annotated[list[str], lambda left, right: left + right]


def refund(order_id: str, amount_eur: float) -> str:
    """Pay money back for an order."""
    PAID.append(order_id)
    return f"{amount_eur:.2f} EUR paid back for {order_id}."


@tool(risk="read")
def order_status(order_id: str) -> str:
    """Tell where an order is."""
    return f"{order_id} is {'paid back' if order_id in PAID else 'on its way'}."


def classify(state: Shop) -> Shop:
    """Find out what it is about."""
    return {"topic": "order" if "A-1003" in state["messages"][-1].text else "other"}


def by_topic(state: Shop) -> Literal["agent", "greet"]:
    """Send orders to the agent."""
    return "agent" if state["topic"] == "order" else "greet"


def greet(state: Shop) -> Shop:
    """Answer without the agent."""
    del state
    return {"messages": [AIMessage("Hello, which order is it about?")]}


def audit(state: Shop) -> Shop:
    """Note what was said."""
    return {"audit": [f"{state['topic']}: {state['messages'][-1].text}"]}


def build_shop() -> Any:
    """Put the agent among the nodes of the shop."""
    shop = StateGraph(Shop, context_schema=ShopContext)
    shop.add_node("classify", classify)
    shop.add_node("agent", build_agent(model=model_or(StandIn(calls=CALLS)), tools=[refund, order_status]))
    shop.add_node("greet", greet)
    shop.add_node("audit", audit)
    shop.add_edge(START, "classify")
    shop.add_conditional_edges("classify", by_topic)
    shop.add_edge("agent", "audit")
    shop.add_edge("greet", "audit")
    shop.add_edge("audit", END)
    return shop.compile(checkpointer=InMemorySaver())


def main() -> None:
    """Hold three turns on one thread."""
    shop, thread = build_shop(), {"configurable": {"thread_id": "customer-17"}}
    ann, bob = ShopContext(user_id="ann", shop="north"), ShopContext(user_id="bob", shop="north")
    shop.invoke({"messages": [("user", "Hello!")]}, thread, context=ann)
    state = shop.invoke({"messages": [("user", "Refund 20 euros for A-1003.")]}, thread, context=ann)
    (question,) = state["__interrupt__"]
    print(f"{question.value['requester']} wants: {question.value['calls'][0]['effect']}")
    decision = {"type": "approve", "token": question.value["calls"][0]["token"]}
    shop.invoke(Command(resume={question.id: {"decisions": [decision]}}), thread, context=bob)
    state = shop.invoke({"messages": [("user", "What is the status of A-1003?")]}, thread, context=ann)
    print(*state["audit"], f"paid {len(PAID)} time", sep="\n")


if __name__ == "__main__":
    main()
