"""What a request says for the fields of a call: its numbers, its lists, and what each is near to."""

from typing import Any

import pytest

from reinforced_agent.models.local.evidence import Evidence
from reinforced_agent.models.local.experts import Experts
from reinforced_agent.models.local.fitting import call_odds, lacks_numbers, log_sigmoid
from reinforced_agent.models.local.numbers import stated_lists, stated_numbers
from reinforced_agent.models.local.prompt import Tool


LOAN = Tool(
    "calculate_loan",
    "Calculate the monthly payment of a loan",
    {
        "properties": {
            "years": {"type": "integer", "description": "Time in years"},
            "amount": {"type": "integer", "description": "Amount of the loan"},
            "rate": {"type": "number", "description": "Interest rate"},
            "lender": {"type": "string", "description": "Name of the bank"},
            "include_fees": {"type": "boolean"},
        },
        "required": ["years", "amount", "rate"],
    },
)
REQUEST = "Calculate the payment of a loan of $20,000 at a rate of 8% for 5 years, fees included"


def take_best(evidence: Evidence, name: str) -> str:
    """Give a field the number that the expert likes best for it."""
    numbers = evidence.numbers(name, LOAN.properties[name])
    text = max(numbers, key=lambda text: numbers[text])
    evidence.take(name, LOAN.properties[name], text)
    return text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("$5,000 at 5% for ten years", [5000, 5, 10], id="money, percent, in words"),
        pytest.param("a=1, b=-3 and 1e-9", [1, -3, 1e-9], id="letters, signs, exponents"),
        pytest.param("3 million people, 10km", [3_000_000, 10], id="powers and units"),
        pytest.param("$1.2M at 300K, a 5m wire, €5k", [1_200_000, 300, 5, 5000], id="letters count behind money alone"),
        pytest.param("3x^2 + 2x, 10t of sand", [10], id="factors of a variable are no numbers"),
        pytest.param("case XYZ123 on 2022-05-01 at 10:30", [], id="numbers, dates and times are no numbers"),
    ],
)
def test_stated_numbers(text: str, values: list[float]) -> None:
    """Numbers have the value that the text gives them."""
    assert [one.value for one in stated_numbers(text)] == values


def test_stated_lists() -> None:
    """Numbers with nothing but commas between them are one list; brackets part two."""
    text = "the points (33.5, -112) and (34, 118), and of [1, 2 and 3] the mean"
    assert [one.value for one in stated_lists(text)] == [[33.5, -112], [34, 118], [1, 2, 3]]


@pytest.mark.parametrize(
    ("about", "written"),
    [
        pytest.param("Interest rate", "0.08", id="8% is 0.08"),
        pytest.param("Interest rate in percent", "8", id="asked for in percent"),
        pytest.param("As a decimal; 5% is 0.05", "0.08", id="asked for as a fraction"),
    ],
)
def test_percent(about: str, written: str) -> None:
    """A percentage is written as its field asks for it."""
    assert stated_numbers("at 8% a year")[0].written("number", about) == written


def test_numbers_go_to_the_fields_they_stand_near() -> None:
    """Each field gets the number beside its own words, though the request has them in another order."""
    evidence = Evidence(REQUEST, LOAN)
    assert [take_best(evidence, name) for name in ("years", "amount", "rate")] == ["5", "20000", "0.08"]


def test_what_is_used_is_not_offered_again() -> None:
    """A number serves one field, and a text is no more copied into a second one."""
    evidence = Evidence("Move 5 boxes to Rome", LOAN)
    evidence.take("years", LOAN.properties["years"], "5")
    assert not evidence.numbers("amount", LOAN.properties["amount"])
    evidence.take("lender", LOAN.properties["lender"], '"Rome"')
    assert evidence.used_up() == ["Rome"]
    assert "Rome" not in evidence.left()
    assert "5" not in evidence.left()


@pytest.mark.parametrize(
    ("name", "text", "kept"),
    [
        pytest.param("include_fees", "true", True, id="all words of the field are said"),
        pytest.param("include_fees", "false", False, id="nothing speaks for false"),
        pytest.param("lender", '"Chase"', False, id="an invented text"),
        pytest.param("rate", "7", False, id="a number that nobody said"),
        pytest.param("rate", "0.08", True, id="a number beside the word of its field"),
    ],
)
def test_optional_fields_need_something_said(name: str, text: str, *, kept: bool) -> None:
    """An optional value stays only if the request speaks for it."""
    assert Evidence(REQUEST, LOAN).supports(name, LOAN.properties[name], text, raised=False) is kept


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        pytest.param('["vegan", "vegan", "halal"]', ' ["vegan"]', id="repeated and invented"),
        pytest.param('["keto", "halal"]', '["keto", "halal"]', id="nothing was said, so nothing is dropped"),
        pytest.param('"The Civil War"', ' "Civil War"', id="article"),
        pytest.param('"The Hague"', '"The Hague"', id="an article that belongs to a name"),
        pytest.param('"A war"', ' "war"', id="another article"),
        pytest.param('"in The Hague"', ' "The Hague"', id="a preposition"),
        pytest.param('"in progress"', '"in progress"', id="a preposition that belongs to a word"),
        pytest.param('"The Hague 2022/08/16"', ' "The Hague"', id="a day"),
        pytest.param('[", ", "vegan"]', ' ["vegan"]', id="an item without a word"),
    ],
)
def test_texts_are_pruned(written: str, kept: str) -> None:
    """Repetitions, articles, and items beside those that were said are dropped."""
    assert Evidence("Vegan food during the Civil War, a war, in The Hague", LOAN).prune(written) == kept


PAIR = Tool(
    "potential",
    "Electrostatic potential of two charges",
    {
        "properties": {name: {"type": "number"} for name in ("charge1", "charge2", "distance")},
        "required": ["charge1", "charge2", "distance"],
    },
)
ROUTE = Tool(
    "route",
    "Find a route",
    {"properties": {name: {"type": "string"} for name in ("start", "end")}, "required": ["start", "end"]},
)


def test_twins_are_said_in_turn() -> None:
    """Fields that differ by a number get their values in order, and a count in letters is none."""
    evidence = Evidence("Between two charged bodies of 1e-9 and 2e-9, at distance 0.05", PAIR)
    numbers = evidence.numbers("charge1", PAIR.properties["charge1"])
    assert "2" not in numbers
    assert numbers["1e-09"] - numbers["2e-09"] >= 2


def test_a_route_has_two_ends() -> None:
    """Where from and where to are two values where the tool asks for two texts, and one elsewhere."""
    request = "Directions from New York to Los Angeles"
    assert Evidence(request, ROUTE).prune('"New York to Los Angeles"') == ' "New York"'
    assert Evidence(request, LOAN).prune('"New York to Los Angeles"') == '"New York to Los Angeles"'


@pytest.mark.parametrize(
    ("tool", "told", "lacks"),
    [
        pytest.param(PAIR, "What is the potential of a charge?", True, id="no number"),
        pytest.param(PAIR, "Charges of 1 and 2 at distance five", False, id="enough, in letters too"),
        pytest.param(
            LOAN, "A loan of 500 since last year for half a point", False, id="what a number may be taken from"
        ),
        pytest.param(ROUTE, "From here to Rome", False, id="texts are no numbers"),
    ],
)
def test_a_call_needs_its_numbers(tool: Tool, told: str, *, lacks: bool) -> None:
    """A call whose required numbers nobody said would make them up."""
    assert lacks_numbers(tool, told) is lacks


def test_a_request_that_says_the_tool_is_likelier_a_call() -> None:
    """Shared words speak for a call, none for an answer, and another script for neither."""
    said, other = (call_odds([LOAN], text) for text in (REQUEST, "Who wrote the novel about a white whale?"))
    assert said is not None
    assert other is not None
    assert log_sigmoid(other) < -0.5 < log_sigmoid(said)
    assert call_odds([LOAN], "请帮我计算贷款") is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"relevance": -1.0}, "below 0", id="weight"),
        pytest.param({"answer_from": 0.0}, "no probability", id="threshold"),
    ],
)
def test_senseless_weights_are_refused(given: dict[str, Any], said: str) -> None:
    """A weight outside its range is told with what is allowed."""
    with pytest.raises(ValueError, match=said):
        Experts(**given)
