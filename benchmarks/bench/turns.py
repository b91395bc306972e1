"""Measure what a long conversation costs: one more turn, beside LangChain's agent and a short one, and its file."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from benchmarks.bench.rivals import get_forecast, repeating_model
from reinforced_agent.graph.build import build_agent
from reinforced_agent.graph.settings.context import ContextPolicy
from reinforced_agent.ledger import Ledger
from reinforced_agent.tools.toolset import tool


BEFORE = (10, 200, 800)
"""Numbers of turns before the one that is measured."""
_SHOWN = 4_000
"""Tokens of the chat that the model is shown."""


def bench_turns(*, rounds: int = 7, before: Sequence[int] = BEFORE) -> dict[str, float]:
    """Time a turn with one tool call in threads of different lengths, kept in memory and interleaved in one run.

    Args:
        rounds: Turns measured in each thread.
        before: Numbers of earlier turns, from the shortest thread to the longest.

    Returns:
        For each number of earlier turns: `after_N_ms`, the median processor time in milliseconds, and
        `after_N_vs_create_agent`, that over the time of LangChain's agent with the same chat, where it is installed;
        and `growth`, the time in the longest thread over that in the shortest.

    """
    times: dict[str, list[float]] = {}
    runs = {f"{name}{turns}": run for turns in before for name, run in _runs(turns)}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            elapsed = _processor_time(run)
            times.setdefault(name, []).extend([elapsed] if turn else [])  # the first one warms up
    medians = {name: statistics.median(values) for name, values in times.items()}
    found = {f"after_{turns}_ms": round(medians[f"own{turns}"], 1) for turns in before}
    rivals = {
        f"after_{turns}_vs_create_agent": round(medians[f"own{turns}"] / medians[f"create_agent{turns}"], 2)
        for turns in before
        if f"create_agent{turns}" in medians
    }
    return {**found, **rivals, "growth": round(medians[f"own{before[-1]}"] / medians[f"own{before[0]}"], 1)}


def bench_stored(*, turns: int = 300) -> dict[str, float]:
    """Let a thread in an SQLite file grow by turns with one call and a result of one kilobyte each.

    Args:
        turns: How many; at least 20.

    Returns:
        `turns`; `mb`: the size of the file at the end, in megabytes; `ms`: the median processor time of the last nine
        turns, in milliseconds; and `growth`, that over the time of turns 6 to 14.

    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "threads.db"
        with closing(sqlite3.connect(file, check_same_thread=False)) as connection:
            saver = SqliteSaver(connection)
            saver.setup()
            # Waiting for the disk is no processor time, and only makes the measurement longer.
            connection.execute("pragma synchronous=off")
            run = _one_more(saver)
            times = [_processor_time(run) for _ in range(turns)]
            connection.execute("pragma wal_checkpoint(truncate)")
        size = file.stat().st_size
    early, late = statistics.median(times[5:14]), statistics.median(times[-9:])
    return {"turns": turns, "mb": round(size / 1e6, 1), "ms": round(late, 1), "growth": round(late / early, 1)}


def _one_more(saver: SqliteSaver) -> Callable[[], object]:
    """Make turns of one thread that look up a text of one kilobyte."""
    look_up = tool(_long_forecast, name="get_forecast", risk="read")
    agent = build_agent(model=repeating_model(), tools=[look_up], checkpointer=saver, ledger=Ledger())
    config: Any = {"configurable": {"thread_id": "long"}}
    return lambda: agent.invoke({"messages": [("user", "Weather in Oslo?")]}, config)


def _long_forecast(city: str) -> str:
    """Tell the weather of a city at length."""
    return f"{city}: " + "3 degrees and sunny. " * 50


def _processor_time(run: Callable[[], object]) -> float:
    """Time one run on all threads, in milliseconds; waiting for the processor on a busy machine is not counted."""
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1_000


def _runs(before: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Make threads with the same chat for this graph and its rival."""
    context = ContextPolicy(tokens=_SHOWN)
    model, tools = repeating_model(), [tool(get_forecast, risk="read")]
    yield "own", _turn(build_agent(model=model, tools=tools, context=context, checkpointer=InMemorySaver()), before)
    try:
        from langchain.agents import create_agent  # noqa: PLC0415  # only for comparison
    except ImportError:
        return
    yield "create_agent", _turn(create_agent(repeating_model(), [get_forecast], checkpointer=InMemorySaver()), before)


def _turn(agent: Any, before: int) -> Callable[[], object]:
    """Make one more turn of a thread that has some."""
    config = {"configurable": {"thread_id": "long"}}
    agent.update_state(config, {"messages": list(_chat(before))})
    return lambda: agent.invoke({"messages": [("user", "Weather in Oslo?")]}, config)


def _chat(turns: int) -> Iterator[AnyMessage]:
    """Write turns with a call, its result and an answer."""
    for n in range(turns):
        call = {"name": "get_forecast", "args": {"city": f"City {n}"}, "id": f"call-{n}"}
        yield HumanMessage(f"How is the weather in City {n} today?", id=f"asked-{n}")
        yield AIMessage("", tool_calls=[call], id=f"called-{n}")
        yield ToolMessage(
            f"City {n}: 3 degrees and sunny", tool_call_id=f"call-{n}", name="get_forecast", id=f"told-{n}"
        )
        yield AIMessage(f"In City {n} there are 3 degrees, and it is sunny.", id=f"answered-{n}")
