"""Compare the layers with plain rules over the schema on recorded responses, and explain every difference."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reinforced_agent.evaluation.metrics.shares import share
from reinforced_agent.evaluation.replay.plain_rules import RULES
from reinforced_agent.evaluation.replay.recorded import STATIC, Finding, judge_responses
from reinforced_agent.evaluation.replay.workers import WORKERS


def compare_with_rules(folder: Path, *, workers: int = WORKERS) -> dict[str, Any]:
    """Judge all responses of a folder by plain rules and by the layers.

    Args:
        folder: Holds `bfcl_recorded.jsonl.gz`, one response a line.
        workers: Processes that share the work.

    Returns:
        For each rule, all of them and the layers: wrong and right responses flagged, with their shares. Then the cases
        that only the rules or only the layers flag: how many, for what reason, and each by itself.

    Raises:
        RecordedDataError: When the file is missing or damaged, or a line is no response.

    """
    started = time.monotonic()
    findings = judge_responses(folder, layers=STATIC, workers=workers)
    rules = {rule: _counts(findings, [rule in finding.rules for finding in findings]) for rule in RULES}
    only_rules = [finding for finding in findings if finding.rules and not finding.objections]
    only_layers = [finding for finding in findings if finding.objections and not finding.rules]
    return {
        "wrong": sum(not finding.right for finding in findings),
        "right": sum(finding.right for finding in findings),
        "rules": rules,
        "all_rules": _counts(findings, [bool(finding.rules) for finding in findings]),
        "layers": _counts(findings, [bool(finding.objections) for finding in findings]),
        "only_rules": _differences(only_rules),
        "only_layers": _differences(only_layers),
        "seconds": round(time.monotonic() - started, 2),
    }


def _counts(findings: Sequence[Finding], flagged: Sequence[bool]) -> dict[str, Any]:
    """Count what is flagged among wrong and right responses."""
    hit = Counter(finding.right for finding, is_flagged in zip(findings, flagged, strict=True) if is_flagged)
    total = Counter(finding.right for finding in findings)
    return {
        "wrong_flagged": hit[False],
        "right_flagged": hit[True],
        "wrong_share": share(hit[False], total[False], of="wrong responses").as_json(),
        "right_share": share(hit[True], total[True], of="right responses").as_json(),
    }


def _differences(findings: Iterable[Finding]) -> dict[str, Any]:
    """Count and list the responses on which rules and layers differ."""
    cases = [
        {
            "id": finding.id,
            "model": finding.model,
            "right": finding.right,
            "rules": dict(finding.rules),
            "repairs": list(finding.repairs),
            "objections": dict(finding.objections),
        }
        for finding in findings
    ]
    return {
        "wrong": sum(not case["right"] for case in cases),
        "right": sum(bool(case["right"]) for case in cases),
        "reasons": dict(Counter(_reason(case) for case in cases).most_common()),
        "cases": cases,
    }


def _reason(case: Mapping[str, Any]) -> str:
    """Say in a few words why they differ: what was straightened, or which layer sees more than the rules."""
    if case["objections"]:
        return f"seen by {', '.join(case['objections'])} alone"
    return f"{', '.join(case['rules'])}: straightened by {', '.join(case['repairs']) or 'nothing'}"
