"""Rules read from TOML and YAML: the same rules, and every mistake at once with its line and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from reinforced_agent.policies.rules import (
    Claim,
    Fact,
    Field,
    Order,
    Relation,
    Requires,
    RuleError,
    RuleSet,
    Source,
    Sum,
    load_rules,
    parse_rules,
    validate,
)
from tests.policies.rules.rule_bench import TOOLS


SPECS = tuple(TOOLS.values())

TOML = """
host_facts = ["level"]

[[fact]]
fact = "user_id"
tool = "login"
path = "id"

[[rule]]
kind = "requires"
name = "login first"
tools = ["pay"]
fact = "user_id"
message = { en = "Log in before {tool}.", zh = "请登录。" }

[[rule]]
kind = "relation"
name = "parts add up"
tools = ["pay"]
verdict = "ask"
when = [{ value = { fact = "level" }, one_of = ["basic"] }]
must = { value = { sum = { field = "parts.amount" } }, equals = { field = "amount" } }

[[rule]]
kind = "order"
name = "checkout"
start = "empty"
states = { empty = { add_to_cart = "filled" }, filled = { pay = "empty" } }
"""

YAML = """
host_facts: [level]
fact:
  - {fact: user_id, tool: login, path: id}
rule:
  - kind: requires
    name: login first
    tools: [pay]
    fact: user_id
    message: {en: "Log in before {tool}.", zh: 请登录。}
  - kind: relation
    name: parts add up
    tools: [pay]
    verdict: ask
    when:
      - value: {fact: level}
        one_of: [basic]
    must:
      value: {sum: {field: parts.amount}}
      equals: {field: amount}
  - kind: order
    name: checkout
    start: empty
    states:
      empty: {add_to_cart: filled}
      filled: {pay: empty}
"""

SAME = RuleSet(
    host_facts=("level",),
    sources=(Source(fact="user_id", tool="login", path="id"),),
    rules=(
        Requires(
            name="login first",
            tools=("pay",),
            fact="user_id",
            message={"en": "Log in before {tool}.", "zh": "请登录。"},
        ),
        Relation(
            name="parts add up",
            tools=("pay",),
            verdict="ask",
            when=(Claim(value=Fact("level"), one_of=("basic",)),),
            must=Claim(value=Sum(Field("parts.amount")), equals=Field("amount")),
        ),
        Order(name="checkout", start="empty", states={"empty": {"add_to_cart": "filled"}, "filled": {"pay": "empty"}}),
    ),
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("rules.toml", TOML, id="toml"),
        pytest.param("rules.yaml", YAML, id="yaml"),
        pytest.param("rules.YML", YAML, id="yml"),
        pytest.param("rules.toml", TOML.replace("\n", "\r\n"), id="toml-crlf"),
    ],
)
def test_a_file_says_what_python_says(tmp_path: Path, name: str, text: str) -> None:
    """Both languages give the rules that could be written in Python."""
    file = tmp_path / name
    file.write_bytes(text.encode())
    rules = load_rules(file, SPECS)
    assert rules.rules == SAME.rules
    assert (rules.sources, rules.host_facts) == (SAME.sources, SAME.host_facts)
    validate(rules, SPECS)


BROKEN_TOML = """[[fact]]
fact = "user_id"
tool = "logn"

[[rule]]
kind = "requires"
name = "one"
tools = [
    "pay",
    "pya",
]
fact = "userid"
message = "{tol}"

[[rule]]
kind = "limit"
name = "one"
tools = ["pay"]
field = "amont"
matches = "("
"""

BROKEN_YAML = """fact:
  - fact: user_id
    tool: logn
rule:
  - kind: requires
    name: one
    tools:
      - pay
      - pya
    fact: userid
    message: "{tol}"
  - kind: limit
    name: one
    tools: [pay]
    field: amont
    matches: (
"""

MISTAKES = [
    "fact[0].tool: there is no tool 'logn'. Use one of `login`.",
    "rule[0].tools: there is no tool 'pya'. Use one of `pay`.",
    "rule[0].fact: nothing establishes the fact 'userid'. Use `user_id`, or declare it under `fact` or `host_facts`.",
    "rule[0].message: there is no placeholder 'tol'. Use one of `tool`.",
    "rule[1].name: every rule needs a name of its own. Give it another one.",
    "rule[1].field: `pay` has no field 'amont'. Use one of `amount`.",
    "rule[1].matches: is no regular expression: missing ), unterminated subpattern at position 0.",
]


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        pytest.param("bad.toml", BROKEN_TOML, [3, 8, 12, 13, 17, 19, 20], id="toml"),
        pytest.param("bad.yaml", BROKEN_YAML, [3, 7, 10, 11, 13, 15, 16], id="yaml"),
    ],
)
def test_all_mistakes_are_told_at_once_with_file_and_line(name: str, text: str, lines: list[int]) -> None:
    """One error lists every mistake in the order of the file, each with what is allowed."""
    with pytest.raises(RuleError) as caught:
        parse_rules(text, SPECS, file=name)
    told = str(caught.value).splitlines()
    assert told == [f"{name}:{line}: {mistake}" for line, mistake in zip(lines, MISTAKES, strict=True)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("rule = 3", "r.toml:1: rule: input should be a valid array.", id="no-list"),
        pytest.param("rules = []", "r.toml:1: rules: there is no such entry here. Use one of `rule`.", id="table-name"),
        pytest.param(
            '[[rule]]\nkind = "need"', "r.toml:2: rule[0].kind: is no kind of rule. Use one of `req", id="kind"
        ),
        pytest.param('[[rule]]\nname = "x"', "r.toml:1: rule[0].kind: is no kind of rule. Use one of", id="no-kind"),
        pytest.param(
            '[[rule]]\nkind = "requires"\nname = "x"', "r.toml:1: rule[0].fact: is missing. Add it.", id="missing"
        ),
        pytest.param(
            '[[rule]]\nkind = "requires"\nname = "x"\nfact = "f"\nverdict = "deny"',
            "r.toml:5: rule[0].verdict: is none of the allowed values. Use 'accept', 'revise', 'refuse' or 'ask'.",
            id="verdict",
        ),
        pytest.param(
            '[[rule]]\nkind = "requires"\nname = "x"\nfact = "f"\ntool = ["pay"]',
            "r.toml:5: rule[0].tool: there is no such entry here. Use one of `tools`.",
            id="entry",
        ),
        pytest.param(
            '[[rule]]\nkind = "quota"\nname = "x"\nmost = "3"', "r.toml:4: rule[0].most: input should be", id="type"
        ),
        pytest.param(
            '[[rule]]\nkind = "relation"\nname = "x"\n[rule.must]\nvalue = { feld = "x" }\nequals = 1',
            "r.toml:5: rule[0].must.value: is no value. Write a plain value, a list of them, or a table with `field`",
            id="expression",
        ),
        pytest.param(
            '[[rule]]\nkind = "relation"\nname = "x"\n[rule.must]\nvalue = 1\nequal = 1',
            "r.toml:6: rule[0].must.equal: there is no such entry here. Use one of `equals`",
            id="entry-of-a-claim",
        ),
        pytest.param("x = ", "r.toml:1: this is no TOML: Invalid value", id="no-toml"),
        pytest.param("host_facts = [2024-05-15]", "r.toml:1: host_facts[0]: dates and times are not read.", id="date"),
    ],
)
def test_a_mistake_is_told_where_it_is(text: str, told: str) -> None:
    """The error names file, line and field, and what is allowed."""
    with pytest.raises(RuleError) as caught:
        parse_rules(text, SPECS, file="r.toml")
    assert str(caught.value).startswith(told)
