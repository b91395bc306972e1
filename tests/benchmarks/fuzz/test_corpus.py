"""Hostile proposals that were kept: what became of them once must not change unnoticed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.fuzz.fuzz import TOOLS, runnable
from benchmarks.fuzz.hostile import MUTATIONS, Fate
from reinforced_agent.policies.parsing import ModelOutput
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.tools.call import RawCall
from reinforced_agent.tools.spec import ToolSpec


CORPUS = [
    json.loads(line) for line in (Path(__file__).parent / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
]
RULES = RuleBook(ToolSpec(name=name, description="", parameters=schema) for name, schema in TOOLS.items())


def output(kept: dict[str, Any]) -> ModelOutput:
    """Make the message that was kept."""
    calls = tuple(RawCall(*call) for call in kept["calls"])
    return ModelOutput(kept["content"], calls, finish_reason=kept["finish_reason"], message_id="m1")


@pytest.mark.parametrize("kept", CORPUS, ids=[f"{kept['mutation']}-{n}" for n, kept in enumerate(CORPUS)])
def test_a_hostile_proposal_runs_as_it_was_meant_or_not_at_all(kept: dict[str, Any]) -> None:
    """What lost nothing is read as the original; what is in doubt doesn't run."""
    calls = {call.digest: call for call in runnable(output(kept), RULES)}
    match Fate(kept["fate"]):
        case Fate.ANY:
            assert all(call.tool in TOOLS for call in calls.values())
        case Fate.REFUSED:
            assert calls == {}
        case Fate.READ_OR_REFUSED:
            assert [(call.tool, call.arguments) for call in calls.values()] in [[], [(kept["tool"], kept["arguments"])]]
        case Fate.READ:
            assert [(call.tool, call.arguments) for call in calls.values()] == [(kept["tool"], kept["arguments"])]


def test_every_kind_of_mutation_is_kept() -> None:
    """A new kind of mutation needs a place in the corpus."""
    assert {kept["mutation"] for kept in CORPUS} == set(MUTATIONS)
