"""Replay recorded responses of real models: which wrong ones the layers object to, and which right ones they harm."""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from reinforced_agent.policies.arguments import LAYER as ARGUMENTS
from reinforced_agent.policies.arguments import check_arguments
from reinforced_agent.policies.routing import LAYER as ROUTING
from reinforced_agent.policies.routing import NameIndex, Resolved, check_routing
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.verdicts import Revise
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk, ToolSpec


FORMAT = "format"
LAYERS: tuple[str, ...] = (FORMAT, ROUTING, ARGUMENTS)
"""Layers that can judge a recorded response, in order."""

FILE = "bfcl_recorded.jsonl.gz"

_GROUPS: Mapping[str, str] = {
    "irrelevance_error": "called though no tool fits",
    "relevance_error": "no call",
    "ast_decoder": "malformed",
    "value_error": "wrong value",
    "type_error": "wrong type",
    "wrong_count": "wrong number of calls",
    "wrong_func_name": "wrong tool",
    "missing_optional": "missing optional field",
    "missing_required": "missing required field",
    "unexpected_param": "unknown field",
    "cannot_find_match": "parallel calls without match",
}


class RecordedDataError(ValueError):
    """Recorded responses can't be read; the text says which file is expected."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the layers said about one response."""

    id: str
    model: str
    right: bool
    visible: bool
    """Whether there is a call, or a text that can't be read, to look at."""
    group: str
    """Group of the error; empty for right responses."""
    objections: Mapping[str, str] = field(default_factory=dict)
    """The first objection of each layer."""


def replay(folder: Path, *, layers: Collection[str] = LAYERS, workers: int = 2) -> dict[str, Any]:
    """Replay all responses of a folder.

    Args:
        folder: Holds `bfcl_recorded.jsonl.gz`, one response a line.
        layers: Which layers judge.
        workers: Processes that share the work.

    Returns:
        Counts of wrong and right responses flagged, by layer and by group of error, and every right one flagged.

    Raises:
        RecordedDataError: When the file is missing.

    """
    started = time.monotonic()
    path = folder / FILE
    if not path.is_file():
        msg = f"There is no {FILE} in {str(folder)!r}: name the folder of the recorded responses."
        raise RecordedDataError(msg)
    findings = list(_judge_all(path, frozenset(layers), workers))
    return {
        **_tables(findings, [name for name in LAYERS if name in layers]),
        "seconds": round(time.monotonic() - started, 2),
    }


def _judge_all(path: Path, layers: frozenset[str], workers: int) -> Iterator[Finding]:
    """Judge every response, in order."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = file.readlines()
    if workers == 1:
        yield from _judge_lines(lines, layers)
        return
    size = -(-len(lines) // workers)
    shares = [lines[at : at + size] for at in range(0, len(lines), size)]
    with ProcessPoolExecutor(workers) as pool:
        for findings in pool.map(_judge_lines, shares, [layers] * len(shares)):
            yield from findings


def _judge_lines(lines: Sequence[str], layers: frozenset[str]) -> list[Finding]:
    """Judge a share of the responses; those with neither call nor error say nothing about calls."""
    found = [_judge(json.loads(line), layers) for line in lines]
    return [finding for finding in found if finding is not None]


def _judge(response: Mapping[str, Any], layers: frozenset[str]) -> Finding | None:
    """Judge one response; a right one without a call has nothing to judge."""
    calls = response["calls"] or []
    right = bool(response["is_correct"])
    if right and not calls:
        return None
    objections: dict[str, str] = {}
    if response["decode_error"] and FORMAT in layers:
        objections[FORMAT] = "the text of the response can't be read as calls"
    tools = _compiled(json.dumps(response["tools"], sort_keys=True))
    for call in calls:
        for layer, objection in _object(call, tools, layers):
            objections.setdefault(layer, objection)
    visible = bool(calls) or bool(response["decode_error"])
    group = "" if right else _group(response["error_type"] or "")
    return Finding(response["id"], response["model"], right, visible, group, objections)


@lru_cache(maxsize=4096)
def _compiled(tools: str) -> tuple[NameIndex, dict[str, CompiledTool]]:
    """Compile the tools of a response; many responses share theirs."""
    specs = [
        ToolSpec(
            name=tool["name"],
            description=tool.get("description", ""),
            parameters=tool.get("parameters") or {"type": "object"},
            risk=Risk.READ,
        )
        for tool in json.loads(tools)
    ]
    return NameIndex(spec.name for spec in specs), {spec.name: CompiledTool.compile(spec) for spec in specs}


def _object(
    call: Mapping[str, Any], tools: tuple[NameIndex, Mapping[str, CompiledTool]], layers: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Pass one call through routing and arguments."""
    index, compiled = tools
    routed = check_routing(call["name"], index)
    if not isinstance(routed, Resolved):
        if ROUTING in layers:
            yield ROUTING, routed.message
        return
    if not isinstance(call["arguments"], dict):
        if FORMAT in layers:
            yield FORMAT, "the arguments are no object"
        return
    verdict = check_arguments(compiled[routed.name], Call("", routed.name, call["arguments"]))
    if isinstance(verdict, Revise) and ARGUMENTS in layers:
        yield ARGUMENTS, verdict.message


def _group(error_type: str) -> str:
    """Name the group of an error of the benchmark's checker."""
    return next((name for part, name in _GROUPS.items() if part in error_type), error_type or "other")


def _tables(findings: Iterable[Finding], layers: Sequence[str]) -> dict[str, Any]:
    """Count."""
    findings = list(findings)
    wrong = [finding for finding in findings if not finding.right]
    right = [finding for finding in findings if finding.right]
    flagged = [finding for finding in right if finding.objections]
    totals, caught = Counter(f.group for f in wrong), Counter(f.group for f in wrong if f.objections)
    return {
        "wrong": {
            "total": len(wrong),
            "visible": sum(finding.visible for finding in wrong),
            "flagged": sum(bool(finding.objections) for finding in wrong),
        },
        "right": {"total": len(right), "flagged": len(flagged)},
        "layers": {
            layer: {
                "wrong_flagged": sum(layer in finding.objections for finding in wrong),
                "right_flagged": sum(layer in finding.objections for finding in right),
            }
            for layer in layers
        },
        "groups": {name: {"total": totals[name], "flagged": caught[name]} for name in sorted(totals)},
        "right_flagged": [{"id": f.id, "model": f.model, "objections": dict(f.objections)} for f in flagged],
    }
