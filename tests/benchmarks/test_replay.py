"""What the replays share: clear errors about the data, work in several processes, and none left behind."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from benchmarks.commands import replay as commands
from reinforced_agent.evaluation.replay.files import RecordedDataError
from reinforced_agent.evaluation.replay.recorded import FILE, replay
from reinforced_agent.evaluation.replay.workers import side_by_side
from tests.architecture.house import ROOT
from tests.benchmarks.recorded.test_injection import THIEF, Run
from tests.benchmarks.recorded.test_injection import write as write_injection
from tests.benchmarks.recorded.test_trajectories import Desk, lent
from tests.benchmarks.recorded.test_trajectories import write as write_trajectories
from tests.evaluation.recordings import RESPONSES, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the responses as they are published."""
    return write(tmp_path, RESPONSES)


def truncate(folder: Path) -> None:
    """Cut the end of the file off."""
    path = folder / FILE
    path.write_bytes(path.read_bytes()[:-30])


def spoil(folder: Path) -> None:
    """Put other bytes in the middle of the packed text."""
    path = folder / FILE
    packed = bytearray(path.read_bytes())
    packed[20:60] = b"x" * 40
    path.write_bytes(packed)


def rewrite(text: str | bytes) -> Callable[[Path], object]:
    """Write another text into the file."""
    raw = text.encode() if isinstance(text, str) else text
    return lambda folder: (folder / FILE).write_bytes(gzip.compress(raw))


GOOD = json.dumps(RESPONSES[0])
LACKING = json.dumps({name: value for name, value in RESPONSES[0].items() if name != "tools"})
HOLLOW = json.dumps(RESPONSES[0] | {"calls": [{"nme": "area"}]})
ODD = json.dumps(RESPONSES[0] | {"calls": "none"})


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(truncate, "ends too early", id="truncated"),
        pytest.param(spoil, "can't be unpacked", id="spoilt"),
        pytest.param(lambda folder: (folder / FILE).write_text("{}"), "can't be unpacked", id="not packed"),
        pytest.param(rewrite(b"\xff\xfe"), "can't be unpacked", id="not text"),
        pytest.param(rewrite(""), "is empty", id="empty file"),
        pytest.param(rewrite(f"{GOOD}\nnonsense\n"), "Line 2 of .* is no JSON", id="no JSON"),
        pytest.param(rewrite(f"{GOOD}\n[]\n"), "Line 2 of .* is no JSON object", id="no object"),
        pytest.param(rewrite(f"{GOOD}\n{LACKING}\n"), "Line 2 of .* has no 'tools'", id="foreign line"),
        pytest.param(rewrite(f"{GOOD}\n{HOLLOW}"), "Line 2 of .* another shape .*'name'", id="foreign part"),
        pytest.param(rewrite(ODD), "Line 1 of .* has str as 'calls'", id="foreign value"),
        pytest.param(lambda folder: (folder / FILE).unlink(), f"There is no {FILE} in", id="empty folder"),
    ],
)
def test_damaged_data_is_named_in_one_sentence(folder: Path, damage: Callable[[Path], object], said: str) -> None:
    """What is wrong, and where."""
    damage(folder)
    with pytest.raises(RecordedDataError, match=said):
        replay(folder)


def test_a_wrong_path_is_told_from_an_empty_folder(folder: Path) -> None:
    """A folder that isn't there, and a file in place of a folder."""
    with pytest.raises(RecordedDataError, match=r"There is no folder .*nowhere"):
        replay(folder / "nowhere")
    with pytest.raises(RecordedDataError, match="is no folder"):
        replay(folder / FILE)


def test_a_foreign_line_is_found_by_any_process(tmp_path: Path) -> None:
    """Its number counts from the start of the file, not of the share."""
    write(tmp_path, RESPONSES * 60)
    lines = gzip.decompress((tmp_path / FILE).read_bytes()).decode().splitlines()
    lines[450] = "nonsense"
    (tmp_path / FILE).write_bytes(gzip.compress("\n".join(lines).encode()))
    with pytest.raises(RecordedDataError, match="Line 451 of"):
        replay(tmp_path)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 7, 12])
def test_shares_of_the_work_come_back_in_order(workers: int, count: int) -> None:
    """However many processes, and however many lines."""
    found = side_by_side(list, list("abcdefghijkl"[:count]), workers=workers, chunk=3)
    assert list(found) == list(enumerate("abcdefghijkl"[:count], 1))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_replay_leaves_no_process(tmp_path: Path, how: signal.Signals) -> None:
    """Neither when the user interrupts it nor when it is killed."""
    write(tmp_path, RESPONSES[:3] * 20_000)
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from benchmarks.__main__ import main\n"
        "if __name__ == '__main__': main()\n"
    )
    script = tmp_path / "run.py"
    script.write_text(program, encoding="utf-8")
    command = [sys.executable, str(script), "replay", "recorded", str(tmp_path), "--json"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    family = started_by(running.pid)
    if how is signal.SIGINT:
        os.killpg(running.pid, how)  # as a terminal does: all processes of the group get it
    else:
        running.send_signal(how)
    out, err = running.communicate(timeout=30)
    assert out == ""
    assert "Traceback" not in err
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []


def started_by(pid: int) -> list[psutil.Process]:
    """Wait until a replay has started its two workers, and return all processes below it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        family = psutil.Process(pid).children(recursive=True)
        if len(family) >= 4:  # the fork server, the tracker of resources, and two workers
            return family
        time.sleep(0.01)
    pytest.fail("the replay has started no workers")


def say(*words: str) -> tuple[int, str, str]:
    """Run a replay from the command line."""
    done = CliRunner().invoke(commands, list(words))
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def recordings(folder: Path) -> str:
    """Write a small recording of every kind into one folder."""
    write_trajectories(folder, Desk(expected=[lent()]).lend().lend(days=3, error="Error: too short").as_json())
    write_injection(folder, Run(succeeded=True).read().send(THIEF, traced=True), Run().read())
    return str(folder)


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (("recorded",), {"wrong", "right", "layers", "groups", "right_flagged", "seconds"}),
        (("recorded", "--details"), {"wrong", "right", "layers", "groups", "right_flagged", "seconds", "details"}),
        (("rules",), {"wrong", "right", "rules", "all_rules", "layers", "only_rules", "only_layers", "seconds"}),
        (("trajectories",), {"library"}),
        (("trajectories", "--domain", "museum"), {"museum"}),
        (("injection",), {"attacks", "benign", "failed_attacks"}),
        (("injection", "--details"), {"attacks", "benign", "failed_attacks", "details"}),
    ],
)
def test_a_command_prints_one_object(recordings: str, words: tuple[str, ...], keys: set[str]) -> None:
    """And nothing else, with the agreed names."""
    code, out, err = say(words[0], recordings, *words[1:], "--json")
    assert (code, err) == (0, "")
    assert set(json.loads(out)) == keys


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("recorded", ["3 of 5 wrong responses flagged", "20.00%", "wrong value", "`base` must be"]),
        ("rules", ["5 wrong and 3 right responses", "enum", "straightened by value_fold"]),
        ("trajectories", ["library", "failing writes", "0 = 0.00% (0.00 to 79.35)"]),
        ("injection", ["attacks: 1, benign: 1", "100.00%", "office", "1 of 1"]),
    ],
)
def test_without_json_there_are_tables(
    recordings: str, command: str, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With counts, shares and intervals."""
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = say(command, recordings)
    assert code == 0
    assert [text for text in shown if text not in out] == []


def test_a_layer_is_switched_off_from_the_command_line(recordings: str) -> None:
    """`--without` may be given several times."""
    _, out, _ = say("recorded", recordings, "--without", "format", "--without", "routing", "--json")
    assert json.loads(out)["wrong"]["flagged"] == 1
    _, out, _ = say("injection", recordings, "--without", "taint", "--json")
    assert json.loads(out)["attacks"]["held"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("recorded", "--without", "taste"), "choose from format, routing, arguments"),
        (("trajectories", "--without", "taste"), "format, routing, arguments, grounding, repetition, risk, taint"),
        (("trajectories", "--domain", "zoo"), "library, museum"),
        (("injection", "--without", "taste"), "format, routing, arguments, grounding, repetition, risk, taint"),
    ],
)
def test_a_wrong_word_ends_with_what_is_allowed(recordings: str, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, one sentence, nothing on the output."""
    code, out, err = say(words[0], recordings, *words[1:], "--json")
    assert (code, out) == (2, "")
    assert said in err
