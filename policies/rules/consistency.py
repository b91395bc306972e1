"""Mistakes of a whole rule set that no single entry shows: facts nobody establishes, circles, states out of reach."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from reinforced_agent.policies.rules.base import Base
from reinforced_agent.policies.rules.facts import CHRONICLE, sources_of
from reinforced_agent.policies.rules.ordering import After, Order
from reinforced_agent.policies.rules.problems import RuleProblem
from reinforced_agent.policies.rules.sets import RuleSet
from reinforced_agent.policies.schema.folds import nearest
from reinforced_agent.policies.schema.spelling import code_list
from reinforced_agent.tools.spec import ToolSpec


def established(rules: RuleSet, specs: Iterable[ToolSpec]) -> frozenset[str]:
    """Name the facts that somebody establishes: the host, the sources of the set, or the tools themselves."""
    return frozenset((*rules.host_facts, *(source.fact for source in (*rules.sources, *sources_of(specs)))))


def secrets_of_nobody(rules: RuleSet, specs: Iterable[ToolSpec]) -> Iterator[RuleProblem]:
    """Object to a secret fact that nobody establishes: misspelt, it would leave the one that is meant in the open."""
    known = established(rules, specs)
    for number, name in enumerate(rules.secret_facts):
        if name not in known:
            near = code_list(nearest(name, known) or sorted(known))
            advice = f"Use one of {near}." if near else "Declare it under `fact` or `host_facts`."
            yield RuleProblem(("secret_facts", number), f"nothing establishes the fact {name!r}. {advice}")


def facts_of_calls(rules: RuleSet, specs: Iterable[ToolSpec]) -> Iterator[RuleProblem]:
    """Object to facts under the names that the history of calls has for itself."""
    said = "is the name of a fact about the calls of the thread, which is kept anyway. Give it another name."
    for number, name in enumerate(rules.host_facts):
        if name in CHRONICLE:
            yield RuleProblem(("host_facts", number), f"{name!r} {said}")
    for number, source in enumerate(rules.sources):
        if source.fact in CHRONICLE:
            yield RuleProblem(("fact", number, "fact"), f"{source.fact!r} {said}")
    for source in sources_of(specs):
        if source.fact in CHRONICLE:
            yield RuleProblem((), f"the tool `{source.tool}` establishes {source.fact!r}, which {said}")


def cycles_of(rules: Iterable[Base]) -> Iterator[RuleProblem]:
    """Object to tools that wait for each other, so that none of them could ever run."""
    firsts: dict[str, set[str]] = {}
    for number, rule in enumerate(rules):
        if not isinstance(rule, After) or rule.when or rule.verdict not in {"revise", "refuse"}:
            continue
        for tool in rule.tools:
            firsts.setdefault(tool, set()).update(rule.after)
        if waiting := sorted(tool for tool in rule.tools if tool in _before(tool, firsts)):
            yield RuleProblem(
                ("rule", number, "after"),
                f"{code_list(waiting)} would have to run before itself, so never. Take one of the rules back.",
            )


def _before(tool: str, firsts: Mapping[str, Collection[str]]) -> set[str]:
    """Name all that has to run before a tool."""
    found: set[str] = set()
    todo = list(firsts.get(tool, ()))
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(firsts.get(name, ()))
    return found


def never_reached(order: Order) -> list[str]:
    """Name the states that no move leads to from the first one."""
    moves = {state: set(to.values()) for state, to in order.states.items()}
    return [state for state in order.states if state not in {order.start, *_before(order.start, moves)}]
