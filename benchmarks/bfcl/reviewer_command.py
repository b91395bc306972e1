"""The reviewer of an evaluation on the command line: who it is, and whether it is worth its requests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table


_COLUMNS = ("questions", "n", "wrong", "mended", "right", "spoilt", "net gain", "95 % interval", "asked", "sent back")


def jury_of(spec: str | None, loops: int, prompt: Path | None) -> Any:
    """Return the reviewer that the options name; `None` where they name none, and an end where it can't be used."""
    if spec is None:
        return None
    from benchmarks.bfcl.campaign import CampaignError, make_model  # noqa: PLC0415  # slow to import
    from benchmarks.bfcl.reviewed import Jury  # noqa: PLC0415
    from reinforced_agent.policies.review import ReviewerError  # noqa: PLC0415

    jury = Jury(spec=spec, loops=loops, prompt=prompt)
    try:
        if spec.startswith("openai:"):
            make_model(spec)  # no server is asked yet, and a missing key shows before the first question
        jury.settings  # noqa: B018  # reads what it is made of
    except (CampaignError, OSError, ReviewerError) as error:
        typer.echo(f"The reviewer {spec!r} can't be used: {error}", err=True)
        raise typer.Exit(2) from None
    return jury


def print_worth(weighed: Mapping[str, Mapping[str, Any]]) -> None:
    """Print what the reviewer of each arm mended and spoilt, and what to do."""
    for arm, by_category in weighed.items():
        table = Table(*_COLUMNS, title=f"the reviewer in {arm}", title_justify="left")
        shown = by_category if len(by_category) > len(("one", "all")) else {"all": by_category["all"]}
        for category, one in shown.items():
            table.add_row(category, *_row(one))
        console = Console()
        console.print(table, highlight=False, markup=False)
        console.print(by_category["all"]["sentence"], highlight=False, markup=False)
        if silent := by_category["all"]["no_opinion"]:
            asked = by_category["all"]["asked"]
            typer.echo(f"The reviewer gave no opinion {silent} of {asked} times; the log says why.", err=True)


def _row(one: Mapping[str, Any]) -> tuple[str, ...]:
    """Write the numbers of one category."""
    four, net = one["table"], one["net"]
    ends = f"{net['low']:+.1%} to {net['high']:+.1%}" if "low" in net else "-"
    value = "-" if net["value"] is None else f"{net['value']:+.1%}"
    wrong, right = four["helped"] + four["unmended"], four["kept"] + four["harmed"]
    counts = (one["n"], wrong, four["helped"], right, four["harmed"])
    return (*map(str, counts), value, ends, str(one["asked"]), str(one["objected"]))
