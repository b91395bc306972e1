"""Threads and ledger in SQLite files, for one machine: with a sync checkpointer and with an async one.

Run `.venv/bin/python examples/sqlite_threads.py`: a question is asked, everything is closed, opened again and answered.
The ledger of a `SqliteSaver` goes beside its file by itself; any other checkpointer that lasts must name one.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command, Interrupt
from stand_in import StandIn, model_or

from reinforced_agent import Ledger, build_agent


STRICT = JsonPlusSerializer(allowed_msgpack_modules=None)  # makes nothing but data of what stands in the file
CALL = {"name": "refund", "args": {"order_id": "A-1003", "amount_eur": 20}}
MODEL = model_or(StandIn(calls={"refund": [CALL]}))
ASK = {"messages": [("user", "Refund 20 euros for A-1003.")]}
THREAD: Any = {"configurable": {"thread_id": "customer-17"}}


def refund(order_id: str, amount_eur: float) -> str:
    """Pay money back for an order."""
    return f"{amount_eur:.2f} EUR paid back for {order_id}."


def approval_of(question: Interrupt) -> Command[Any]:
    """Approve the call that waits."""
    decision = {"type": "approve", "token": question.value["calls"][0]["token"]}
    return Command(resume={question.id: {"decisions": [decision]}})


def with_sync(folder: Path) -> None:
    """Ask and answer in two lives of the graph, which could be two processes."""
    file = folder / "sync.db"
    with SqliteSaver.from_conn_string(str(file)) as threads:
        threads.serde = STRICT
        agent = build_agent(model=MODEL, tools=[refund], checkpointer=threads)
        agent.invoke(ASK, THREAD)
        agent.ledger.close()
    with SqliteSaver.from_conn_string(str(file)) as threads:
        threads.serde = STRICT
        agent = build_agent(model=MODEL, tools=[refund], checkpointer=threads)
        (question,) = agent.get_state(THREAD).interrupts
        state = agent.invoke(approval_of(question), THREAD)
        agent.ledger.close()
    print("sync:", state["messages"][-1].text, sorted(path.name for path in folder.glob("sync*")))


async def with_async(folder: Path) -> None:
    """Do the same in an event loop."""
    ledger = Ledger.open(f"sqlite:///{folder / 'async-ledger.db'}")
    for turn in ("asked", "answered"):
        async with AsyncSqliteSaver.from_conn_string(str(folder / "async.db")) as threads:
            threads.serde = STRICT
            agent = build_agent(model=MODEL, tools=[refund], checkpointer=threads, ledger=ledger)
            waiting = (await agent.aget_state(THREAD)).interrupts
            state = await agent.ainvoke(approval_of(waiting[0]) if waiting else ASK, THREAD)
            print(f"async, {turn}:", state["messages"][-1].text)
    ledger.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        with_sync(Path(name))
        asyncio.run(with_async(Path(name)))
