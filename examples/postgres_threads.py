"""Threads and ledger in PostgreSQL, for several machines that serve the same threads.

Run `.venv/bin/python examples/postgres_threads.py`, after `pip install 'reinforced-agent[postgres]'`.
`REINFORCED_AGENT_DATABASE` names the database; without it, postgresql://postgres@127.0.0.1:5432/test.
"""

import asyncio
import os
from typing import Any
from uuid import uuid4

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import Command
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from stand_in import StandIn, model_or

from reinforced_agent import build_agent


DATABASE = os.environ.get("REINFORCED_AGENT_DATABASE", "postgresql://postgres@127.0.0.1:5432/test")
CALL = {"name": "refund", "args": {"order_id": "A-1003", "amount_eur": 20}}
MODEL = model_or(StandIn(calls={"refund": [CALL]}))
CONNECTION: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
"""What the checkpointer needs of its connections."""


def refund(order_id: str, amount_eur: float) -> str:
    """Pay money back for an order."""
    return f"{amount_eur:.2f} EUR paid back for {order_id}."


async def serve(value: Any, thread: Any) -> dict[str, Any]:
    """Do one run as a server of its own would: with its own pool, checkpointer, ledger and graph."""
    async with AsyncConnectionPool[Any](DATABASE, kwargs=CONNECTION, min_size=1, max_size=4, open=False) as pool:
        threads = AsyncPostgresSaver(pool)
        await threads.setup()
        agent = build_agent(model=MODEL, tools=[refund], checkpointer=threads, ledger=DATABASE)
        try:
            return await agent.ainvoke(value, thread)
        finally:
            agent.ledger.close()


async def main() -> None:
    """Ask on one server, and approve on another."""
    thread = {"configurable": {"thread_id": f"customer-{uuid4().hex}"}}
    asked = await serve({"messages": [("user", "Refund 20 euros for A-1003.")]}, thread)
    (question,) = asked["__interrupt__"]
    print("waits:", question.value["calls"][0]["effect"])
    decision = {"type": "approve", "token": question.value["calls"][0]["token"]}
    answered = await serve(Command(resume={question.id: {"decisions": [decision]}}), thread)
    print("answer:", answered["messages"][-1].text)


if __name__ == "__main__":
    asyncio.run(main())
