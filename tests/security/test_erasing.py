"""After a person is erased, no text of theirs is kept anywhere; what others wrote, and that a write was done, is."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from reinforced_agent import (
    Context,
    Ledger,
    ThreadBusyError,
    aerase_person,
    build_agent,
    erase_person,
    tool,
)
from reinforced_agent.graph import inputs
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.tables import effects
from reinforced_agent.models.scripted import ScriptedModel
from tests.databases import ALL
from tests.graph.house import assert_valid, call, calls
from tests.security.erasing import ANN, BOB, LEAD, PLACES, World, live_of_ann, place, world


@pytest.fixture(params=ALL)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Make an empty world of each kind."""
    with world(request.param, tmp_path) as made:
        yield made


def erase(world: World, user_id: str = " ann", tenant: str = "ACME", **more: Any) -> Any:
    """Erase Ann, whose name is written as somebody else would."""
    return erase_person(user_id, tenant=tenant, checkpointer=world.saver, ledger=world.ledger, **more)


def note(text: str, call_id: str) -> Any:
    """Propose a note of Bob's."""
    return calls(call("send_note", {"to": "x", "text": text}, call_id))


def shared(world: World, *, waits: bool) -> None:
    """Let Ann speak between two turns of Bob's; the last one may wait for a person."""
    world.say("shared", BOB, "bob begins", calls(call("read_all", {"topic": "bob"}, "b1")), "Bob was told.")
    live_of_ann(world, "shared")
    decide = None if waits else {"type": "approve"}
    world.say("shared", BOB, "bob goes on", note("from bob", "b2"), "Bob's note is sent.", decide=decide)


@pytest.mark.parametrize("signed", [True, False], ids=["signed", "threads of before"])
def test_nothing_that_a_person_wrote_is_kept(kept: World, monkeypatch: pytest.MonkeyPatch, signed: bool) -> None:  # noqa: FBT001
    """A text in each place occurs in no table and no checkpoint afterwards; a second time changes nothing."""
    if not signed:
        monkeypatch.setattr(inputs, "signed", lambda messages, _context: messages)
    live_of_ann(kept, "alone")
    shared(kept, waits=False)
    assert kept.planted() == set(PLACES)
    would = erase(kept, dry_run=True)
    assert kept.planted() == set(PLACES)
    erased = erase(kept)
    assert (erased.deleted, erased.rewritten, erased.left) == (("alone",), ("shared",), ())
    assert erased == would
    assert kept.planted() == set()
    again = erase(kept)
    assert (again.deleted, again.rewritten) == ((), ())


def test_what_others_wrote_stays(kept: World) -> None:
    """Their messages, whole results and effects are as they were, and the thread goes on."""
    shared(kept, waits=False)
    erase(kept)
    told = kept.messages("shared")
    assert ("bob begins" in told, "bob goes on" in told, "Bob was told." in told) == (True, True, True)
    assert "change it" not in told
    assert "whole of bob" in kept.dump()
    result = kept.say("shared", BOB, "and now?", note("more", "b3"), "Sent.", decide={"type": "approve"})
    assert_valid(result["messages"])
    assert kept.sent[-1] == "more"
    assert result["messages"][0].text == "bob begins"


def test_a_question_of_somebody_else_waits_on(kept: World) -> None:
    """The thread is written anew under it, and it is answered as before."""
    shared(kept, waits=True)
    before = kept.agent().get_state(place("shared"))
    erase(kept)
    assert kept.planted() == set()
    agent = kept.agent("Sent.")
    after = agent.get_state(place("shared"))
    assert after.interrupts == before.interrupts
    question = after.interrupts[0]
    answer = {"decisions": [{"token": question.value["calls"][0]["token"], "type": "approve"}]}
    result = agent.invoke(Command(resume={question.id: answer}), place("shared"), context=LEAD)
    assert (kept.sent[-1], result["messages"][-1].text) == ("from bob", "Sent.")


def test_a_question_about_their_own_call_goes(kept: World) -> None:
    """What waited for a decision about a call of theirs can't be approved any more."""
    kept.say("shared", BOB, "bob begins", "Hello.")
    kept.say("shared", ANN, "PLANTED-message", note("PLANTED-argument", "a1"))
    erase(kept)
    assert kept.planted() == set()
    snapshot = kept.agent().get_state(place("shared"))
    assert (snapshot.interrupts, snapshot.next, kept.messages("shared")) == ((), (), ["bob begins", "Hello."])
    assert kept.say("shared", BOB, "again", "Yes.")["messages"][-1].text == "Yes."


def test_the_bare_facts_of_effects_stay(kept: World) -> None:
    """Key, tool, digest, status and times are as they were: an effect that was done is not done again."""
    live_of_ann(kept, "alone")
    columns = [column for column in effects.c if column.name != "outcome"]
    from sqlalchemy import select  # noqa: PLC0415

    def rows() -> list[Any]:
        with kept.ledger._open().database.transaction() as connection:
            return list(connection.execute(select(*columns).order_by(effects.c.key)).all())

    before = rows()
    erase(kept)
    assert rows() == before
    known = kept.ledger.effects.find([row.key for row in before])
    assert {one.status for one in known.values()} == {"committed"}  # type: ignore[union-attr]
    assert all(not one.outcome for one in known.values())  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("user_id", "tenant"), [("Ann", "other"), ("Ann", ""), ("Anna", "acme"), ("bob", "acme")], ids=str
)
def test_nobody_else_is_erased(kept: World, user_id: str, tenant: str) -> None:
    """A namesake of another tenant, or somebody whose name begins alike, is another person."""
    live_of_ann(kept, "alone")
    before = kept.dump()
    assert erase(kept, user_id, tenant).deleted == ()
    assert kept.dump() == before


def test_somebody_who_was_not_named_is_somebody_else(kept: World) -> None:
    """A thread in which an anonymous person spoke is not deleted."""
    kept.say("shared", Context(tenant="acme"), "nobody begins", "Hello.")
    live_of_ann(kept, "shared")
    assert erase(kept).rewritten == ("shared",)
    assert kept.messages("shared") == ["nobody begins", "Hello."]


def test_a_run_under_way_refuses(kept: World) -> None:
    """Nothing is erased while a thread of the person runs; afterwards it is."""
    entered, gate = threading.Event(), threading.Event()

    @tool(risk="read")
    def wait(topic: str) -> str:
        """Wait."""
        entered.set()
        assert gate.wait(30)
        return topic

    live_of_ann(kept, "alone")
    model = ScriptedModel(lines=[calls(call("wait", {"topic": "x"}, "w")), "Done."])
    agent = build_agent(model=model, tools=[wait], checkpointer=kept.saver, ledger=kept.ledger)
    asked: Any = {"messages": [("user", "PLANTED-message")]}
    run = threading.Thread(target=lambda: agent.invoke(asked, place("running"), context=ANN))
    run.start()
    try:
        assert entered.wait(30)
        before = kept.planted()
        with pytest.raises(ThreadBusyError):
            erase(kept)
        assert kept.planted() == before == set(PLACES)
    finally:
        gate.set()
        run.join()
    assert erase(kept).deleted == ("alone", "running")
    assert kept.planted() == set()


def test_threads_that_nothing_keeps_leave_nothing_in_the_ledger(kept: World) -> None:
    """Effects, records and results of runs without a thread are found by whose they are."""

    @tool(risk="read")
    def read_all() -> str:
        """Read."""
        return "\n".join(["PLANTED-whole"] * 20_000)

    model = ScriptedModel(lines=[calls(call("read_all", {}, "c1")), "PLANTED-answer"])
    from reinforced_agent import SqlSink  # noqa: PLC0415

    agent = build_agent(model=model, tools=[read_all], ledger=kept.ledger, sinks=[SqlSink(kept.ledger)])
    agent.invoke({"messages": [("user", "PLANTED-message")]}, context=ANN)
    assert kept.planted() >= {"message", "whole"}
    erase(kept)
    assert kept.planted() == set()


def test_a_cut_off_erasure_loses_nobody_elses_thread(kept: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread of several people that was just being written anew is brought back by the next try."""
    shared(kept, waits=False)
    kind = type(kept.saver)
    put, done = kind.put, list[str]()

    def cut(saver: Any, config: Any, *rest: Any) -> Any:
        done.append(config["configurable"]["thread_id"])
        if done[-1] == "shared":
            raise KeyboardInterrupt
        return put(saver, config, *rest)

    monkeypatch.setattr(kind, "put", cut)
    with pytest.raises(KeyboardInterrupt):
        erase(kept)
    monkeypatch.undo()
    assert kept.messages("shared") == []
    erase(kept)
    assert "bob begins" in kept.messages("shared")
    assert kept.planted() == set()


def test_an_event_loop_erases_as_well(tmp_path: Path) -> None:
    """The asynchronous twin does the same with a checkpointer of its kind."""
    database = f"sqlite:///{tmp_path / 'ledger.db'}"

    async def live() -> tuple[bool, bool, tuple[str, ...]]:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as saver:
            model = ScriptedModel(lines=["Hello.", "PLANTED-answer", "Hello."])
            agent = build_agent(model=model, tools=[], checkpointer=saver, ledger=database)
            for who, text in ((BOB, "bob begins"), (ANN, "PLANTED-message"), (BOB, "bob ends")):
                await agent.ainvoke({"messages": [("user", text)]}, place("shared"), context=who)
            there = b"PLANTED" in _bytes(tmp_path)
            erased = await aerase_person("Ann", tenant="acme", checkpointer=saver, ledger=database)
            values = (await agent.aget_state(place("shared"))).values
            told = [message.text for message in values["messages"]]
            assert told == ["bob begins", "Hello.", "bob ends", "Hello."]
            agent.ledger.close()
            return there, "PLANTED" in World(saver, agent.ledger, _threads(tmp_path), database).dump(), erased.rewritten

    assert asyncio.run(live()) == (True, False, ("shared",))


def _threads(folder: Path) -> str:
    return f"sqlite:///{folder / 'threads.db'}"


def _bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_what_a_client_writes_into_its_message_makes_it_nobody_elses() -> None:
    """The sender is the one that the host names, whatever the message says of itself."""
    saver = InMemorySaver()
    agent = build_agent(model=ScriptedModel(lines=["Hello."]), tools=[], checkpointer=saver)
    agent.invoke({"messages": [("user", "hi")]}, place("a"), context=ANN)
    stolen = agent.get_state(place("a")).values["messages"][0]
    agent = build_agent(model=ScriptedModel(lines=["Hello."]), tools=[], checkpointer=saver)
    agent.invoke({"messages": [stolen.model_copy(update={"id": "b"})]}, place("b"), context=BOB)
    assert erase_person("ann", tenant="acme", checkpointer=saver).deleted == ("a",)


def test_nobody_and_nowhere_are_refused() -> None:
    """Neither an empty name nor a missing place erases anything."""
    with pytest.raises(ValueError, match="Nobody"):
        erase_person("  ", ledger=Ledger())
    with pytest.raises(ValueError, match="place"):
        erase_person("ann")


@pytest.mark.parametrize("kind", ["file", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_command_tells_asks_and_erases(kind: str, tmp_path: Path) -> None:
    """Without a yes nothing is erased."""
    with world(kind, tmp_path) as kept:
        live_of_ann(kept, "alone")
        words = ["--user", "ann", "--tenant", "acme", "--db", kept.database, "--checkpoints", kept.checkpoints]
        declined = command(*words, stdin="n\n")
        assert (declined.returncode, "alone" in declined.stdout) == (1, True)
        assert kept.planted() == set(PLACES)
        assert command(*words, "--yes").returncode == 0
        assert kept.planted() == set()


def test_the_command_takes_the_namespace_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the settings say of the ledger holds here as for the agents; a namespace that is named goes first."""
    address = f"sqlite:///{tmp_path / 'ledger.db'}"
    ledger = Ledger.open(address, namespace="shop")
    ann = {"user_id": "ann", "tenant": "acme", "roles": []}
    ledger.approvals.issue(Binding("t", "m", "c", "pay", "d"), requester=ann, expires=None)
    ledger.close()
    monkeypatch.setenv("REINFORCED_AGENT_NAMESPACE", "shop")
    words = ("--user", "ann", "--tenant", "acme", "--db", address, "--yes")
    assert "0 approvals" in command(*words, "--namespace", "").stdout
    assert "1 approvals" in command(*words).stdout
    assert "0 approvals" in command(*words).stdout


def command(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from reinforced_agent.service.cli.main import main; main()", "erase", *words],
        env={**os.environ, "COLUMNS": "200"},
        input=stdin,
        check=False,
        capture_output=True,
        text=True,
    )
