"""Tokens are counted with what is at hand, and nothing is fetched."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path

import pytest
from langchain_openai import ChatOpenAI

from reinforced_agent import ScriptedModel
from reinforced_agent.models import counting
from reinforced_agent.models.counting import counter_of
from reinforced_agent.models.text import TextToolModel


def fallback(text: str) -> int:
    """Count as nothing else does."""
    return 7_000 + len(text)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Refuse every connection, and begin without files of tiktoken."""

    def refuse(*_: object) -> None:
        msg = "no network in this test"
        raise AssertionError(msg)

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))


def test_a_tokenizer_of_the_host_wins() -> None:
    """LangChain's field for it is used, also of a model inside another one."""
    model = ScriptedModel(lines=[], custom_get_token_ids=lambda text: list(range(len(text.split()))))
    assert counter_of(model, fallback)("one two three") == 3
    assert counter_of(TextToolModel(inner=model), fallback)("one two three") == 3


def test_a_count_is_remembered() -> None:
    """The same text is not taken apart twice."""
    seen: list[str] = []

    def encode(text: str) -> list[int]:
        seen.append(text)
        return [1, 2]

    count = counter_of(ScriptedModel(lines=[], custom_get_token_ids=encode), fallback)
    assert [count("a"), count("a"), count("b")] == [2, 2, 2]
    assert seen == ["a", "b"]


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(ScriptedModel(lines=[]), id="no-tokenizer"),
        pytest.param(ChatOpenAI(model="gpt-4o", api_key="made-up"), id="file-not-fetched"),
        pytest.param(ChatOpenAI(model="qwen3", api_key="made-up", base_url="http://localhost:1"), id="other-server"),
        pytest.param(ChatOpenAI(model="nobody-knows", api_key="made-up"), id="unknown-model"),
    ],
)
def test_without_a_tokenizer_tokens_are_estimated(model: ScriptedModel | ChatOpenAI) -> None:
    """The fallback counts, and nobody is asked."""
    assert counter_of(model, fallback)("one") == 7_003


@pytest.mark.parametrize("folder", ["", None], ids=["no-cache", "broken-file"])
def test_a_file_that_would_be_fetched_anew_is_not_used(
    folder: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An empty setting and a damaged file both make tiktoken ask the network."""
    address = counting._ADDRESS.format(name="o200k_base")
    name = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
    (tmp_path / name).write_text("damaged")
    if folder is not None:
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", folder)
    assert counter_of(ChatOpenAI(model="gpt-4o", api_key="made-up"), fallback)("one") == 7_003
