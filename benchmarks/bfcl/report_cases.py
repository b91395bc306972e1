"""Turn results of a campaign into the cases that numbers are made from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from benchmarks.bfcl.results import Result
from reinforced_agent.evaluation.metrics.cases import ComparedCase
from reinforced_agent.evaluation.report.conversion import FORMAT


LATER: Final = "after format"
"""All layers but the first, where the source does not say which of them objected."""


def own_case(result: Result) -> ComparedCase:
    """Compare what an arm would have executed with its first proposal.

    Results don't tell which layer objected: a first proposal that could not be read was stopped by `format`, any other
    that was asked for again by a layer after it.
    """
    asked_again = len(result.exchanges) > 1
    layers = (FORMAT if result.first.unreadable else LATER,) if asked_again else ()
    return ComparedCase(id=result.id, base_right=result.first.right, after_right=result.final.right, layers=layers)


def cases_between(base: Iterable[Result], arm: Iterable[Result]) -> list[ComparedCase]:
    """Compare two arms on the questions that both have answered: what each would have executed in the end."""
    before = {(one.id, one.question): one for one in base}
    return [
        ComparedCase(
            id=one.id,
            base_right=before[one.id, one.question].final.right,
            after_right=one.final.right,
            layers=own_case(one).layers,
        )
        for one in arm
        if (one.id, one.question) in before
    ]
