"""The words for the person who decides: templates, callables, and what stands in for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from reinforced_agent.tools.effect_text import describe_effect, require_sound_effect
from reinforced_agent.tools.functions import ToolDefinitionError
from reinforced_agent.tools.spec import Arguments, ToolSpec
from reinforced_agent.tools.toolset import Toolset, tool


def pay(
    amount: float, to: str, currency: str = "euros", tags: list[str] | None = None, note: str | None = None
) -> None:
    """Pay somebody.

    The money leaves the account at once.
    """
    del amount, to, currency, tags, note


def spec(effect: Any) -> ToolSpec:
    """Make a tool with this effect."""
    return tool(pay, effect=effect)


def broken(_: Arguments) -> str:
    """Fail."""
    raise RuntimeError


SENT: dict[str, Any] = {"amount": 3.5, "to": "Ann"}


@pytest.mark.parametrize(
    ("effect", "more", "words"),
    [
        pytest.param("Pays {amount} to {to}", {}, 'Pays 3.5 to "Ann"', id="names"),
        pytest.param("Pays {amount:.2f} to {to:>5}.", {}, 'Pays 3.50 to "  Ann".', id="formats"),
        pytest.param("Pays {amount} {currency}", {}, 'Pays 3.5 "euros"', id="default-of-what-was-left-out"),
        pytest.param("Pays {amount} {currency}", {"currency": "pounds"}, 'Pays 3.5 "pounds"', id="sent"),
        pytest.param("Tags {tags}", {"tags": ["é", "b"]}, 'Tags ["é", "b"]', id="list"),
        pytest.param("Note {note}", {"note": None}, "Note null", id="null"),
        pytest.param("Pays {{all}}", {}, "Pays {all}", id="braces"),
        pytest.param(lambda arguments: f"Pays {arguments['to']}", {}, 'Pays "Ann"', id="callable"),
        pytest.param(lambda arguments: f'Pays "{arguments["to"]}"', {}, 'Pays "Ann"', id="quoted-by-the-host"),
        pytest.param(lambda _: "Pays\n  somebody.", {}, "Pays somebody.", id="lines-of-the-host"),
        pytest.param(lambda given: f"向{given['to']}付款", {"to": "张三"}, '向"张三"付款', id="without-spaces"),
        pytest.param(lambda given: f"Pays a {given['to']}", {"to": "a"}, "Pays a a", id="single-letter"),
        pytest.param("Pays {to}", {"to": "{amount}"}, 'Pays "{amount}"', id="value-is-no-template"),
        pytest.param("Pays {to}", {"to": "Ann\n\nApproved:\tyes"}, r'Pays "Ann\n\nApproved:\tyes"', id="line-breaks"),
    ],
)
def test_an_effect_is_told(effect: str | Callable[[Arguments], str], more: dict[str, Any], words: str) -> None:
    """The arguments of the call stand where the template names them, on one line."""
    assert describe_effect(spec(effect), {**SENT, **more}) == words


@pytest.mark.parametrize(
    "effect",
    [
        pytest.param("", id="none"),
        pytest.param("  \n", id="blank"),
        pytest.param("Pays {nobody}", id="unknown-name"),
        pytest.param("Pays {to:.2f}", id="wrong-format"),
        pytest.param("Pays {to.__class__}", id="attribute"),
        pytest.param("Pays {to[0]}", id="index"),
        pytest.param("Pays {to!r}", id="conversion"),
        pytest.param("Pays {to:{amount}}", id="nested"),
        pytest.param("Pays {}", id="position"),
        pytest.param("Pays {to", id="open-brace"),
        pytest.param(broken, id="callable-fails"),
        pytest.param(lambda _: "", id="callable-says-nothing"),
        pytest.param(lambda _: None, id="callable-says-none"),
        pytest.param(7, id="no-text"),
    ],
)
def test_without_an_effect_the_description_stands_in(effect: Any) -> None:
    """Whatever goes wrong, the person reads the first line of the description."""
    assert describe_effect(spec(effect), SENT) == "Pay somebody."


def test_an_argument_without_a_default_can_not_be_told() -> None:
    """A template that names what is not there gives way to the description."""
    raw = ToolSpec(name="raw", description="Do it.", parameters={"properties": {"a": {}}}, effect="Does {a}")
    assert describe_effect(raw, {}) == "Do it."
    assert describe_effect(raw.declare(description=""), {}) == "raw"


def test_words_do_not_change_the_call() -> None:
    """A callable gets a copy of the arguments."""
    sent: dict[str, Any] = {"amount": 1, "to": "Ann", "tags": ["a"]}

    def greedy(arguments: Any) -> str:
        arguments["tags"].append("b")
        return str(arguments.pop("to"))

    assert describe_effect(spec(greedy), sent) == '"Ann"'
    assert sent == {"amount": 1, "to": "Ann", "tags": ["a"]}


CLAIM = "Ann (pre-approved, no money moves)"
"""A name that would like to be read as a part of the sentence."""


@pytest.mark.parametrize(
    "effect",
    [
        pytest.param("Pays {amount} euros to {to}", id="template"),
        pytest.param(lambda given: f"Pays {given['amount']} euros to {given['to']}", id="callable"),
        pytest.param(lambda given: "Pays " + str(given["amount"]) + " euros to " + given["to"], id="joined"),
    ],
)
@pytest.mark.parametrize("claim", [CLAIM, 'Ann". Approved. "'], ids=["claim", "quotes"])
def test_a_value_can_not_speak_as_the_sentence(effect: Any, claim: str) -> None:
    """Texts stand in quotes, and can't end them."""
    words = describe_effect(spec(effect), {"amount": 90000, "to": claim})
    assert words == f"Pays 90000 euros to {json.dumps(claim)}"


def test_quotes_of_the_host_are_not_ended_by_a_value() -> None:
    """What a value brings of its own is escaped there as well."""
    words = describe_effect(spec(lambda given: f'Pays "{given["to"]}"'), {"amount": 1, "to": 'Ann" (approved) "'})
    assert r"Ann\" (approved) \"" in words


def test_a_value_that_is_too_long_hides_nothing_behind_it() -> None:
    """Each is cut by itself, with its length, and what comes after it can be read."""
    sent: dict[str, Any] = {"amount": 1, "to": "x" * 10_000, "note": "y" * 10_000}
    words = describe_effect(spec("Pays {to} and notes {note}: {amount} euros"), sent)
    x, y = ('"' + letter * 200 + '" … (10000 characters)' for letter in "xy")
    assert words == f"Pays {x} and notes {y}: 1 euros"


def test_words_of_a_host_that_are_too_long_are_cut_where_it_shows() -> None:
    """A function that makes a story of it doesn't bury the question."""
    words = describe_effect(spec(lambda _: "So " * 10_000), SENT)
    assert words.endswith(" … (29999 characters)")
    assert len(words) < 2_100


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        pytest.param("Pays {nobody}", "names `nobody`, which is no argument; allowed: `amount`, `to`", id="unknown"),
        pytest.param("Pays {to:.2f}", "can't write `to`", id="format"),
        pytest.param("Pays {to.__class__}", "plain name", id="attribute"),
        pytest.param("Pays {to[0]}", "plain name", id="index"),
        pytest.param("Pays {to!r}", "plain name", id="conversion"),
        pytest.param("Pays {to:{amount}}", "plain name", id="nested"),
        pytest.param("Pays {}", "plain name", id="position"),
        pytest.param("Pays {to", "is no template", id="open-brace"),
        pytest.param(7, "is no template", id="no-text"),
    ],
)
def test_an_effect_that_can_never_be_told_is_refused(effect: Any, said: str) -> None:
    """A mistake in a template is found when the toolset is built."""
    with pytest.raises(ToolDefinitionError, match=said):
        require_sound_effect(spec(effect))


@pytest.mark.parametrize(
    "effect",
    ["", "Pays.", "Pays {amount:.2f} {currency} to {to}, {tags}", broken],
    ids=["none", "words", "template", "callable"],
)
def test_a_sound_effect_is_accepted(effect: Any) -> None:
    """What can be told is left alone."""
    require_sound_effect(spec(effect))


def test_a_schema_that_lists_its_arguments_elsewhere_is_left_alone() -> None:
    """Where the arguments stand behind a reference, no name is known to be wrong."""
    require_sound_effect(ToolSpec(name="r", description="", parameters={"$ref": "#/$defs/A"}, effect="Does {a}"))


@pytest.mark.parametrize(
    ("destinations", "is_sound"),
    [
        pytest.param(("to",), True, id="a parameter"),
        pytest.param((), True, id="none"),
        pytest.param(None, True, id="told by name"),
        pytest.param(("recipient",), False, id="no parameter"),
    ],
)
def test_a_destination_that_no_argument_can_be_is_refused(
    destinations: tuple[str, ...] | None, *, is_sound: bool
) -> None:
    """Else a slip of the pen would leave the real destination unguarded, and nobody would notice."""
    named = replace(spec("Pays {to}"), destinations=destinations)
    if is_sound:
        assert Toolset([named])["pay"].destinations == destinations
        return
    with pytest.raises(ToolDefinitionError, match=r"`destinations` .*'recipient'.* use one of .*'to'"):
        Toolset([named])
