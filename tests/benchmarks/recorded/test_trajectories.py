"""Replaying recorded conversations: which writes count as wrong, failing or right, and which of them are flagged."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recorded.trajectories import DOMAINS, FILE, replay_trajectories
from reinforced_agent.evaluation.replay.files import RecordedDataError
from reinforced_agent.evaluation.replay.layers import Pack, UnknownLayerError
from reinforced_agent.policies.situation import Layer, Situation
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Refuse, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import ToolSpec
from tests.evaluation.recordings import DATA


def tool(name: str, **fields: str) -> dict[str, Any]:
    """Write a tool whose fields are all required."""
    properties = {field: {"type": kind} for field, kind in fields.items()}
    parameters = {"type": "object", "properties": properties, "required": list(fields)}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


LIBRARY = {
    "tools": [tool("find_book", title="string"), tool("lend", book="string", days="integer")],
    "write_tools": ["lend"],
}


class Desk:
    """Writes one recorded conversation at a library's desk."""

    def __init__(self, *, reward: float = 0.0, expected: Sequence[Mapping[str, Any]] = ()) -> None:
        """Begin with a request."""
        self.messages: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.reward = reward
        self.expected = list(expected)
        self.say("I would like to borrow book B1001, please.")

    def say(self, text: str) -> Desk:
        """Let the user speak."""
        self.messages.append({"role": "user", "content": text})
        return self

    def call(self, name: str, arguments: Any, *, error: str = "", result: str = "ok") -> Desk:
        """Let the model call a tool, and the tool answer."""
        at, call_id = len(self.messages), f"c{len(self.calls)}"
        self.messages += [
            {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "name": name}]},
            {"role": "tool", "tool_call_id": call_id, "tool": name, "content": error or result},
        ]
        call = {"i": at, "id": call_id, "name": name, "arguments": arguments, "is_write": name == "lend"}
        self.calls.append(call | {"result": error or result, "is_error": bool(error)})
        return self

    def lend(self, book: str = "B1001", days: Any = 14, *, error: str = "") -> Desk:
        """Let the model lend a book."""
        return self.call("lend", {"book": book, "days": days}, error=error)

    def as_json(self, domain: str = "library") -> dict[str, Any]:
        """Return the conversation as it is published."""
        return {
            "domain": domain,
            "reward": self.reward,
            "expected_actions": self.expected,
            "messages": self.messages,
            "calls": self.calls,
        }


def lent(book: str = "B1001") -> dict[str, Any]:
    """Write an action that was expected."""
    return {"name": "lend", "arguments": {"book": book, "days": 14}}


def write(folder: Path, *runs: Mapping[str, Any]) -> Path:
    """Write conversations and domains as they are published."""
    with gzip.open(folder / FILE, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(run) + "\n" for run in runs)
    (folder / DOMAINS).write_bytes(gzip.compress(json.dumps({"library": LIBRARY, "museum": LIBRARY}).encode()))
    return folder


@pytest.mark.parametrize(
    ("run", "group"),
    [
        pytest.param(Desk(expected=[lent()]).lend(), "right_writes", id="expected"),
        pytest.param(Desk(expected=[lent()]).lend(days=14.0), "right_writes", id="expected, as another number"),
        pytest.param(Desk(expected=[lent("B2")], reward=1.0).lend(), "right_writes", id="the task was solved"),
        pytest.param(Desk(expected=[lent()]).lend(days=30), "wrong_writes", id="another value"),
        pytest.param(Desk().lend(), "wrong_writes", id="nothing was expected"),
        pytest.param(Desk(expected=[lent()]).lend(error="Error: out"), "failing_writes", id="an error"),
        pytest.param(Desk(expected=[lent("B7777")]).lend(), None, id="expectations of another task"),
    ],
)
def test_a_write_counts_by_what_was_expected_and_how_it_ended(tmp_path: Path, run: Desk, group: str | None) -> None:
    """In exactly one group; nowhere where the labels are of another task."""
    found = replay_trajectories(write(tmp_path, run.as_json()))["library"]
    totals = {name: counts["total"] for name, counts in found.items() if counts["total"]}
    assert totals == ({group: 1} if group else {})


def test_the_object_has_the_agreed_shape(tmp_path: Path) -> None:
    """A domain has four counts; details come only when asked for."""
    folder = write(tmp_path, Desk().lend().as_json())
    nothing = {"total": 0, "flagged": 0}
    counts = {
        "wrong_writes": {"total": 1, "flagged": 0},
        "failing_writes": nothing,
        "right_writes": nothing,
        "repeated_failures": nothing,
    }
    assert replay_trajectories(folder) == {"library": counts}
    detailed = replay_trajectories(folder, details=True)["library"]
    assert detailed["details"]["groups"]["wrong_writes"]["share"]["n"] == 1
    assert detailed["details"]["groups"]["failing_writes"]["share"]["reason"] == "there are no calls"


def test_a_failure_that_is_repeated_is_flagged_within_the_same_turn(tmp_path: Path) -> None:
    """In the next turn the user may have changed something, so the layer lets it pass; both are counted."""
    run = Desk().lend(error="Error: out").lend(error="Error: out").say("Try again").lend(error="Error: out")
    found = replay_trajectories(write(tmp_path, run.as_json()), details=True)["library"]
    assert found["repeated_failures"] == {"total": 2, "flagged": 1}
    assert found["failing_writes"] == {"total": 3, "flagged": 1}
    assert found["details"]["repeated_failures_of_the_same_turn"] == {"total": 1, "flagged": 1}
    assert found["details"]["groups"]["failing_writes"]["layers"] == {"repetition": 1}


@pytest.mark.parametrize(
    ("run", "layer"),
    [
        pytest.param(Desk().call("lend", "{broken"), "format", id="format"),
        pytest.param(Desk().call("lend", {"bok": "B1", "days": 1}), "arguments", id="arguments"),
        pytest.param(Desk().lend(error="no").lend(error="no"), "repetition", id="repetition"),
    ],
)
def test_a_layer_flags_until_it_is_switched_off(tmp_path: Path, run: Desk, layer: str) -> None:
    """And then nobody flags what it alone had seen."""
    folder = write(tmp_path, run.as_json())
    flagged = [sum(counts["flagged"] for counts in part.values()) for part in _both(folder, layer)]
    assert flagged[0] > 0
    assert flagged[1] == 0


def _both(folder: Path, layer: str) -> list[dict[str, Any]]:
    """Replay with all layers, and without one."""
    return [replay_trajectories(folder, without=without)["library"] for without in ([], [layer])]


def test_the_plain_question_of_a_write_is_no_flag(tmp_path: Path) -> None:
    """Every write asks a person; that says nothing about this one."""
    found = replay_trajectories(write(tmp_path, Desk().lend().as_json()), without=["repetition"])
    assert found["library"]["wrong_writes"] == {"total": 1, "flagged": 0}


def test_a_pack_judges_with_the_facts_it_reads(tmp_path: Path) -> None:
    """It sees the messages before a call, only in its domain, and its name switches it off."""
    runs = [Desk().lend().say("I am a guest").lend(days=7).as_json(domain) for domain in ("library", "museum")]
    folder = write(tmp_path, *runs)
    packs = {"guests": Pack(layers=_no_lending, facts=_guest, domains=("library",))}
    found = replay_trajectories(folder, packs=packs, details=True)
    assert found["library"]["wrong_writes"] == {"total": 2, "flagged": 1}
    assert found["library"]["details"]["groups"]["wrong_writes"]["layers"] == {"house_rules": 1}
    assert found["museum"]["wrong_writes"] == {"total": 2, "flagged": 0}
    without = replay_trajectories(folder, packs=packs, without=["guests"])
    assert without["library"]["wrong_writes"] == {"total": 2, "flagged": 0}


def _guest(messages: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Know whether the user said that they are a guest."""
    return {"guest": any("guest" in (message["content"] or "") for message in messages)}


def _no_lending(specs: Sequence[ToolSpec]) -> Sequence[Layer]:
    """Make a layer that lends nothing to guests."""
    writes = {spec.name for spec in specs if spec.name == "lend"}

    def judge(call: Call, situation: Situation) -> Verdict:
        if call.tool in writes and situation.facts["guest"]:
            return Refuse(layer="house_rules", kind=ErrorKind.POLICY, message="Guests may only read here.")
        return Accept(layer="house_rules")

    return [judge]


def test_processes_agree_with_one(tmp_path: Path) -> None:
    """The same counts, whoever counts."""
    runs = [Desk().lend(days=n).lend(days=n).as_json() for n in range(60)]
    folder = write(tmp_path, *runs)
    assert replay_trajectories(folder, workers=2) == replay_trajectories(folder, workers=1)


def test_one_domain_can_be_chosen(tmp_path: Path) -> None:
    """The others are not in the object, and a domain without runs has only zeros."""
    folder = write(tmp_path, Desk().lend().as_json(), Desk().lend().as_json("museum"))
    assert list(replay_trajectories(folder)) == ["library", "museum"]
    assert list(replay_trajectories(folder, domain="museum")) == ["museum"]


def test_mistakes_are_named_in_one_sentence(tmp_path: Path) -> None:
    """Missing files, unknown domains and layers, and records of another kind."""
    with pytest.raises(RecordedDataError, match=FILE):
        replay_trajectories(tmp_path)
    folder = write(tmp_path, Desk().as_json("zoo"))
    with pytest.raises(RecordedDataError, match=r"Line 1 .*'zoo'"):
        replay_trajectories(folder)
    with pytest.raises(RecordedDataError, match=r"no domain 'zoo' .*library, museum"):
        replay_trajectories(folder, domain="zoo")
    with pytest.raises(UnknownLayerError, match=r"'taste' is no layer .*repetition"):
        replay_trajectories(folder, without=["taste"])
    (folder / DOMAINS).write_bytes(gzip.compress(b'{"zoo": {"tools": []}}'))
    with pytest.raises(RecordedDataError, match="write_tools"):
        replay_trajectories(folder)


@pytest.mark.skipif(not (DATA / FILE).is_file(), reason="the recorded conversations are not at hand")
def test_today_s_layers_catch_repeated_failures_and_spare_what_was_right() -> None:
    """Where the recorded conversations are at hand: no right write is stopped but one with an undeclared field."""
    found = replay_trajectories(DATA, packs={})
    assert list(found) == ["airline", "retail"]
    assert found["airline"]["repeated_failures"]["flagged"] >= 5
    assert found["airline"]["right_writes"]["flagged"] <= 1
    assert found["retail"]["right_writes"]["flagged"] == 0
