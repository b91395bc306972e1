"""The demo: requests a person would make, run on a real model with small tools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent.graph.build import build_agent
from reinforced_agent.graph.context import Context
from reinforced_agent.service.conversation import Conversation, Decide, Run, Watcher
from reinforced_agent.tools.demo import Shop, demo_toolset


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """One line of the demo."""

    text: str
    outage: bool = False
    """Whether the shop's database is down while it runs."""


REQUESTS: tuple[DemoRequest, ...] = (
    DemoRequest("What will the weather be like in Bergen on 5 December 2026?"),
    DemoRequest("What is 17 times 23?"),
    DemoRequest("What is the weather in Lisboa on 2026-12-24?"),
    DemoRequest("Which orders are still open?"),
    DemoRequest("Send an email to ops@example.com saying that the backup has finished."),
    DemoRequest("Has order A-1003 been shipped?", outage=True),
)
"""Among them a city that the weather table has under another name, an e-mail that needs approval, and an order while
the database is down."""


def read_requests(path: Path) -> tuple[DemoRequest, ...]:
    """Read requests from a file, one a line; empty lines are left out.

    Raises:
        OSError: When the file can't be read.

    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(DemoRequest(line.strip()) for line in lines if line.strip())


def run_demo(
    model: BaseChatModel,
    requests: tuple[DemoRequest, ...],
    *,
    folder: Path,
    watcher: Watcher,
    decide: Decide,
    context: Context | None = None,
    strategy: str = "retry",
) -> list[Run]:
    """Run each request as a conversation of its own, over fresh sample data."""
    tools = demo_toolset(folder).values()
    agent = build_agent(model=model, tools=tools, checkpointer=InMemorySaver(), strategy=strategy)
    shop = Shop(folder)
    runs = []
    for request in requests:
        shop.open_for_business()
        if request.outage:
            shop.close_down()
        conversation = Conversation(agent, watcher=watcher, decide=decide, context=context)
        runs.append(conversation.ask(request.text))
    return runs
