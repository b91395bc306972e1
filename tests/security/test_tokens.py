"""A token decides nothing by itself: who decides is checked when it is used, and who may not decide doesn't see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import Request

from reinforced_agent import ApprovalPolicy, ApprovalRule, Context
from tests.graph.house import House, call, calls
from tests.service.http.router import PAID, PAY, agent_of, decide, use


ANN = Context(user_id="ann", tenant="north")
RULES: dict[str, ApprovalRule] = {
    "anybody": ApprovalRule(),
    "a boss": ApprovalRule(roles=("boss",)),
    "four eyes": ApprovalRule(four_eyes=True),
    "another boss": ApprovalRule(roles=("boss",), four_eyes=True),
}
ATTACKS: dict[str, tuple[str, Context]] = {
    "nobody": ("anybody", Context()),
    "nobody, with a role": ("a boss", Context(roles=("boss",), tenant="north")),
    "nobody, of the tenant": ("anybody", Context(tenant="north")),
    "another role": ("a boss", Context(user_id="bob", roles=("clerk",), tenant="north")),
    "a role by another case": ("a boss", Context(user_id="bob", roles=("BOSS",), tenant="north")),
    "another tenant": ("anybody", Context(user_id="bob", roles=("boss",), tenant="south")),
    "no tenant": ("anybody", Context(user_id="bob", roles=("boss",))),
    "the requester": ("four eyes", ANN),
    "the requester in capitals": ("four eyes", Context(user_id="ANN ", tenant="north")),
    "the requester in wide letters": ("four eyes", Context(user_id="ａｎｎ", tenant="north")),
    "the requester as a boss": ("another boss", Context(user_id="ann", roles=("boss",), tenant="north")),
}
DAILY: dict[str, tuple[str, Context]] = {
    "the requester": ("anybody", ANN),
    "the requester, written otherwise": ("anybody", Context(user_id="Ann ", tenant="North")),
    "a colleague": ("anybody", Context(user_id="bob", tenant="north")),
    "a boss": ("a boss", Context(user_id="bob", roles=("boss",), tenant="north")),
    "the requester who is a boss": ("a boss", Context(user_id="ann", roles=("boss",), tenant="north")),
    "a boss with more roles": ("a boss", Context(user_id="bob", roles=("clerk", "boss"), tenant="north")),
    "a second person": ("four eyes", Context(user_id="bob", tenant="north")),
    "another boss": ("another boss", Context(user_id="bob", roles=("boss",), tenant="north")),
}
NOTE = calls(call("send_note", {"to": "bob", "text": "hi"}, "c1"))


def asked(rule: str) -> House:
    """Bring a thread of Ann's to its question."""
    return House(NOTE, "Done.", "Done.", approvals=ApprovalPolicy(write=RULES[rule])).say(context=ANN)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_token_in_the_wrong_hands_runs_nothing(name: str) -> None:
    """The question waits on, with the reason, and the right person may still answer it."""
    rule, who = ATTACKS[name]
    thread = asked(rule)
    before = thread.question.value["calls"][0]["token"]
    refused = _try(thread, who)
    assert thread.effects == []
    assert refused
    state = thread.agent.get_state(thread.config)
    assert state.interrupts[0].value["calls"][0]["token"] == before
    thread.result = {"__interrupt__": state.interrupts}
    thread.decide({"type": "approve"}, context=Context(user_id="eve", roles=("boss",), tenant="north"))
    assert thread.effects == [("bob", "hi")]


def _try(thread: House, who: Context) -> str:
    """Approve, and return why that was not taken: from the question, or from the error at the entry."""
    try:
        thread.decide({"type": "approve"}, context=who)
    except Exception as error:  # noqa: BLE001  # which one is the matter of other tests
        return str(error)
    return str(thread.question.value["problem"])


@pytest.mark.parametrize("name", DAILY)
def test_the_right_hands_decide(name: str) -> None:
    """Nothing else is asked of them."""
    rule, who = DAILY[name]
    assert asked(rule).decide({"type": "approve"}, context=who).effects == [("bob", "hi")]


def test_where_nobody_is_named_the_token_is_enough() -> None:
    """A notebook, Studio and a first try name no people."""
    thread = House(NOTE, "Done.").say()
    assert thread.decide({"type": "approve"}).effects == [("bob", "hi")]


def by_header(request: Request) -> Context:
    """Name the person by headers."""
    role = request.headers.get("x-role", "")
    return Context(user_id=request.headers.get("x-user", ""), roles=(role,) if role else (), tenant="north")


BOSS = {"x-user": "bob", "x-role": "boss"}
READERS: dict[str, tuple[str, dict[str, str], bool]] = {
    "a clerk": ("a boss", {"x-user": "bob", "x-role": "clerk"}, False),
    "nobody": ("anybody", {}, False),
    "nobody, with the role": ("a boss", {"x-role": "boss"}, False),
    "a boss": ("a boss", BOSS, True),
    "the requester, who may reject": ("four eyes", {"x-user": "ann"}, True),
    "a colleague": ("anybody", {"x-user": "bob"}, True),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("read", ["thread", "message", "event", "refusal"])
def test_only_who_may_decide_is_shown_the_token(name: str, read: str) -> None:
    """The question is shown to all who may read the thread; the payload that is stored keeps its token."""
    rule, who, shown = READERS[name]

    async def story(client: httpx.AsyncClient) -> Any:
        first = await _say(client, **{"x-user": "ann"})
        assert "question" in first.json()
        return await WAYS[read](client, who)

    policy = ApprovalPolicy(write=RULES[rule])
    agent = agent_of(PAY, "Paid.", approvals=policy)
    text = use(agent, story, by_header)
    token = agent.get_state({"configurable": {"thread_id": "t"}}).interrupts[0].value["calls"][0]["token"]
    assert token
    assert (token in text) is shown
    assert PAID == []


async def _say(client: httpx.AsyncClient, **headers: str) -> httpx.Response:
    """Send the message of the thread; sent again, it only tells how its turn stands."""
    return await client.post("/threads/t/messages", json={"text": "Pay.", "id": "m1"}, headers=headers)


async def _thread(client: httpx.AsyncClient, who: dict[str, str]) -> str:
    return (await client.get("/threads/t", headers=who)).text


async def _message(client: httpx.AsyncClient, who: dict[str, str]) -> str:
    return (await _say(client, **who)).text


async def _event(client: httpx.AsyncClient, who: dict[str, str]) -> str:
    return (await _say(client, accept="text/event-stream", **who)).text


async def _refusal(client: httpx.AsyncClient, who: dict[str, str]) -> str:
    question = (await client.get("/threads/t", headers={**BOSS, "x-user": "eve"})).json()["question"]
    wrong = {**question, "calls": [{**one, "token": "forged"} for one in question["calls"]]}
    answer = await decide(client, wrong, {"type": "approve"}, **who)
    assert answer.status_code >= 400
    return answer.text + (await client.get("/threads/t", headers=who)).text


WAYS: dict[str, Callable[[httpx.AsyncClient, dict[str, str]], Any]] = {
    "thread": _thread,
    "message": _message,
    "event": _event,
    "refusal": _refusal,
}
