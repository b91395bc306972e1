"""Replay recorded responses of real models: which wrong ones the layers object to, and which right ones they harm."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from reinforced_agent.evaluation.metrics.shares import share
from reinforced_agent.evaluation.relevance.responses import question_about
from reinforced_agent.evaluation.replay.files import NOTHING, Needs, at_line, parse, read_lines
from reinforced_agent.evaluation.replay.layers import FORMAT, UnknownLayerError
from reinforced_agent.evaluation.replay.plain_rules import broken_rules
from reinforced_agent.evaluation.replay.workers import WORKERS, Numbered, side_by_side
from reinforced_agent.policies.relevance import LAYER as RELEVANCE
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.validate import LAYER as ARGUMENTS
from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.tool_names import LAYER as ROUTING
from reinforced_agent.policies.tool_names import NameIndex, Resolved, check_routing
from reinforced_agent.policies.verdicts import Accept
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk, ToolSpec


STATIC: Final = (FORMAT, ROUTING, ARGUMENTS)
"""Layers that look at single calls, whatever was asked for."""
LAYERS: Final = (*STATIC, RELEVANCE)
"""Layers that can judge a recorded response, in order."""

FILE: Final = "bfcl_recorded.jsonl.gz"

_NEEDS: Final[Needs] = {
    "id": str,
    "model": str,
    "tools": list,
    "calls": (list, NOTHING),
    "decode_error": (str, NOTHING),
    "is_correct": (bool, int),
    "error_type": (str, NOTHING),
}
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
    rules: Mapping[str, str] = field(default_factory=dict)
    """The plain rules it breaks, each with the first place; see `replay.rules`."""
    repairs: tuple[str, ...] = ()
    """What the layers straightened."""


def replay(
    folder: Path,
    *,
    layers: Collection[str] = LAYERS,
    workers: int = WORKERS,
    details: bool = False,
) -> dict[str, Any]:
    """Replay all responses of a folder.

    Args:
        folder: Holds `bfcl_recorded.jsonl.gz`, one response a line.
        layers: Which layers judge.
        workers: Processes that share the work.
        details: Add intervals, every layer by group of error, and what is left without each layer.

    Returns:
        Counts of wrong and right responses flagged, by layer and by group of error, and every right one flagged.

    Raises:
        RecordedDataError: When the file is missing or damaged, or a line is no response.
        UnknownLayerError: When there is no such layer.

    """
    started = time.monotonic()
    chosen = choose(layers)
    findings = judge_responses(folder, layers=chosen, workers=workers)
    found = _tables(findings, chosen)
    if details:
        found["details"] = _details(findings, chosen)
    return {**found, "seconds": round(time.monotonic() - started, 2)}


def choose(layers: Collection[str] = LAYERS, *, without: Collection[str] = ()) -> list[str]:
    """Put the chosen layers in their order.

    Raises:
        UnknownLayerError: When a name is none of them.

    """
    if unknown := [name for name in (*layers, *without) if name not in LAYERS]:
        msg = f"{unknown[0]!r} is no layer that can judge recorded calls: choose from {', '.join(LAYERS)}."
        raise UnknownLayerError(msg)
    return [name for name in LAYERS if name in layers and name not in without]


def judge_responses(folder: Path, *, layers: Collection[str] = LAYERS, workers: int = WORKERS) -> list[Finding]:
    """Judge every response of a folder, in order; right ones without a call have nothing to judge.

    Raises:
        RecordedDataError: When the file is missing or damaged, or a line is no response.

    """
    lines = read_lines(folder, FILE)
    return list(side_by_side(partial(_judge_lines, layers=frozenset(layers)), lines, workers=workers))


def _judge_lines(lines: Sequence[Numbered], layers: frozenset[str]) -> list[Finding]:
    """Judge a share of the responses."""
    found = []
    for number, line in lines:
        response = parse(line, number, FILE, _NEEDS)
        with at_line(number, FILE):
            found.append(_judge(response, layers))
    return [finding for finding in found if finding is not None]


def _judge(response: Mapping[str, Any], layers: frozenset[str]) -> Finding | None:
    """Judge one response; a right one without a call has nothing to judge."""
    calls = response["calls"] or []
    right = bool(response["is_correct"])
    if right and not calls:
        return None
    objections: dict[str, str] = {}
    if response["decode_error"]:
        objections[FORMAT] = "the text of the response can't be read as calls"
    if RELEVANCE in layers and (question := question_about(response)):
        objections[RELEVANCE] = question
    tools = _compiled(json.dumps(response["tools"], sort_keys=True))
    repairs: list[str] = []
    for call in calls:
        found = _object(call, tools)
        if isinstance(found, tuple):
            layer, objection = found
            objections.setdefault(layer, objection)
        else:
            repairs.extend(found)
    return Finding(
        response["id"],
        response["model"],
        right,
        visible=bool(calls) or bool(response["decode_error"]),
        group="" if right else _group(response["error_type"] or ""),
        objections={layer: objection for layer, objection in objections.items() if layer in layers},
        rules=broken_rules(response),
        repairs=tuple(dict.fromkeys(repairs)),
    )


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
    call: Mapping[str, Any], tools: tuple[NameIndex, Mapping[str, CompiledTool]]
) -> tuple[str, str] | list[str]:
    """Pass one call through routing and arguments; return who objects and how, or else what was straightened."""
    index, compiled = tools
    routed = check_routing(call["name"], index)
    if not isinstance(routed, Resolved):
        return ROUTING, routed.message
    if not isinstance(call["arguments"], dict):
        return FORMAT, "the arguments are no object"
    verdict = check_arguments(compiled[routed.name], Call("", routed.name, call["arguments"]))
    if not isinstance(verdict, Accept):
        return ARGUMENTS, verdict.message
    return [*routed.repairs, *(verdict.call.repairs if verdict.call else ())]


def _group(error_type: str) -> str:
    """Name the group of an error of the benchmark's checker."""
    return next((name for part, name in _GROUPS.items() if part in error_type), error_type or "other")


def _tables(findings: Sequence[Finding], layers: Sequence[str]) -> dict[str, Any]:
    """Count."""
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
        "layers": {layer: _flagged(findings, {layer}) for layer in layers},
        "groups": {name: {"total": totals[name], "flagged": caught[name]} for name in sorted(totals)},
        "right_flagged": [{"id": f.id, "model": f.model, "objections": dict(f.objections)} for f in flagged],
    }


def _flagged(findings: Sequence[Finding], layers: Collection[str]) -> dict[str, int]:
    """Count the responses that one of the layers objects to."""
    hit = Counter(finding.right for finding in findings if not finding.objections.keys().isdisjoint(layers))
    return {"wrong_flagged": hit[False], "right_flagged": hit[True]}


def _details(findings: Sequence[Finding], layers: Sequence[str]) -> dict[str, Any]:
    """Add intervals, every layer by group, and what is left without each layer."""
    wrong = [finding for finding in findings if not finding.right]
    groups = {name: [f for f in wrong if f.group == name] for name in sorted({f.group for f in wrong})}
    every = {"wrong": wrong, "right": [finding for finding in findings if finding.right], **groups}
    return {
        "shares": {
            name: {layer: _share(part, {layer}) for layer in layers} | {"together": _share(part, layers)}
            for name, part in every.items()
        },
        "without": {layer: _flagged(findings, set(layers) - {layer}) for layer in layers},
    }


def _share(findings: Sequence[Finding], layers: Collection[str]) -> dict[str, Any]:
    """Return the share of responses that one of the layers objects to."""
    hit = sum(not finding.objections.keys().isdisjoint(layers) for finding in findings)
    return {"flagged": hit} | share(hit, len(findings), of="responses").as_json()
