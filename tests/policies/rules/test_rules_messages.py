"""The words of rules in both languages, and what happens when a rule or its words break."""

from __future__ import annotations

from string import Formatter
from typing import Any

import pytest

from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.rules import (
    After,
    Claim,
    Computed,
    Fact,
    Field,
    Forbidden,
    Limit,
    NotAgain,
    Order,
    Quota,
    Relation,
    Requires,
    RuleSet,
    Sum,
)
from reinforced_agent.policies.rules.messages import CHINESE, ENGLISH
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Refuse
from reinforced_agent.tools.call import digest
from tests.policies.rules.rule_bench import TOOLS, judged, message


def placeholders(text: str) -> set[str]:
    """Name the placeholders of a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("code", sorted(ENGLISH.keys() | CHINESE.keys()))
def test_both_languages_say_the_same_things(code: str) -> None:
    """Every text is there in both languages, with the same placeholders."""
    assert placeholders(ENGLISH[code]) == placeholders(CHINESE[code])


ARGUMENTS: dict[str, Any] = {"amount": 5, "currency": "EUR", "order": "A1", "parts": [{"amount": 1}]}
KNOWN: dict[str, Any] = {"failed_calls": [digest("pay", ARGUMENTS)], "level": "basic", "used": 9}

RULES = [
    pytest.param(Requires(name="r", fact="user_id"), id="requires"),
    pytest.param(After(name="r", after=("login",)), id="after"),
    pytest.param(Order(name="r", start="a", states={"a": {"login": "b"}, "b": {"pay": "a"}}), id="order"),
    pytest.param(Limit(name="r", field="amount", above=1, below=3, none_of=(5,)), id="limit"),
    pytest.param(Limit(name="r", field="order", matches="B.", inside="/srv", one_of=("B1",)), id="limit-of-text"),
    pytest.param(
        Relation(name="r", must=Claim(value=Sum(Field("parts.amount")), equals=Field("amount"))), id="relation"
    ),
    pytest.param(Relation(name="r", must=Claim(value=Field("order"), was_looked_up="orders")), id="looked-up"),
    pytest.param(Forbidden(name="r", claims=(Claim(value=Fact("level"), equals="basic"),)), id="forbidden"),
    pytest.param(Quota(name="r", most=2, used="used"), id="quota"),
    pytest.param(NotAgain(name="r"), id="not-again"),
]


@pytest.mark.parametrize("locale", ["en", "zh-CN", "xx"])
@pytest.mark.parametrize("rule", RULES)
def test_every_kind_of_rule_words_its_objection_without_gaps(rule: Any, locale: str) -> None:
    """The house's own message has no placeholder left open, in any language."""
    told = message(judged(rule, "pay", ARGUMENTS, facts=KNOWN, locale=locale))
    assert not {"…", "{", "}"} & set(told)
    assert ("。" in told) is (locale == "zh-CN")


@pytest.mark.parametrize(
    ("layers", "why"),
    [
        pytest.param(
            RuleSet(
                rules=(Relation(name="price", must=Claim(value=Computed("price"), equals=1)),),
                functions={"price": lambda given, _facts: given["missing"]},
            ),
            "layer 'price' raised KeyError",
            id="function-breaks",
        ),
        pytest.param(
            RuleSet(rules=(Relation(name="price", must=Claim(value=Computed("none"), equals=1)),)),
            "layer 'price' raised KeyError",
            id="no-such-function",
        ),
        pytest.param(
            RuleSet(rules=(Requires(name="words", fact="user_id", message="{"),)),
            "layer 'words' raised ValueError",
            id="message-breaks",
        ),
    ],
)
def test_a_rule_that_breaks_stops_the_call(layers: RuleSet, why: str) -> None:
    """A fault in a function or a message lets nothing through, and the operator reads which rule it was."""
    book = RuleBook(TOOLS.values(), layers=[*layers])
    decision = book.examine("pay", ARGUMENTS, call_id="c1", situation=lambda spec: Situation(spec=spec)).decision
    assert isinstance(decision, Refuse)
    assert why in decision.operator
