"""Measure what writing down costs: the records of a turn in each sink, and the claim and outcome of an effect."""

from __future__ import annotations

import logging
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.effects import Effect, Granted


def bench_recording(*, rounds: int = 200) -> dict[str, float]:
    """Time the records of a turn with one call and one answer.

    Returns:
        Medians in microseconds: `records_us` to make them, `log_us` and `sql_us` to write them to a log that nobody
        reads and to a table in memory; and `share`, the first of these over the time of the whole run.

    """
    # Slow to import.
    from benchmarks.bench.rivals import own_run  # noqa: PLC0415
    from reinforced_agent.graph.records.record import records_of  # noqa: PLC0415
    from reinforced_agent.graph.records.sinks import LogSink, SqlSink  # noqa: PLC0415

    run = own_run()
    state: Any = run()
    records = records_of(state, "thread", "2026-01-01T00:00:00+00:00")
    quiet = logging.getLogger("reinforced_agent.bench")
    quiet.propagate, quiet.handlers = False, [logging.NullHandler()]
    log, sql = LogSink(quiet), SqlSink(Ledger())
    made = _median(lambda: records_of(state, "thread", "2026-01-01T00:00:00+00:00"), rounds)
    return {
        "records_us": made,
        "log_us": _median(lambda: log(records), rounds),
        "sql_us": _median(lambda: sql(records), rounds),
        "share": round(made / _median(run, min(rounds, 60)), 3),
    }


def bench_ledger(*, rounds: int = 200) -> dict[str, float]:
    """Time the claim and the outcome of one effect together.

    Returns:
        Medians in microseconds: `memory_us` and `sqlite_us`, the latter with every write on the disk.

    """
    with tempfile.TemporaryDirectory() as folder:
        file = Ledger.open(f"sqlite:///{Path(folder) / 'ledger.db'}")
        times = {"memory_us": _effect_us(Ledger(), rounds), "sqlite_us": _effect_us(file, rounds)}
        file.close()
    return times


def _effect_us(ledger: Ledger, rounds: int) -> float:
    """Time claims and settlements of fresh effects."""
    numbers = count()

    def work() -> None:
        effect = Effect(binding=Binding("thread", f"turn-{next(numbers)}", "call", "pay", "d" * 64))
        claim = ledger.effects.claim(effect)
        if isinstance(claim, Granted):
            ledger.effects.settle(effect.key, claim.fence, "committed", {"result": "paid"})

    return _median(work, rounds)


def _median(work: Callable[[], object], rounds: int) -> float:
    """Return the median time of a piece of work, in microseconds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - started) / 1_000)
    return round(statistics.median(times), 1)
