"""An evaluation in a process of its own, slow enough to be killed in the middle: FOLDER FILE."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.bfcl.campaign import run
from benchmarks.bfcl.results import open_results
from reinforced_agent.models.scripted import ScriptedModel
from tests.benchmarks.bfcl.bfcl_campaign import SETTINGS, always, tasks_of


class SlowModel(ScriptedModel):
    """Takes its time."""

    def _line(self) -> Any:
        time.sleep(0.1)
        return super()._line()


def slow() -> SlowModel:
    """Make the model."""
    return SlowModel(lines=always().lines, repeat_last=True)


if __name__ == "__main__":
    with open_results(Path(sys.argv[2]), SETTINGS) as results:
        run(tasks_of(Path(sys.argv[1])), slow, results)
