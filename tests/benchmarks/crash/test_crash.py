"""Processes are killed at random moments, and no payment is lost, made twice, or told otherwise than it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from benchmarks.crash.audit import Account, audit, audit_history
from benchmarks.crash.bank import Entry
from benchmarks.crash.campaign import Numbers, run_crash_test
from benchmarks.crash.hunting import Window
from benchmarks.crash.sites import settle_down
from reinforced_agent.evaluation.crash.nursery import CrashTestError, Nursery
from reinforced_agent.ledger import LedgerError
from tests.architecture.house import ROOT
from tests.benchmarks.crash.databases import schemas


def told(numbers: Numbers) -> dict[str, Any]:
    """Return what was found in a form that shows what went wrong."""
    return {"faults": numbers.faults, "windows": dict(numbers.windows), "kills": numbers.kills}


def test_killed_processes_lose_double_and_misreport_nothing(database: str) -> None:
    """A short crash test hits every window and finds nothing wrong."""
    numbers = run_crash_test(database, kills=12, seed=3)
    assert numbers.faults == []
    assert set(numbers.windows) == set(Window), told(numbers)
    result = numbers.as_json()
    assert (result["kills"], sum(result["windows"].values()) + result["elsewhere"]) == (12, 12)
    assert result["writes"] >= 10
    assert result["unknown"] == len(result["unknown_outcomes"])


def test_the_place_of_a_test_is_removed(database: str, tmp_path: Path) -> None:
    """What a crash test makes beside a ledger is found there while it runs, and not after it, even after an error."""

    def places() -> set[str]:
        return {path.name for path in tmp_path.glob("crashtest-*")} | set(schemas(database))

    def fail() -> NoReturn:
        raise RuntimeError

    before = places()
    with pytest.raises(RuntimeError), settle_down(database) as ground:  # noqa: PT012  # the place is seen from inside
        own = ground.name or Path(ground.site.threads).parent.name
        assert own in places() - before
        fail()
    assert own not in places()


@pytest.mark.parametrize(
    ("effects", "fault"),
    [pytest.param("Forgetful", "doubled", id="forgets"), pytest.param("Boastful", "misreported", id="settles-early")],
)
def test_a_ledger_that_works_badly_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effects: str, fault: str
) -> None:
    """The crash test fails where the book of effects forgets, or holds what did not happen."""
    monkeypatch.chdir(ROOT)
    address = f"sqlite:///{tmp_path / 'ledger.db'}"
    effects = f"tests.benchmarks.crash.crash_faults:{effects}"
    # Where a process is hit depends on how busy the machine is, so a few rounds may be needed to meet the fault.
    rounds = (run_crash_test(address, kills=8, seed=seed, effects=effects) for seed in range(1, 6))
    numbers = next((found for found in rounds if found.failed), None)
    assert numbers is not None
    assert numbers.as_json()[fault] > 0, told(numbers)


PAID = Entry("thread", "rent", 900)
FINE = Account(reference="rent", told="done", amount=900, recorded="done", ledger="committed", entries=(PAID,))
UNKNOWN = replace(FINE, told="unknown", recorded="unknown", ledger="unknown")
NOTHING = replace(FINE, told="nothing", recorded="", ledger="nothing", entries=())


@pytest.mark.parametrize(
    ("account", "manner", "faults"),
    [
        pytest.param(FINE, {}, set(), id="done"),
        pytest.param(UNKNOWN, {}, set(), id="unknown-and-paid"),
        pytest.param(replace(UNKNOWN, entries=()), {}, set(), id="unknown-and-not-paid"),
        pytest.param(NOTHING, {"impatient": True}, set(), id="stopped-before"),
        pytest.param(replace(NOTHING, told="not run"), {"impatient": True}, set(), id="stopped"),
        pytest.param(NOTHING, {}, {"lost"}, id="never-told"),
        pytest.param(replace(NOTHING, told="not run"), {}, {"lost"}, id="approved-and-not-run"),
        pytest.param(replace(FINE, entries=(PAID, PAID)), {}, {"doubled"}, id="paid-twice"),
        pytest.param(replace(UNKNOWN, entries=(PAID, PAID)), {}, {"doubled"}, id="unknown-and-paid-twice"),
        pytest.param(replace(FINE, entries=()), {}, {"misreported"}, id="done-and-not-paid"),
        pytest.param(replace(NOTHING, entries=(PAID,)), {"impatient": True}, {"misreported"}, id="paid-and-not-told"),
        pytest.param(replace(FINE, ledger="unknown"), {}, {"misreported"}, id="ledger-differs"),
        pytest.param(replace(FINE, recorded="unknown"), {}, {"misreported"}, id="record-differs"),
        pytest.param(replace(FINE, amount=30), {}, {"misreported"}, id="other-amount"),
        pytest.param(UNKNOWN, {"can_tell": True}, {"misreported"}, id="not-asked"),
    ],
)
def test_the_books_are_compared(account: Account, manner: dict[str, bool], faults: set[str]) -> None:
    """Every way in which history, records, ledger and bank can differ has its fault, and only those."""
    found = audit("thread", [account], **{"impatient": False, "can_tell": False, **manner})
    assert {finding.fault for finding in found} == faults


CALL = AIMessage("", tool_calls=[{"name": "pay", "args": {"reference": "rent", "amount": 1}, "id": "c1"}])
ANSWER = ToolMessage("paid", tool_call_id="c1")


@pytest.mark.parametrize(
    ("messages", "faults"),
    [
        pytest.param([HumanMessage("x"), CALL, ANSWER, AIMessage("ok")], 0, id="valid"),
        pytest.param([HumanMessage("x"), CALL, AIMessage("ok")], 1, id="no-answer"),
        pytest.param([HumanMessage("x"), CALL, ANSWER, ANSWER, AIMessage("ok")], 1, id="two-answers"),
        pytest.param([HumanMessage("x"), ANSWER, AIMessage("ok")], 1, id="no-call"),
        pytest.param([HumanMessage("x"), CALL, ANSWER], 1, id="no-end"),
        pytest.param([], 1, id="empty"),
    ],
)
def test_the_history_is_checked(messages: list[AnyMessage], faults: int) -> None:
    """Each call has exactly one answer, and the turn ends with an answer to the user."""
    assert len(audit_history("thread", messages)) == faults


def start(*words: str) -> subprocess.Popen[str]:
    """Start the command as a process of its own."""
    command = [sys.executable, "-m", "benchmarks", "crash", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_command_prints_one_object(tmp_path: Path) -> None:
    """The command prints the numbers, ends well when nothing was wrong, and leaves no files."""
    process = start("--kills", "2", "--seed", "5", "--db", f"sqlite:///{tmp_path / 'ledger.db'}", "--json")
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    result = json.loads(output)
    assert {"kills", "windows", "writes", "unknown", "lost", "doubled", "misreported"} <= set(result)
    assert list(result["windows"]) == ["before claim", "claim–dispatch", "dispatch–commit", "commit–checkpoint"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminate"])
def test_a_stopped_command_leaves_nothing(tmp_path: Path, stop: signal.Signals) -> None:
    """Neither files nor processes are left when the command is stopped."""
    process = start("--kills", "1000", "--db", f"sqlite:///{tmp_path / 'ledger.db'}")
    until = time.monotonic() + 30
    while not list(tmp_path.rglob("book.jsonl")):
        assert time.monotonic() < until
        time.sleep(0.02)
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(stop)
    process.communicate(timeout=30)
    assert process.returncode != 0
    assert list(tmp_path.iterdir()) == []
    assert children
    assert psutil.wait_procs(children, timeout=10)[1] == []


@pytest.mark.parametrize(
    ("address", "words"),
    [
        pytest.param("mysql://host/db", "can't be kept in 'mysql'", id="other-database"),
        pytest.param("nonsense", "can't be read", id="no-address"),
        pytest.param("sqlite://", "memory ends with the process", id="memory"),
        pytest.param("sqlite:////no/such/folder/ledger.db", "Name another folder", id="no-folder"),
        pytest.param("postgresql://nobody@127.0.0.1:1/none", "can't be used", id="no-server"),
    ],
)
def test_a_wrong_database_is_named(address: str, words: str) -> None:
    """An address that can't be used is refused in one sentence, before anything is started."""
    with pytest.raises(LedgerError, match=words):
        run_crash_test(address, kills=1)


def test_a_broken_process_is_reported(tmp_path: Path) -> None:
    """An error inside a process ends the test with its text, instead of being counted as anything."""
    address = f"sqlite:///{tmp_path / 'ledger.db'}"
    with pytest.raises(CrashTestError, match="thread-0 ended with code 1: ModuleNotFoundError: No module named 'none'"):
        run_crash_test(address, kills=1, effects="none:None")


def test_a_missing_module_of_processes_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    """Where no process can be started, the error says so, and the reason is on standard error."""
    nursery = Nursery("no_such_module")
    with pytest.raises(CrashTestError, match="has ended"):
        nursery.start({}, 0)
    nursery.close()
    assert "No module named 'no_such_module'" in capfd.readouterr().err
