"""The numbers of an evaluation: every arm by itself, and every two arms on the questions that both have answered.

Needs scipy, for the exact test and the bootstrap interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from benchmarks.bfcl.measures import reviewed_cases
from benchmarks.bfcl.report_cases import cases_between, own_case
from benchmarks.bfcl.results import Result, Settings, read_results
from benchmarks.bfcl.reviewing import Worth, worth_of
from reinforced_agent.evaluation.metrics.cases import ComparedCase
from reinforced_agent.evaluation.metrics.comparison import (
    LayerEffect,
    TableOfFour,
    break_even,
    by_layer,
    harmfulness,
    helpfulness,
    table_of_four,
)
from reinforced_agent.evaluation.metrics.shares import Number, share
from reinforced_agent.evaluation.metrics.significance import lift_interval, mcnemar
from reinforced_agent.evaluation.report.sources import ReportError
from reinforced_agent.evaluation.report.spread import Spread, spread


ALL: Final = "all"
"""All categories together."""
FIRST: Final = "its first proposal"
"""Base of a comparison of an arm with itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmNumbers:
    """One arm in one category."""

    arm: str
    category: str
    right: Number
    """Share of questions for which the right calls would have been executed."""
    first_call_right: Number
    """The same for the first proposal."""
    tokens: Spread | None
    """Read and written for one question; `None` when the model tells nothing."""
    seconds: Spread | None

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "arm": self.arm,
            "category": self.category,
            "right": self.right.as_json(),
            "first_call_right": self.first_call_right.as_json(),
            "tokens": self.tokens and self.tokens.as_json(),
            "seconds": self.seconds and self.seconds.as_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One arm held against another, or against its own first proposals."""

    base: str
    arm: str
    category: str
    table: TableOfFour
    help: Number
    """Share of the errors of the base that are right in the arm."""
    harm: Number
    """Share of what the base has right that is wrong in the arm."""
    net_lift: Number
    """Gain in accuracy, with its bootstrap interval."""
    p: Number
    """Two-sided exact McNemar."""
    break_even: Number
    """Error rate of the base above which the arm does more good than harm."""
    base_errors: Number
    """Error rate of the base."""
    layers: dict[str, LayerEffect]
    """What came of the cases in which a layer objected, where that is known."""

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "base": self.base,
            "arm": self.arm,
            "category": self.category,
            "n": self.table.n,
            "table": self.table.as_json(),
            "help": self.help.as_json(),
            "harm": self.harm.as_json(),
            "net_lift": self.net_lift.as_json(),
            "p": self.p.as_json(),
            "break_even": self.break_even.as_json(),
            "base_errors": self.base_errors.as_json(),
            "layers": {name: effect.as_json() for name, effect in self.layers.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationNumbers:
    """Everything that is reported of an evaluation."""

    source: str
    changed: str
    """When the file was last written to, ISO 8601; empty where that is not known. Results don't tell their time."""
    model: str
    versions: tuple[str, ...]
    """Versions of this package that made the results."""
    n: int
    """Results."""
    questions: int
    notes: tuple[str, ...]
    """What a reader has to know before trusting the numbers."""
    arms: list[ArmNumbers]
    comparisons: list[Comparison]
    reviewers: dict[str, Worth]
    """By arm, what its reviewer is worth; empty where there is none."""

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "source": self.source,
            "changed": self.changed,
            "model": self.model,
            "versions": list(self.versions),
            "n": self.n,
            "questions": self.questions,
            "notes": list(self.notes),
            "arms": [one.as_json() for one in self.arms],
            "comparisons": [one.as_json() for one in self.comparisons],
            "reviewers": {arm: {**one.as_json(), "sentence": one.sentence} for arm, one in self.reviewers.items()},
        }


def read_evaluation(path: Path) -> EvaluationNumbers:
    """Read a file of results and measure it.

    Raises:
        ResultsError: When it can't be read, holds something else, or is damaged.
        ReportError: When it holds no results.

    """
    settings, results = read_results(path)
    if not results:
        msg = f"{str(path)!r} holds no results yet: wait until `bfcl --out` has put a question to the model."
        raise ReportError(msg)
    unfinished = not path.read_bytes().endswith(b"\n")
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return measure_evaluation(settings, results, source=path.name, changed=changed, unfinished=unfinished)


def measure_evaluation(
    settings: Settings, results: Sequence[Result], *, source: str, changed: str = "", unfinished: bool = False
) -> EvaluationNumbers:
    """Measure the results of an evaluation, of which there must be at least one."""
    arms = list(dict.fromkeys(result.arm for result in results))
    names = list(dict.fromkeys(result.category for result in results))
    parts = {
        category: {arm: [one for one in results if one.arm == arm and category in {ALL, one.category}] for arm in arms}
        for category in ([ALL, *names] if len(names) > 1 else names)
    }
    return EvaluationNumbers(
        source=source,
        changed=changed,
        versions=tuple(sorted({result.version for result in results})),
        model=str(settings.values.get("model", "")),
        n=len(results),
        questions=len({(result.id, result.question) for result in results}),
        notes=tuple(_notes(results, arms, unfinished=unfinished)),
        arms=[_arm(arm, category, of) for category, by_arm in parts.items() for arm, of in by_arm.items() if of],
        comparisons=[one for category, by_arm in parts.items() for one in _comparisons(category, by_arm)],
        reviewers={arm: worth_of(cases) for arm in arms if (cases := reviewed_cases(results, arm))},
    )


def _notes(results: Sequence[Result], arms: Sequence[str], *, unfinished: bool) -> Iterable[str]:
    """Say what a reader has to know."""
    if unfinished:
        yield "The last line of the file is unfinished and was left out."
    if len({result.code for result in results}) > 1:
        yield "The source of this package was changed between these results."
    counts = {arm: sum(result.arm == arm for result in results) for arm in arms}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{arm} {count}" for arm, count in counts.items())
        yield f"Not every arm has answered as many questions ({told}); arms are compared on those that both have."


def _arm(arm: str, category: str, results: Sequence[Result]) -> ArmNumbers:
    """Measure one arm in one category."""
    return ArmNumbers(
        arm=arm,
        category=category,
        right=share(sum(one.final.right for one in results), len(results), of="questions"),
        first_call_right=share(sum(one.first.right for one in results), len(results), of="questions"),
        tokens=spread(one.tokens for one in results if one.tokens is not None),
        seconds=spread(one.seconds for one in results),
    )


def _comparisons(category: str, by_arm: dict[str, list[Result]]) -> Iterable[Comparison]:
    """Compare each arm with those before it, and with its own first proposals where it was ever asked again."""
    for (base, before), (arm, after) in combinations(by_arm.items(), 2):
        yield from _compare(base, arm, category, cases_between(before, after))
    for arm, results in by_arm.items():
        if any(len(one.exchanges) > 1 for one in results):
            yield from _compare(FIRST, arm, category, [own_case(one) for one in results])


def _compare(base: str, arm: str, category: str, cases: list[ComparedCase]) -> Iterable[Comparison]:
    """Compare, where there are cases at all; layers are told apart only within one arm."""
    if not cases:
        return
    table = table_of_four(cases)
    yield Comparison(
        base=base,
        arm=arm,
        category=category,
        table=table,
        help=helpfulness(table),
        harm=harmfulness(table),
        net_lift=lift_interval(cases),
        p=mcnemar(table),
        break_even=break_even(table),
        base_errors=share(table.base_wrong, table.n),
        layers=by_layer(cases) if base == FIRST else {},
    )
