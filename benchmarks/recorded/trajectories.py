"""Replay recorded conversations of support desks: which writes that went wrong the layers would have objected to."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from benchmarks.recorded.packs import example_packs
from reinforced_agent.evaluation.metrics.shares import share
from reinforced_agent.evaluation.replay.conversations import Judged, RecordedCall, Walk, results_of
from reinforced_agent.evaluation.replay.files import Needs, RecordedDataError, at_line, parse, read_lines, read_object
from reinforced_agent.evaluation.replay.layers import Pack, require_known, set_up
from reinforced_agent.evaluation.replay.workers import WORKERS, Numbered, side_by_side
from reinforced_agent.tools.call import digest
from reinforced_agent.tools.spec import Risk, ToolSpec


FILE: Final = "tau_recorded.jsonl.gz"
DOMAINS: Final = "tau_domains.json.gz"

Group: TypeAlias = Literal["wrong_writes", "failing_writes", "right_writes", "repeated_failures", "unlabelled_writes"]
GROUPS: Final[tuple[Group, ...]] = ("wrong_writes", "failing_writes", "right_writes", "repeated_failures")
"""What the calls that matter are counted by; a repeated failing write counts in two of them."""

_NEEDS: Final[Needs] = {
    "domain": str,
    "reward": (int, float),
    "expected_actions": list,
    "messages": list,
    "calls": list,
}
_LEAST_TELLING: Final = 5
"""Characters of a text with a digit that tells one task from another, such as an order number."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One call that counts, and what the layers said."""

    domain: str
    groups: tuple[Group, ...]
    """Empty for a call that is neither a write nor repeats a failure."""
    flagged_by: str
    """The layer that objects; empty where none does."""
    same_turn: bool = False
    """Whether it repeats a failure of the same user turn, which is as far back as the repetition layer looks."""


def replay_trajectories(
    folder: Path,
    *,
    domain: str = "",
    without: Collection[str] = (),
    packs: Mapping[str, Pack] | None = None,
    workers: int = WORKERS,
    details: bool = False,
) -> dict[str, Any]:
    """Replay all conversations of a folder.

    A write that came back with an error failed. One that went through is right when it was expected or the task was
    solved, and wrong otherwise; where the expected actions belong to another task, an unsolved one labels nothing.

    Args:
        folder: Holds `tau_recorded.jsonl.gz` and `tau_domains.json.gz`.
        domain: Only this one.
        without: Names of layers and packs to switch off.
        packs: Rules beyond the standard layers, by name; else those of `examples/rule_packs`, in a checkout.
        workers: Processes that share the work.
        details: Add intervals, counts by layer, unlabelled writes and seconds to every domain.

    Returns:
        For each domain, wrong, failing and right writes and repeated failures: how many, and how many flagged.

    Raises:
        RecordedDataError: When a file is missing or damaged, or there is no such domain.
        UnknownLayerError: When a layer to switch off isn't known.

    """
    started = time.monotonic()
    packs = example_packs() if packs is None else packs
    require_known(without, packs)
    lines = read_lines(folder, FILE)
    tools = tools_of(folder)
    if domain and domain not in tools:
        msg = f"There is no domain {domain!r} in {DOMAINS}: choose from {', '.join(sorted(tools))}."
        raise RecordedDataError(msg)
    work = partial(
        _judge_lines, tools=tools, prompts=prompts_of(folder), domain=domain, without=frozenset(without), packs=packs
    )
    findings = [finding for found in side_by_side(work, lines, workers=workers, chunk=25) for finding in found]
    seconds = round(time.monotonic() - started, 2)
    chosen = [domain] if domain else sorted({finding.domain for finding in findings})
    return {name: _table([f for f in findings if f.domain == name], seconds if details else None) for name in chosen}


def tools_of(folder: Path) -> dict[str, tuple[ToolSpec, ...]]:
    """Read the tools of every domain; only those listed as writes change something."""
    return {name: tuple(_specs(domain)) for name, domain in read_object(folder, DOMAINS).items()}


def prompts_of(folder: Path) -> dict[str, dict[str, str]]:
    """Read the rules that the recorded models had as their prompt, by domain and edition."""
    return {
        name: {edition: str(domain.get(f"policy_{edition}", "")) for edition in ("v1", "tau2")}
        for name, domain in read_object(folder, DOMAINS).items()
        if isinstance(domain, dict)
    }


def _specs(domain: Mapping[str, Any]) -> Iterator[ToolSpec]:
    """Describe the tools of one domain."""
    try:
        writes = frozenset(domain["write_tools"])
        for tool in (*domain["tools"], *domain.get("tools_tau2_extra", ())):
            about = tool["function"]
            risk = Risk.WRITE if about["name"] in writes else Risk.READ
            yield ToolSpec(
                name=about["name"], description=about["description"], parameters=about["parameters"], risk=risk
            )
    except (KeyError, TypeError) as error:
        msg = f"{DOMAINS} holds a domain of another shape: it needs `write_tools`, and `tools` as functions ({error})."
        raise RecordedDataError(msg) from error


def _judge_lines(
    lines: Sequence[Numbered],
    tools: Mapping[str, tuple[ToolSpec, ...]],
    prompts: Mapping[str, Mapping[str, str]],
    domain: str,
    without: frozenset[str],
    packs: Mapping[str, Pack],
) -> list[list[Finding]]:
    """Judge a share of the conversations."""
    walks: dict[str, Walk] = {}
    found: list[list[Finding]] = []
    for number, line in lines:
        run = parse(line, number, FILE, _NEEDS)
        name = run["domain"]
        if domain not in {"", name}:
            continue
        if name not in tools:
            msg = f"Line {number} of {FILE} is of domain {name!r}, which {DOMAINS} doesn't have."
            raise RecordedDataError(msg)
        if name not in walks:
            walks[name] = Walk(set_up(tools[name], domain=name, without=without, packs=packs))
        with at_line(number, FILE):
            prompt = prompts[name]["tau2" if "termination" in run else "v1"]
            found.append(list(_judge(run, walks[name], prompt)))
    return found


def _judge(run: Mapping[str, Any], walk: Walk, prompt: str) -> Iterator[Finding]:
    """Judge one conversation, and put every call where it counts."""
    calls = [call_of(recorded, run["messages"]) for recorded in run["calls"]]
    judged = walk.judge(run["messages"], calls, prompt)
    labels = _Labels(run)
    for number, (recorded, item) in enumerate(zip(run["calls"], judged, strict=True)):
        twins = [other for other in judged[:number] if _repeats_failure(item, other)]
        groups: list[Group] = [labels.group(recorded)] if recorded["is_write"] else []
        if twins:
            groups.append("repeated_failures")
        same_turn = any(twin.turn == item.turn for twin in twins)
        yield Finding(run["domain"], tuple(groups), item.flagged_by, same_turn)


def _repeats_failure(item: Judged, other: Judged) -> bool:
    """Tell whether a call is the same as an earlier one that had failed by then."""
    same = (item.call.name, item.call.arguments) == (other.call.name, other.call.arguments)
    return same and other.call.failed and other.call.at < item.call.at


def call_of(recorded: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> RecordedCall:
    """Take a recorded call with its whole result, which the call itself holds cut."""
    answer = results_of(messages, recorded["i"]).get(recorded["id"])
    result = recorded["result"] if answer is None else answer["content"]
    return RecordedCall(
        recorded["i"], recorded["id"], recorded["name"], recorded["arguments"], result, bool(recorded["is_error"])
    )


class _Labels:
    """Tells right writes from wrong ones by what was expected and by how the task ended."""

    def __init__(self, run: Mapping[str, Any]) -> None:
        """Take the labels of one conversation."""
        expected = run["expected_actions"]
        self._solved = run["reward"] == 1
        self._expected = {digest(action["name"], action["arguments"]) for action in expected}
        said = f"{run.get('user_instruction')}{json.dumps(run['messages'], ensure_ascii=False)}"
        telling = set(_telling([action["arguments"] for action in expected]))
        self._foreign = bool(telling) and not any(text in said for text in telling)

    def group(self, recorded: Mapping[str, Any]) -> Group:
        """Name what a write counts as."""
        if recorded["is_error"]:
            return "failing_writes"
        arguments = recorded["arguments"]
        expected = isinstance(arguments, dict) and digest(recorded["name"], arguments) in self._expected
        if expected or self._solved:
            return "right_writes"
        return "unlabelled_writes" if self._foreign else "wrong_writes"


def _telling(value: Any) -> Iterator[str]:
    """Find the texts in expected arguments that name something particular."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _telling(item)
    elif isinstance(value, str) and len(value) >= _LEAST_TELLING and any(map(str.isdigit, value)):
        yield value


def _table(findings: Sequence[Finding], seconds: float | None) -> dict[str, Any]:
    """Count for one domain."""
    table: dict[str, Any] = {group: _count([f for f in findings if group in f.groups]) for group in GROUPS}
    if seconds is None:
        return table
    parts: dict[str, list[Finding]] = {
        group: [f for f in findings if group in f.groups] for group in (*GROUPS, "unlabelled_writes")
    }
    parts["other_calls"] = [f for f in findings if not f.groups]
    repeated = [f for f in parts["repeated_failures"] if f.same_turn]
    return table | {
        "details": {
            "groups": {name: _detailed(part) for name, part in parts.items()},
            "repeated_failures_of_the_same_turn": _count(repeated),
            "seconds": seconds,
        }
    }


def _count(findings: Collection[Finding]) -> dict[str, int]:
    return {"total": len(findings), "flagged": sum(bool(finding.flagged_by) for finding in findings)}


def _detailed(findings: Iterable[Finding]) -> dict[str, Any]:
    """Add the interval, and who flagged."""
    findings = list(findings)
    layers = Counter(finding.flagged_by for finding in findings if finding.flagged_by)
    counts = _count(findings)
    rate = share(counts["flagged"], counts["total"], of="calls")
    return {**counts, "share": rate.as_json(), "layers": dict(sorted(layers.items()))}
