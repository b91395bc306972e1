"""What lies on the disk: who may read it, and what a process makes of what somebody else has written there."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from typer.testing import CliRunner

from reinforced_agent import Context, Ledger, ScriptedModel, build_agent
from reinforced_agent.evaluation.report.saving import save
from reinforced_agent.graph.inputs import InputError
from reinforced_agent.graph.settings import storage
from reinforced_agent.service.cli.main import app
from tests.architecture.house import ROOT
from tests.security import tampering


THREAD: Any = tampering.THREAD


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Let new files be readable and writable by everybody, unless whoever makes them says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(file: Path) -> int:
    """Return who may do what with a file."""
    return stat.S_IMODE(file.stat().st_mode)


@pytest.mark.usefixtures("open_umask")
def test_ledger_and_journal_are_their_owners_alone(tmp_path: Path) -> None:
    """Effects, approvals and results are nobody else's, in the file, its journal and its index."""
    ledger = Ledger.open(f"sqlite:///{tmp_path}/ledger.db")
    ledger.pauses.pause("refund", by="ann", reason="")
    assert {file.name: oct(mode(file)) for file in tmp_path.iterdir()} == dict.fromkeys(
        ("ledger.db", "ledger.db-wal", "ledger.db-shm"), "0o600"
    )
    ledger.close()


@pytest.mark.usefixtures("open_umask")
def test_the_ledger_beside_the_threads_is_its_owners_alone(tmp_path: Path) -> None:
    """The ledger that is made without being named is no exception."""
    with SqliteSaver.from_conn_string(f"{tmp_path}/threads.db") as threads:
        agent = build_agent(model=ScriptedModel(lines=["Hello."]), tools=[], checkpointer=threads)
        agent.invoke({"messages": [("user", "Hi.")]}, THREAD)
        assert mode(tmp_path / "threads.db.ledger") == 0o600
        agent.ledger.close()


def test_a_narrow_umask_doesnt_lock_the_owner_out(tmp_path: Path) -> None:
    """Whatever the umask takes away, the ledger can be opened again."""
    before = os.umask(0o777)
    try:
        Ledger.open(f"sqlite:///{tmp_path}/ledger.db").close()
    finally:
        os.umask(before)
    assert mode(tmp_path / "ledger.db") == 0o600


@pytest.mark.usefixtures("open_umask")
def test_a_ledger_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    """A host that shares the file with a group goes on sharing it."""
    file = tmp_path / "ledger.db"
    Ledger.open(f"sqlite:///{file}").close()
    file.chmod(0o660)
    Ledger.open(f"sqlite:///{file}").close()
    assert mode(file) == 0o660


@pytest.mark.usefixtures("open_umask")
def test_a_report_is_its_owners_alone(tmp_path: Path) -> None:
    """It quotes requests and calls; a page that the host has opened to others stays open when it is written anew."""
    page = tmp_path / "report.html"
    save(page, "<p>one</p>")
    assert mode(page) == 0o600
    page.chmod(0o644)
    save(page, "<p>two</p>")
    assert (page.read_text(), mode(page)) == ("<p>two</p>", 0o644)


def run(tmp_path: Path, way: str) -> tuple[bool, str]:
    """Read a tampered checkpoint in a process with LangGraph as it comes; tell whether its command ran."""
    witness = tmp_path / "witness"
    environment = {name: value for name, value in os.environ.items() if name != "LANGGRAPH_STRICT_MSGPACK"}
    command = [sys.executable, "-m", tampering.__name__, str(tmp_path / "threads.db"), str(witness), way]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment)
    return witness.exists(), done.stdout


def test_a_tampered_checkpoint_runs_nothing_with_the_serializer_that_is_advised(tmp_path: Path) -> None:
    """Whoever can write to the database of the threads can't have this process do anything."""
    ran, log = run(tmp_path, "strict")
    assert not ran
    assert "allowed_msgpack_modules=None" not in log


def test_an_open_serializer_is_warned_about_once_with_the_cure(tmp_path: Path) -> None:
    """LangGraph's own, as it comes, runs what it finds: the log says so, and what to do."""
    ran, log = run(tmp_path, "open")
    assert ran, "LangGraph has become strict by default: the warning and this test can go"
    assert log.count("threads.serde = JsonPlusSerializer(allowed_msgpack_modules=None)") == 1


def test_the_command_that_erases_a_person_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpointer that we make ourselves reads strictly, whatever the environment says."""
    monkeypatch.chdir(tmp_path)
    with SqliteSaver.from_conn_string("threads.db") as threads:
        agent = build_agent(model=ScriptedModel(lines=["Hello."]), tools=[], checkpointer=threads)
        agent.invoke({"messages": [("user", "Hi.")]}, THREAD, context=Context(user_id="ann"))
        agent.ledger.close()
    tampering.tamper("threads.db", str(tmp_path / "witness"))
    monkeypatch.setattr(BaseCheckpointSaver, "serde", JsonPlusSerializer(allowed_msgpack_modules=True))
    order = ["erase", "--user", "ann", "--db", "sqlite:///threads.db.ledger", "--checkpoints", "sqlite:///threads.db"]
    CliRunner().invoke(app, [*order, "--yes"])
    assert not (tmp_path / "witness").exists()


class NoCipher:
    """Encrypts nothing; only what becomes of rows that say they aren't encrypted counts here."""

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """Return the text as it is."""
        return "none", plaintext

    def decrypt(self, _ciphername: str, ciphertext: bytes) -> bytes:
        """Return the text as it is."""
        return ciphertext


@pytest.mark.parametrize(
    ("serde", "is_open"),
    [
        pytest.param(JsonPlusSerializer(allowed_msgpack_modules=True), True, id="open"),
        pytest.param(JsonPlusSerializer(allowed_msgpack_modules=None), False, id="strict"),
        pytest.param(JsonPlusSerializer(allowed_msgpack_modules=[("shop", "Plan")]), False, id="named"),
        pytest.param(JsonPlusSerializer(allowed_msgpack_modules=None, pickle_fallback=True), True, id="pickle"),
        pytest.param(EncryptedSerializer(NoCipher(), JsonPlusSerializer(allowed_msgpack_modules=True)), True, id="aes"),
        pytest.param(
            EncryptedSerializer(NoCipher(), JsonPlusSerializer(allowed_msgpack_modules=None)), False, id="both"
        ),
    ],
)
def test_which_serializers_are_warned_about(
    serde: Any, *, is_open: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that makes objects of whatever it finds; encryption doesn't help, since rows may say they have none."""
    monkeypatch.setattr(storage, "_warned", set())
    with caplog.at_level(logging.WARNING), SqliteSaver.from_conn_string(f"{tmp_path}/threads.db") as threads:
        threads.serde = serde
        for _ in range(2):
            build_agent(model=ScriptedModel(lines=[]), tools=[], checkpointer=threads).ledger.close()
    assert caplog.text.count("SqliteSaver reads back objects of any kind") == is_open


@dataclass(frozen=True)
class Plan:
    """A type of a host."""

    name: str


def says(fact: object, *, allowed: Any) -> str:
    """Run a turn with a fact, and return what is kept of it."""
    threads = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=allowed))
    agent = build_agent(model=ScriptedModel(lines=["Hello."]), tools=[], checkpointer=threads)
    agent.invoke({"messages": [("user", "Hi.")]}, THREAD, context=Context(user_id="ann", facts={"plan": fact}))
    return repr(agent.get_state(THREAD).values["facts"]["plan"]["value"])


def test_a_fact_that_would_come_back_as_something_else_is_refused() -> None:
    """A strict serializer makes a `dict` of a type it wasn't told of: the run doesn't begin, and says what to do."""
    with pytest.raises(InputError, match=r"'plan' .*Plan.*allowed_msgpack_modules"):
        says({"now": [Plan("gold")]}, allowed=None)
    assert says(Plan("gold"), allowed=[Plan]) == "Plan(name='gold')"


@pytest.mark.parametrize(
    "fact", ["gold", 3, 2.5, None, True, ["a", {"b": 1}], datetime(2026, 12, 1, tzinfo=UTC), {"x"}], ids=str
)
def test_facts_that_come_back_as_they_are_pass(fact: object) -> None:
    """Plain data, dates and sets need no leave."""
    assert says(fact, allowed=None) == repr(fact)
