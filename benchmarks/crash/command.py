"""The crash test as a command: kill real processes, compare the books, say what was lost, doubled or misreported."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from reinforced_agent.policies.text.visible import exact_json
from reinforced_agent.service.cli.exits import fail


def crashtest(
    kills: Annotated[int, typer.Option(min=1, help="How many processes to kill.")] = 200,
    db: Annotated[
        str | None,
        typer.Option(
            "--db",
            help="sqlite:///FILE or postgresql://USER@HOST/DATABASE. What is in it stays as it is: the test works in a "
            "folder beside the file, or in a schema of its own, and removes it at the end. Default: a temporary file.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Equal seeds draw equal moments.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Kill processes that make payments, at random moments, and compare what was told with what was paid.

    Exit code 1 when a payment was lost, doubled or misreported.
    """
    if sys.platform == "win32":
        fail(
            "The crash test kills forked processes with SIGKILL, which Windows does not know: run it on Linux or macOS."
        )
    from benchmarks.crash.campaign import CrashTestError, run_crash_test  # noqa: PLC0415  # slow to import
    from reinforced_agent.ledger import LedgerError  # noqa: PLC0415

    try:
        with _address(db) as address, _stoppable(), _progress(kills) as on_kill:
            numbers = run_crash_test(address, kills=kills, seed=seed, on_kill=on_kill)
    except (LedgerError, CrashTestError) as error:
        fail(str(error))
    result = numbers.as_json()
    if as_json:
        typer.echo(exact_json(result))
    else:
        _print(result)
    if numbers.failed:
        raise typer.Exit(1)


@contextmanager
def _address(given: str | None) -> Iterator[str]:
    """Return the address to use; without one, that of a file that is removed at the end."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{Path(folder) / 'ledger.db'}"


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let a request to end be one that cleans up, as Ctrl-C does."""

    def stop(number: int, _frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _progress(kills: int) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how far the test is; elsewhere nothing is shown."""
    console = Console(stderr=True)
    columns = (TextColumn("kills"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("kills", total=kills)
        yield lambda done: progress.update(task, completed=done)


def _print(result: dict[str, Any]) -> None:
    """Print the numbers, every payment told as uncertain, and everything that must not be."""
    windows = [*result["windows"].items(), ("elsewhere", result["elsewhere"])]
    _table(f"{result['kills']} kills in {result['seconds']} s", ("when a process was killed", "kills"), windows)
    names = ("unknown", "lost", "doubled", "misreported")
    _table(f"{result['writes']} payments told", ("payments", "count"), [(name, result[name]) for name in names])
    uncertain = [(one["thread"], one["payment"], one["entries"]) for one in result["unknown_outcomes"]]
    if uncertain:
        _table("told as unknown", ("thread", "payment", "times it was really paid"), uncertain)
    for fault in result["faults"]:
        typer.echo(f"{fault['fault']}: {fault['thread']}, {fault['reference']}: {fault['text']}", err=True)


def _table(title: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """Print rows as a table."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*map(str, row))
    Console().print(table, highlight=False, markup=False)
