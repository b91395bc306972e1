"""A store that lags behind what was done: the ledger knows better, and what is told is what happened."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from reinforced_agent import Ledger
from tests.graph.house import House, assert_valid, call, calls


NOTE = calls(call("send_note", {"to": "bob", "text": "hi"}, "c1"))
APPROVE = {"type": "approve"}
EDIT = {"type": "edit", "edited_action": {"name": "send_note", "args": {"to": "ann", "text": "hi"}}}


class Rewound:
    """A house whose store is set back to the question after the question was answered and the call has run."""

    def __init__(self, decision: dict[str, Any]) -> None:
        """Answer the question, then forget that it was answered."""
        ledger = Ledger()
        first = House(NOTE, "Done.", ledger=ledger).say()
        kept = (
            copy.deepcopy(vars(first.agent.checkpointer)["storage"]),
            copy.deepcopy((vars(first.agent.checkpointer)["blobs"], vars(first.agent.checkpointer)["writes"])),
        )
        first.decide(decision)
        store = InMemorySaver()
        store.storage, (store.blobs, store.writes) = kept
        self.first = first
        self.house = House("Fine.", "Fine.", ledger=ledger, checkpointer=store, tools=first.tools())
        self.house.result = {"__interrupt__": self.house.agent.get_state(self.house.config).interrupts}

    @property
    def effects(self) -> list[tuple[str, str]]:
        """What was done in both lives."""
        return self.first.effects


@pytest.mark.parametrize(
    "second",
    [APPROVE, {"type": "reject"}, {"type": "respond", "message": "By hand."}, EDIT],
    ids=lambda decision: decision["type"],
)
@pytest.mark.parametrize(("first", "to"), [(APPROVE, "bob"), (EDIT, "ann")], ids=["approved", "edited"])
def test_a_question_that_was_answered_already_does_nothing_more(
    first: dict[str, Any], to: str, second: dict[str, Any]
) -> None:
    """Whatever is decided the second time, the effect that was had is told, and no other is had."""
    rewound = Rewound(first)
    rewound.house.decide(second)
    assert rewound.effects == [(to, "hi")]
    assert rewound.house.status("c1") == "done"
    assert f"sent to {to}" in rewound.house.told("c1")
    assert_valid(rewound.house.history)


@pytest.mark.parametrize(("first", "to"), [(APPROVE, "bob"), (EDIT, "ann")], ids=["approved", "edited"])
def test_a_new_message_does_not_deny_what_was_done(first: dict[str, Any], to: str) -> None:
    """A call that ran is told as done, although the store still holds its question."""
    rewound = Rewound(first)
    rewound.house.say("Never mind.")
    assert rewound.effects == [(to, "hi")]
    assert f"sent to {to}" in rewound.house.told("c1")
    assert_valid(rewound.house.history)


def test_the_state_is_stored_before_the_run_goes_on() -> None:
    """Unless a caller wants it otherwise, every step waits until the one before it is stored."""
    seen = []

    class Watched(InMemorySaver):
        """A store that notes how often it is written to."""

        def put(self, *arguments: Any, **named: Any) -> Any:
            """Write, slowly."""
            time.sleep(0.03)
            seen.append("put")
            return super().put(*arguments, **named)

    house = House(NOTE, "Done.", checkpointer=Watched())
    stream = house.agent.stream({"messages": [("user", "hi")]}, house.config, stream_mode="updates")
    for part in stream:
        if "check" in part:
            # The input, and one each for what plan and propose brought.
            assert len(seen) >= 3
    answer = {
        "decisions": [
            {**APPROVE, "token": house.agent.get_state(house.config).interrupts[0].value["calls"][0]["token"]}
        ]
    }
    house.agent.invoke(Command(resume=answer), house.config, durability="exit")
    assert house.effects == [("bob", "hi")]
