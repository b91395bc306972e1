"""How a server is reached: variables are read, refused by name, and reach the wire."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import openai
import pytest

from reinforced_agent import build_agent
from reinforced_agent.models.factory import ModelSpecError, resolve_model
from reinforced_agent.models.server_settings import ServerSettingsError, server_settings
from tests.models.chat_server import Raw, Reply, failed, running, said


COMPLETION = Raw(
    '{"id": "c", "object": "text_completion", "created": 0, "model": "m", "choices": [{"index": 0, "text": " Fine."}]}',
    kind="application/json",
)


@pytest.mark.parametrize(("spec", "reply"), [("openai:m", said("Fine.")), ("completion:m", COMPLETION)])
def test_a_server_is_reached_as_the_environment_says(monkeypatch: pytest.MonkeyPatch, spec: str, reply: Any) -> None:
    """Address, key and headers; what is named for this package comes before what other clients read."""
    with running() as server:
        monkeypatch.setenv("REINFORCED_AGENT_MODEL_BASE_URL", server.address)
        monkeypatch.setenv("REINFORCED_AGENT_MODEL_API_KEY", "own")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "other")
        monkeypatch.setenv("REINFORCED_AGENT_MODEL_HEADERS", '{"X-Team": "blue"}')
        server.replies = [reply]
        assert resolve_model(spec).invoke("Hi").text.endswith("Fine.")
    (headers,) = server.headers
    assert (headers["authorization"], headers["x-team"]) == ("Bearer own", "blue")


@pytest.mark.parametrize("spec", ["openai:m", "completion:m"])
def test_a_request_is_bounded_and_repeated_as_the_environment_says(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    """A slow reply is waited for once and no longer; a busy server is asked as often as is said."""
    with running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("REINFORCED_AGENT_MODEL_TIMEOUT", "0.3")
        monkeypatch.setenv("REINFORCED_AGENT_MODEL_RETRIES", "1")
        gate = threading.Event()
        server.replies = [Reply("Late.", gates={0: gate}), *[failed(503, "later")] * 2]
        model, started = resolve_model(spec), time.monotonic()
        with pytest.raises(openai.APITimeoutError):
            model.invoke("Hi")
        assert time.monotonic() - started < 5.0
        gate.set()
        assert len(server.requests) == 1
        monkeypatch.setenv("REINFORCED_AGENT_MODEL_TIMEOUT", "30")
        with pytest.raises(openai.InternalServerError):
            resolve_model(spec).invoke("Hi")
        assert len(server.requests) == 3


@pytest.mark.parametrize(("value", "streamed"), [("true", True), ("false", False), ("", False)])
def test_a_server_that_only_streams_is_named_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
    value: str,
    streamed: bool,  # noqa: FBT001
) -> None:
    """Nobody listens here, so nothing else would make it a stream."""
    with running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("REINFORCED_AGENT_MODEL_STREAMING", value)
        server.replies = [said("Fine.")]
        agent = build_agent(model="openai:m", tools=[])
        assert agent.invoke({"messages": [("user", "Hi")]})["messages"][-1].text == "Fine."
        assert bool(server.requests[0].get("stream")) is streamed


def test_a_completion_server_is_never_streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can't be done is refused, not left out."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("REINFORCED_AGENT_MODEL_STREAMING", "true")
    with pytest.raises(ModelSpecError, match="REINFORCED_AGENT_MODEL_STREAMING"):
        resolve_model("completion:m")


@pytest.mark.parametrize("raw", [Raw("<html>Sign in</html>"), Raw("", kind="application/json")])
def test_a_page_in_place_of_a_completion_is_an_error_that_shows_it(monkeypatch: pytest.MonkeyPatch, raw: Raw) -> None:
    """As it is for chats."""
    with running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        server.replies = [raw]
        with pytest.raises(ValueError, match=r"can.t be read.*HTTP status 200"):
            resolve_model("completion:m").invoke("Hi")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REINFORCED_AGENT_MODEL_TIMEOUT", "soon"),
        ("REINFORCED_AGENT_MODEL_TIMEOUT", "0"),
        ("REINFORCED_AGENT_MODEL_TIMEOUT", "nan"),
        ("REINFORCED_AGENT_MODEL_TIMEOUT", "inf"),
        ("REINFORCED_AGENT_MODEL_RETRIES", "-1"),
        ("REINFORCED_AGENT_MODEL_RETRIES", "many"),
        ("REINFORCED_AGENT_MODEL_HEADERS", "X-Secret s3cret"),
        ("REINFORCED_AGENT_MODEL_HEADERS", '{"X": '),
        ("REINFORCED_AGENT_MODEL_HEADERS", '{"X": 5}'),
        ("REINFORCED_AGENT_MODEL_HEADERS", '{"X y": "s3cret"}'),
        ("REINFORCED_AGENT_MODEL_HEADERS", '{"X": "s3cret\\nY: z"}'),
        ("REINFORCED_AGENT_MODEL_BASE_URL", "127.0.0.1:8000"),
        ("OPENAI_BASE_URL", "ftp://host/v1"),
        ("OPENAI_BASE_URL", "http://"),
        ("OPENAI_API_BASE", "http://host:port/v1"),
    ],
)
def test_what_can_t_be_used_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """Before any request, and without showing the value, which may be a secret."""
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    monkeypatch.setenv(name, value)
    with pytest.raises(ModelSpecError, match=name) as caught:
        resolve_model("openai:m")
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_headers_are_written_as_lines_or_as_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both say the same; a colon in a value is part of it."""
    monkeypatch.setenv("REINFORCED_AGENT_MODEL_HEADERS", "X-Team: blue\nX-At: 10:30\n")
    assert server_settings().headers == {"X-Team": "blue", "X-At": "10:30"}
    assert "blue" not in repr(server_settings())


def test_a_file_of_variables_counts_behind_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The commands read `.env`; an empty variable is none."""
    path = tmp_path / ".env"
    path.write_text("OPENAI_BASE_URL=http://file/v1\nREINFORCED_AGENT_MODEL_TIMEOUT=7\n", encoding="utf-8")
    monkeypatch.setenv("REINFORCED_AGENT_MODEL_TIMEOUT", "9")
    monkeypatch.setenv("REINFORCED_AGENT_MODEL_RETRIES", "")
    told = server_settings(str(path))
    assert (told.base_url, told.timeout, told.retries) == ("http://file/v1", 9.0, 2)
    path.write_text("REINFORCED_AGENT_MODEL_RETRIES=lots\n", encoding="utf-8")
    with pytest.raises(ServerSettingsError, match="REINFORCED_AGENT_MODEL_RETRIES"):
        server_settings(str(path))
