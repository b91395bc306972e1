"""Score a judge of proposals against cases, each of which says what is acceptable and what is preferred."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

from reinforced_agent.tools.call import canonical_json


Check: TypeAlias = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]], Mapping[str, Any]], Mapping[str, Any]]
"""Takes model output, tools and state; returns `verdict`, `calls` and `feedback`."""

_LIVE = frozenset({"accept", "ask_approval"})


class CasesError(ValueError):
    """A file of cases can't be read; the text says where."""


def load_cases(path: Path) -> list[dict[str, Any]]:
    """Read cases.

    Raises:
        CasesError: When the file is missing or a line isn't a JSON object.

    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"The cases in {str(path)!r} can't be read: {error}. Give a JSON Lines file."
        raise CasesError(msg) from error
    return [_case(line, number, path) for number, line in enumerate(lines, 1) if line.strip()]


def _case(line: str, number: int, path: Path) -> dict[str, Any]:
    """Read one case."""
    try:
        value = json.loads(line)
    except ValueError as error:
        msg = f"Line {number} of {str(path)!r} is no JSON: {error}."
        raise CasesError(msg) from error
    if not isinstance(value, dict) or "id" not in value:
        msg = f"Line {number} of {str(path)!r} is no case: an object with an `id` is expected."
        raise CasesError(msg)
    return value


def replay_cases(cases: Sequence[Mapping[str, Any]], check: Check, *, strict: bool = False) -> dict[str, Any]:
    """Run every replayable case through a judge.

    Args:
        cases: The cases.
        check: The judge.
        strict: Count only the preferred verdict as right, not every acceptable one.

    Returns:
        `cases`, `right`, and for every wrong one its `id`, `stage` and `why`.

    """
    replayable = [case for case in cases if case.get("replayable")]
    found = [(case, _run(case, check, strict=strict)) for case in replayable]
    wrong = [{"id": case["id"], "stage": case["stage"], "why": why} for case, why in found if why]
    return {"cases": len(replayable), "right": len(replayable) - len(wrong), "wrong": wrong}


def _run(case: Mapping[str, Any], check: Check, *, strict: bool) -> str | None:
    """Say what is wrong with the judgement of one case; an exception is wrong too."""
    state = {**deepcopy(case.get("state") or {}), "conversation": deepcopy(case.get("conversation"))}
    try:
        judged = check(deepcopy(case["model_output"]), deepcopy(case["tools"]), state)
    except Exception as error:  # noqa: BLE001  # an exception is a finding, not the end
        return f"exception {type(error).__name__}: {error}"[:200]
    return score(case, judged, strict=strict)


def score(case: Mapping[str, Any], judged: Mapping[str, Any], *, strict: bool) -> str | None:
    """Compare a judgement with what a case expects; `None` when it is right."""
    verdict = judged["verdict"]
    live = [call for call in judged["calls"] if call.get("verdict", verdict) in _LIVE]
    allowed = [case["verdict"]] if strict else case["acceptable"]
    if any(_same(call["args"], bad) for call in live for bad in case.get("forbidden_args") or ()):
        return "forbidden arguments got through"
    if verdict not in allowed:
        return f"verdict {verdict}, wanted {' or '.join(allowed)}"
    if verdict == "reject":
        return _score_feedback(case, str(judged.get("feedback") or ""))
    return _score_calls(case, verdict, judged["calls"], live)


def _score_calls(
    case: Mapping[str, Any], verdict: str, calls: Sequence[Mapping[str, Any]], live: Sequence[Mapping[str, Any]]
) -> str | None:
    """Compare calls, their arguments and their verdicts."""
    if verdict == "mixed" and case.get("calls_expected"):
        got = [(call["name"], call["verdict"]) for call in calls]
        wanted = [(call["name"], call["verdict"]) for call in case["calls_expected"]]
        return None if got == wanted else f"calls {got}, wanted {wanted}"
    if verdict in _LIVE and case.get("expected_normalised"):
        expected = case["expected_normalised"]["calls"]
        got_calls = [{"name": call["name"], "args": call["args"]} for call in live]
        wanted_calls = [{"name": call["name"], "args": call["args"]} for call in expected]
        return None if _same(got_calls, wanted_calls) else f"calls {got_calls}, wanted {wanted_calls}"
    return None


def _score_feedback(case: Mapping[str, Any], feedback: str) -> str | None:
    """Look for the words that feedback must have."""
    low = feedback.lower()
    missing = [word for word in case.get("feedback_must_mention") or () if word.lower() not in low]
    choice = case.get("feedback_must_mention_any") or ()
    if not feedback.strip():
        return "empty feedback"
    if missing:
        return f"feedback lacks {missing}"
    return f"feedback lacks any of {choice}" if choice and not any(word.lower() in low for word in choice) else None


def _same(left: Any, right: Any) -> bool:
    """Compare JSON values, whatever the order of keys."""
    return canonical_json(left) == canonical_json(right)
