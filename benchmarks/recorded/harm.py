"""Replay the right calls of all recorded sets through the default checks: which of them come to harm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.recorded import injection, trajectories
from reinforced_agent.evaluation.replay import recorded
from reinforced_agent.evaluation.replay.conversations import Judged, Walk
from reinforced_agent.evaluation.replay.files import Needs, at_line, parse, read_lines, read_object
from reinforced_agent.evaluation.replay.layers import set_up
from reinforced_agent.evaluation.replay.workers import WORKERS, Numbered, side_by_side
from reinforced_agent.policies.verdicts import Refuse
from reinforced_agent.tools.spec import ToolSpec


_TAU: Final[Needs] = {"domain": str, "reward": (int, float), "messages": list, "calls": list}
_DOJO: Final[Needs] = {"suite": str, "injections": dict, "messages": list, "calls": list}


@dataclass(slots=True)
class Harm:
    """What the default checks do to right calls."""

    right: int = 0
    sent_back: int = 0
    """Objected to by a check that the model may answer with another call."""
    refused: int = 0
    """Refused for good."""
    warned: int = 0
    """With a warning for the person who is asked anyway; they run as they are."""
    by: Counter[str] = field(default_factory=Counter)
    """How many each layer sent back or refused."""

    def note(self, call: Judged) -> None:
        """Count a right call."""
        self.right += 1
        stopped = bool(call.stopped_by)
        for_good = stopped and any(isinstance(verdict, Refuse) for verdict in call.verdicts)
        self.refused += for_good
        self.sent_back += stopped and not for_good
        self.warned += not stopped and bool(call.warnings)
        self.by.update([call.stopped_by] if stopped else ())

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: getattr(self, name) for name in ("right", "sent_back", "refused", "warned")} | {"by": {**self.by}}


def replay_harm(folder: Path, *, workers: int = WORKERS) -> dict[str, Any]:
    """Judge right calls by the default checks alone, without rules of a host or a scorer.

    Right are the responses to single questions that their set judges right; the calls without an error of conversations
    with a support desk that solved their task; and the calls without an error of runs without an injection.

    Args:
        folder: Holds the recorded sets, as for the other replays.
        workers: Processes that share the work.

    Returns:
        By set, how many right ones there are, how many are sent back, refused for good and warned about, and by which
        layer.

    Raises:
        RecordedDataError: When a file is missing or damaged.

    """
    desks, suites = trajectories.tools_of(folder), injection.tools_of(read_object(folder, injection.TOOLS))
    prompts = trajectories.prompts_of(folder)
    tau = partial(_tau_lines, tools=desks, prompts=prompts)
    sets: dict[str, Harm] = {
        "questions": _of_questions(recorded.judge_responses(folder, layers=recorded.STATIC, workers=workers)),
        "desks": _summed(side_by_side(tau, read_lines(folder, trajectories.FILE), workers=workers, chunk=25)),
        "suites": _summed(
            side_by_side(
                partial(_dojo_lines, tools=suites), read_lines(folder, injection.FILE), workers=workers, chunk=50
            )
        ),
    }
    return {name: harm.as_json() for name, harm in sets.items()}


def _of_questions(findings: Iterable[recorded.Finding]) -> Harm:
    """Count responses to single questions; what their layers object to is sent back."""
    harm = Harm()
    for finding in findings:
        if finding.right:
            harm.right += 1
            harm.sent_back += bool(finding.objections)
            harm.by.update(list(finding.objections)[:1])
    return harm


def _summed(found: Iterable[Harm]) -> Harm:
    whole = Harm()
    for one in found:
        for name in ("right", "sent_back", "refused", "warned"):
            setattr(whole, name, getattr(whole, name) + getattr(one, name))
        whole.by.update(one.by)
    return whole


def _tau_lines(
    lines: Sequence[Numbered],
    tools: Mapping[str, tuple[ToolSpec, ...]],
    prompts: Mapping[str, Mapping[str, str]],
) -> list[Harm]:
    """Judge a share of the conversations with support desks."""
    walks = _Walks(tools)
    found = []
    for number, line in lines:
        run = parse(line, number, trajectories.FILE, _TAU)
        if run["reward"] == 1:
            with at_line(number, trajectories.FILE):
                prompt = prompts[run["domain"]]["tau2" if "termination" in run else "v1"]
                calls = [trajectories.call_of(call, run["messages"]) for call in run["calls"]]
                found.append(_counted(walks.of(run["domain"]).judge(run["messages"], calls, prompt)))
    return found


def _dojo_lines(lines: Sequence[Numbered], tools: Mapping[str, tuple[ToolSpec, ...]]) -> list[Harm]:
    """Judge a share of the runs, of which those without an injection count."""
    walks = _Walks(tools)
    found = []
    for number, line in lines:
        run = parse(line, number, injection.FILE, _DOJO)
        if not run["injections"]:
            with at_line(number, injection.FILE):
                calls = [injection.call_of(call, run["messages"]) for call in run["calls"]]
                found.append(_counted(walks.of(run["suite"]).judge(run["messages"], calls)))
    return found


class _Walks:
    """The checks of each domain, compiled when first asked for."""

    def __init__(self, tools: Mapping[str, tuple[ToolSpec, ...]]) -> None:
        self._tools = tools
        self._made: dict[str, Walk] = {}

    def of(self, domain: str) -> Walk:
        if domain not in self._made:
            self._made[domain] = Walk(set_up(self._tools[domain], domain=domain, packs={}))
        return self._made[domain]


def _counted(judged: Iterable[Judged]) -> Harm:
    harm = Harm()
    for call in _right(judged):
        harm.note(call)
    return harm


def _right(judged: Iterable[Judged]) -> Iterator[Judged]:
    """Leave out calls that came back with an error, or never did: nothing says that they were right."""
    return (call for call in judged if not call.call.failed and call.call.result is not None)
