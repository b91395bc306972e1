"""Recorded responses as rows to learn from: the numbers that describe them, and whether they were wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reinforced_agent.evaluation.relevance.responses import fold_of, proposal_of
from reinforced_agent.evaluation.replay.files import NOTHING, Needs, at_line, parse, read_lines
from reinforced_agent.evaluation.replay.recorded import FILE, STATIC, judge_responses
from reinforced_agent.evaluation.replay.workers import WORKERS, Numbered, side_by_side


_NEEDS: Final[Needs] = {
    "id": str,
    "model": str,
    "messages": list,
    "tools": list,
    "calls": (list, NOTHING),
    "is_correct": (bool, int),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One response with at least one readable call."""

    id: str
    model: str
    wrong: bool
    features: Mapping[str, float]

    @property
    def fold(self) -> int:
        """The part of the data it belongs to."""
        return fold_of(self.id)


def read_samples(folder: Path, *, workers: int = WORKERS) -> list[Sample]:
    """Describe every response that no other layer objects to.

    Raises:
        RecordedDataError: When the file is missing or damaged, or a line is no response.

    """
    judged = judge_responses(folder, layers=STATIC, workers=workers)
    stopped = {(finding.id, finding.model) for finding in judged if finding.objections}
    samples = side_by_side(_describe, read_lines(folder, FILE), workers=workers)
    return [sample for sample in samples if (sample.id, sample.model) not in stopped]


def _describe(lines: Sequence[Numbered]) -> list[Sample]:
    """Describe a share of the responses."""
    found = []
    for number, line in lines:
        response = parse(line, number, FILE, _NEEDS)
        with at_line(number, FILE):
            if (proposal := proposal_of(response)) is not None:
                wrong = not response["is_correct"]
                found.append(Sample(response["id"], response["model"], wrong, proposal.features))
    return found
