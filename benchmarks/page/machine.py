"""The parts of the page about measurements that no seed repeats exactly: kills, benchmarks, hostile proposals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from benchmarks.page.gathering import Gathered
from benchmarks.page.writing import NOTHING, Section, count, percent, rate, table
from reinforced_agent.evaluation.metrics.shares import share


_NOT_KEPT = "no measurement is kept; run `python -m benchmarks results` with `--measure {}`"
_RATIOS: Final = {
    "vs_bare": "whole graph over a bare LangGraph",
    "vs_create_agent": "whole graph over `create_agent`",
}
_FAULTS: Final = ("lost", "doubled", "misreported")
_ABOUT_KILLS = """Processes that make payments are killed with SIGKILL at moments drawn from a seed, and what was told
of every payment is compared with the book of a bank that does not deduplicate. *Unknown* is what nobody can know; a
payment that is lost, doubled or told wrongly is a fault. Intervals are Wilson's."""


def crash_section(gathered: Gathered) -> Section:
    """Write what came of killing processes that make payments."""
    title, command = "Crash tests", "python -m benchmarks crash --kills N --db URL --json"
    runs: Mapping[str, Any] = gathered.measured.get("crashtest") or {}
    if not runs:
        return Section(title, (command,), missing=_NOT_KEPT.format("crashtest"))
    rows = [(name, *_crash(found)) for name, found in runs.items()]
    columns = ("database", "seed", "kills", "payments told", "told as unknown", *_FAULTS, "faults together", "seconds")
    windows = [(name, *map(count, (*found["windows"].values(), found["elsewhere"]))) for name, found in runs.items()]
    names = next(iter(runs.values()))["windows"]
    parts = (
        _ABOUT_KILLS,
        table(columns, rows),
        "When a process was killed:",
        table(("database", *names, "elsewhere"), windows),
    )
    return Section(title, (command,), parts)


def _crash(found: Mapping[str, Any]) -> Iterator[str]:
    """Write the numbers of one crash test."""
    writes = found["writes"]
    yield str(found["seed"])
    yield from map(count, (found["kills"], writes))
    yield f"{count(found['unknown'])} = {rate(share(found['unknown'], writes))}"
    yield from (count(found[fault]) for fault in _FAULTS)
    faults = sum(found[fault] for fault in _FAULTS)
    yield f"{count(faults)} = {rate(share(faults, writes))}"
    yield f"{found['seconds']:,.0f}"


def bench_section(gathered: Gathered) -> Section:
    """Write what the checks cost."""
    title, command = "Benchmarks", "python -m benchmarks bench --json"
    found = gathered.measured.get("bench")
    if not found:
        return Section(title, (command,), missing=_NOT_KEPT.format("bench"))
    checks = [
        (name.removeprefix("tools_"), str(one["p50_us"]), str(one["p99_us"])) for name, one in found["checks"].items()
    ]
    parts = (
        _about_bench(found),
        table(("registered tools", "all checks on one call, p50 µs", "p99 µs"), checks),
        table(("what", "value"), _runs(found)),
    )
    return Section(title, (command, "make results MEASURE=bench"), parts)


def _about_bench(found: Mapping[str, Any]) -> str:
    """Say how it was measured, and how far it can be trusted."""
    busy = found["load"] > found["cores"]
    caution = (
        " It had more to do than it has cores, so all of this is uncertain, the 99th percentiles most." if busy else ""
    )
    return (
        f"The graph and what it is compared with run in turns; told is the median of {len(found['graph'])} such "
        f"runs, with the least and the most. The machine had {found['cores']} cores and a load of {found['load']} "
        f"when it began.{caution}"
    )


def _runs(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Write what whole runs and their parts take."""
    yield "whole graph, one tool call, over a bare LangGraph of as many nodes, ×", _spread(found, "vs_bare")
    yield "the same over LangChain's `create_agent`, ×", _spread(found, "vs_create_agent")
    yield "the same in milliseconds", _spread(found, "ms")
    yield "making the records of a turn, share of the whole run", percent(found["recording"]["share"])
    yield "claim and outcome of an effect, in memory, µs", f"{found['ledger']['memory_us']:,.0f}"
    yield "claim and outcome of an effect, in SQLite on the disk, µs", f"{found['ledger']['sqlite_us']:,.0f}"
    if stored := found.get("stored"):
        yield f"a thread of {stored['turns']} turns in an SQLite file, MB", f"{stored['mb']}"
        yield "its last turns over its first ones, processor time, ×", f"{stored['growth']}"
    if first := found.get("first_token"):
        yield "the first token at the client, over the model's server asked directly, ×", f"{first['vs_server']}"
        yield "the same over LangChain's `create_agent`, ×", f"{first.get('vs_create_agent', NOTHING)}"
    if masks := found.get("masks"):
        yield from _masks(masks)


def _masks(found: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Write what guided decoding takes beside the forward passes of the same run."""
    yield "embedded model: forward pass of a token, µs", f"{found['forward_us']:,.0f}"
    yield "the mask of a token, µs; share of the forward pass", _beside(found["mask_us"], found["share"])
    yield "mask and copying, µs; share", _beside(found["copying_us"], found["copying_share"])
    yield "grammar of a field: compiled, µs; used again, µs", f"{found['compile_us']:,.0f}; {found['again_us']:,.0f}"


def _beside(microseconds: float, part: float) -> str:
    """Write a time with its share."""
    return f"{microseconds:,.0f}; {percent(part)}"


def _spread(found: Mapping[str, Any], name: str) -> str:
    """Write the median of several runs, with the least and the most."""
    values = [run[name] for run in found["graph"] if name in run]
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})" if values else NOTHING


def fuzz_section(gathered: Gathered) -> Section:
    """Write what came of hostile proposals."""
    title, command = "Hostile proposals", "python -m benchmarks fuzz --json"
    found = gathered.measured.get("fuzz")
    if not found:
        return Section(title, (command,), missing=_NOT_KEPT.format("fuzz"))
    total = found["proposals"]
    rows = [(name, f"{count(found[name])} = {rate(share(found[name], total))}") for name in ("exceptions", "wrong")]
    rows += [(name, count(found[name])) for name in ("accepted", "refused")]
    text = (
        f"{count(total)} generated proposals, seed {found['seed']}; *wrong* is a call with another meaning than its "
        "original."
    )
    return Section(title, (command,), (text, table(("what", "proposals"), rows)))


@dataclass(frozen=True, slots=True)
class Budget:
    """What something may cost, and what it does."""

    about: str
    measured: float
    most: float
    unit: str

    @property
    def is_kept(self) -> bool:
        """Whether it stays within."""
        return self.measured <= self.most


def budgets(gathered: Gathered, published: Mapping[str, Any]) -> list[Budget]:
    """Hold the benchmarks against the budgets; empty where there are none."""
    found, most = gathered.measured.get("bench"), published["budgets"]
    if not found:
        return []
    checks = found["checks"]["tools_100"]
    ratios = {name: [run[name] for run in found["graph"] if name in run] for name in ("vs_bare", "vs_create_agent")}
    return [
        Budget("all checks on one call, 100 tools, p50", checks["p50_us"], most["p50_us"], " µs"),
        Budget("all checks on one call, 100 tools, p99", checks["p99_us"], most["p99_us"], " µs"),
        *(Budget(_RATIOS[name], round(median(runs), 2), most[name], " ×") for name, runs in ratios.items() if runs),
    ]
