"""The commands of the judge: replay cases and recorded calls, throw hostile proposals, run the benchmarks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table


replay = typer.Typer(no_args_is_help=True, help="Replay cases and recorded calls through the reader and the layers.")

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@replay.command()
def reports(
    file: Annotated[Path, typer.Argument(help="Cases, one JSON object a line.")],
    strict: Annotated[bool, typer.Option("--strict", help="Count only the preferred verdict as right.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Judge single proposals, and compare with what a careful system does."""
    from reinforced_agent.evaluation.reports import check  # noqa: PLC0415  # slow to import
    from reinforced_agent.evaluation.scoring import CasesError, load_cases, replay_cases  # noqa: PLC0415

    try:
        cases = load_cases(file)
    except CasesError as error:
        _fail(str(error))
    result = replay_cases(cases, check, strict=strict)
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
        return
    rows = [(item["id"], item["stage"], item["why"]) for item in result["wrong"]]
    _print_table(f"{result['right']} of {result['cases']} right", ("wrong", "stage", "why"), rows)


@replay.command()
def recorded(
    folder: Annotated[Path, typer.Argument(help="Folder of the recorded responses.")],
    layers: Annotated[str, typer.Option(help="Layers that judge, with commas.")] = "format,routing,arguments",
    as_json: JsonOption = False,
) -> None:
    """Replay recorded responses of models: wrong ones flagged, right ones harmed, by layer and kind of error."""
    from reinforced_agent.evaluation.recorded import LAYERS, RecordedDataError, replay  # noqa: PLC0415  # slow to import

    chosen = [name.strip() for name in layers.split(",") if name.strip()]
    if unknown := [name for name in chosen if name not in LAYERS]:
        _fail(f"{unknown[0]!r} is no layer that can judge recorded calls: choose from {', '.join(LAYERS)}.")
    try:
        result = replay(folder, layers=chosen)
    except RecordedDataError as error:
        _fail(str(error))
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
        return
    _print_recorded(result)


def fuzz(
    count: Annotated[int, typer.Option(min=1, help="How many proposals to generate.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal proposals.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Throw generated hostile proposals at the reader and the layers."""
    try:
        from reinforced_agent.evaluation.fuzz import fuzz_side_by_side  # noqa: PLC0415  # needs an extra
    except ModuleNotFoundError as error:
        _fail(f"The package {error.name!r} is not installed; run: pip install 'reinforced-agent[evaluation]'")

    result = fuzz_side_by_side(count, first=seed)
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        rows = [(name, str(result[name])) for name in ("exceptions", "wrong", "accepted", "refused", "seconds")]
        _print_table(f"{result['proposals']} hostile proposals", ("what", "count"), rows)
        for failure in result["failures"]:
            typer.echo(failure, err=True)
    if result["exceptions"] or result["wrong"]:
        raise typer.Exit(1)


def bench(as_json: JsonOption = False) -> None:
    """Measure what the checks cost, and the graph beside a bare one."""
    from reinforced_agent.evaluation.bench import bench as run  # noqa: PLC0415  # slow to import

    result = run()
    if as_json:
        typer.echo(json.dumps(result))
        return
    rows = [(name, f"{found['p50_us']} µs", f"{found['p99_us']} µs") for name, found in result["checks"].items()]
    _print_table("all checks on one call", ("registered tools", "median", "99th percentile"), rows)
    _print_table("one run with one tool call", ("measure", "value"), [(k, str(v)) for k, v in result["graph"].items()])


def _print_recorded(result: dict[str, Any]) -> None:
    """Print the tables of recorded responses, and every right one that was flagged."""
    wrong, right = result["wrong"], result["right"]
    title = (
        f"{wrong['flagged']} of {wrong['total']} wrong responses flagged ({_percent(wrong)}), "
        f"{right['flagged']} of {right['total']} right ones ({_percent(right)}), {result['seconds']} s"
    )
    layers = [(name, str(n["wrong_flagged"]), str(n["right_flagged"])) for name, n in result["layers"].items()]
    _print_table(title, ("layer", "wrong flagged", "right flagged"), layers)
    groups = [(name, str(n["total"]), str(n["flagged"])) for name, n in result["groups"].items()]
    _print_table("by kind of error", ("kind", "responses", "flagged"), groups)
    harmed = [(item["id"], item["model"], "\n".join(item["objections"].values())) for item in result["right_flagged"]]
    _print_table("right responses flagged", ("test", "model", "objection"), harmed)


def _percent(counts: dict[str, int]) -> str:
    """Write the flagged share."""
    return f"{100 * counts['flagged'] / max(counts['total'], 1):.2f}%"


def _print_table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows as a table."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    Console().print(table, highlight=False, markup=False)


def _fail(text: str) -> NoReturn:
    """End with one clear sentence."""
    typer.echo(text, err=True)
    raise typer.Exit(2)
