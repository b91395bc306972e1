"""Measure this project: `python -m benchmarks`, in the root of the repository."""

from __future__ import annotations

import typer

from benchmarks.bfcl.commands import agreement, bfcl, rescore
from benchmarks.bfcl.report_command import report
from benchmarks.commands import bench, fuzz, replay
from benchmarks.crash.command import crashtest
from benchmarks.page.command import results


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="What the page of results is made with: replays, BFCL, kills, hostile proposals and times.",
)

app.add_typer(replay, name="replay")
app.command()(bfcl)
app.command()(rescore)
app.command()(agreement)
app.command()(report)
app.command("crash")(crashtest)
app.command()(fuzz)
app.command()(bench)
app.command()(results)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
