"""The evaluation commands: put a model through BFCL in several arms, judge kept results again, check the scorer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from benchmarks.bfcl.reviewer_command import jury_of, print_worth
from reinforced_agent.policies.text.visible import exact_json, visible
from reinforced_agent.service.cli.exits import fail


JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
QuestionsOption = Annotated[
    Path | None,
    typer.Option(
        help="Folder with questions of your own, laid out as those of bfcl-eval; default: the installed ones."
    ),
]
_INTERRUPTED = 130
_COUNTED = {
    "n": "n",
    "right": "right",
    "first_call_right": "right at first",
    "helped": "helped",
    "harmed": "harmed",
    "tokens": "tokens",
    "seconds": "seconds",
}
_COMPARED = {
    "n": "n",
    "both_right": "both right",
    "gained": "gained",
    "lost": "lost",
    "both_wrong": "both wrong",
    "net_lift": "net lift",
    "p": "p",
}
"""Headings for people by key."""


class Split(StrEnum):
    """Which half of the questions."""

    DEV = "dev"
    TEST = "test"


ArmsOption = Annotated[
    str,
    typer.Option(
        help="With commas: free, retry, reviewed; embedded: masked, masked+feedback; served: off, layers, guided."
    ),
]
SplitOption = Annotated[Split, typer.Option(help="dev to develop on; test for one look with frozen settings.")]


def bfcl(  # noqa: PLR0913  # typer makes an option of each
    *,
    model: Annotated[str, typer.Option(help="The model, as for `chat --model`.")],
    arms: ArmsOption,
    categories: Annotated[str, typer.Option(help="Categories of questions, with commas.")] = "simple_python,multiple",
    limit: Annotated[int | None, typer.Option(min=1, help="Questions of a category at most.")] = None,
    split: SplitOption = Split.DEV,
    seed: Annotated[int, typer.Option(help="Which questions are drawn when there are more than the limit.")] = 0,
    out: Annotated[Path | None, typer.Option(help="File of results; run again with it to go on.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes, each with a model of its own.")] = 1,
    reviewer: Annotated[str | None, typer.Option(help="The reviewing model of the arm reviewed.")] = None,
    loops: Annotated[int, typer.Option(min=1, max=2, help="How often in a row it may send calls back.")] = 1,
    reviewer_prompt: Annotated[Path | None, typer.Option(help="File with a prompt for it.")] = None,
    questions: QuestionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask the questions of BFCL in several arms; no tool is ever run.

    Needs the questions: pip install --no-deps bfcl-eval. Ctrl-C keeps what is done.
    """
    from benchmarks.bfcl.arms import ArmError, choose_arms  # noqa: PLC0415  # slow to import
    from benchmarks.bfcl.campaign import CampaignError, plan, settings_of  # noqa: PLC0415
    from benchmarks.bfcl.questions import QuestionsError  # noqa: PLC0415
    from benchmarks.bfcl.results import ResultsError, open_results  # noqa: PLC0415
    from benchmarks.bfcl.reviewed import with_jury  # noqa: PLC0415

    names = _names(categories)
    jury = jury_of(reviewer, loops, reviewer_prompt)
    try:
        chosen = with_jury(choose_arms(_names(arms)), jury)
        drawn = _draw(names, questions, split.value, limit, seed)
        settings = settings_of(model, _identity(model), jury and jury.settings)
        with open_results(out, settings) as results:
            tasks = plan(chosen, drawn)
            failures = _run(tasks, _loader(model, workers), results, workers)
            asked = [results.find(arm.name, question.id, question.digest) for arm, question in tasks]
    except (ArmError, CampaignError, QuestionsError, ResultsError) as error:
        fail(str(error))
    done = [result for result in asked if result is not None]
    _report(done, [arm.name for arm in chosen], names, len(failures or ()), as_json=as_json)
    if failures is None:
        _stop(len(done), len(tasks), out)


def rescore(
    *,
    file: Annotated[Path, typer.Argument(help="Results written by `bfcl --out`.")],
    questions: QuestionsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge kept results again, with the present rules; no model is asked."""
    from benchmarks.bfcl.campaign import CampaignError, judge_again  # noqa: PLC0415  # slow to import
    from benchmarks.bfcl.questions import QuestionsError, load_questions  # noqa: PLC0415
    from benchmarks.bfcl.results import ResultsError, read_results  # noqa: PLC0415

    try:
        _, kept = read_results(file)
        names = list(dict.fromkeys(result.category for result in kept))
        known = [question for name in names for question in load_questions(name, questions)]
        results = judge_again(kept, known)
    except (CampaignError, QuestionsError, ResultsError) as error:
        fail(str(error))
    changed = sum(old != new for old, new in zip(kept, results, strict=True))
    if changed:
        typer.echo(f"{changed} of {len(kept)} results are judged otherwise than before.", err=True)
    _report(results, list(dict.fromkeys(result.arm for result in results)), names, 0, as_json=as_json)


def agreement(
    *,
    folder: Annotated[Path, typer.Argument(help="Folder of the recorded responses.")],
    as_json: JsonOption = False,
) -> None:
    """Hold the scorer against recorded verdicts of the official checker; every disagreement is shown."""
    from benchmarks.bfcl.agreement import AgreementError, measure_agreement  # noqa: PLC0415

    try:
        found = measure_agreement(folder)
    except AgreementError as error:
        fail(str(error))
    if as_json:
        typer.echo(exact_json(found))
        return
    rows = [(name, str(counts["n"]), str(counts["agreements"])) for name, counts in found["categories"].items()]
    title = (
        f"{found['agreements']} of {found['n']} verdicts agree; of {found['both_wrong']} found wrong by both, "
        f"{found['same_fault']} for the same reason"
    )
    _print_table(title, ("category", "responses", "agreements"), rows)
    columns = ("id", "model", "official", "ours", "where")
    different = [tuple(str(one[column]) for column in columns) for one in found["disagreements"]]
    if different:
        _print_table("disagreements", columns, different)


def _names(text: str) -> list[str]:
    """Take names apart that stand with commas between them; one that is there twice counts once."""
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _draw(names: Sequence[str], folder: Path | None, split: Any, limit: int | None, seed: int) -> dict[str, Any]:
    """Draw the questions of every category."""
    from benchmarks.bfcl.questions import CATEGORIES, LEFT_OUT, load_questions  # noqa: PLC0415
    from benchmarks.bfcl.splits import sample  # noqa: PLC0415

    for name in names:
        if name in LEFT_OUT:
            fail(f"The category {name!r} can't be judged here: {LEFT_OUT[name]}.")
        if name not in CATEGORIES:
            fail(f"{name!r} is no category: choose from {', '.join(CATEGORIES)}.")
    if not names:
        fail(f"No category is named: choose from {', '.join(CATEGORIES)}.")
    return {name: sample(load_questions(name, folder), split, limit, seed) for name in names}


def _identity(spec: str) -> dict[str, str]:
    """Fingerprint the model, or end with what is missing."""
    from benchmarks.bfcl.identity import identity_of  # noqa: PLC0415

    try:
        return identity_of(spec)
    except OSError as error:
        fail(f"The model {spec!r} can't be read: {error.strerror}. Give the path of its file.")


def _loader(spec: str, workers: int) -> Callable[[], Any]:
    """Return what makes the model."""
    from benchmarks.bfcl.campaign import make_model  # noqa: PLC0415  # slow to import

    if workers > 1 and spec.startswith("scripted:"):
        fail("A script is said from its first line in every process: leave out --workers.")
    return partial(make_model, spec)


def _run(tasks: Sequence[Any], load: Callable[[], Any], results: Any, workers: int) -> list[Any] | None:
    """Run the tasks, show how far it is, and return those without a reply; `None` when Ctrl-C ended it early."""
    from benchmarks.bfcl.campaign import run  # noqa: PLC0415

    try:
        with _progress(len(tasks)) as on_done:
            failures = run(tasks, load, results, workers=workers, on_done=on_done).failures
    except KeyboardInterrupt:
        return None
    for arm, test_id, why in failures:
        typer.echo(visible(f"{arm}: no reply to {test_id!r}: {why}"), err=True)
    return failures


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how far the evaluation is; elsewhere nothing is shown."""
    console = Console(stderr=True)
    columns = (TextColumn("trials"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("trials", total=total)
        yield lambda done: progress.update(task, completed=done)


def _report(
    results: Sequence[Any], arms: Sequence[str], categories: Sequence[str], failed: int, *, as_json: bool
) -> None:
    """Print the numbers of every arm, and how the others compare with the first."""
    from benchmarks.bfcl.measures import compare, count, weigh  # noqa: PLC0415  # slow to import

    counts, compared = count(results, arms, categories), compare(results, arms, categories)
    weighed = weigh(results, arms, categories)
    if len({result.code for result in results}) > 1:
        typer.echo("The source of this package was changed between these results.", err=True)
    if as_json:
        reviewer = {"reviewer": weighed} if weighed else {}
        found = {"arms": counts, "compared": compared, **reviewer, "failed": failed}
        typer.echo(exact_json(found))
        return
    for category in categories:
        _print_table(category, ("arm", *_COUNTED.values()), _rows(counts, category, _COUNTED))
        if compared:
            title = f"{category}, compared with {arms[0]}"
            _print_table(title, ("arm", *_COMPARED.values()), _rows(compared, category, _COMPARED))
    print_worth(weighed)


def _rows(found: dict[str, Any], category: str, keys: Iterable[str]) -> list[tuple[str, ...]]:
    """Write the numbers of one category, an arm a row."""
    return [
        (arm, *("-" if numbers[category][key] is None else str(numbers[category][key]) for key in keys))
        for arm, numbers in found.items()
    ]


def _stop(done: int, total: int, out: Path | None) -> NoReturn:
    """End after Ctrl-C."""
    kept = f"kept in {str(out)!r}; run the same command again to go on" if out else "not kept: name a file with --out"
    typer.echo(f"Stopped after {done} of {total} trials; they are {kept}.", err=True)
    raise typer.Exit(_INTERRUPTED)


def _print_table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows as a table."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    Console().print(table, highlight=False, markup=False)
