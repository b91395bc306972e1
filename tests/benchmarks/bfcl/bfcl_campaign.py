"""What tests of campaigns share: tasks, settings, and models that always say the same."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bfcl.arms import ARMS
from benchmarks.bfcl.campaign import Task, plan, settings_of
from benchmarks.bfcl.questions import load_questions
from reinforced_agent.models.scripted import ScriptedModel
from tests.benchmarks.bfcl.bfcl_questions import RIGHT


SETTINGS = settings_of("scripted", {})


def always() -> ScriptedModel:
    """Make a model that always proposes the right call."""
    return ScriptedModel(lines=[{"tool_calls": [RIGHT]}], repeat_last=True)


def tasks_of(folder: Path, *categories: str) -> list[Task]:
    """Plan all questions of categories of a set in two arms."""
    chosen = categories or ("simple_python", "irrelevance")
    return plan([ARMS["off"], ARMS["layers"]], {name: load_questions(name, folder) for name in chosen})
