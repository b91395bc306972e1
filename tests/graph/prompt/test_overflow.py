"""A model that takes in less than it is sent: the window is learnt from its refusal, and the thread lives on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import ContextPolicy, Limits, ScriptedModel, build_agent, tool
from tests.models.chat_server import ChatServer, Raw, Reply, called, failed, running, said
from tests.models.failures import KEY


TOKEN = 4
"""Characters of a token of the servers here."""


class SmallServer(ChatServer):
    """Refuses what is longer than its window, as servers do."""

    def __init__(self) -> None:
        """Have a window of 2,000 tokens, and say so."""
        super().__init__()
        self.window = 2_000
        self.says = (
            "This model's maximum context length is {window} tokens. However, your messages resulted in {sent} tokens."
        )
        self.code = "context_length_exceeded"
        self.sizes: list[int] = []

    def asked(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Reply | Raw:
        """Refuse a request that is too long."""
        sent = len(json.dumps(body, ensure_ascii=False)) // TOKEN
        self.sizes.append(sent)
        if sent > self.window:
            self.requests.append(body)
            return failed(
                400, self.says.format(window=self.window, sent=sent), code=self.code, kind="invalid_request_error"
            )
        return super().asked(path, headers, body)

    @property
    def refused(self) -> int:
        """How many requests were too long."""
        return sum(size > self.window for size in self.sizes)


@contextmanager
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallServer]:
    """Run the server and point the environment to it."""
    monkeypatch.setattr("tests.models.chat_server.ChatServer", SmallServer)
    with running() as server:
        assert isinstance(server, SmallServer)
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield server


@tool(risk="read")
def read_log(day: int) -> str:
    """Read the log of a day."""
    return f"day {day}: " + "the pump ran without any trouble. " * 400


@tool(risk="read")
def read_archive() -> str:
    """Read all logs."""
    return "the pump ran without any trouble. " * 1_800


class Talk:
    """A conversation, in one of the ways to run a graph."""

    def __init__(self, way: str, **options: Any) -> None:
        """Open a thread."""
        options = {"limits": Limits(result_tokens=None), "tools": [read_log], **options}
        self.agent: Any = build_agent(model="openai:m", checkpointer=InMemorySaver(), **options)
        self.config: Any = {"configurable": {"thread_id": "t"}}
        self.way = way

    def say(self, text: str) -> dict[str, Any]:
        """Say something and return the state."""
        asked: Any = {"messages": [("user", text)]}
        if self.way == "async":
            asyncio.run(self.agent.ainvoke(asked, self.config))
        elif self.way == "stream":
            for _ in self.agent.stream(asked, self.config, stream_mode="messages"):
                pass
        else:
            self.agent.invoke(asked, self.config)
        return dict(self.agent.get_state(self.config).values)


WAYS = pytest.mark.parametrize("way", ["sync", "async", "stream"])
READ = called("read_log", '{"day": 1}')


@WAYS
def test_the_thread_lives_on(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that is too long is cut in what is shown, one more try is made, and later requests fit at once."""
    with small(monkeypatch) as server:
        talk = Talk(way)
        server.replies = [READ, said("It ran."), said("You're welcome."), said("Nothing.")]
        state = talk.say("What does the log of day 1 say?")
        assert (state["turn"]["outcome"], state["messages"][-1].text) == ("answered", "It ran.")
        assert server.refused == 1
        shown = server.requests[-1]["messages"][-1]["content"]
        assert "left out here" in shown
        assert shown.startswith("day 1: ")
        assert talk.say("Thanks.")["messages"][-1].text == "You're welcome."
        assert talk.say("What else?")["messages"][-1].text == "Nothing."
        assert server.refused == 1
        # The state keeps what was not shown.
        assert any(len(message.text) > 10_000 for message in state["messages"])


@WAYS
@pytest.mark.parametrize(
    ("says", "code"),
    [
        pytest.param("Your input exceeds the context window of this model.", "context_length_exceeded", id="no-number"),
        pytest.param("the input length exceeds the context length", "", id="words-alone"),
        pytest.param("This model's maximum context length is {window} tokens.", "", id="window-alone"),
    ],
)
def test_without_numbers_it_is_learnt_from_what_was_sent(
    says: str, code: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that no request of fits any more comes back to life within a turn, and stays so."""
    with small(monkeypatch) as server:
        server.says, server.code = says, code
        talk = Talk(way)
        server.replies = [called("read_log", f'{{"day": {day}}}') if day % 2 else said("Fine.") for day in range(1, 5)]
        for day in (1, 3):
            talk.say(f"What about day {day}?")
        server.replies = [said("You're welcome.")] * 3
        assert [talk.say("Thanks.")["turn"]["outcome"] for _ in range(2)] == ["answered"] * 2
        refused = server.refused
        assert talk.say("Bye.")["turn"]["outcome"] == "answered"
        assert server.refused == refused


@pytest.mark.parametrize("says", ["{window} tokens", ""], ids=["number", "no-number"])
def test_what_is_much_too_long_is_overcome_in_the_next_turn(says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One result as long as ten windows: with a number it is cut to fit, without one the next turn leaves it out."""
    with small(monkeypatch) as server:
        server.window, server.says = 1_500, f"This model's maximum context length is {says or 'small'}."
        server.code = "context_length_exceeded"
        talk = Talk("sync", tools=[read_archive])
        server.replies = [called("read_archive"), said("It ran.")]
        outcome = talk.say("What does the archive say?")["turn"]["outcome"]
        assert outcome == ("answered" if says else "too_long")
        server.replies = [said("You're welcome.")]
        assert talk.say("Thanks.")["messages"][-1].text == "You're welcome."


@WAYS
def test_what_the_user_wrote_is_not_cut(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be left out nothing is tried again: the user reads that it is too long, and what to do."""
    with small(monkeypatch) as server:
        talk = Talk(way)
        server.replies = [said("You're welcome.")]
        state = talk.say("word " * 5_000)
        assert (state["turn"]["outcome"], len(server.sizes)) == ("too_long", 1)
        assert "fewer words" in state["messages"][-1].text
        assert "2000 tokens" in state["turn"]["model_error"]["operator"]
        assert talk.say("Thanks.")["messages"][-1].text == "You're welcome."
        assert server.refused == 1


def test_it_holds_for_every_thread_of_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another conversation is not refused first."""
    with small(monkeypatch) as server:
        talk = Talk("sync")
        for thread in ("a", "b", "c"):
            talk.config = {"configurable": {"thread_id": thread}}
            server.replies = [READ, said("It ran.")]
            assert talk.say("What does the log of day 1 say?")["turn"]["outcome"] == "answered"
        assert server.refused == 1


def test_old_turns_are_left_out_and_the_model_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads how many messages it isn't shown, as with a window that is known."""
    with small(monkeypatch) as server:
        talk = Talk("sync")
        for _ in range(6):
            server.replies = [said("Noted. " * 120)]
            assert talk.say("Note this. " * 120)["turn"]["outcome"] == "answered"
        assert server.refused == 1
        assert "oldest messages of this conversation are not shown" in server.requests[-1]["messages"][0]["content"]


def test_a_bound_that_the_host_set_is_only_narrowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is learnt never shows the model more."""
    with small(monkeypatch) as server:
        server.window = 100_000
        talk = Talk("sync", context=ContextPolicy(tokens=300))
        server.replies = [READ, said("It ran.")]
        assert talk.say("What does the log of day 1 say?")["turn"]["outcome"] == "answered"
        assert max(server.sizes) < 1_000


def test_a_plan_is_asked_for_again_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long chat is shortened for it in the same way."""
    with small(monkeypatch) as server:
        talk = Talk("sync", planning="always")
        server.window = 100_000
        server.replies = [said("I can't plan that.")] * 6
        talk.say("Note this. " * 1_000)
        server.window, server.sizes = 3_000, []
        server.replies = [said("I can't plan that.")] * 6
        assert talk.say("And now?")["turn"]["outcome"] not in {"too_long", "misconfigured", "model_down"}
        assert server.refused == 1


def test_a_reply_that_is_kept_too_much_room_for_is_told() -> None:
    """What fills the window is the reply: less of the chat doesn't help, and the operator reads the numbers."""
    words = (
        "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 8192 "
        "tokens and your request has 400 input tokens (8000 > 8192 - 400)."
    )
    model = ScriptedModel(lines=[ValueError(words)] * 2 + ["Hello."])
    agent = build_agent(model=model, tools=[])
    turn = agent.invoke({"messages": [("user", "Good morning.")]})["turn"]
    assert turn["outcome"] == "too_long"
    assert "8192 tokens" in turn["model_error"]["operator"]
