"""Slips that only a whole rule set shows, and values that formats read differently, stop the build."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.graph.build import build_agent
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.policies.rules import (
    After,
    Forbidden,
    Limit,
    Order,
    Quota,
    Requires,
    RuleError,
    RuleSet,
    Source,
    parse_rules,
    validate,
)
from reinforced_agent.policies.situation import Sibling, Situation
from reinforced_agent.policies.verdicts import Accept
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Establishes, ToolSpec
from reinforced_agent.tools.toolset import tool
from tests.policies.rules.rule_bench import TOOLS, judged, message, objects, past


SPECS = tuple(TOOLS.values())
PAID = {"amount": 5}


def told_of(rules: Any) -> str:
    """Return what is told of rules that are wrong."""
    with pytest.raises(RuleError) as caught:
        validate(rules, SPECS)
    return str(caught.value)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        pytest.param(
            RuleSet(host_facts=("pin",), secret_facts=("pni",)),
            "secret_facts[0]: nothing establishes the fact 'pni'. Use one of `pin`.",
            id="secret-misspelt",
        ),
        pytest.param(
            RuleSet(host_facts=("tools_done",)),
            "host_facts[0]: 'tools_done' is the name of a fact about",
            id="reserved",
        ),
        pytest.param(
            RuleSet(sources=(Source(fact="failed_calls", tool="search"),)),
            "fact[0].fact: 'failed_calls' is the name of a fact about",
            id="reserved-source",
        ),
        pytest.param(
            [After(name="a", tools=("pay",), after=("search",)), After(name="b", tools=("search",), after=("pay",))],
            "rule[1].after: `search` would have to run before itself",
            id="circle",
        ),
        pytest.param(
            [After(name="a", tools=("pay",), after=("pay",))],
            "rule[0].after: `pay` would have to run before itself",
            id="itself",
        ),
        pytest.param(
            [Order(name="o", start="a", states={"a": {"pay": "a"}, "b": {"search": "a"}})],
            "rule[0].states.b: no move leads here from 'a'",
            id="out-of-reach",
        ),
        pytest.param(
            [Quota(name="q", tools=("pay",), most=3, period="week")],
            "rule[0].period: a quota of a thread has no period",
            id="period-of-a-thread",
        ),
        pytest.param(
            [Limit(name="l", field="amount", at_least=10, at_most=5)],
            "rule[0].at_least: 10 leaves no number, as `at_most` is 5",
            id="crossed",
        ),
        pytest.param(
            [Limit(name="l", field="amount", above=5, below=5)],
            "rule[0].above: 5 leaves no number",
            id="nothing-between",
        ),
        pytest.param(
            [Limit(name="l", field="amount", at_most=float("nan"))], "rule[0].at_most: is no finite", id="no-number"
        ),
        pytest.param(
            [Limit(name="l", field="amount", one_of=(1, 2), none_of=(2, 1))],
            "rule[0].none_of: takes out all that",
            id="nothing-left",
        ),
    ],
)
def test_what_could_never_work_is_told_at_the_build(rules: Any, told: str) -> None:
    """The message names the place and the cure."""
    assert told in told_of(rules)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param([Limit(name="l", field="amount", at_least=5, at_most=5)], id="one-number"),
        pytest.param([Quota(name="q", tools=("pay",), most=3, per="user")], id="a-day-by-itself"),
        pytest.param([Order(name="o", start="a", states={"a": {"pay": "b"}, "b": {}})], id="reached"),
        pytest.param(RuleSet(host_facts=("pin",), secret_facts=("pin",)), id="secret"),
        pytest.param(
            [
                After(name="a", tools=("pay",), after=("search",)),
                After(name="b", tools=("add_to_cart",), after=("search", "pay")),
            ],
            id="no-circle",
        ),
    ],
)
def test_what_can_work_passes(rules: Any) -> None:
    """Narrow rules are no slips."""
    validate(rules, SPECS)


@pytest.mark.parametrize(
    "written", ["NO", "yes", "On", "010", "1:30", "0x1F", "1_000", "True", ".inf", "12:30:45", "1_0.5"]
)
def test_yaml_values_of_two_meanings_are_refused(written: str) -> None:
    """What YAML 1.1 and 1.2 read differently is told with its line."""
    text = f"rule:\n- kind: requires\n  name: n\n  fact: f\n  one_of: [{written}]\nhost_facts: [f]"
    with pytest.raises(RuleError, match=r"r\.yaml:5: .* is read as one thing by some"):
        parse_rules(text, SPECS, file="r.yaml")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        pytest.param("true", True, id="truth"),
        pytest.param("-12", -12, id="number"),
        pytest.param("1.50", 1.5, id="fraction"),
        pytest.param('"NO"', "NO", id="quoted"),
        pytest.param("Oslo", "Oslo", id="text"),
        pytest.param("0", 0, id="zero"),
    ],
)
def test_yaml_values_of_one_meaning_are_read(written: str, value: object) -> None:
    """Plain truths, decimal numbers and texts stay what they are."""
    text = f"rule:\n- kind: requires\n  name: n\n  fact: f\n  one_of: [{written}]\nhost_facts: [f]"
    (rule,) = parse_rules(text, SPECS, file="r.yaml").rules
    assert isinstance(rule, Requires)
    assert rule.one_of == (value,)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("one_of = [2024-05-15]", "r.toml:4: rule[0].one_of[0]: dates and times are not read", id="date"),
        pytest.param("at_most = inf", "r.toml:4: rule[0].at_most: is no finite number", id="infinite"),
    ],
)
def test_values_without_a_meaning_here_are_told_with_their_line(line: str, told: str) -> None:
    """Dates and infinite numbers of TOML are found where they stand."""
    with pytest.raises(RuleError) as caught:
        parse_rules(f"[[rule]]\nkind = 'limit'\nname = 'n'\n{line}\nfield = 'amount'", SPECS, file="r.toml")
    assert told in str(caught.value)


def test_a_pair_of_tools_excludes_each_other() -> None:
    """Whichever of the two ran first, the other one is stopped; of two in one message one gives way."""
    pair = Forbidden(name="not both", tools=("pay",), with_tools=("search",))
    assert objects(judged(pair, "search", {"query": "x"}, history=(past("pay"),)))
    assert "with `pay`" in message(judged(pair, "search", {"query": "x"}, history=(past("pay"),)))
    assert objects(judged(pair, "pay", PAID, beside=(Sibling("search", later=True),)))
    assert not objects(judged(pair, "search", {"query": "x"}, beside=(Sibling("pay", later=True),)))
    assert not objects(judged(pair, "add_to_cart", {"item": "x"}, history=(past("pay"), past("search"))))


def test_without_tools_the_way_to_the_fact_stays_open() -> None:
    """A login that every tool needs does not need itself."""
    known = RuleSet(
        sources=(Source(fact="user_id", tool="search", path="id"),),
        rules=(Requires(name="login first", fact="user_id"), After(name="search first", after=("search",))),
    )
    for rule in known:
        assert isinstance(rule(Call("c", "search", {"query": "x"}), Situation(spec=TOOLS["search"])), Accept)
        assert objects(rule(Call("c", "pay", PAID), Situation(spec=TOOLS["pay"])))


@pytest.mark.parametrize("value", ["false", " FALSE ", "", {}, None, False])
def test_what_says_no_satisfies_nothing(value: Any) -> None:
    """A tool that writes `false` as a text has not confirmed anything."""
    assert objects(judged(Requires(name="r", tools=("pay",), fact="ok"), "pay", PAID, facts={"ok": value}))


@pytest.mark.parametrize("given", ["async", "number", "class"])
def test_what_cannot_judge_a_call_is_refused(given: str) -> None:
    """A policy that has to be awaited, or is no function, is no policy."""

    async def waits(call: Call, situation: Situation) -> Accept:
        """Judge later."""
        del call, situation
        return Accept(layer="w")

    policy: Any = {"async": waits, "number": 5, "class": ToolSpec}[given]
    with pytest.raises(TypeError, match="can't be a policy"):
        build_agent(model=ScriptedModel(lines=["Hi."]), tools=[], policies=[policy])


def test_a_function_sees_what_tools_establish() -> None:
    """Facts that a tool declares are there for policies without a rule set, too."""

    @tool(risk="read", establishes=(Establishes(fact="user_id", path="id"),))
    def log_in(email: str) -> dict[str, str]:
        """Log in."""
        return {"id": email}

    seen: list[object] = []

    def looks(call: Call, situation: Situation) -> Accept:
        """Note the fact."""
        del call
        seen.append(situation.facts.get("user_id"))
        return Accept(layer="looks")

    calls = {"tool_calls": [{"name": "log_in", "arguments": {"email": "a@b.example"}}]}
    again = {"tool_calls": [{"name": "log_in", "arguments": {"email": "c@d.example"}}]}
    agent = build_agent(model=ScriptedModel(lines=[calls, again, "In."]), tools=[log_in], policies=[looks])
    agent.invoke({"messages": [("user", "Log in a@b.example, then c@d.example.")]})
    assert seen[0] is None
    assert seen[-1] == "a@b.example"
