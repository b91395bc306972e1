"""The router in an application within the process, and short ways to use it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from fastapi import FastAPI
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import ScriptedModel, build_agent, tool
from reinforced_agent.service.http.router import PersonOf, agent_router, anonymous


PAY: Any = {"tool_calls": [{"name": "pay", "arguments": {"amount": 5}, "id": "c1"}]}
PAID: list[int] = []
Story = Callable[[httpx.AsyncClient], Awaitable[Any]]


@tool
def pay(amount: int) -> str:
    """Pay."""
    PAID.append(amount)
    return f"paid {amount}"


def agent_of(*lines: Any, **options: Any) -> Any:
    """Build an agent over a script."""
    options = {"checkpointer": InMemorySaver(), "tools": [pay], **options}
    return build_agent(model=ScriptedModel(lines=list(lines)), **options)


def use(agent: Any, story: Story, person: PersonOf = anonymous) -> Any:
    """Let a story use the router of an agent, in an application of its own."""
    PAID.clear()

    async def main() -> Any:
        app = FastAPI()
        app.include_router(agent_router(agent, person=person))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            return await story(client)

    return asyncio.run(main())


async def say(client: httpx.AsyncClient, text: str = "Pay.", **headers: str) -> httpx.Response:
    """Send a message to the thread of the test."""
    return await client.post("/threads/t/messages", json={"text": text}, headers=headers)


async def decide(client: httpx.AsyncClient, question: Any, *decisions: Any, **headers: str) -> httpx.Response:
    """Send decisions about the calls that wait, in their order."""
    named = [{"token": call["token"], **one} for call, one in zip(question["calls"], decisions, strict=False)]
    body = {"question": question["id"], "decisions": named}
    return await client.post("/threads/t/decisions", json=body, headers=headers)
