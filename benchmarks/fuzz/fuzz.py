"""Throw hostile proposals at the reader and the layers, and count what gets through."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from benchmarks.fuzz.hostile import Fate, Proposal, proposals
from reinforced_agent.policies.parsing import Calls, ModelOutput, ReadCall
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.verdicts import Refuse, Revise
from reinforced_agent.tools.call import Call, canonical_json
from reinforced_agent.tools.spec import ToolSpec


TOOLS: dict[str, dict[str, Any]] = {
    "move_money": {
        "type": "object",
        "properties": {
            "account": {"type": "string", "minLength": 1},
            "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 500},
            "memo": {"type": "string"},
        },
        "required": ["account", "amount"],
        "additionalProperties": False,
    },
    "tag_pages": {
        "type": "object",
        "properties": {
            "pages": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1},
            "mode": {"enum": ["add", "replace"]},
            "quiet": {"type": "boolean"},
        },
        "required": ["pages", "mode"],
        "additionalProperties": False,
    },
    "list_rooms": {"type": "object", "properties": {}, "additionalProperties": False},
}
"""Tools of different shapes: numbers with bounds, lists, words, nothing at all."""

_ERRORS_SHOWN = 5


def fuzz(count: int, *, first: int = 0) -> dict[str, Any]:
    """Read and check generated proposals, from untouched ones to noise.

    Args:
        count: How many to generate.
        first: Seed of the generator; equal seeds give equal proposals.

    Returns:
        `proposals`, `exceptions`, `wrong` (calls that would run with other than their original meaning), `accepted`,
        `refused`, the counts by kind of mutation, and the first few failures.

    """
    rules = RuleBook(ToolSpec(name=name, description="", parameters=schema) for name, schema in TOOLS.items())
    tally: Counter[str] = Counter()
    mutations: Counter[str] = Counter()
    failures: list[str] = []

    @seed(first)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(proposals(TOOLS))
    def throw(proposal: Proposal) -> None:
        mutations[proposal.mutation] += 1
        outcome = _outcome(proposal, rules, failures)
        tally[outcome] += 1

    started = time.monotonic()
    throw()
    return {
        "proposals": mutations.total(),
        "exceptions": tally["exception"],
        "wrong": tally["wrong"],
        "accepted": tally["accepted"],
        "refused": tally["refused"],
        "mutations": dict(mutations.most_common()),
        "failures": failures,
        "seconds": round(time.monotonic() - started, 2),
    }


def fuzz_side_by_side(count: int, *, first: int = 0, workers: int = 2) -> dict[str, Any]:
    """Split `fuzz` over processes, each with a seed of its own, and add up what they found."""
    share = -(-count // workers)
    with ProcessPoolExecutor(workers) as pool:
        parts = list(pool.map(_fuzz_share, [share] * workers, range(first, first + workers)))
    mutations: Counter[str] = Counter()
    for part in parts:
        mutations.update(part["mutations"])
    sums = {
        name: sum(part[name] for part in parts) for name in ("proposals", "exceptions", "wrong", "accepted", "refused")
    }
    return {
        **sums,
        "mutations": dict(mutations.most_common()),
        "failures": [failure for part in parts for failure in part["failures"]],
        "seconds": max(part["seconds"] for part in parts),
    }


def _fuzz_share(count: int, first: int) -> dict[str, Any]:
    """Run one share, in a process of its own."""
    return fuzz(count, first=first)


def _outcome(proposal: Proposal, rules: RuleBook, failures: list[str]) -> str:
    """Tell what became of one proposal."""
    try:
        calls = runnable(proposal.output, rules)
    except Exception as error:  # noqa: BLE001  # counting every exception is the point
        _keep(failures, f"{proposal.mutation}: {type(error).__name__}: {error} on {proposal.output!r}")
        return "exception"
    # Equal calls of one message run once, so they count as one.
    if any(_is_wrong(call, proposal) for call in calls) or len({call.digest for call in calls}) > 1:
        _keep(failures, f"{proposal.mutation}: {calls!r} from {proposal.output!r}, meant {proposal.arguments!r}")
        return "wrong"
    return "accepted" if calls else "refused"


def runnable(output: ModelOutput, rules: RuleBook) -> list[Call]:
    """Return the calls that would go on to approval and execution."""
    reading = rules.read(output)
    if not isinstance(reading, Calls):
        return []
    examined = [
        rules.examine(call.name, call.arguments, call_id=call.id, repairs=call.repairs)
        for call in reading.calls
        if isinstance(call, ReadCall)
    ]
    return [item.call for item in examined if item.call and not isinstance(item.decision, Revise | Refuse)]


def _is_wrong(call: Call, proposal: Proposal) -> bool:
    """Tell whether a call that would run means something else than what it was made from."""
    match proposal.fate:
        case Fate.ANY:
            # Noise has no original; that it passed the schema is all that can be known.
            return False
        case Fate.REFUSED:
            return True
        case Fate.READ | Fate.READ_OR_REFUSED:
            same = canonical_json(dict(call.arguments)) == canonical_json(proposal.arguments)
            return call.tool != proposal.tool or not same


def _keep(failures: list[str], text: str) -> None:
    """Keep the first few failures."""
    if len(failures) < _ERRORS_SHOWN:
        failures.append(text[:2_000])
