"""An existing FastAPI application takes in the agent: chat, streamed events and approvals over HTTP.

Run `.venv/bin/python examples/fastapi_app.py`: it serves the application and talks to it once, as a client would.
To serve it for longer: `REINFORCED_AGENT_FOLDER=. .venv/bin/uvicorn --app-dir examples fastapi_app:app`
"""

import json
import os
import socket
import tempfile
import threading
import time
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from stand_in import StandIn, model_or

from reinforced_agent import Context, IdempotencyKey, build_agent
from reinforced_agent.service.http.router import agent_router


FOLDER = Path(os.environ.get("REINFORCED_AGENT_FOLDER") or tempfile.mkdtemp())
LEDGER = f"sqlite:///{FOLDER / 'ledger.db'}"
CALL = {"name": "refund", "args": {"order_id": "A-1003", "amount_eur": 20}}
MODEL = model_or(StandIn(calls={"refund": [CALL]}))


def refund(order_id: str, amount_eur: float, key: IdempotencyKey) -> str:
    """Pay money back for an order."""
    with (FOLDER / "bank.txt").open("a", encoding="utf-8") as bank:
        bank.write(f"{key} {order_id} {amount_eur:.2f}\n")
    return f"{amount_eur:.2f} EUR paid back for {order_id}."


# What takes the agent in begins here
def who(request: Request) -> Context:
    """Name who asks or decides; put the log-in of your application here."""
    return Context(user_id=request.headers.get("x-user", ""))


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the threads and the ledger, and serve the agent over them."""
    async with AsyncSqliteSaver.from_conn_string(str(FOLDER / "threads.db")) as threads:
        threads.serde = JsonPlusSerializer(allowed_msgpack_modules=None)  # makes nothing but data of what is stored
        router = agent_router(build_agent(model=MODEL, tools=[refund], checkpointer=threads, ledger=LEDGER), person=who)
        app.include_router(router, prefix="/agent")
        async with router.lifespan_context(app):
            yield


# and ends here.

app = FastAPI(lifespan=lifespan)


@app.get("/prices")
async def prices() -> dict[str, float]:
    """Serve a route that was here before."""
    return {"fuse": 2.5}


def send(url: str, body: Any = None, **headers: str) -> str:
    """Send a request as a client would, and return the whole answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **headers})  # noqa: S310
    with urllib.request.urlopen(request) as response:  # noqa: S310  # the address is the one below
        return str(response.read().decode())


def talk(base: str) -> None:
    """Ask for a refund, and approve it as somebody else."""
    print("own route:", send(f"{base}/prices"))
    thread = f"{base}/agent/threads/customer-17"
    refund_please = {"text": "Refund 20 euros for A-1003.", "id": "message-1"}
    print(send(f"{thread}/messages", refund_please, accept="text/event-stream", **{"x-user": "ann"}))
    question = json.loads(send(thread, **{"x-user": "bob"}))["question"]
    decision = {"type": "approve", "token": question["calls"][0]["token"]}
    answer = send(f"{thread}/decisions", {"question": question["id"], "decisions": [decision]}, **{"x-user": "bob"})
    print("answer:", json.loads(answer)["answer"])


def main() -> None:
    """Serve the application on a free port for as long as the client talks."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        serving = threading.Thread(target=server.run, kwargs={"sockets": [free]})
        serving.start()
        while not server.started and serving.is_alive():
            time.sleep(0.01)
        try:
            talk(f"http://127.0.0.1:{free.getsockname()[1]}")
        finally:
            server.should_exit = True
            serving.join()


if __name__ == "__main__":
    main()
