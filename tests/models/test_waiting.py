"""Waiting for a model: with a time, without one, and what its client is told."""

from __future__ import annotations

import os
import threading
from typing import Any

import httpx
import pytest
from langchain_core.messages import HumanMessage

from reinforced_agent import ScriptedModel
from reinforced_agent.models.daemon_threads import MOST_IDLE, start
from reinforced_agent.models.openai import FaithfulChatOpenAI
from reinforced_agent.models.text import TextToolModel
from reinforced_agent.models.waiting import ModelTimeoutError, ask_within, hurry, within


def test_what_the_work_raises_is_raised() -> None:
    """A `TimeoutError` of the client itself is told from the end of the time."""

    def fail() -> None:
        msg = "the client gave up"
        raise TimeoutError(msg)

    with pytest.raises(TimeoutError, match="the client gave up") as caught:
        within(60, fail)
    assert not isinstance(caught.value, ModelTimeoutError)


def test_no_time_left_is_no_wait() -> None:
    """A time that is over already doesn't wait, and isn't an error of its own kind."""
    held = threading.Event()
    with pytest.raises(ModelTimeoutError):
        within(-1, lambda: held.wait(60))
    held.set()


@pytest.mark.parametrize("seconds", [None, 60.0], ids=["no bound", "bound"])
def test_an_answer_in_time_is_the_answer(seconds: float | None) -> None:
    """With a bound or without one, the same comes back."""
    assert ask_within(seconds, ScriptedModel(lines=["Hello."]), [HumanMessage("Hi")], {}).text == "Hello."


def test_many_pieces_of_work_at_once_all_run_at_the_same_time() -> None:
    """However many threads wait already, no piece of work waits for another one."""
    together = threading.Barrier(2 * MOST_IDLE + 1, timeout=30)
    for _ in range(3):
        for _ in range(2 * MOST_IDLE):
            start(together.wait)
        together.wait()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_copy_of_the_process_has_threads_of_its_own() -> None:
    """A server that forks its workers after a first request goes on answering in them."""
    within(30, lambda: None)
    child = os.fork()
    if child == 0:
        try:
            os._exit(within(20, lambda: 7))
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7


def _openai(answers: Any = None, **options: Any) -> FaithfulChatOpenAI:
    """Make a client of a server that isn't there."""
    transport = httpx.MockTransport(answers or (lambda _: httpx.Response(500)))
    return FaithfulChatOpenAI(
        model="m", api_key="k", max_retries=0, http_client=httpx.Client(transport=transport), **options
    )


@pytest.mark.parametrize(
    ("options", "seconds", "told"),
    [
        ({}, 3.2, 4.0),
        ({}, 300, 512.0),
        ({}, 599, None),
        ({"timeout": 60}, 300, None),
        ({"timeout": 60}, 20, 32.0),
        ({"timeout": 60}, 0.01, 1.0),
        ({"timeout": 60}, None, None),
    ],
)
def test_a_client_is_told_to_wait_about_as_long_as_the_run_lasts(
    options: dict[str, Any], seconds: float | None, told: float | None
) -> None:
    """The time is a power of two, so that caches of requests find them, and never longer than what the host set."""
    for model in (_openai(**options), TextToolModel(inner=_openai(**options))):
        hurried = hurry(model.bind(stop=["x"]), seconds)
        assert hurried.kwargs.get("timeout") == told
        assert hurried.kwargs["stop"] == ["x"]


def test_the_time_reaches_the_connection_and_not_the_server() -> None:
    """The request is cut off by the client itself; the server is sent what it was sent before."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello."}}
        return httpx.Response(200, json={"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]})

    assert ask_within(5, _openai(answer), [HumanMessage("Hi")], {}).text == "Hello."
    assert seen[0].extensions["timeout"]["read"] == 8.0
    assert b"timeout" not in seen[0].content


def test_other_models_are_asked_as_they_are() -> None:
    """What another client would make of a time isn't known."""
    model = ScriptedModel(lines=[])
    assert hurry(model, 3) is model
