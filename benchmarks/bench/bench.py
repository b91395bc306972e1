"""Measure what the checks cost: microseconds for one call, and the graph beside a bare one in the same run."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.bench.costs import bench_ledger, bench_recording
from benchmarks.bench.masks import bench_masks
from benchmarks.bench.sizes import bench_results
from reinforced_agent.policies.parsing import Calls, ModelOutput, ReadCall
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.situation import PastCall, Situation
from reinforced_agent.policies.verdicts import Revise
from reinforced_agent.tools.call import RawCall
from reinforced_agent.tools.spec import ToolSpec


SIZES = (10, 100, 1000)
"""Numbers of registered tools."""

_PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "maxLength": 60},
        "date": {"type": "string", "format": "date"},
        "unit": {"enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
    },
    "required": ["city", "date"],
}
_WIRE = '{"city": "Oslo", "date": "2026-12-01", "unit": "celsius", "days": 3}'
_WARM_UP = 200


def bench_checks(*, rounds: int = 5_000) -> dict[str, dict[str, float]]:
    """Time the layers on one valid call, for different numbers of tools.

    Args:
        rounds: Calls measured for each number of tools.

    Returns:
        For each of `tools_10`, `tools_100` and `tools_1000`: `p50_us` and `p99_us`, in microseconds.

    """
    return {f"tools_{size}": _quantiles(_time(_checker(size), rounds)) for size in SIZES}


def _checker(size: int) -> Callable[[], None]:
    """Make the work of one call: read it, then ask every layer."""
    rules = RuleBook(
        ToolSpec(name=f"get_forecast_{n}", description="", parameters=_PARAMETERS, risk="read")  # type: ignore[arg-type]
        for n in range(size)
    )
    name = f"get_forecast_{size // 2}"
    output = ModelOutput(
        content="", calls=(RawCall("call-1", name, _WIRE),), finish_reason="tool_calls", message_id="m"
    )
    history = tuple(PastCall(name, f"digest-{n}", "done", step=n) for n in range(8))

    def work() -> None:
        reading = rules.read(output)
        if not isinstance(reading, Calls) or not isinstance(reading.calls[0], ReadCall):
            msg = f"the benchmark's call was not read: {reading!r}"
            raise TypeError(msg)
        call = reading.calls[0]
        examination = rules.examine(
            call.name,
            call.arguments,
            call_id=call.id,
            situation=lambda spec: Situation(spec=spec, history=history),
        )
        if isinstance(examination.decision, Revise):
            raise TypeError(examination.decision.message)

    return work


def _time(work: Callable[[], object], rounds: int) -> list[float]:
    """Time single calls, in microseconds; the collector runs between measurements, not in them."""
    for _ in range(_WARM_UP):
        work()
    gc.collect()
    gc.disable()
    try:
        return [_once(work) for _ in range(rounds)]
    finally:
        gc.enable()


def _once(work: Callable[[], object]) -> float:
    """Time one call."""
    started = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - started) / 1_000


def _quantiles(times: Sequence[float]) -> dict[str, float]:
    """Return the median and the 99th percentile."""
    cuts = statistics.quantiles(times, n=100)
    return {"p50_us": round(statistics.median(times), 1), "p99_us": round(cuts[98], 1)}


def bench_graph(*, rounds: int = 60) -> dict[str, float]:
    """Compare a whole run with one tool call with a bare LangGraph of as many nodes, interleaved in one run.

    Returns:
        `vs_bare`: median time over the median time of the bare graph; `ms`: that median, in milliseconds; and
        `vs_create_agent` where LangChain is installed.

    """
    from benchmarks.bench.rivals import bare_run, create_agent_run, own_run  # noqa: PLC0415  # slow to import

    runs = {"own": own_run(), "bare": bare_run(), "create_agent": create_agent_run()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 5):
        for name, run in runs.items():
            if run is not None:
                elapsed = _once(run)
                times[name] += [elapsed] if turn >= 5 else []  # noqa: PLR2004  # the first rounds warm up
    medians = {name: statistics.median(values) for name, values in times.items() if values}
    ratios = {"vs_bare": round(medians["own"] / medians["bare"], 2), "ms": round(medians["own"] / 1_000, 2)}
    if "create_agent" in medians:
        ratios["vs_create_agent"] = round(medians["own"] / medians["create_agent"], 2)
    return ratios


def bench(*, rounds: int = 5_000) -> dict[str, Any]:
    """Run all benchmarks."""
    from benchmarks.bench.tokens import bench_tokens  # noqa: PLC0415  # slow to import
    from benchmarks.bench.turns import bench_stored, bench_turns  # noqa: PLC0415  # slow to import

    return {
        "checks": bench_checks(rounds=rounds),
        "graph": bench_graph(),
        "recording": bench_recording(),
        "ledger": bench_ledger(),
        "results": bench_results(),
        "turns": bench_turns(),
        "stored": bench_stored(),
        "masks": bench_masks(),
        "first_token": bench_tokens(),
    }
