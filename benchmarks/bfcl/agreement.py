"""Hold the scorer against recorded verdicts of BFCL's own checker."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bfcl.checker import Response, Score, WrittenCall, judge_response
from benchmarks.bfcl.values import Fault


FILE = "bfcl_recorded.jsonl.gz"


class AgreementError(ValueError):
    """Recorded verdicts can't be read; the text says which file, and where."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """Both verdicts on one response."""

    id: str
    model: str
    category: str
    official_right: bool
    official_fault: str
    """The official error type without the name of the checker that found it; empty for a right response."""
    ours: Score

    @property
    def agree(self) -> bool:
        """Whether both find it right, or both wrong."""
        return self.official_right == self.ours.right


def measure_agreement(folder: Path) -> dict[str, Any]:
    """Score every recorded response again and compare.

    Args:
        folder: Holds `bfcl_recorded.jsonl.gz`, one response a line, with calls, answers, tools, and the verdict of the
            official checker.

    Returns:
        `n`, `agreements`, `share`, `same_fault` (both wrong, for the same reason) of `both_wrong`, `categories`, and
        every disagreement with both verdicts.

    Raises:
        AgreementError: When the file is missing, damaged, or of another form.

    """
    compared = [_compare(response) for response in _responses(folder / FILE)]
    wrong = [one for one in compared if not one.official_right and not one.ours.right]
    agreements = sum(one.agree for one in compared)
    totals, agreed = Counter(one.category for one in compared), Counter(one.category for one in compared if one.agree)
    return {
        "n": len(compared),
        "agreements": agreements,
        "share": round(agreements / len(compared), 5) if compared else None,
        "both_wrong": len(wrong),
        "same_fault": sum(one.official_fault == one.ours.fault for one in wrong),
        "categories": {name: {"n": totals[name], "agreements": agreed[name]} for name in sorted(totals)},
        "disagreements": [_told(one) for one in compared if not one.agree],
    }


def _responses(path: Path) -> Iterator[Mapping[str, Any]]:
    """Read the recorded responses."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                response = json.loads(line)
                if missing := _FIELDS - response.keys():
                    msg = f"Line {number} of {str(path)!r} has no {', '.join(sorted(missing))}: {_ADVICE}."
                    raise AgreementError(msg)
                yield response
    except (OSError, EOFError, UnicodeDecodeError, zlib.error, json.JSONDecodeError, AttributeError) as error:
        where = f" after line {number}" if number else ""
        msg = f"The recorded responses in {str(path)!r} can't be read{where} ({error}): {_ADVICE}."
        raise AgreementError(msg) from error


_FIELDS = frozenset({"id", "model", "category", "tools", "calls", "ground_truth", "is_correct", "error_type"})
_OTHER_FORM = "decoder_wrong_output_format"
"""Told apart by the official checker alone: something was decoded, but it wasn't calls."""
_ADVICE = f"name the folder that holds an undamaged {FILE}"


def _compare(response: Mapping[str, Any]) -> _Compared:
    """Judge one recorded response."""
    calls = response["calls"]
    unreadable = "" if calls is not None else response.get("decode_error") or "not decoded"
    written = tuple(WrittenCall(call["name"], call["arguments"]) for call in calls or ())
    ours = judge_response(
        response["category"], response["tools"], response["ground_truth"] or (), Response(written, unreadable)
    )
    fault = (response["error_type"] or "").rpartition(":")[2]
    fault = Fault.NOT_CALLED if fault == _OTHER_FORM else fault
    return _Compared(response["id"], response["model"], response["category"], bool(response["is_correct"]), fault, ours)


def _told(one: _Compared) -> dict[str, Any]:
    """Tell a disagreement."""
    return {
        "id": one.id,
        "model": one.model,
        "official": "right" if one.official_right else one.official_fault,
        "ours": one.ours.fault.value if one.ours.fault else "right",
        "where": one.ours.where,
    }
