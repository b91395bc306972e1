"""The report of a campaign: its numbers and plots, alone or beside those of a service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from reinforced_agent.service.cli.exits import fail
from reinforced_agent.service.cli.report import attempt, configured_ledger, save_page, service_numbers


def report(
    *,
    db: Annotated[
        str | None,
        typer.Option(
            help="Ledger that holds the records: sqlite:///FILE or postgresql://USER@HOST/DATABASE; default, where no "
            "results are named either: REINFORCED_AGENT_DATABASE."
        ),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(help="Namespace of the ledger; default: REINFORCED_AGENT_NAMESPACE, or none."),
    ] = None,
    results: Annotated[Path | None, typer.Option(help="File of results, written by `bfcl --out`.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with plots to this file as well.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Show what the checks did: numbers and plots from the records of a service, from a campaign, or from both."""
    url = (
        configured_ledger("name records with --db, or results with --results") if db is None and results is None else db
    )
    service = service_numbers(url, namespace) if url is not None else None
    evaluation = _evaluation(results) if results is not None else None
    if html is not None:
        save_page(html, _groups(service, evaluation))
    if as_json:
        found = {"service": service and service.as_json(), "evaluation": evaluation and evaluation.as_json()}
        typer.echo(json.dumps(found))
    else:
        from reinforced_agent.evaluation.report.console import print_report  # noqa: PLC0415  # slow to import

        print_report(_groups(service, evaluation), Console())
    if html is not None:
        typer.echo(f"The page is in {str(html)!r}.", err=True)


def _evaluation(path: Path) -> Any:
    """Measure a campaign by its results."""
    try:
        from benchmarks.bfcl.report_numbers import read_evaluation  # noqa: PLC0415  # needs an extra
    except ModuleNotFoundError as error:
        fail(f"The package {error.name!r} is not installed; run: pip install 'reinforced-agent[evaluation]'")
    from benchmarks.bfcl.results import ResultsError  # noqa: PLC0415  # slow to import

    return attempt(lambda: read_evaluation(path), "Reading the results …", ResultsError)


def _groups(service: Any, evaluation: Any) -> list[Any]:
    """Put what was measured into words and plots."""
    groups = []
    if service is not None:
        from reinforced_agent.evaluation.report.service_sections import service_group  # noqa: PLC0415  # slow

        groups.append(service_group(service))
    if evaluation is not None:
        from benchmarks.bfcl.report_sections import evaluation_group  # noqa: PLC0415  # needs an extra

        groups.append(evaluation_group(evaluation))
    return groups
