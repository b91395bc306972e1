"""Tell what the reviewers of a campaign are worth."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.bfcl.reviewing import Worth
from reinforced_agent.evaluation.report.sections import Grid, Section
from reinforced_agent.evaluation.report.words import (
    count,
    interval,
    percent,
    shown,
)


def worth_sections(reviewers: Mapping[str, Worth]) -> list[Section]:
    """Tell what the reviewers of an evaluation are worth, if there are any."""
    if not reviewers:
        return []
    about = (
        "What would have run without the reviewer against what ran in the end, in the same runs. With f the share of "
        "wrong that it mends, b the share of right that it spoils and e the error rate without it, it pays where "
        f"e·f > (1-e)·b. {' '.join(f'{shown(arm)}: {one.sentence}' for arm, one in reviewers.items())}"
    )
    columns = ("arm", "n", "wrong", "mended", "right", "spoilt", "net gain", "95 % interval", "break-even", "errors")
    return [Section(title="Reviewer", about=about, grids=[Grid(columns, [_row(*one) for one in reviewers.items()])])]


def _row(arm: str, worth: Worth) -> tuple[str, ...]:
    """Write the numbers of one reviewer."""
    four = worth.table
    return (
        shown(arm),
        *(count(n) for n in (four.n, four.base_wrong, four.helped, four.base_right, four.harmed)),
        percent(worth.net.value, sign=True),
        interval(worth.net, sign=True),
        percent(worth.break_even.value),
        percent(worth.errors.value),
    )
