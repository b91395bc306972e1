"""A plain worker: takes jobs and decisions from folders, and leaves questions and answers; `kill -9` loses nothing.

Run `.venv/bin/python examples/worker.py` to see one job through in a new folder.
With `.venv/bin/python examples/worker.py FOLDER` it works on FOLDER until a file `stop` is there and all is done.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from stand_in import StandIn, model_or

from reinforced_agent import DidNotHappen, Happened, IdempotencyKey, build_agent, tool


PAUSE = float(os.environ.get("WORKER_PAUSE", "0"))
CALL = {"name": "refund", "args": {"order_id": "A-1003", "amount_eur": 20}}
MODEL = model_or(StandIn(calls={"refund": [CALL]}))


class Bank:
    """A bank that books whatever it is told, as often as it is told; it can be asked what it booked."""

    def __init__(self, folder: Path) -> None:
        self.book = folder / "bank.txt"

    def refund(self, order_id: str, amount_eur: float, key: IdempotencyKey) -> str:
        """Pay money back for an order."""
        print("paying", flush=True)
        time.sleep(PAUSE)
        with self.book.open("a", encoding="utf-8") as book:
            book.write(f"{key} {order_id} {amount_eur:.2f}\n")
        print("paid", flush=True)
        time.sleep(PAUSE)
        return f"{amount_eur:.2f} EUR paid back for {order_id}."

    def ask(self, arguments: Any, key: str) -> Happened | DidNotHappen:
        """Tell whether a payment arrived, for one whose worker was killed."""
        booked = self.book.read_text(encoding="utf-8") if self.book.exists() else ""
        paid = f"{arguments['amount_eur']:.2f} EUR paid back for {arguments['order_id']}."
        return Happened(paid) if f"{key} " in booked else DidNotHappen()


class Worker:
    """Works on one folder; a file is removed only after what came of it is written down."""

    def __init__(self, folder: Path, threads: SqliteSaver) -> None:
        self.folder = folder
        bank = Bank(folder)
        refund = tool(bank.refund, risk="write", reconcile=bank.ask)
        self.agent = build_agent(
            model=MODEL, tools=[refund], checkpointer=threads
        )  # the ledger goes beside the threads

    def work(self) -> bool:
        """Do what is there, and return whether anything was."""
        jobs = [(path, self.take_job) for path in sorted(self.folder.glob("jobs/*.json"))]
        decisions = [(path, self.take_decision) for path in sorted(self.folder.glob("decisions/*.json"))]
        for path, take in jobs + decisions:
            take(path.stem, json.loads(path.read_text(encoding="utf-8")))
            path.unlink()
        return bool(jobs + decisions)

    def take_job(self, thread: str, job: dict[str, Any]) -> None:
        """Run a job; the id of its message tells whether a worker that was killed had begun it."""
        known = self.state(thread).values.get("messages", ())
        if not any(message.id == job["id"] for message in known):
            self.run(thread, {"messages": [HumanMessage(job["text"], id=job["id"])]})
        self.finish(thread)

    def take_decision(self, thread: str, decision: dict[str, Any]) -> None:
        """Answer the question that waits, unless a worker that was killed had answered it already."""
        if any(waiting.id == decision["question"] for waiting in self.state(thread).interrupts):
            self.run(thread, Command(resume={decision["question"]: {"decisions": decision["decisions"]}}))
        self.finish(thread)

    def finish(self, thread: str) -> None:
        """Go on with a run that was cut off, and write down where the thread stands."""
        if self.state(thread).next and not self.state(thread).interrupts:
            self.run(thread, None)
        state = self.state(thread)
        (self.folder / "waiting" / f"{thread}.json").unlink(missing_ok=True)
        if state.interrupts:
            self.leave("waiting", thread, {"question": state.interrupts[0].id, **state.interrupts[0].value})
        else:
            self.leave("answers", thread, {"answer": state.values["messages"][-1].text})

    def state(self, thread: str) -> Any:
        """Read a thread."""
        return self.agent.get_state({"configurable": {"thread_id": thread}})

    def run(self, thread: str, value: Any) -> None:
        """Run a thread to its answer or its next question."""
        self.agent.invoke(value, {"configurable": {"thread_id": thread}})

    def leave(self, place: str, thread: str, content: Any) -> None:
        """Write a file in one go, so that nobody reads half of it."""
        new = self.folder / f".{thread}.new"
        new.write_text(json.dumps(content, indent=1), encoding="utf-8")
        new.replace(self.folder / place / f"{thread}.json")


@contextmanager
def open_worker(folder: Path) -> Iterator[Worker]:
    """Open the threads of a folder, and make what is missing."""
    for place in ("jobs", "decisions", "waiting", "answers"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    with SqliteSaver.from_conn_string(str(folder / "threads.db")) as threads:
        threads.serde = JsonPlusSerializer(allowed_msgpack_modules=None)  # makes nothing but data of what is stored
        yield Worker(folder, threads)


def serve(folder: Path) -> None:
    """Work until somebody says stop."""
    with open_worker(folder) as worker:
        while worker.work() or not (folder / "stop").exists():
            time.sleep(0.05)


def show(folder: Path) -> None:
    """See one job through."""
    with open_worker(folder) as worker:
        worker.leave("jobs", "customer-17", {"id": "message-1", "text": "Refund 20 euros for A-1003."})
        worker.work()
        waiting = json.loads((folder / "waiting" / "customer-17.json").read_text(encoding="utf-8"))
        print("waits:", waiting["action_requests"][0]["description"].replace("\n", " | "))
        approval = {"type": "approve", "token": waiting["calls"][0]["token"]}
        worker.leave("decisions", "customer-17", {"question": waiting["question"], "decisions": [approval]})
        worker.work()
        print("answer:", json.loads((folder / "answers" / "customer-17.json").read_text(encoding="utf-8"))["answer"])
        print("booked:", len((folder / "bank.txt").read_text(encoding="utf-8").splitlines()), "time")


if __name__ == "__main__":
    if sys.argv[1:]:
        serve(Path(sys.argv[1]))
    else:
        show(Path(tempfile.mkdtemp()))
