"""Check rules against the tools they are for, so that a slip stops the build and not a call."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from math import isfinite

from reinforced_agent.policies.rules.base import Base
from reinforced_agent.policies.rules.claims import Claim
from reinforced_agent.policies.rules.expressions import Computed, Expression, Fact, Field, Result
from reinforced_agent.policies.rules.facts import CHRONICLE, sources_of
from reinforced_agent.policies.rules.messages import PLACEHOLDERS, unknown_placeholders
from reinforced_agent.policies.rules.ordering import After, Order, Quota, Requires
from reinforced_agent.policies.rules.problems import Path, RuleError, RuleProblem
from reinforced_agent.policies.rules.sets import Rule, RuleSet
from reinforced_agent.policies.rules.values import Forbidden, Limit
from reinforced_agent.policies.schema.paths import declaration
from reinforced_agent.policies.text.folds import code_list, nearest
from reinforced_agent.policies.text.json_paths import is_inside
from reinforced_agent.tools.spec import ToolSpec


def validate(rules: Iterable[Rule] | RuleSet, specs: Iterable[ToolSpec]) -> None:
    """Check rules written in Python: tools, fields, facts, functions, patterns and messages.

    A list of rules may use any fact; a `RuleSet` only those of its sources and `host_facts`.

    Raises:
        RuleError: When anything is wrong; the message names every mistake.
        ToolSchemaError: When a rule names a field of a tool whose schema can't be used.

    """
    complete = isinstance(rules, RuleSet)
    whole = rules if isinstance(rules, RuleSet) else RuleSet(rules=tuple(rules))
    if found := tuple(problems_of(whole, specs, complete=complete)):
        raise RuleError(found)


def problems_of(rules: RuleSet, specs: Iterable[ToolSpec], *, complete: bool) -> Iterator[RuleProblem]:
    """Find every mistake; `complete` when no other facts and functions are there than the set's own."""
    tools = {spec.name: spec for spec in specs}
    for number, source in enumerate(rules.sources):
        yield from _unknown(("fact", number, "tool"), [source.tool], tools, "tool")
    yield from facts_of_calls(rules, tools.values())
    yield from cycles_of(rules.rules)
    if complete:
        yield from secrets_of_nobody(rules, tools.values())
    seen: set[str] = set()
    for number, rule in enumerate(rules.rules):
        checker = _Checker(rule, rules, tools, complete=complete)
        for problem in checker.problems():
            yield replace(problem, path=("rule", number, *problem.path))
        if not rule.name or rule.name in seen:
            yield RuleProblem(("rule", number, "name"), "every rule needs a name of its own. Give it another one.")
        seen.add(rule.name)


def _unknown(path: Path, names: Iterable[str], known: Iterable[str], what: str) -> Iterator[RuleProblem]:
    """Object to names that don't exist, with the nearest ones that do."""
    known = sorted(known)
    for name in names:
        if name not in known:
            near = code_list(nearest(name, known) or known[:20])
            advice = f"Use one of {near}." if near else "None is known here."
            yield RuleProblem(path, f"there is no {what} {name!r}. {advice}")


class _Checker:
    """Looks one rule over."""

    def __init__(self, rule: Rule, rules: RuleSet, tools: Mapping[str, ToolSpec], *, complete: bool) -> None:
        self._rule = rule
        self._set = rules
        self._tools = tools
        self._facts = {*CHRONICLE, *established(rules, tools.values())} if complete else None
        self._concerned = [tools[name] for name in rule.tools if name in tools] if rule.tools else [*tools.values()]

    def problems(self) -> Iterator[RuleProblem]:
        """Find what is wrong with it."""
        rule = self._rule
        yield from _unknown(("tools",), rule.tools, self._tools, "tool")
        for path, claim in rule.claims_inside():
            yield from self._claim(claim, path)
        yield from self._message()
        yield from self._own()

    def _own(self) -> Iterator[RuleProblem]:
        """Look at what only its kind has."""
        match self._rule:
            case Limit() as limit:
                yield from self._limit(limit)
            case Forbidden(claims=claims, with_tools=others):
                yield from _needs((*claims, *others), ("claims",), "at least one claim, or `with_tools`")
                yield from _unknown(("with_tools",), others, self._tools, "tool")
            case Requires() | After() | Order() | Quota() as ordering:
                yield from self._ordering(ordering)
            case other:
                yield from other.problems(self._tools)

    def _ordering(self, rule: Requires | After | Order | Quota) -> Iterator[RuleProblem]:
        """Look at what came before."""
        match rule:
            case Requires(fact=fact):
                yield from self._fact(fact.partition(".")[0], ("fact",))
            case After(after=after):
                yield from _unknown(("after",), after, self._tools, "tool")
                yield from _needs(after, ("after",), "the tools that have to run first")
            case Order() as order:
                yield from self._order(order)
            case Quota() as quota:
                yield from self._quota(quota)

    def _quota(self, quota: Quota) -> Iterator[RuleProblem]:
        """Check the number, and that whose runs count fits how they are counted."""
        if quota.most < 0:
            yield RuleProblem(("most",), "is below 0. Use a whole number from 0.")
        if quota.per == "user" and (quota.used or not quota.tools):
            yield RuleProblem(("per",), "a quota of a user names its `tools`, and counts without `used`.")
        if quota.per == "thread" and quota.period is not None:
            yield RuleProblem(("period",), 'a quota of a thread has no period. Add `per = "user"`, or leave it out.')
        if quota.used:
            yield from self._fact(quota.used, ("used",))

    def _order(self, order: Order) -> Iterator[RuleProblem]:
        """Check that all states exist and all moves are tools."""
        yield from _unknown(("start",), [order.start], order.states, "state")
        for state, moves in order.states.items():
            yield from _unknown(("states", state), moves, self._tools, "tool")
            yield from _unknown(("states", state), moves.values(), order.states, "state")
        for state in never_reached(order):
            yield RuleProblem(("states", state), f"no move leads here from {order.start!r}. Add one, or leave it out.")

    def _limit(self, limit: Limit) -> Iterator[RuleProblem]:
        """Check the field, and that there is a test that can be passed."""
        yield from self._field(limit.field, ("field",))
        if not limit.condition.tests_values and not limit.inside:
            yield RuleProblem((), "puts no limit. Add `at_most`, `one_of`, `matches` or `inside`.")
        yield from _impossible(limit)
        if limit.inside and not (limit.inside.startswith("/") and is_inside(limit.inside, limit.inside)):
            yield RuleProblem(("inside",), "is no plain absolute folder. Write it from `/` on.")
        try:
            re.compile(limit.matches)
        except re.error as error:
            yield RuleProblem(("matches",), f"is no regular expression: {error}.")

    def _claim(self, claim: Claim, path: Path) -> Iterator[RuleProblem]:
        """Check that a claim says something, about what exists."""
        if not claim.tests and not claim.was_looked_up:
            yield RuleProblem(path, "tests nothing. Add `equals`, `at_most`, `at_least`, `one_of` or `was_looked_up`.")
        if claim.was_looked_up:
            yield from self._fact(claim.was_looked_up, (*path, "was_looked_up"))
        yield from chain.from_iterable(self._expression(part, path) for part in claim.expressions)

    def _expression(self, expression: Expression, path: Path) -> Iterator[RuleProblem]:
        match expression:
            case Field(field=field):
                yield from self._field(field, path)
            case Fact(fact=fact):
                yield from self._fact(fact, path)
            case Result(result=tool):
                yield from _unknown(path, [tool], self._tools, "tool")
            case Computed(computed=name):
                yield from _unknown(path, [name], self._set.functions, "function")
            case _:
                return

    def _fact(self, name: str, path: Path) -> Iterator[RuleProblem]:
        """Check that somebody establishes a fact; one rule alone can't know."""
        if self._facts is not None and name not in self._facts:
            known = code_list(nearest(name, self._facts) or sorted(self._facts))
            advice = f"Use {known}, or declare it" if known else "Declare it"
            yield RuleProblem(path, f"nothing establishes the fact {name!r}. {advice} under `fact` or `host_facts`.")

    def _field(self, field: str, path: Path) -> Iterator[RuleProblem]:
        """Check that every tool that is named has a field, or at least one where none is."""
        found = [(spec, declaration(spec, field)) for spec in self._concerned]
        lacking = [(spec, declared) for spec, declared in found if not declared.named and not declared.open]
        if self._rule.tools or len(lacking) == len(found):
            for spec, declared in lacking:
                near = code_list(nearest(field, declared.names) or sorted(declared.names)[:20])
                yield RuleProblem(
                    path, f"`{spec.name}` has no field {field!r}." + (f" Use one of {near}." if near else "")
                )

    def _message(self) -> Iterator[RuleProblem]:
        """Check the placeholders of a message."""
        own = self._rule.message
        for place, text in (
            [(("message",), own)] if isinstance(own, str) else [(("message", k), t) for k, t in own.items()]
        ):
            try:
                unknown = unknown_placeholders(text)
            except ValueError as error:
                yield RuleProblem(place, f"can't be filled in: {error}. Double braces that are meant as such.")
                continue
            yield from _unknown(place, unknown, PLACEHOLDERS, "placeholder")


def _impossible(limit: Limit) -> Iterator[RuleProblem]:
    """Object to bounds that no value keeps, which would stop every call."""
    bounds = limit.condition.bounds
    for name, bound in bounds.items():
        if not isfinite(bound):
            yield RuleProblem((name,), "is no finite number. Leave it out where there is no bound.")
    for low, high in product(("at_least", "above"), ("at_most", "below")):
        yield from _crossed(bounds, low, high, both=(low, high) == ("at_least", "at_most"))
    if limit.one_of and set(limit.one_of) <= set(limit.none_of):
        yield RuleProblem(("none_of",), "takes out all that `one_of` allows. Leave one value in.")


def _crossed(bounds: Mapping[str, float], low: str, high: str, *, both: bool) -> Iterator[RuleProblem]:
    if low in bounds and high in bounds and (bounds[low] > bounds[high] or (bounds[low] == bounds[high] and not both)):
        yield RuleProblem((low,), f"{bounds[low]:g} leaves no number, as `{high}` is {bounds[high]:g}. Swap the two.")


def _needs(given: Sequence[object], path: Path, what: str) -> Iterator[RuleProblem]:
    if not given:
        yield RuleProblem(path, f"is empty. List {what}.")


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
