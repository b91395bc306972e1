"""The commands by which an operator stops a tool for all workers of a ledger, and lets it go on."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from reinforced_agent.policies.text.visible import visible
from reinforced_agent.service.cli.exits import fail
from reinforced_agent.service.settings import SettingsError, load_settings


if TYPE_CHECKING:
    from reinforced_agent.ledger import Ledger

tools = typer.Typer(no_args_is_help=True, help="Pause tools for every process that uses a ledger, and resume them.")

Name = Annotated[str, typer.Argument(help="Name of the tool, as it is registered with the agents.")]
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--db", help="Ledger: sqlite:///FILE or postgresql://USER@HOST/DATABASE; default: REINFORCED_AGENT_DATABASE."
    ),
]


@tools.command()
def pause(
    name: Name,
    reason: Annotated[str, typer.Option(help="Why; told to the model and to whoever approves calls.")] = "",
    db: DatabaseOption = None,
) -> None:
    """Stop a tool: no call of it goes out any more, approved or not; those under way end."""
    with opened(db) as ledger:
        try:
            paused = ledger.pauses.pause(name, by=_operator(), reason=reason)
        except ValueError as error:
            fail(str(error))
    typer.echo(f"{visible(paused.tool)} is paused since {_time(paused.since)}. Let it go on with `tools resume`.")


@tools.command()
def resume(name: Name, db: DatabaseOption = None) -> None:
    """Let a tool be called again."""
    with opened(db) as ledger:
        if not ledger.pauses.resume(name):
            fail(f"{name!r} is not paused: `reinforced-agent tools list` shows what is.")
    typer.echo(f"{visible(name)} may be called again.")


@tools.command("list")
def show(
    *,
    db: DatabaseOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Show which tools are paused, since when, by whom and why."""
    with opened(db) as ledger:
        found = list(ledger.pauses.all().values())
    if as_json:
        listed = [{"tool": one.tool, "since": _time(one.since), "by": one.by, "reason": one.reason} for one in found]
        typer.echo(json.dumps({"paused": listed}))
        return
    for one in found:
        by, reason = (f" by {one.by}" if one.by else ""), (f": {one.reason}" if one.reason else "")
        typer.echo(visible(" ".join(f"{one.tool} since {_time(one.since)}{by}{reason}".split())))
    if not found:
        typer.echo("No tool is paused.")


@contextmanager
def opened(url: str | None, namespace: str | None = "") -> Iterator[Ledger]:
    """Open the ledger that is named, or the one of the settings, or end with what is wrong with it.

    `None` is the namespace of the settings.
    """
    from reinforced_agent.ledger import Ledger, LedgerError  # noqa: PLC0415  # slow to import

    try:
        if not url or namespace is None:
            settings = load_settings()
            url = url or settings.database
            namespace = settings.namespace if namespace is None else namespace
    except SettingsError as error:
        fail(str(error))
    if not url:
        fail("No ledger is named: give --db, or set REINFORCED_AGENT_DATABASE.")
    try:
        try:
            ledger = Ledger.open(url, namespace=namespace)
        except ValueError as error:
            fail(str(error))
        try:
            yield ledger
        finally:
            ledger.close()
    except LedgerError as error:
        fail(str(error))


def _operator() -> str:
    """Return who is at the keyboard; empty where the machine has no name for them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
