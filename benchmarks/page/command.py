"""The command that makes the page of results: measures what can be measured, and writes one Markdown file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from rich.console import Console

from reinforced_agent.service.cli.exits import fail


class Measurement(StrEnum):
    """What no seed repeats exactly, so that the page tells a measurement that was kept."""

    BENCH = "bench"
    CRASHTEST = "crashtest"
    FUZZ = "fuzz"


_KILLS = 200
_HOSTILE = 100_000
_RUNS = 7
"""How often the graph is timed against others; a busy machine makes a single run uncertain."""
_COUNTS = ("kills", "windows", "elsewhere", "writes", "unknown", "lost", "doubled", "misreported", "seed", "seconds")
"""What is kept of a crash test: numbers, no single payments."""


def results(
    *,
    data: Annotated[Path | None, typer.Option(help="Folder of the recorded data.")] = None,
    live: Annotated[Path | None, typer.Option(help="Results written by `bfcl --out`.")] = None,
    measured: Annotated[
        Path | None, typer.Option(help="Earlier measurements, as JSON; default: those that are kept here.")
    ] = None,
    measure: Annotated[
        list[Measurement] | None, typer.Option(help="Measure this anew and keep it in --measured; may be repeated.")
    ] = None,
    db: Annotated[
        list[str] | None, typer.Option(help="Database of the crash test; may be repeated. Default: a temporary file.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Where the page goes.")] = Path("docs/results.md"),
) -> None:
    """Write the page of results; what is not measured is named."""
    try:
        from benchmarks.page.gathering import PageError, load_measured  # noqa: PLC0415  # slow
        from benchmarks.page.page import make_page  # noqa: PLC0415
    except ModuleNotFoundError as error:
        fail(f"The package {error.name!r} is not installed; run: pip install 'reinforced-agent[evaluation]'")
    from benchmarks.bfcl.agreement import AgreementError  # noqa: PLC0415
    from benchmarks.bfcl.results import ResultsError  # noqa: PLC0415
    from reinforced_agent.evaluation.replay.files import RecordedDataError  # noqa: PLC0415

    try:
        is_new = bool(measure) and measured is not None and not measured.exists()
        kept = {} if is_new else load_measured(measured)
        with Console(stderr=True).status("Measuring"):
            if measure:
                kept = _measure_again(kept, measure, measured, db or [])
            page = make_page(data, live, kept)
        out.write_text(page, encoding="utf-8")
    except (AgreementError, PageError, RecordedDataError, ResultsError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"The page can't be written to {str(out)!r}: {error.strerror}. Name a file in a folder you may write.")
    typer.echo(f"Written to {out}.")


def _measure_again(
    kept: Mapping[str, Any], topics: list[Measurement], path: Path | None, databases: list[str]
) -> dict[str, Any]:
    """Measure anew, and write the measurements down for the next time."""
    if path is None:
        fail("--measure needs --measured FILE, where the measurement is kept.")
    measures = {Measurement.BENCH: _bench, Measurement.CRASHTEST: lambda: _crash(databases), Measurement.FUZZ: _fuzz}
    found = {**kept, **{topic.value: measures[topic]() for topic in dict.fromkeys(topics)}}
    path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return found


def _bench() -> dict[str, Any]:
    """Run the benchmarks, the graph several times, and note how busy the machine was."""
    from benchmarks.bench.bench import bench, bench_graph  # noqa: PLC0415  # slow to import

    busy = {"cores": os.cpu_count(), "load": round(psutil.getloadavg()[0], 1)}
    found = bench()
    return {**busy, **found, "graph": [found["graph"], *(bench_graph() for _ in range(_RUNS - 1))]}


def _crash(databases: list[str]) -> dict[str, Any]:
    """Run the crash test over each database; what is kept names its kind alone, not where it is."""
    from benchmarks.crash.campaign import CrashTestError, run_crash_test  # noqa: PLC0415  # slow
    from reinforced_agent.ledger import LedgerError  # noqa: PLC0415

    try:
        with tempfile.TemporaryDirectory() as folder:
            addresses = databases or [f"sqlite:///{Path(folder) / 'ledger.db'}"]
            return {_kind(address): counts_of(run_crash_test(address, kills=_KILLS).as_json()) for address in addresses}
    except (CrashTestError, LedgerError) as error:
        fail(str(error))


def _kind(address: str) -> str:
    """Name the kind of a database."""
    return "SQLite" if address.startswith("sqlite") else "PostgreSQL"


def counts_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the numbers of a crash test."""
    return {name: found[name] for name in _COUNTS}


def _fuzz() -> dict[str, Any]:
    """Throw hostile proposals."""
    from benchmarks.fuzz.fuzz import fuzz_side_by_side  # noqa: PLC0415  # slow to import

    found = fuzz_side_by_side(_HOSTILE, first=0)
    kept = ("proposals", "exceptions", "wrong", "accepted", "refused", "seconds")
    return {"seed": 0, **{name: found[name] for name in kept}}
