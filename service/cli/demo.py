"""The demo: requests a person would make, run on a real model with small tools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from reinforced_agent.graph.context import Context
    from reinforced_agent.service.cli.conversation import Decide, Run, Watcher


class RequestsError(ValueError):
    """A file of requests can't be used; the text says why."""


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
        RequestsError: When the file can't be read, or there is no request in it.

    """
    try:
        # Some editors begin a file with a mark of its encoding, which is no part of the first request.
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"The requests in {str(path)!r} can't be read: {error}. Give a UTF-8 text file, one request a line."
        raise RequestsError(msg) from error
    requests = tuple(DemoRequest(line.strip()) for line in lines if line.strip())
    if not requests:
        msg = f"There is no request in {str(path)!r}: write one a line, or leave out --requests for those of the demo."
        raise RequestsError(msg)
    return requests


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
    # Imported here: what is wrong with a file of requests is told before anything slow is loaded.
    from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415

    from reinforced_agent.graph.build import build_agent  # noqa: PLC0415
    from reinforced_agent.graph.settings.storage import strict_serializer  # noqa: PLC0415
    from reinforced_agent.service.cli.conversation import Conversation  # noqa: PLC0415
    from reinforced_agent.tools.demo import Shop, demo_toolset  # noqa: PLC0415

    tools = demo_toolset(folder).values()
    threads = InMemorySaver(serde=strict_serializer())
    agent = build_agent(model=model, tools=tools, checkpointer=threads, strategy=strategy)
    shop = Shop(folder)
    runs = []
    for request in requests:
        shop.open_for_business()
        if request.outage:
            shop.close_down()
        conversation = Conversation(agent, watcher=watcher, decide=decide, context=context)
        runs.append(conversation.ask(request.text))
    return runs
