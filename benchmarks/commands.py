"""The commands of the judge: replay cases and recorded calls, throw hostile proposals, run the benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.tables import print_harm, print_injection, print_recorded, print_rules, print_trajectories
from reinforced_agent.policies.text.visible import exact_json, visible
from reinforced_agent.service.cli.exits import fail
from reinforced_agent.service.cli.tables import print_table


replay = typer.Typer(no_args_is_help=True, help="Replay cases and recorded calls through the reader and the layers.")

FolderArgument = Annotated[Path, typer.Argument(help="Folder of the recorded data.")]
WithoutOption = Annotated[list[str] | None, typer.Option(help="A layer to switch off; may be given several times.")]
DetailsOption = Annotated[bool, typer.Option("--details", help="Add intervals and finer counts to the JSON object.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@replay.command()
def reports(
    file: Annotated[Path, typer.Argument(help="Cases, one JSON object a line.")],
    strict: Annotated[bool, typer.Option("--strict", help="Count only the preferred verdict as right.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Judge single proposals, and compare with what a careful system does."""
    from benchmarks.report_cases import check  # noqa: PLC0415  # slow to import
    from benchmarks.scoring import CasesError, load_cases, replay_cases  # noqa: PLC0415

    try:
        cases = load_cases(file)
    except CasesError as error:
        fail(str(error))
    result = replay_cases(cases, check, strict=strict)
    if as_json:
        typer.echo(exact_json(result))
        return
    rows = [(item["id"], item["stage"], item["why"]) for item in result["wrong"]]
    print_table(f"{result['right']} of {result['cases']} right", ("wrong", "stage", "why"), rows)


@replay.command()
def recorded(
    folder: FolderArgument,
    layers: Annotated[str, typer.Option(help="Layers that judge, with commas.")] = "format,routing,arguments,relevance",
    without: WithoutOption = None,
    details: DetailsOption = False,
    as_json: JsonOption = False,
) -> None:
    """Replay recorded responses of models: wrong ones flagged, right ones harmed, by layer and kind of error."""
    from reinforced_agent.evaluation.replay.recorded import choose  # noqa: PLC0415  # slow to import
    from reinforced_agent.evaluation.replay.recorded import replay as run  # noqa: PLC0415

    named = [name.strip() for name in layers.split(",") if name.strip()]
    result = _try(lambda: run(folder, layers=choose(named, without=without or ()), details=details or not as_json))
    _show(result, print_recorded, as_json=as_json)


@replay.command()
def rules(folder: FolderArgument, as_json: JsonOption = False) -> None:
    """Compare the layers with plain rules over the schema on recorded responses, and explain every difference."""
    from benchmarks.recorded.rules import compare_with_rules  # noqa: PLC0415  # slow to import

    _show(_try(lambda: compare_with_rules(folder)), print_rules, as_json=as_json)


@replay.command()
def trajectories(
    folder: FolderArgument,
    domain: Annotated[str, typer.Option(help="Only this domain.")] = "",
    without: WithoutOption = None,
    details: DetailsOption = False,
    as_json: JsonOption = False,
) -> None:
    """Replay recorded conversations of support desks: writes that went wrong, and what the layers object to."""
    from benchmarks.recorded.trajectories import replay_trajectories as run  # noqa: PLC0415  # slow to import

    chosen = without or ()
    result = _try(lambda: run(folder, domain=domain, without=chosen, details=details or not as_json))
    _show(result, print_trajectories, as_json=as_json)


@replay.command()
def injection(
    folder: FolderArgument,
    without: WithoutOption = None,
    details: DetailsOption = False,
    as_json: JsonOption = False,
) -> None:
    """Replay recorded runs under prompt injection: attacks asked about, and the user's own tasks disturbed."""
    from benchmarks.recorded.injection import replay_injection as run  # noqa: PLC0415  # slow to import

    result = _try(lambda: run(folder, without=without or (), details=details or not as_json))
    _show(result, print_injection, as_json=as_json)


@replay.command()
def harm(folder: FolderArgument, as_json: JsonOption = False) -> None:
    """Put the right calls of all recorded sets to the default checks: how many are sent back, refused, warned about."""
    from benchmarks.recorded.harm import replay_harm as run  # noqa: PLC0415  # slow to import

    _show(_try(lambda: run(folder)), print_harm, as_json=as_json)


def fuzz(
    count: Annotated[int, typer.Option(min=1, help="How many proposals to generate.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal proposals.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Throw generated hostile proposals at the reader and the layers."""
    try:
        from benchmarks.fuzz.fuzz import fuzz_side_by_side  # noqa: PLC0415  # needs an extra
    except ModuleNotFoundError as error:
        fail(f"The package {error.name!r} is not installed; run: pip install 'reinforced-agent[evaluation]'")

    result = fuzz_side_by_side(count, first=seed)
    if as_json:
        typer.echo(exact_json(result))
    else:
        rows = [(name, str(result[name])) for name in ("exceptions", "wrong", "accepted", "refused", "seconds")]
        print_table(f"{result['proposals']} hostile proposals", ("what", "count"), rows)
        for failure in result["failures"]:
            typer.echo(visible(failure), err=True)
    if result["exceptions"] or result["wrong"]:
        raise typer.Exit(1)


def bench(as_json: JsonOption = False) -> None:
    """Measure what the checks cost, and the graph beside a bare one."""
    from benchmarks.bench.bench import bench as run  # noqa: PLC0415  # slow to import

    result = run()
    if as_json:
        typer.echo(json.dumps(result))
        return
    rows = [(name, f"{found['p50_us']} µs", f"{found['p99_us']} µs") for name, found in result["checks"].items()]
    print_table("all checks on one call", ("registered tools", "median", "99th percentile"), rows)
    print_table("one run with one tool call", ("measure", "value"), [(k, str(v)) for k, v in result["graph"].items()])
    stored = [(name, str(value)) for name, value in result["stored"].items()]
    print_table("a long thread in an SQLite file", ("measure", "value"), stored)
    tokens = [(name, str(value)) for name, value in result["first_token"].items()]
    print_table("the first token at the client", ("measure", "value"), tokens)
    if masks := result["masks"]:
        print_table("one token of the embedded model", ("measure", "value"), [(k, str(v)) for k, v in masks.items()])


def _try(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run a replay, or end with what is wrong with its data or its choices."""
    from reinforced_agent.evaluation.replay.files import RecordedDataError  # noqa: PLC0415  # slow to import
    from reinforced_agent.evaluation.replay.layers import UnknownLayerError  # noqa: PLC0415

    try:
        return run()
    except (RecordedDataError, UnknownLayerError) as error:
        fail(str(error))


def _show(result: dict[str, Any], show: Callable[[dict[str, Any]], None], *, as_json: bool) -> None:
    """Print a result as one JSON object, or as tables."""
    if as_json:
        typer.echo(exact_json(result))
    else:
        show(result)
