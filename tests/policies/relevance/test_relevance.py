"""The layer that asks once more when a proposal hardly fits the request, and the trees behind it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.graph.settings.relevance import shipped_forest
from reinforced_agent.policies.relevance import (
    Forest,
    ForestError,
    Proposal,
    Proposed,
    Relevance,
    RelevanceError,
    RelevanceLayer,
    Scorer,
    ToolIndex,
    is_plain_english,
    trained,
)
from reinforced_agent.policies.situation import PastCall, Sibling, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import ToolSpec


def _spec(name: str, description: str, **fields: str) -> ToolSpec:
    """Describe a tool with text fields."""
    properties = {field: {"type": "string", "description": text} for field, text in fields.items()}
    return ToolSpec(
        name=name,
        description=description,
        parameters={"type": "object", "properties": properties, "required": list(fields)},
        run=dict,
    )


WEATHER = _spec("get_weather", "Get the current weather of a city.", city="Name of the city.")
MAIL = _spec("send_mail", "Send an e-mail to a person.", to="Address.", subject="Subject.")
SPECS = (WEATHER, MAIL)
INDEX = ToolIndex(SPECS)


def _judge(
    *scorers: Scorer,
    request: str = "What is the weather in Paris today?",
    history: tuple[PastCall, ...] = (),
    **known: Any,
) -> Verdict:
    """Judge a call of the weather tool."""
    layer = RelevanceLayer(SPECS, Relevance(scorers=scorers))
    situation = Situation(spec=WEATHER, request=request, history=history, said=(request,), **known)
    return layer(Call("1", "get_weather", {"city": "Paris"}), situation)


def _sure(chance: float | None, **more: Any) -> Scorer:
    """Make a scorer that always says the same."""
    return Scorer(name="sure", score=lambda _: chance, threshold=0.5, **more)


@pytest.mark.parametrize(
    ("scorer", "kind"),
    [
        pytest.param(_sure(0.9), Revise, id="asks-the-model"),
        pytest.param(_sure(0.9, then="ask"), Ask, id="asks-a-person"),
        pytest.param(_sure(0.9, then="record"), Accept, id="only-records"),
        pytest.param(_sure(0.4), Accept, id="below-the-threshold"),
        pytest.param(_sure(None), Accept, id="no-opinion"),
    ],
)
def test_a_scorer_decides_what_follows(scorer: Scorer, kind: type) -> None:
    """A proposal that is probably wrong is asked about in the way the scorer says."""
    assert isinstance(_judge(scorer), kind)


def test_the_model_is_asked_once_a_turn() -> None:
    """A proposal that comes again after the question runs: the layer never refuses alone."""
    asked = PastCall("get_weather", "d", Status.REVISE, kind=ErrorKind.IRRELEVANT)
    assert isinstance(_judge(_sure(0.9), history=(asked,)), Accept)
    other = PastCall("get_weather", "d", Status.REVISE, kind=ErrorKind.INVALID_ARGUMENTS)
    assert isinstance(_judge(_sure(0.9), history=(other,)), Revise)


def test_what_follows_from_results_is_not_judged() -> None:
    """Once something has run, the request alone doesn't tell what is needed."""
    assert isinstance(_judge(_sure(0.9), history=(PastCall("send_mail", "d", Status.DONE),)), Accept)


def test_several_scorers_work_side_by_side() -> None:
    """A scorer of the host objects where the first one has nothing to say, in words of its own."""
    safety = _sure(0.8, then="ask", message={"en": "`{tool}` looks unsafe.", "zh": "`{tool}` 看起来不安全。"})
    verdict = _judge(_sure(0.1), safety, locale="zh-CN")
    assert isinstance(verdict, Ask)
    assert verdict.message == "`get_weather` 看起来不安全。"
    assert verdict.score == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("locale", "words"),
    [pytest.param("en", "answer directly", id="english"), pytest.param("zh", "直接回答", id="chinese")],
)
def test_the_question_says_what_to_do(locale: str, words: str) -> None:
    """The model hears that it may answer without a tool, and that it may send the call again."""
    verdict = _judge(_sure(0.9), locale=locale)
    assert isinstance(verdict, Revise)
    assert verdict.kind is ErrorKind.IRRELEVANT
    assert words in verdict.message
    assert "`get_weather`" in verdict.message


def test_calls_beside_are_part_of_the_proposal() -> None:
    """A scorer sees all calls of the proposal, those after the judged one as well."""
    seen: list[Proposal] = []

    def score(proposal: Proposal) -> float:
        seen.append(proposal)
        return 0.0

    beside = (Sibling("send_mail", {"to": "a@example.com"}), Sibling("get_weather", {"city": "Rome"}, later=True))
    _judge(Scorer(name="s", score=score, threshold=0.5), beside=beside)
    assert [call.tool for call in seen[0].calls] == ["get_weather", "send_mail", "get_weather"]


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.5])
def test_a_threshold_is_a_probability(threshold: float) -> None:
    """A scorer that would always or never object is refused when it is made."""
    with pytest.raises(RelevanceError, match="a number above 0 up to 1"):
        Scorer(name="s", score=lambda _: 0.5, threshold=threshold)


def _probability(request: str, *calls: Proposed) -> float | None:
    """Ask the shipped scorer."""
    return trained(shipped_forest()).score(Proposal(request, calls, INDEX, (request,)))


def test_the_shipped_scorer_tells_a_fitting_call_from_one_that_does_not() -> None:
    """The right tool with the user's own value is less suspicious than one that has nothing to do with the request."""
    fits = _probability("What is the weather in Paris today?", Proposed("get_weather", {"city": "Paris"}))
    strange = _probability(
        "Write a poem about 7 lonely mountains and the 3 rivers of my home.", Proposed("get_weather", {"city": "Oslo"})
    )
    assert fits is not None
    assert strange is not None
    assert fits < shipped_forest().threshold
    assert strange > fits


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param("巴黎今天的天气怎么样？", id="chinese"),
        pytest.param("Wie wird das Wetter morgen bei uns in München sein?", id="german"),
        pytest.param("Какая погода сегодня в Париже?", id="russian"),
        pytest.param("yes please", id="too-short"),
        pytest.param("", id="empty"),
    ],
)
def test_other_languages_get_no_opinion(request_text: str) -> None:
    """A request that can't be judged by English words is never asked about."""
    assert not is_plain_english(request_text)
    assert _probability(request_text, Proposed("get_weather", {"city": "Paris"})) is None


@given(
    st.text(max_size=300),
    st.dictionaries(
        st.text(max_size=10),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
            max_leaves=8,
        ),
        max_size=4,
    ),
)
def test_any_proposal_gets_a_probability(request_text: str, arguments: dict[str, Any]) -> None:
    """Whatever is proposed for whatever request, the numbers can be told."""
    proposal = Proposal(request_text, (Proposed("get_weather", arguments), Proposed("unknown", {})), INDEX)
    assert 0.0 <= shipped_forest().probability(proposal.features) <= 1.0


def test_a_branch_goes_left_up_to_its_threshold() -> None:
    """A tree is walked from the first branch to a leaf, and groups are averaged."""
    forest = Forest.from_json(
        {"features": ["x"], "folds": [[[0, 1.5, -2, 2]], [1.0]], "slope": 1, "intercept": 0, "threshold": 0.5}
    )
    assert forest.sum({"x": 1.5}) == pytest.approx(-0.5)
    assert forest.sum({"x": 1.6}, fold=0) == pytest.approx(2.0)
    assert Forest.from_json(forest.to_json()) == forest


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({}, id="empty"),
        pytest.param(
            {"features": ["x"], "folds": [[[1, 0.5, 0, 1]]], "slope": 1, "intercept": 0, "threshold": 1}, id="feature"
        ),
        pytest.param(
            {"features": ["x"], "folds": [[[0, 0.5, 0]]], "slope": 1, "intercept": 0, "threshold": 1}, id="short-branch"
        ),
        pytest.param({"features": ["x"], "folds": 5, "slope": 1, "intercept": 0, "threshold": 1}, id="folds"),
    ],
)
def test_what_is_no_forest_is_refused(data: dict[str, Any]) -> None:
    """A damaged file is named as such when it is read, not when a call is judged."""
    with pytest.raises(ForestError, match="reinforced-agent train relevance"):
        Forest.from_json(data)
