"""Previews and pages of long results: within the budget, valid, and complete when all pages are read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reinforced_agent.policies.paging import PathError, Reader, Request, preview
from reinforced_agent.policies.paging.paging import resolve
from reinforced_agent.policies.paging.previewing import shape_of
from reinforced_agent.policies.text.tokens import approximate, fits, head, tail


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=12), inner, max_size=12),
    max_leaves=80,
)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        pytest.param("The quick brown fox jumps over the lazy dog. " * 20, 160, 320, id="english"),
        pytest.param("今天天气很好，我们去公园散步。" * 20, 220, 340, id="chinese"),
        pytest.param("東京は日本の首都です。" * 20, 140, 260, id="japanese"),
        pytest.param('{"id": 12345, "price": 99.95}' * 20, 220, 420, id="json"),
        pytest.param("1234567890" * 20, 66, 210, id="digits"),
        pytest.param("", 0, 1, id="nothing"),
    ],
)
def test_tokens_are_estimated_for_every_language(text: str, least: int, most: int) -> None:
    """The estimate lies where common tokenizers do, and a Chinese character is no quarter of a token."""
    assert least <= approximate(text) <= most


@given(st.text(max_size=3_000), st.integers(0, 300))
def test_head_and_tail_fit_their_budget(text: str, tokens: int) -> None:
    """Both are parts of the text, and never too long."""
    start, end = head(text, tokens, approximate), tail(text, tokens, approximate)
    assert text.startswith(start)
    assert text.endswith(end)
    for part in (start, end):
        assert not part or approximate(part) <= tokens


@settings(max_examples=60)
@given(JSON.filter(lambda value: isinstance(value, list | dict)), st.integers(60, 400))
def test_a_preview_of_json_is_json_within_the_budget(value: Any, tokens: int) -> None:
    """Whatever the value looks like; only what is told as text is none."""
    text = json.dumps(value, ensure_ascii=False, indent=4)
    shown = preview(text, tokens, approximate)
    assert approximate(shown.text) <= tokens
    if shown.kind in {"whole", "items", "fields"}:
        assert isinstance(json.loads(shown.text), type(value))
    if shown.kind == "whole":
        assert json.loads(shown.text) == value


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=4_000), st.integers(60, 200))
def test_a_preview_of_text_is_within_the_budget(text: str, tokens: int) -> None:
    """Whatever the text is; the marks of what is left out included."""
    assert approximate(preview(text, tokens, approximate).text) <= tokens + 20


@settings(max_examples=40)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=60), st.integers(200, 400))
def test_all_pages_together_are_the_whole_list(items: list[str], tokens: int) -> None:
    """Reading on from where each page ends shows every item once."""
    reader, text = Reader("search", tokens, approximate), json.dumps(items)
    offset, found = 0, list[str]()
    for _ in range(len(items) + 1):
        first, *lines = reader.page(text, Request(offset=offset)).split("\n", 1)
        found += re.findall(r"^(\d+): ", "\n".join(lines), re.MULTILINE)
        onward = re.search(r"More from offset (\d+)", first)
        if onward is None:
            break
        offset = int(onward[1])
    expected = [str(at) for at in range(len(items))]
    assert [at for at in expected if at in found] == expected


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("rows.1.name", "b", id="keys-and-numbers"),
        pytest.param("rows[1].name", "b", id="brackets"),
        pytest.param("$.rows[0].name", "a", id="json-path"),
        pytest.param("a.b", 1, id="key-with-a-point"),
        pytest.param("", None, id="top"),
        pytest.param("log.1", "two", id="line-of-a-text"),
    ],
)
def test_a_path_leads_to_its_place(path: str, value: object) -> None:
    """Keys, numbers, and what people write instead."""
    whole = {"rows": [{"name": "a"}, {"name": "b"}], "a.b": 1, "log": "one\ntwo"}
    assert resolve(whole, path) == (whole if value is None else value)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        pytest.param("raws.1", "At its top there is `rows`, `log`", id="key"),
        pytest.param("rows.7", "At `rows` there is 0 … 1", id="number"),
        pytest.param("rows.0.name.x", "At `rows.0.name` there is -", id="beyond-a-value"),
        pytest.param("rows.-1", "At `rows` there is 0 … 1", id="negative"),
    ],
)
def test_a_path_that_leads_nowhere_is_explained(path: str, told: str) -> None:
    """The text says how far it leads, and what is there."""
    with pytest.raises(PathError, match=re.escape(told)):
        resolve({"rows": [{"name": "a"}, {"name": "b"}], "log": ""}, path)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        pytest.param([{"a": 1}, {"a": None, "b": "x"}], "[2 x {a: number|null, b?: text}]", id="objects"),
        pytest.param({"n": 1.5, "ok": True, "rows": []}, "{n: number, ok: true/false, rows: [0]}", id="object"),
        pytest.param([1, "a", None, [2]], "[4 x number|text|null]", id="mixed"),
        pytest.param({str(n): n for n in range(50)}, "7: number, 8: number, 9: number", id="many-keys"),
    ],
)
def test_shapes_are_told(value: object, shape: str) -> None:
    """Keys, types and counts."""
    assert shape in shape_of(value)


def test_fits_counts_only_where_it_is_in_doubt() -> None:
    """Texts that are plainly short or long are not counted."""

    def never(text: str) -> int:
        raise AssertionError(text[:10])

    assert fits("abc", 100, never)
    assert not fits("a" * 100_000, 100, never)


def test_pages_are_told_in_chinese() -> None:
    """The words around a page are those of the turn's language."""
    page = Reader("search", 300, approximate, "zh-CN").page(json.dumps(list(range(500))), Request())
    assert page.startswith("[`search` 结果的项 0 至")


@pytest.mark.parametrize("text", [json.dumps(list(range(1_000))), "line\n" * 5_000, json.dumps({"a": {"b": 1}})])
def test_a_page_bears_numbers_and_texts_beyond_all_measure(text: str) -> None:
    """A model that asks for as much as can be written gets what fits, and a long text isn't repeated to it."""
    reader = Reader("look_up", 200, approximate)
    assert "Nothing there" in reader.page(text, Request(offset=10**30))
    assert reader.page(text, Request(limit=10**30)) == reader.page(text, Request())
    unfound = reader.page(text, Request(search="x" * 10_000))
    assert "…" in unfound
    assert approximate(unfound) < 200
