"""Models named by a short text."""

from __future__ import annotations

from pathlib import Path

import pytest

from reinforced_agent.models.factory import ModelSpecError, resolve_model
from reinforced_agent.models.openai import FaithfulChatOpenAI
from reinforced_agent.models.scripted import ScriptedModel


@pytest.mark.parametrize("spec", ["", "gpt-4o", "openai:", "scripted:", "openai", "cloud:x"])
def test_a_text_that_names_no_model_is_answered_with_the_forms(spec: str) -> None:
    """The error says what can be written."""
    with pytest.raises(ModelSpecError, match="`openai:NAME`"):
        resolve_model(spec)


def test_a_scripted_model_is_read_from_its_file(tmp_path: Path) -> None:
    """`scripted:FILE` opens the script."""
    path = tmp_path / "script.jsonl"
    path.write_text('"hello"\n', encoding="utf-8")
    model = resolve_model(f"scripted:{path}")
    assert isinstance(model, ScriptedModel)
    assert model.invoke("hi").text == "hello"


def test_an_openai_model_is_bounded_and_does_not_stream_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time-out, retries and streaming are set where the library leaves them open."""
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    model = resolve_model("openai:small")
    assert isinstance(model, FaithfulChatOpenAI)
    assert (model.model_name, model.max_retries, model.disable_streaming) == ("small", 2, "tool_calling")
    assert model.request_timeout == 60.0


def test_a_missing_key_is_said_before_any_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without key and server nothing can work; a server of one's own needs no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelSpecError, match="OPENAI_API_KEY"):
        resolve_model("openai:small")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert isinstance(resolve_model("openai:small"), FaithfulChatOpenAI)
