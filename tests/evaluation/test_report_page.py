"""The page stands alone, can be read without seeing its plots, and shows what strangers wrote as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.bfcl.report_numbers import measure_evaluation
from benchmarks.bfcl.report_sections import evaluation_group
from benchmarks.bfcl.results import Settings
from reinforced_agent.evaluation.report.page import page
from reinforced_agent.evaluation.report.sections import Group
from reinforced_agent.evaluation.report.service import measure_service
from reinforced_agent.evaluation.report.service_sections import service_group
from reinforced_agent.evaluation.report.sources import LeftOut, Loaded
from tests.evaluation.report_records import SETTINGS, WRONG, call, result, said, turn


VOID = {"meta"}
HOSTILE = (
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style><img src=x onerror=alert(1)>",
    "</text></svg><iframe src=javascript:alert(1)>",
    "&lt;b&gt; &amp; &#60;",
    "<!-- <![CDATA[ ]]>",
    "[bold red]x[/] \x1b[31m \u202e \x00",
)


class Outline(HTMLParser):
    """Reads a page, and sees that every element is closed in its place."""

    def __init__(self, text: str) -> None:
        """Read."""
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.attributes.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an empty element."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def handle_comment(self, data: str) -> None:
        """Refuse comments: the page has none of its own."""
        raise AssertionError(data)

    def of(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of all elements of a kind."""
        return [found for name, found in self.attributes if name == tag]


def service(name: str = "x") -> Group:
    """Tell the numbers of a service in whose records a name stands wherever a stranger can write."""
    bad = call("revise", said("format"), said(f"l{name}", "revise", f"k{name}", f"f{name}", us=3.0), tool=f"t{name}")
    asked = call("rejected", said("risk", "ask", us=12.0), decision="reject", decided_by=name, kind=f"p{name}")
    served = call("served", id="s", served_by=f"b{name}", kind=f"q{name}")
    down = call("open", said("format"), said("breaker", "refuse", "tool_error_transient"), id="d", tool=f"d{name}")
    records = [
        *turn(down, "answer", name=f"c{name}"),
        *turn(bad, f"m{name}", call(seconds=0.1), "answer", name=f"a{name}"),
        *turn(bad, asked, served, name=f"b{name}", outcome=f"o{name}"),
    ]
    left_out = LeftOut(damaged=1, examples=(f"{name}: {name}",))
    counted = [one.model_copy(update={"read_us": 30.0, "model_seconds": 1.0, "input_tokens": 3}) for one in records]
    return service_group(measure_service(Loaded(source=f"s{name}", records=counted, left_out=left_out)))


def evaluation(name: str = "x") -> Group:
    """Tell the numbers of an evaluation with a name in every place of a text."""
    arms = [f"a{name}", f"b{name}"]
    results = [
        result(arm, f"{number}", first=number < 2, final=number > at, category=f"c{number % 2}{name}", asked=1 + at)
        for at, arm in enumerate(arms)
        for number in range(4)
    ]
    return evaluation_group(measure_evaluation(Settings({"model": name}), results, source=f"r{name}"))


def written(groups: Iterable[Group]) -> str:
    """Write the page."""
    return page(list(groups), made_at=datetime(2026, 11, 30, 9, 5, tzinfo=UTC), version="1.2.3")


def test_the_page_has_its_sections() -> None:
    """A title, when it was made, what was measured, and each section with its plots and tables in this order."""
    outline = Outline(written([service(), evaluation()]))
    assert outline.texts["h1"] == ["Tool calls: what the checks did"]
    assert "Made on 2026-11-30 09:05 UTC by reinforced-agent 1.2.3." in outline.texts["p"]
    assert outline.texts["h2"] == ["Service", "Evaluation"]
    assert outline.texts["h3"] == [
        *("In short", "What became of proposals and turns", "Asked again, by kind of error", "Layers"),
        *("People and fallbacks", "Breakers", "Recurring causes", "Tokens and time"),
        *("Arms", "Arms compared", "Help against harm"),
    ]
    assert {"3 turns, 9 messages of the model, 6 calls", "8 results: 4 questions in 2 arms"} <= set(outline.texts["dd"])
    assert outline.texts["figcaption"] == [
        *("Headline numbers", "What became of the proposals", "How turns ended, in turns"),
        *("Asked again, by kind of error", "Time by layer: median (full) and 99th percentile (ring), in steps of ten"),
        *("Time of the model and of tools, in steps of ten", "Right, by arm", "Net lift, by pair of arms"),
        "Help (right) against harm (left), with the break-even mark",
    ]
    warning = next(text for text in outline.texts["p"] if text.startswith("Left out"))
    assert warning == "Left out: 1 damaged; such as x: x."


def test_the_page_needs_nothing_else() -> None:
    """No script, nothing that is loaded, links within the page only, and a policy that forbids the rest."""
    text = written([service(), evaluation()])
    outline = Outline(text)
    assert not {tag for tag, _ in outline.tags} & {"script", "link", "img", "iframe", "object", "image", "use"}
    assert not [
        name for _, names in outline.tags for name in names if name.startswith("on") or name in {"src", "style"}
    ]
    assert not re.search(r"url\(|@import|https?:", text)
    ids = [found["id"] for _, found in outline.attributes if "id" in found]
    assert len(ids) == len(set(ids))
    assert {found["href"] for found in outline.of("a")} <= {f"#{name}" for name in ids}
    policy = next(found for found in outline.of("meta") if "http-equiv" in found)
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"


def test_plots_can_be_read_without_seeing_them() -> None:
    """Each is an image with a title and its numbers in words; tables name their columns and rows."""
    outline = Outline(written([service(), evaluation()]))
    ids = {found["id"] for _, found in outline.attributes if "id" in found}
    plots = outline.of("svg")
    assert len(plots) == 9
    assert all(plot["role"] == "img" and set(plot["aria-labelledby"].split()) <= ids for plot in plots)
    told = "\n".join(outline.texts["desc"])
    assert "sent back, then asked again: 2" in told
    assert "ax → bx: help" in told
    assert {found["scope"] for found in outline.of("th")} == {"col", "row"}
    assert outline.of("html") == [{"lang": "en"}]


def test_the_page_is_dark_where_people_want_it_dark() -> None:
    """Every colour has a value for both, and each text stands out against what is behind it."""
    light, _, dark = "".join(Outline(written([service()])).texts["style"]).partition("prefers-color-scheme: dark")
    for part in (light, dark):
        colours = dict(re.findall(r"--(\w+): (#\w{6})", part.partition("}")[0]))
        assert len(colours) == 12
        backs = [colours["back"], colours["panel"]]
        texts = ("text", "quiet", "neutral")
        assert min(contrast(colours[name], back) for name in texts for back in backs) > 4.5
        assert min(contrast(colours[name], colours["panel"]) for name in ("good", "bad", "fair", "again", "grave")) > 3


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as the accessibility guidelines of the web define it."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


HARMLESS = Outline(written([service(), evaluation()])).tags


@settings(max_examples=25)
@given(st.text(st.characters(), min_size=1, max_size=30))
@example(HOSTILE[0])
def test_no_text_becomes_markup(name: str) -> None:
    """Whatever strangers wrote, the page has the elements and attributes that it has for harmless names."""
    assert Outline(written([service(name), evaluation(name)])).tags == HARMLESS


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_shown_as_they_are(name: str) -> None:
    """They stand in the page as text, with what can't be seen written out."""
    outline = Outline(written([service(name), evaluation(name)]))
    assert outline.tags == HARMLESS
    visible = "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in name)
    assert f"t{visible}" in outline.texts["th"]
    assert all(char.isprintable() for text in outline.texts["th"] for char in text)


def test_no_secret_is_on_the_page() -> None:
    """Not even one that a model wrote where the name of a tool belongs."""
    token = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    text = written([service(f" {token}"), evaluation(f" {token}")])
    assert token[8:40] not in text


@pytest.mark.parametrize(
    "records",
    [
        pytest.param(turn("answer"), id="one-answer"),
        pytest.param(turn(call()), id="one-call"),
        pytest.param(turn("malformed", "truncated", outcome="unusable"), id="only-unusable"),
        pytest.param(turn(call("open", tool="")), id="nothing-measured"),
        pytest.param([one.model_copy(update={"at": "soon"}) for one in turn(WRONG, outcome="")], id="odd-time"),
        pytest.param(turn(*[call(tool=f"tool{number}", seconds=10.0**number) for number in range(9)]), id="slow-tools"),
    ],
)
def test_little_data_gives_a_page_too(records: list[Any]) -> None:
    """No plot is drawn of nothing, and none has a number that is none."""
    text = written([service_group(measure_service(Loaded(source="s", records=records)))])
    Outline(text)
    assert not re.search(r"\b(nan|inf|None)\b", text)


@pytest.mark.parametrize(
    ("first", "final"),
    [(True, True), (False, False), (True, False), (False, True)],
    ids=["kept", "wrong", "harmed", "helped"],
)
def test_one_result_gives_a_page_too(*, first: bool, final: bool) -> None:
    """With one arm and one question there is hardly a number, and each says why."""
    results = [result("a", "1", first=first, final=final, tokens=None, asked=2)]
    text = written([evaluation_group(measure_evaluation(SETTINGS, results, source="r"))])
    Outline(text)
    assert not re.search(r"\b(nan|inf|None)\b", text)
