"""Rules about what came before: facts, earlier tools, counts and failures."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.rules import (
    After,
    Claim,
    Field,
    Forbidden,
    NotAgain,
    Observed,
    Order,
    Quota,
    Relation,
    Requires,
    RuleSet,
    Source,
    Sum,
)
from reinforced_agent.policies.situation import Sibling
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Revise
from reinforced_agent.tools.call import digest
from tests.policies.rules.rule_bench import judged, message, objects, past


LOGGED_IN = Requires(name="login first", tools=("pay",), fact="user_id")
PAID = {"amount": 5}


@pytest.mark.parametrize(
    ("facts", "stopped"),
    [
        pytest.param({}, True, id="unknown"),
        pytest.param({"user_id": None}, True, id="null"),
        pytest.param({"user_id": ""}, True, id="empty"),
        pytest.param({"user_id": False}, True, id="false"),
        pytest.param({"user_id": []}, True, id="empty-list"),
        pytest.param({"user_id": {}}, True, id="empty-table"),
        pytest.param({"user_id": "ann"}, False, id="known"),
        pytest.param({"user_id": 0}, False, id="number-zero"),
        pytest.param({"userid": "ann"}, True, id="another-fact"),
    ],
)
def test_a_fact_has_to_be_known_first(facts: dict[str, Any], *, stopped: bool) -> None:
    """What is missing, empty or false doesn't open the door."""
    assert objects(judged(LOGGED_IN, "pay", PAID, facts=facts)) is stopped


@pytest.mark.parametrize(
    ("value", "stopped"),
    [
        pytest.param("gold", False, id="listed"),
        pytest.param("Gold", True, id="other-case"),
        pytest.param(["gold", "none"], True, id="one-of-two"),
        pytest.param(True, True, id="other-type"),
    ],
)
def test_a_fact_may_have_to_be_one_of_a_list(value: Any, *, stopped: bool) -> None:
    """Every value of the fact has to be listed, exactly."""
    rule = Requires(name="members", fact="user.level", one_of=("gold", "silver"))
    assert objects(judged(rule, "pay", PAID, facts={"user": {"level": value}})) is stopped


def test_the_message_names_the_tool_that_establishes_the_fact() -> None:
    """Where a source is declared, the model is told what to call first; the verdict draws on the budget of order."""
    (rule,) = RuleSet(rules=(LOGGED_IN,), sources=(Source(fact="user_id", tool="login", path="id"),))
    verdict = judged(rule, "pay", PAID)
    assert message(verdict) == "`pay` needs `user_id`, which isn't known yet. Call `login` first, then `pay` again."
    assert isinstance(verdict, Revise)
    assert verdict.kind is ErrorKind.WRONG_ORDER


@pytest.mark.parametrize(
    ("earlier", "stopped"),
    [
        pytest.param(past("login", '{"id": "ann"}'), False, id="result"),
        pytest.param(past("login", '{"id": "ann"}', Status.FAILED), True, id="failure"),
        pytest.param(past("login", '{"id": "ann"}', Status.SERVED), True, id="fallback"),
        pytest.param(past("login", '{"name": "ann"}'), True, id="other-shape"),
        pytest.param(past("login", '{"id": '), True, id="cut-off"),
        pytest.param(past("search", '{"id": "ann"}'), True, id="other-tool"),
    ],
)
def test_a_result_of_this_turn_establishes_a_fact(earlier: Any, *, stopped: bool) -> None:
    """Only what the declared tool itself brought, in the declared shape, counts."""
    (rule,) = RuleSet(rules=(LOGGED_IN,), sources=(Source(fact="user_id", tool="login", path="id"),))
    assert objects(judged(rule, "pay", PAID, history=(earlier,))) is stopped


@pytest.mark.parametrize(
    ("known", "stopped"),
    [
        pytest.param({}, True, id="nothing-before"),
        pytest.param({"history": (past("search"),)}, False, id="result"),
        pytest.param({"history": (past("search", status=Status.FAILED),)}, True, id="failure"),
        pytest.param({"history": (past("search", status=Status.WAITING),)}, True, id="waiting"),
        pytest.param({"facts": {"tools_done": ["search"]}}, False, id="earlier-turn"),
        pytest.param({"facts": {"tools_done": "search"}}, True, id="odd-fact"),
    ],
)
def test_a_tool_waits_for_the_result_of_another(known: dict[str, Any], *, stopped: bool) -> None:
    """A prerequisite counts once it has brought a result, in this turn or the thread."""
    rule = After(name="search first", tools=("add_to_cart",), after=("search",))
    assert objects(judged(rule, "add_to_cart", {"item": "x"}, **known)) is stopped


def test_a_dependent_call_of_the_same_message_is_told_to_wait() -> None:
    """Calls before it in the message have no result yet, and the model is told so."""
    rule = After(name="search first", tools=("add_to_cart",), after=("search",))
    assert "same message" in message(judged(rule, "add_to_cart", {"item": "x"}, beside=(Sibling("search"),)))


MACHINE = Order(
    name="checkout",
    start="empty",
    states={
        "empty": {"search": "empty", "add_to_cart": "filled"},
        "filled": {"add_to_cart": "filled", "pay": "paid"},
        "paid": {},
    },
)


@pytest.mark.parametrize(
    ("done", "tool", "stopped"),
    [
        pytest.param([], "pay", True, id="too-early"),
        pytest.param(["add_to_cart"], "pay", False, id="in-order"),
        pytest.param(["add_to_cart", "search"], "pay", False, id="move-that-leads-nowhere"),
        pytest.param(["add_to_cart", "pay"], "pay", True, id="after-the-end"),
        pytest.param([], "login", False, id="free-tool"),
    ],
)
def test_a_state_machine_lets_tools_run_in_order(done: list[str], tool: str, *, stopped: bool) -> None:
    """A tool may run where its state says so; tools of no state are free."""
    assert objects(judged(MACHINE, tool, {}, facts={"tools_done": done})) is stopped


@pytest.mark.parametrize(
    ("done", "beside", "tool", "stopped"),
    [
        pytest.param([], ["add_to_cart"], "pay", True, id="has-to-wait-for-the-call-beside"),
        pytest.param([], ["add_to_cart"], "add_to_cart", False, id="either-way"),
        pytest.param(["add_to_cart"], ["pay"], "pay", True, id="used-up-by-the-call-beside"),
        pytest.param(["add_to_cart"], ["search"], "pay", False, id="leads-nowhere"),
    ],
)
def test_a_state_machine_sees_the_calls_beside(done: list[str], beside: list[str], tool: str, *, stopped: bool) -> None:
    """A call has to be allowed whether or not those before it in the message have run by then."""
    known = {"facts": {"tools_done": done}, "beside": tuple(Sibling(name) for name in beside)}
    assert objects(judged(MACHINE, tool, {}, **known)) is stopped


@pytest.mark.parametrize(
    ("known", "stopped"),
    [
        pytest.param({}, False, id="alone"),
        pytest.param({"facts": {"tools_done": ["search"]}}, True, id="before"),
        pytest.param({"facts": {"tools_in_doubt": ["search"]}}, True, id="in-doubt"),
        pytest.param({"beside": (Sibling("search", later=True),)}, True, id="later-in-the-message"),
        pytest.param({"beside": (Sibling("search", status=Status.REFUSED),)}, False, id="refused"),
    ],
)
def test_tools_may_be_forbidden_together(known: dict[str, Any], *, stopped: bool) -> None:
    """One of them in the thread, or in the message, excludes the other."""
    rule = Forbidden(name="not both", tools=("pay",), with_tools=("search",))
    assert objects(judged(rule, "pay", PAID, **known)) is stopped


def test_a_sum_may_count_the_calls_beside() -> None:
    """An amount that is split over several calls of one message is one amount."""
    rule = Relation(name="cap", tools=("pay",), must=Claim(value=Sum(Field("amount", beside=True)), at_most=100))
    assert not objects(judged(rule, "pay", {"amount": 60}))
    assert objects(judged(rule, "pay", {"amount": 60}, beside=(Sibling("pay", {"amount": 60}),)))
    assert not objects(judged(rule, "pay", {"amount": 60}, beside=(Sibling("search", {"amount": 60}),)))


@pytest.mark.parametrize(
    ("used", "beside", "said"),
    [
        pytest.param(None, [], "it isn't known who asks", id="nobody"),
        pytest.param(3, [], "3 times a day for each user", id="used-up"),
        pytest.param(2, ["pay"], "other calls stand before it", id="beside"),
        pytest.param(2, [], "", id="left"),
    ],
)
def test_a_quota_of_a_user_counts_over_threads(used: int | None, beside: list[str], said: str) -> None:
    """The number comes from outside the thread; without one the call is not made, and the reason is told."""
    rule = Quota(name="three", tools=("pay",), most=3, per="user", period="day")
    known = {} if used is None else {"used": {rule.counted: used}}
    verdict = judged(rule, "pay", PAID, beside=tuple(Sibling(name) for name in beside), **known)
    assert said in message(verdict) if said else not objects(verdict)


def test_the_message_of_a_state_machine_names_what_may_run() -> None:
    """The model learns the possible next tools."""
    assert "`add_to_cart`, `search`" in message(judged(MACHINE, "pay", PAID))


@pytest.mark.parametrize(
    ("known", "stopped"),
    [
        pytest.param({}, False, id="unused"),
        pytest.param({"history": (past("pay"), past("pay"))}, True, id="used-up"),
        pytest.param({"history": (past("pay"), past("pay", status=Status.FAILED))}, False, id="failures-are-free"),
        pytest.param({"history": (past("pay"), past("pay", status=Status.UNKNOWN))}, True, id="unknown-counts"),
        pytest.param({"history": (past("pay"),), "beside": (Sibling("pay"),)}, True, id="siblings-might-use-it-up"),
        pytest.param({"facts": {"tools_done": ["pay", "search", "pay"]}}, True, id="thread"),
        pytest.param({"facts": {"tools_done": ["pay"]}, "history": (past("pay"),)}, True, id="thread-and-turn"),
        pytest.param(
            {"facts": {"tools_done": ["pay"], "facts_up_to_date": True}, "history": (past("pay"),)},
            False,
            id="turn-counted-already",
        ),
        pytest.param({"history": (past("search"), past("search"))}, False, id="other-tools"),
    ],
)
def test_a_quota_counts_what_ran_or_may_have(known: dict[str, Any], *, stopped: bool) -> None:
    """Two payments a run, counted with those whose outcome is unknown."""
    assert objects(judged(Quota(name="two", tools=("pay",), most=2), "pay", PAID, **known)) is stopped


@pytest.mark.parametrize(
    ("used", "stopped"),
    [
        pytest.param(1, False, id="left"),
        pytest.param(2, True, id="used-up-with-this-turn"),
        pytest.param(2.5, True, id="fraction"),
        pytest.param(None, True, id="not-known"),
        pytest.param("1", True, id="text"),
        pytest.param(True, True, id="truth"),
    ],
)
def test_a_quota_of_a_user_counts_from_a_fact(used: Any, *, stopped: bool) -> None:
    """A number that isn't known counts as used up."""
    rule = Quota(name="three", tools=("pay",), most=3, used="payments")
    assert objects(judged(rule, "pay", PAID, facts={"payments": used}, history=(past("pay"),))) is stopped


def test_a_call_that_failed_in_the_thread_is_not_repeated_until_something_changed() -> None:
    """The chronicle of a thread forgets failures once a write has gone through."""
    rules = RuleSet(rules=(NotAgain(name="again"),))
    (rule,) = rules
    failed = Observed(tool="pay", result="no", arguments=PAID, failed=True)
    changed = Observed(tool="add_to_cart", result="ok", changes=True)
    assert rules.facts([failed])["failed_calls"] == [digest("pay", PAID)]
    assert objects(judged(rule, "pay", PAID, facts=rules.facts([failed])))
    assert not objects(judged(rule, "pay", {"amount": 6}, facts=rules.facts([failed])))
    assert not objects(judged(rule, "pay", PAID, facts=rules.facts([failed, changed])))
    assert not objects(judged(rule, "pay", PAID, facts=rules.facts([failed]), history=(past("pay"),)))
    assert not objects(judged(rule, "pay", PAID))


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [
        pytest.param("accept", Accept, id="accept"),
        pytest.param("revise", Revise, id="revise"),
        pytest.param("refuse", Refuse, id="refuse"),
        pytest.param("ask", Ask, id="ask"),
    ],
)
def test_an_objection_becomes_the_verdict_of_the_rule(verdict: Any, kind: type) -> None:
    """A rule says what its objection becomes; one on trial is only put on record."""
    found = judged(Requires(name="trial", fact="user_id", verdict=verdict), "pay", PAID)
    assert isinstance(found, kind)
    assert (found.layer, found.score) == ("trial", 0.0)


@pytest.mark.parametrize(
    ("locale", "own", "said"),
    [
        pytest.param("en", "", "`pay` needs `user_id`", id="house"),
        pytest.param("zh-CN", "", "`pay` 需要 `user_id`", id="house-chinese"),
        pytest.param("zh", "Log in before {tool}, {allowed}.", "Log in before pay, ….", id="own"),
        pytest.param("zh-Hans", {"en": "Log in.", "zh": "请登录。"}, "请登录。", id="own-chinese"),
        pytest.param("fr", {"en": "Log in.", "zh": "请登录。"}, "Log in.", id="own-other-language"),
    ],
)
def test_messages_speak_the_language_of_the_reader(locale: str, own: Any, said: str) -> None:
    """The host's words win, in the reader's language where there are any."""
    rule = Requires(name="login", fact="user_id", message=own)
    assert message(judged(rule, "pay", PAID, locale=locale)).startswith(said)
