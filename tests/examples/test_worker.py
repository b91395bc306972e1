"""The worker is killed for good while it pays, and the next one finishes its work with one effect."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.examples.programs import EXAMPLES, read_until, start


WORKER = str(EXAMPLES / "worker.py")


def wait_for(path: Path) -> Any:
    """Wait for a file that the worker leaves."""
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} never came"
        time.sleep(0.02)
    return json.loads(path.read_text(encoding="utf-8"))


def leave(path: Path, content: Any) -> None:
    """Put a file into a folder of the worker in one go."""
    path.parent.mkdir(exist_ok=True)
    path.with_suffix(".new").write_text(json.dumps(content), encoding="utf-8")
    path.with_suffix(".new").replace(path)


@pytest.mark.parametrize("moment", [pytest.param("paying", id="before"), pytest.param("paid", id="after")])
def test_a_killed_worker_leaves_one_effect(moment: str, tmp_path: Path) -> None:
    """Killed before or after the bank has booked, its successor asks the bank and books once."""
    leave(tmp_path / "jobs" / "t1.json", {"id": "m1", "text": "Refund 20 euros for A-1003."})
    first = start(WORKER, str(tmp_path), folder=tmp_path, WORKER_PAUSE="1" if moment == "paid" else "20")
    try:
        waiting = wait_for(tmp_path / "waiting" / "t1.json")
        approval = {"type": "approve", "token": waiting["calls"][0]["token"]}
        leave(tmp_path / "decisions" / "t1.json", {"question": waiting["question"], "decisions": [approval]})
        read_until(first, f"^{moment}$")
    finally:
        first.kill()
        first.communicate()
    (tmp_path / "stop").touch()
    second = start(WORKER, str(tmp_path), folder=tmp_path)
    printed, _ = second.communicate(timeout=30)
    assert second.returncode == 0, printed
    assert json.loads((tmp_path / "answers" / "t1.json").read_text(encoding="utf-8")) == {
        "answer": "20.00 EUR paid back for A-1003."
    }
    assert len((tmp_path / "bank.txt").read_text(encoding="utf-8").splitlines()) == 1
    assert [path.name for place in ("jobs", "decisions", "waiting") for path in (tmp_path / place).iterdir()] == []
