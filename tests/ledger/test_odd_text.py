"""Ids and results as they come: long ones, and ones with characters that databases refuse."""

from __future__ import annotations

import random
from typing import Any

import pytest

from reinforced_agent.ledger import Ledger, RunHeldError
from reinforced_agent.ledger.approvals import Open
from reinforced_agent.ledger.effects import Granted, Known
from tests.ledger.cases import ANN, binding, effect, grant, newest


LONG = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyzäöüλж漢", k=10_000))  # noqa: S311
IDS = [
    pytest.param("", id="empty"),
    pytest.param(LONG, id="10,000 characters that can't be compressed"),
    pytest.param("a\0b", id="NUL"),
    pytest.param("a\ud800b", id="half a surrogate pair"),
    pytest.param("a\\0000b\\", id="backslashes"),
    pytest.param("😀 ' \" % :x ; --", id="emoji and quotes"),
]


@pytest.mark.parametrize("text", IDS)
def test_any_text_can_be_an_id(ledger: Ledger, text: str) -> None:
    """Thread, turn, call and tool come back as they were given, and mean what was given alone."""
    odd: dict[str, Any] = {"thread": text, "turn": text, "call_id": text, "tool": text}
    token = ledger.approvals.issue(binding(**odd), requester=ANN, expires=None)
    assert ledger.approvals.look_up(token, binding(**odd)) == Open()
    assert ledger.effects.claim(effect(**odd)) == Granted(1)
    assert ledger.effects.settle(effect(**odd).key, newest(ledger, effect(**odd).key), "unknown", {})
    found = ledger.effects.unknown(text)
    assert [{name: row[name] for name in odd} for row in found] == [odd]
    assert ledger.effects.unknown(text + "x") == []


@pytest.mark.parametrize("text", IDS)
def test_any_text_can_be_a_thread_that_is_held(ledger: Ledger, text: str) -> None:
    """A thread of any name is held by one run at a time, and another one beside it."""
    with ledger.runs.holding(text), ledger.runs.holding(text + "x"), pytest.raises(RunHeldError):
        ledger.runs.holding(text).__enter__()
    with ledger.runs.holding(text):
        pass


def test_ids_that_look_alike_are_not_mixed_up(ledger: Ledger) -> None:
    """A NUL and the way it is written down are two threads."""
    ledger.effects.claim(effect(thread="a\0"))
    ledger.effects.settle(effect(thread="a\0").key, newest(ledger, effect(thread="a\0").key), "unknown", {})
    assert ledger.effects.unknown("a\\0000") == []
    assert len({effect(thread=thread).key for thread in ("a\0", "a\\0000", "a\\u0000", "a")}) == 4


@pytest.mark.parametrize(
    "content",
    ["x" * 1_000_000, "漢" * 400_000, "a\0b", "\ud800", None, [1, 2.5, {"a": [None, True]}]],
    ids=["1 MB", "1.2 MB of Chinese", "NUL", "surrogate", "null", "nested"],
)
def test_a_result_comes_back_as_it_was(ledger: Ledger, content: object) -> None:
    """Results of any size and with any characters are stored whole."""
    ledger.effects.claim(effect())
    assert ledger.effects.settle(effect().key, newest(ledger, effect().key), "committed", {"content": content})
    assert ledger.effects.claim(effect()) == Known("committed", {"content": content}, 1)


def test_a_result_that_is_no_data_leaves_the_claim_as_it_was(ledger: Ledger) -> None:
    """An outcome that can't be written as JSON is the caller's error, and can be put down properly afterwards."""
    claim = grant(ledger)
    with pytest.raises(TypeError, match="not JSON serializable"):
        ledger.effects.settle(effect().key, claim.fence, "committed", {"content": object()})
    assert ledger.effects.settle(effect().key, claim.fence, "committed", {"content": "text"})
