"""The command that trains the relevance scorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


train = typer.Typer(no_args_is_help=True, help="Train the scorers that come with the package.")


@train.callback()
def training() -> None:
    """Train the scorers that come with the package."""


@train.command()
def relevance(
    folder: Annotated[Path, typer.Argument(help="Folder of the recorded data.")],
    out: Annotated[
        Path | None, typer.Option(help="Where to write the trees; without it, they are only measured.")
    ] = None,
    harm: Annotated[
        float, typer.Option(min=0.0, max=0.2, help="Share of right proposals that may be asked about.")
    ] = 0.007,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Learn from recorded responses whether a proposal fits its request, cross-validated by test case."""
    from reinforced_agent.evaluation.relevance.report import describe  # noqa: PLC0415  # slow to import
    from reinforced_agent.evaluation.relevance.samples import read_samples  # noqa: PLC0415
    from reinforced_agent.evaluation.relevance.training import TrainingError  # noqa: PLC0415
    from reinforced_agent.evaluation.relevance.training import train as run  # noqa: PLC0415
    from reinforced_agent.evaluation.replay.files import RecordedDataError  # noqa: PLC0415

    try:
        samples = read_samples(folder)
        trained = run(samples, harm=harm)
    except (RecordedDataError, TrainingError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    if out is not None:
        out.write_text(json.dumps(trained.forest.to_json(), separators=(",", ":")) + "\n", "utf-8")
    result = describe(trained, samples)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        _show(result)


def _show(result: dict[str, Any]) -> None:
    """Print the trade-off as a table."""
    from reinforced_agent.service.cli.tables import print_table  # noqa: PLC0415  # slow to import

    rows = [
        (f"{point['threshold']:.2f}", f"{point['wrong']['value']:.1%}", f"{point['right']['value']:.2%}")
        for point in (*result["curve"], result["chosen"])
    ]
    title = f"{result['samples']} responses to {result['test_cases']} questions; the last line is the one chosen"
    print_table(title, ("threshold", "wrong ones asked about", "right ones asked about"), rows)
