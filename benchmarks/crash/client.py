"""What a process of the crash test does: go on with a thread where the last process was killed, until it is over."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from langgraph.types import Command, StateSnapshot

from benchmarks.crash.bank import Bank
from benchmarks.crash.borders import WatchedLedger
from benchmarks.crash.manners import Manner
from benchmarks.crash.sites import Site, asaver, saver
from benchmarks.crash.story import APPROVALS, FIRST, GROUNDING, SECOND, decide, storyteller, tools
from reinforced_agent.evaluation.crash.marks import Border, Marks
from reinforced_agent.graph.agent import Agent
from reinforced_agent.graph.build import build_agent
from reinforced_agent.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What one process is told."""

    thread: str
    life: int
    """How many processes worked on the thread before."""
    seed: int
    width: float
    """Longest pause at a border, in seconds."""
    site: Site
    manner: Manner
    effects: str
    """`module:class` of the watched book of effects."""

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Job:
        """Take a job from plain data."""
        return cls(**{**plain, "site": Site(**plain["site"]), "manner": Manner(**plain["manner"])})


def work(plain: Mapping[str, Any], descriptor: int) -> int:
    """Work until the thread is over, or the process is killed; return the exit code.

    Args:
        plain: A job as plain data.
        descriptor: A pipe, told of every border that is passed, and of the error that ended the process.

    """
    job = Job.of(plain)
    marks = Marks(descriptor, job.seed, job.width)
    try:
        marks.passed(Border.READY)
        if job.manner.asynchronous:
            asyncio.run(_alive(job, marks))
        else:
            _live(job, marks)
    except BrokenPipeError:
        return 1
    except BaseException as error:  # noqa: BLE001  # the parent says what it was
        marks.passed(Border.BROKEN, "-", f"{type(error).__name__}: {error}")
        return 1
    return 0


def _live(job: Job, marks: Marks) -> None:
    """Take step after step."""
    with saver(job.site.threads, marks) as kept:
        kept.lag = _LAG if job.manner.durability == "async" else 0.0
        agent, config = _agent(job, marks, kept), _config(job)
        while (step := _next(agent.get_state(config), job)) is not _OVER:
            agent.invoke(step, config, durability=job.manner.durability)


async def _alive(job: Job, marks: Marks) -> None:
    """Take step after step in an event loop."""
    async with asaver(job.site.threads, marks) as kept:
        kept.lag = _LAG if job.manner.durability == "async" else 0.0
        agent, config = _agent(job, marks, kept), _config(job)
        while (step := _next(await agent.aget_state(config), job)) is not _OVER:
            await agent.ainvoke(step, config, durability=job.manner.durability)


_LAG = 0.05
"""Seconds a state is stored late where the run does not wait for it: longer than several nodes take."""
_OVER = object()
"""There is nothing left to do."""


def _next(snapshot: StateSnapshot, job: Job) -> Any:
    """Look at a thread as a client does, and return what to send next."""
    known = {message.id for message in snapshot.values.get("messages", ())}
    # Not `next`: it is empty also where a node has ended and the state after it was not stored.
    cut = job.life > 0 and bool(snapshot.tasks)
    if job.manner.impatient and cut and FIRST.id in known and SECOND.id not in known:
        return {"messages": [SECOND]}
    if snapshot.interrupts:
        return Command(resume={question.id: decide(question.value) for question in snapshot.interrupts})
    if FIRST.id not in known:
        # Nothing was kept: the client sends the same message again.
        return {"messages": [FIRST]}
    return None if snapshot.tasks else _OVER


def _agent(job: Job, marks: Marks, kept: Any) -> Agent:
    """Build the graph as an application does."""
    bank = Bank(Path(job.site.book))
    manner = job.manner
    return build_agent(
        model=storyteller(job.life, inventive=manner.inventive),
        tools=tools(bank, job.thread, marks, can_tell=manner.can_tell, native=manner.asynchronous),
        checkpointer=kept,
        ledger=WatchedLedger(job.site.ledger, marks, job.effects),
        approvals=APPROVALS,
        grounding=GROUNDING,
    )


def _config(job: Job) -> Any:
    """Name the thread."""
    return {"configurable": {"thread_id": job.thread}}


def seed_of(*parts: object) -> int:
    """Make a seed from parts."""
    return random.Random(repr(parts)).getrandbits(32)  # noqa: S311  # no secrets


def rehearse() -> None:
    """Do once what is slow only the first time, so that it is done before the process is forked."""
    with suppress(ModuleNotFoundError):
        import_module("langgraph.checkpoint.postgres.aio")
    spec = tools(Bank(Path(os.devnull)), "", Marks(-1, 0, 0), can_tell=False, native=False)
    ledger = Ledger.open("sqlite://")
    build_agent(model=storyteller(0), tools=spec, ledger=ledger, approvals=APPROVALS, grounding=GROUNDING)
    ledger.close()
