"""What a tool returned is told apart by its form: blocks for the model, and data that only looks like them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reinforced_agent.tools.results import stored_form
from reinforced_agent.tools.returned import blocks_of, content_for_model, text_of, texts_alone


WAV = {"type": "audio", "source_type": "base64", "data": "AA", "mime_type": "audio/wav"}
OF_OPENAI = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
OF_ANTHROPIC = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
DOCUMENT = {"type": "document", "source": {"type": "text", "data": "x"}}
BLOCKS: dict[str, tuple[Any, str]] = {
    "base64": ([{"type": "image", "base64": "AA", "mime_type": "image/png"}], "[image image/png]"),
    "url": (["a", {"type": "image", "url": "https://x.example/a.png"}], "a\n[image https://x.example/a.png]"),
    "file": ([{"type": "file", "file_id": "f1"}], "[file f1]"),
    "by-id": ([{"type": "file", "source_type": "id", "id": "f1"}], "[file]"),
    "old-style": ([WAV], "[audio audio/wav]"),
    "openai": ([OF_OPENAI], "[image_url]"),
    "anthropic": ([OF_ANTHROPIC], "[image image/png]"),
    "document": ([DOCUMENT], json.dumps(DOCUMENT)),
    "tuple": (("a", {"type": "image", "base64": "AA"}), "a\n[image]"),
}


@pytest.mark.parametrize(("content", "text"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_go_on_as_they_are(content: Any, text: str) -> None:
    """For the rest of the graph a word stands for each picture, and nothing of its data."""
    blocks = blocks_of(content)
    assert [block["type"] for block in blocks if block["type"] != "text"]
    assert text_of(blocks) == text
    assert content_for_model(text, blocks) == blocks


DATA: dict[str, Any] = {
    "rows": [{"type": "image", "url": "https://x.example/a.png", "title": "A cat", "width": 3}],
    "row-with-an-id": [{"type": "file", "id": 7}],
    "files": [{"type": "file", "name": "a.txt"}, {"type": "directory", "name": "b"}],
    "empty": [],
    "numbers": [1, 2],
    "texts": ["a", "b"],
    "text-blocks": [{"type": "text", "text": "a"}],
    "one-object": {"type": "image", "url": "https://x.example/a.png"},
    "no-address": [{"type": "image_url", "image_url": None}],
    "odd-type": [{"type": ["image"]}],
    "mixed": [{"type": "image", "base64": "AA"}, 5],
    "unwritable": [{"type": "image", "source": {"data": object()}}],
}


@pytest.mark.parametrize("content", DATA.values(), ids=DATA)
def test_data_that_looks_like_blocks_stays_data(content: Any) -> None:
    """A list of pictures that somebody found is no picture."""
    assert blocks_of(content) == []


def test_the_text_that_the_graph_made_stands_before_the_pictures() -> None:
    """Also where it was shortened or has a note."""
    blocks = blocks_of(BLOCKS["url"][0])
    assert content_for_model("short", blocks) == [{"type": "text", "text": "short"}, blocks[1]]
    assert content_for_model("short", []) == "short"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "a", "id": "lc_1"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "text", "text": "a"}, "b"], None),
        ([], None),
        ("a", None),
    ],
    ids=["texts", "mixed", "empty", "text"],
)
def test_blocks_of_text_alone_are_text(content: Any, text: str | None) -> None:
    """Their ids, which are new every time, say nothing."""
    assert texts_alone(content) == text


class Broken:
    """Something that fails whenever it is looked at."""

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        """Fail."""
        raise OSError

    def __getattr__(self, name: str) -> Any:
        """Fail."""
        raise OSError(name)


def test_an_artifact_that_can_not_be_looked_at_is_named() -> None:
    """The tool has run, and nothing about its artifact may stop the run."""
    assert "Broken" in str(stored_form({"a": Broken()}))
    assert stored_form({"text": "a\ud800"}) == {"text": "a?"}
