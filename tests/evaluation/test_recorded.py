"""Replaying recorded responses: the counts, by layer and by kind of error."""

from __future__ import annotations

from pathlib import Path

import pytest

from reinforced_agent.evaluation.replay.layers import UnknownLayerError
from reinforced_agent.evaluation.replay.recorded import FILE, STATIC, choose, replay
from tests.evaluation.recordings import DATA, RESPONSES, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the responses as they are published."""
    return write(tmp_path, RESPONSES)


@pytest.mark.parametrize("copies", [pytest.param(1, id="here"), pytest.param(60, id="in two processes")])
def test_wrong_and_right_ones_are_counted(tmp_path: Path, copies: int) -> None:
    """Flagged wrong ones, harmed right ones, and what each layer did."""
    found = replay(write(tmp_path, RESPONSES * copies))
    assert found["wrong"] == {"total": 5 * copies, "visible": 4 * copies, "flagged": 3 * copies}
    assert found["right"] == {"total": 3 * copies, "flagged": copies}
    assert found["layers"] == {
        "format": {"wrong_flagged": copies, "right_flagged": 0},
        "routing": {"wrong_flagged": copies, "right_flagged": 0},
        "arguments": {"wrong_flagged": copies, "right_flagged": copies},
        "relevance": {"wrong_flagged": 0, "right_flagged": 0},
    }
    assert found["groups"]["wrong value"] == {"total": copies, "flagged": 0}
    assert found["groups"]["malformed"] == {"total": copies, "flagged": copies}
    assert "`base`" in found["right_flagged"][0]["objections"]["arguments"]


def test_the_numbers_have_the_agreed_names(folder: Path) -> None:
    """Details come only when asked for."""
    names = {"wrong", "right", "layers", "groups", "right_flagged", "seconds"}
    assert set(replay(folder)) == names
    assert set(replay(folder, details=True)) == names | {"details"}


def test_details_say_what_a_layer_adds_and_how_sure_that_is(folder: Path) -> None:
    """Of 5 wrong ones each layer finds one of its own; 1 of 5 lies between 3.6% and 62.4%."""
    details = replay(folder, details=True)["details"]
    assert details["without"]["routing"] == {"wrong_flagged": 2, "right_flagged": 1}
    assert details["without"]["arguments"] == {"wrong_flagged": 2, "right_flagged": 0}
    wrong = details["shares"]["wrong"]
    assert wrong["together"]["flagged"] == 3
    assert wrong["routing"] == {"flagged": 1, "value": 0.2, "n": 5, "low": 0.036224, "high": 0.624465}
    assert details["shares"]["right"]["arguments"]["flagged"] == 1
    assert details["shares"]["malformed"]["format"]["value"] == 1.0


@pytest.mark.parametrize(
    ("layers", "without", "left"),
    [
        pytest.param(["routing"], [], ["routing"], id="only one"),
        pytest.param(["arguments", "format"], [], ["format", "arguments"], id="in the order of the layers"),
        pytest.param(["format", "routing", "arguments"], ["arguments"], ["format", "routing"], id="all but one"),
        pytest.param(["routing"], ["routing"], [], id="none"),
    ],
)
def test_any_layer_can_be_switched_off(folder: Path, layers: list[str], without: list[str], left: list[str]) -> None:
    """What is left judges alone: each of these layers flags one wrong response."""
    chosen = choose(layers, without=without)
    assert chosen == left
    found = replay(folder, layers=chosen)
    assert list(found["layers"]) == left
    assert found["wrong"]["flagged"] == len(left)


@pytest.mark.parametrize("names", [{"layers": ["taste"]}, {"without": ["taste"]}])
def test_an_unknown_layer_is_named_with_those_there_are(names: dict[str, list[str]]) -> None:
    """Whether it is switched on or off."""
    with pytest.raises(UnknownLayerError, match=r"'taste' is no layer.*format, routing, arguments"):
        choose(**names)


@pytest.mark.skipif(not (DATA / FILE).is_file(), reason="the recorded responses are not at hand")
def test_the_layers_find_as_much_as_they_did() -> None:
    """The layers that look at single calls: 319 of 2,348 wrong ones and 5 of 6,868 right ones."""
    found = replay(DATA, layers=STATIC)
    assert found["wrong"] == {"total": 2348, "visible": 2235, "flagged": 319}
    assert found["right"] == {"total": 6868, "flagged": 5}


@pytest.mark.skipif(not (DATA / FILE).is_file(), reason="the recorded responses are not at hand")
def test_the_relevance_layer_adds_wrong_ones_and_hardly_any_right_ones() -> None:
    """Together a third of the visible errors, at less than one right response in a hundred asked about."""
    found = replay(DATA)
    assert found["wrong"]["flagged"] >= 0.32 * found["wrong"]["visible"]
    assert found["right"]["flagged"] <= 0.01 * found["right"]["total"]
