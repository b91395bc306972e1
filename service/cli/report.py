"""The report command: numbers and plots from the records of a service."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console

from reinforced_agent.service.cli.exits import fail
from reinforced_agent.service.settings import Settings, SettingsError, load_settings


T = TypeVar("T")


def report(
    *,
    db: Annotated[
        str | None,
        typer.Option(
            help="Ledger that holds the records: sqlite:///FILE or postgresql://USER@HOST/DATABASE; default: "
            "REINFORCED_AGENT_DATABASE."
        ),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(help="Namespace of the ledger; default: REINFORCED_AGENT_NAMESPACE, or none."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with plots to this file as well.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Show what the checks did: numbers and plots from the records of a service."""
    from reinforced_agent.evaluation.report.console import print_report  # noqa: PLC0415  # slow to import
    from reinforced_agent.evaluation.report.service_sections import service_group  # noqa: PLC0415

    service = service_numbers(configured_ledger("name records with --db") if db is None else db, namespace)
    if html is not None:
        save_page(html, [service_group(service)])
    if as_json:
        typer.echo(json.dumps({"service": service.as_json()}))
    else:
        print_report([service_group(service)], Console())
    if html is not None:
        typer.echo(f"The page is in {str(html)!r}.", err=True)


def configured_ledger(how: str) -> str:
    """Return the ledger that is set, or end with how to name records and how to get some."""
    from reinforced_agent.evaluation.report.sources import HOW_TO_RECORD  # noqa: PLC0415  # slow to import

    url = _settings().database
    if not url:
        fail(f"Nothing to report on: {how}. {HOW_TO_RECORD}")
    return url


def _settings() -> Settings:
    """Read the settings, or end with what is wrong."""
    try:
        return load_settings()
    except SettingsError as error:
        fail(str(error))


def service_numbers(url: str, namespace: str | None) -> Any:
    """Measure a service by its records, or end with what is wrong; `None` is the namespace of the settings."""
    from reinforced_agent.evaluation.report.service import measure_service  # noqa: PLC0415  # slow to import
    from reinforced_agent.evaluation.report.sources import read_ledger  # noqa: PLC0415

    chosen = _settings().namespace if namespace is None else namespace
    return attempt(lambda: measure_service(read_ledger(url, chosen)), "Reading the records …")


def save_page(path: Path, groups: list[Any]) -> None:
    """Write the page, or end with why it can't be written."""
    from reinforced_agent.evaluation.report.page import page  # noqa: PLC0415  # slow to import
    from reinforced_agent.evaluation.report.saving import save  # noqa: PLC0415

    written = page(groups, made_at=datetime.now(UTC), version=version("reinforced-agent"))
    attempt(lambda: save(path, written), "Writing the page …")


def attempt(work: Callable[[], T], doing: str, *errors: type[Exception]) -> T:
    """Do something that may take a while, or end with what is wrong; `errors` are what a source raises of its own."""
    from reinforced_agent.evaluation.report.sources import ReportError  # noqa: PLC0415  # slow to import

    expected: tuple[type[Exception], ...] = (ReportError, *errors)
    console = Console(stderr=True)
    try:
        if not console.is_terminal:
            return work()
        with console.status(doing):
            return work()
    except expected as error:
        fail(str(error))
