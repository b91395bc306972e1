"""Rule files that can't be read, rules written in Python, and an agent that takes the rules of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reinforced_agent.graph.build import build_agent
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.policies.rules import (
    Claim,
    Computed,
    Field,
    Forbidden,
    Order,
    Relation,
    Requires,
    RuleError,
    load_rules,
    parse_rules,
    validate,
)
from reinforced_agent.tools.toolset import tool
from tests.policies.rules.rule_bench import TOOLS


SPECS = tuple(TOOLS.values())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("a: &x [1]\nb: *x", "r.yaml:1: anchors and aliases are not read", id="alias"),
        pytest.param("rule: []\nrule: []", "r.yaml:2: rule: names of entries are texts, each only once", id="twice"),
        pytest.param(
            "host_facts:\n  - 2024-05-15", "r.yaml:2: host_facts[0]: this value is no text, number", id="date"
        ),
        pytest.param("host_facts: [!!python/name:os.system x]", "r.yaml:1: host_facts[0]: this value", id="tag"),
        pytest.param("rule: [\n", "r.yaml:2: this is no YAML", id="no-yaml"),
        pytest.param("? [a]\n: b", "r.yaml:1: ", id="odd-key"),
        pytest.param("[" * 600 + "]" * 600, "r.yaml:1: this is no YAML: it is nested too deeply", id="deep"),
    ],
)
def test_yaml_is_read_without_what_only_yaml_has(text: str, told: str) -> None:
    """Anchors, tags, dates and repeated names are refused with their line."""
    with pytest.raises(RuleError) as caught:
        parse_rules(text, SPECS, file="r.yaml")
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        pytest.param("rules.json", b"{}", "rules.json: rules are read from .toml, .yaml and .yml files", id="ending"),
        pytest.param("rules.toml", b"\xff", "rules.toml: the file can't be read as UTF-8 text", id="bytes"),
        pytest.param("missing.toml", None, "missing.toml: the file can't be read", id="missing"),
        pytest.param("long.toml", b"#" * 200_001, "long.toml: the file is longer than 200000 characters", id="long"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_by_name(
    tmp_path: Path, name: str, content: bytes | None, told: str
) -> None:
    """Whatever is wrong with the file, the error is of one kind and names it."""
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(RuleError) as caught:
        load_rules(tmp_path / name, SPECS)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        pytest.param(Requires(name="", fact="f"), "rule[0].name: every rule needs a name", id="no-name"),
        pytest.param(Forbidden(name="n", claims=()), "rule[0].claims: is empty", id="no-claims"),
        pytest.param(
            Relation(name="n", must=Claim(value=Field("amount"))), "rule[0].must: tests nothing. Add", id="no-test"
        ),
        pytest.param(
            Relation(name="n", must=Claim(value=Computed("price"), equals=1)),
            "rule[0].must: there is no function 'price'. None is known here.",
            id="function",
        ),
        pytest.param(
            Order(name="n", start="begin", states={"start": {"pay": "end"}}),
            "rule[0].start: there is no state 'begin'. Use one of `start`.",
            id="state",
        ),
    ],
)
def test_rules_written_in_python_are_validated_as_well(rule: Any, told: str) -> None:
    """A slip in Python is told in the same way, without a file."""
    with pytest.raises(RuleError) as caught:
        validate([rule], SPECS)
    assert told in str(caught.value)


def test_an_agent_takes_the_rules_of_a_file() -> None:
    """The layers of a rule set are policies of an agent: the payment waits for the login of the same turn."""

    @tool(risk="read")
    def login(email: str) -> dict[str, str]:
        """Log in."""
        return {"id": email}

    @tool(risk="read")
    def pay(amount: int) -> str:
        """Pay."""
        return f"{amount} paid"

    text = '[[fact]]\nfact = "user_id"\ntool = "login"\npath = "id"\n'
    text += '[[rule]]\nkind = "requires"\nname = "login first"\ntools = ["pay"]\nfact = "user_id"\n'
    pays = {"tool_calls": [{"name": "pay", "arguments": {"amount": 5}}]}
    logs_in = {"tool_calls": [{"name": "login", "arguments": {"email": "a@b.example"}}]}
    rules = parse_rules(text, [login, pay])
    agent = build_agent(
        model=ScriptedModel(lines=[pays, logs_in, pays, "Paid."]), tools=[login, pay], policies=[*rules]
    )
    state = agent.invoke({"messages": [("user", "I am a@b.example, pay 5.")]})
    told = [(call["tool"], call["status"]) for call in state["calls"].values()]
    assert told == [("pay", "revise"), ("login", "done"), ("pay", "done")]
