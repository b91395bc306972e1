"""Measure what long results and long conversations cost."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

from reinforced_agent.policies.paging import Reader, Request, preview
from reinforced_agent.policies.text.tokens import approximate
from reinforced_agent.tools.results import write


_ROWS = 20_000
_TOKENS = 2_000


def bench_results(*, rounds: int = 5) -> dict[str, float]:
    """Time a result of 20,000 rows, in milliseconds.

    Returns:
        `write_ms`, to write it as text; `preview_ms`, to show it within 2,000 tokens; `page_ms`, to read a page of
        its middle; and `search_ms`, to find one row.

    """
    rows = [{"id": f"C-{n:05}", "name": f"customer {n}", "open": n % 7 == 0} for n in range(_ROWS)]
    text = json.dumps(rows)
    reader = Reader("list", _TOKENS, approximate)
    works: dict[str, Callable[[], object]] = {
        "write_ms": lambda: write(rows),
        "preview_ms": lambda: preview(text, _TOKENS, approximate),
        "page_ms": lambda: reader.page(text, Request(offset=_ROWS // 2)),
        "search_ms": lambda: reader.page(text, Request(search="C-12345")),
    }
    return {
        name: round(statistics.median(_seconds(work) for _ in range(rounds)) * 1_000, 1) for name, work in works.items()
    }


def _seconds(work: Callable[[], object]) -> float:
    """Time a piece of work once."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
