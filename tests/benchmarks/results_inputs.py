"""What pages of results are made from in tests: small live results, kept measurements, cut recordings."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

from benchmarks.bfcl.results import Judged, Result, Settings
from tests.evaluation.recordings import DATA


SETTINGS = Settings({"model": "local", "identity": {"weights": "w 1"}})
BENCH = {
    "cores": 2,
    "load": 0.1,
    "checks": {"tools_100": {"p50_us": 25.0, "p99_us": 90.0}},
    "graph": [{"vs_bare": ratio, "vs_create_agent": 0.9, "ms": 2.0} for ratio in (1.4, 1.7, 2.5)],
    "recording": {"share": 0.05},
    "ledger": {"memory_us": 300.0, "sqlite_us": 900.0},
}
CRASH = {
    "kills": 20,
    "windows": {"before claim": 20},
    "elsewhere": 0,
    "writes": 30,
    "unknown": 3,
    "lost": 0,
    "doubled": 0,
    "misreported": 0,
    "seed": 7,
    "seconds": 12.0,
}


def judged(*, right: bool) -> Judged:
    """Write a judgement."""
    return Judged(calls=[{"name": "area", "arguments": {}}], right=right, fault=None if right else "string")


def trial(arm: str, number: int, *, right: bool, first: bool | None = None, asked: int = 1) -> Result:
    """Write the result of a trial."""
    return Result(
        arm=arm,
        id=f"simple_python_{number}",
        category="simple_python",
        question=f"q{number}",
        tools="t",
        settings=SETTINGS.digest,
        version="0",
        code="c" * 64,
        first=judged(right=right if first is None else first),
        final=judged(right=right),
        exchanges=[{}] * asked,
        tokens=100 + number,
        seconds=1.5,
    )


def write_results(path: Path, results: Iterable[Result]) -> Path:
    """Write a file of results."""
    path.write_bytes(SETTINGS.line + b"".join(one.model_dump_json().encode() + b"\n" for one in results))
    return path


def trials(*, mended: int = 0) -> list[Result]:
    """Write six questions in three arms: none right freely, four under the mask, and more where feedback mends."""
    return [
        *(trial("free", number, right=False) for number in range(6)),
        *(trial("masked", number, right=number < 4) for number in range(6)),
        *(
            trial("masked+feedback", number, right=number < 4 + mended, first=number < 4, asked=2)
            for number in range(6)
        ),
    ]


def some_of(names: dict[str, int], made: Path) -> Path:
    """Make a folder with the first lines of published recordings; 0 for all."""
    made.mkdir()
    for name, lines in names.items():
        content = gzip.decompress((DATA / name).read_bytes())
        kept = b"".join(content.splitlines(keepends=True)[: lines or None])
        (made / name).write_bytes(gzip.compress(kept, compresslevel=1))
    return made
