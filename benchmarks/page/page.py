"""Write the page of results from what was measured: equal inputs give an equal page, to the letter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.page.conversations import injection_section, trajectories_section
from benchmarks.page.first_sight import first_sight_section
from benchmarks.page.gathering import Gathered, gather, load_published
from benchmarks.page.live import SEED, live_section
from benchmarks.page.machine import bench_section, crash_section, fuzz_section
from benchmarks.page.paper import paper_section
from benchmarks.page.recorded_calls import agreement_section, recorded_section, rules_section
from benchmarks.page.shortcomings import shortcomings_section
from benchmarks.page.writing import Section, count, percent, table
from reinforced_agent.evaluation.metrics.shares import CONFIDENCE
from reinforced_agent.evaluation.metrics.significance import RESAMPLES
from reinforced_agent.evaluation.replay.workers import WORKERS


_HEAD = """# Results

Made by `make results DATA=DIR RESULTS=FILE`; every number is computed from the inputs below, none is typed, but for
those under *At first sight*. `DIR` is a folder of recorded data, which is no part of this repository; `FILE` is written
by `python -m benchmarks bfcl --out FILE`. Where something was not measured, the page says so."""


def make_page(data: Path | None, results: Path | None, measured: Mapping[str, Any], *, workers: int = WORKERS) -> str:
    """Measure what can be measured, and write the page.

    Args:
        data: Folder of the recorded data; `None` when it is not at hand.
        results: File written by `bfcl --out`; `None` when there is none.
        measured: Earlier measurements by topic: `crashtest`, `bench`, `fuzz`.
        workers: Processes that share the work.

    Returns:
        Markdown.

    Raises:
        PageError: When the folder or the file of results is named but not there.
        RecordedDataError: When recorded data is damaged.
        ResultsError: When the results are damaged.

    """
    return write_page(gather(data, results, measured, workers=workers), load_published())


def write_page(gathered: Gathered, published: Mapping[str, Any]) -> str:
    """Write the page from what was gathered, and from the figures of others."""
    sections = (
        recorded_section(gathered),
        rules_section(gathered, published),
        live_section(gathered),
        agreement_section(gathered),
        trajectories_section(gathered, published),
        injection_section(gathered, published),
        crash_section(gathered),
        bench_section(gathered),
        fuzz_section(gathered),
        paper_section(gathered, published),
        first_sight_section(),
        shortcomings_section(gathered, published),
        _inputs(gathered),
    )
    return "\n\n".join([_HEAD, *map(str, sections)]) + "\n"


def _inputs(gathered: Gathered) -> Section:
    """Write what the page was made from."""
    files = [(f"`{one.name}`", count(one.lines), f"`{one.digest}`") for one in gathered.inputs]
    given = table(("file", "lines", "SHA-256 of its content"), files) if files else "No file was given."
    versions = table(("package", "version"), [(f"`{name}`", version) for name, version in gathered.versions.items()])
    seeds = (
        f"Wilson intervals hold {percent(CONFIDENCE, 0)}; bootstrap intervals are drawn {count(RESAMPLES)} times "
        f"with seed {SEED}. The crash tests name their own seeds. Microseconds and seconds come from the machine "
        "that measured them."
    )
    return Section("Inputs, seeds and versions", (), (given, versions, seeds))
