"""Models named by a short text."""

from __future__ import annotations

from pathlib import Path

import pytest

from reinforced_agent.models.factory import ModelSpecError, resolve_model
from reinforced_agent.models.openai import FaithfulChatOpenAI
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.models.text import CompletionChatModel, TextToolModel


@pytest.fixture
def own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Point to a server that needs no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


@pytest.mark.parametrize("spec", ["", "gpt-4o", "openai:", "scripted:", "openai", "cloud:x", "completion:", "+json"])
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
    assert (model.model_name, model.max_retries, model.disable_streaming) == ("small", 2, False)
    assert model.request_timeout == 60.0


@pytest.mark.parametrize("spec", ["openai:small", "openai:small+json", "completion:small"])
def test_a_missing_key_is_said_before_any_request(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    """Without key and server nothing can work; a server of one's own needs no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelSpecError, match="OPENAI_API_KEY"):
        resolve_model(spec)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert resolve_model(spec)


@pytest.mark.usefixtures("own_server")
@pytest.mark.parametrize("spec", ["openai:small", "openai:small+json", "completion:small"])
def test_a_server_without_keys_lends_its_own_to_nobody(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    """A hosted model that is made later still misses its key."""
    resolve_model(spec)
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(ModelSpecError, match="OPENAI_API_KEY"):
        resolve_model(spec)


@pytest.mark.parametrize(
    ("spec", "protocol", "locale"),
    [
        pytest.param("openai:m+json", "json", "fr", id="json"),
        pytest.param("openai:m+react", "react", "fr", id="react"),
        pytest.param("openai:m+react-zh", "react", "zh", id="chinese"),
        pytest.param("openai:m+json-en", "json", "en", id="english"),
        pytest.param("openai:m+lora+json", "json", "fr", id="plus-in-the-name"),
        pytest.param("completion:m", "json", "fr", id="completion"),
        pytest.param("completion:m+react", "react", "fr", id="completion-react"),
        pytest.param("completion:org/m-3.5:q4+", "json", "fr", id="completion-named-oddly"),
    ],
)
def test_a_word_gives_tools_to_a_text_model(own_server: None, spec: str, protocol: str, locale: str) -> None:
    """The ending names the protocol and its language; else the language comes from the caller."""
    model = resolve_model(spec, locale="fr")
    assert isinstance(model, TextToolModel)
    assert (model.protocol, model.locale) == (protocol, locale)
    kind = CompletionChatModel if spec.startswith("completion") else FaithfulChatOpenAI
    assert isinstance(model.inner, kind)


@pytest.mark.parametrize(
    ("spec", "name"),
    [("openai:command-r+", "command-r+"), ("openai:m+lora+native", "m+lora"), ("openai:a+b/c", "a+b/c")],
)
def test_a_plus_may_belong_to_the_name(own_server: None, spec: str, name: str) -> None:
    """What is no word behind the `+`, or stands before `+native`, is part of the name."""
    model = resolve_model(spec)
    assert isinstance(model, FaithfulChatOpenAI)
    assert model.model_name == name


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [("openai:m+jsn", "'jsn'"), ("local+xml", "'xml'"), ("openai:m+json-fr", "'json-fr'"), ("openai:m+JSON", "'JSON'")],
)
def test_an_unknown_protocol_is_answered_with_those_there_are(own_server: None, spec: str, wrong: str) -> None:
    """The error names the word and what to write instead."""
    with pytest.raises(ModelSpecError, match=rf"{wrong}.*`\+json` or `\+react`"):
        resolve_model(spec)


def test_a_completion_model_has_no_calls_of_its_own(own_server: None) -> None:
    """`+native` can't be had there."""
    with pytest.raises(ModelSpecError, match=r"write `\+json` or `\+react`"):
        resolve_model("completion:m+native")


def test_a_script_may_speak_a_protocol(tmp_path: Path) -> None:
    """`scripted:FILE+react` plays a text model."""
    path = tmp_path / "script.jsonl"
    path.write_text('"Thought: I greet.\\nFinal Answer: hello"\n', encoding="utf-8")
    assert resolve_model(f"scripted:{path}+react").invoke("hi").text == "hello"
