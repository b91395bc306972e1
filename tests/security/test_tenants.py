"""Tenants, deployments and roles: what reaches for somebody else's threads, effects or results, and the daily work."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Overwrite

from reinforced_agent import (
    ApprovalPolicy,
    ApprovalRule,
    Breaker,
    Breakers,
    Context,
    LastGood,
    Ledger,
    Limits,
    OtherTenantError,
    ScriptedModel,
    SqlSink,
    build_agent,
    tool,
)
from reinforced_agent.graph.resilience.good_results import GoodResults
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.claims import Effect
from reinforced_agent.ledger.result_store import WholeResult
from reinforced_agent.policies.rules import After, Order, Quota
from reinforced_agent.service.http.router import agent_router
from tests.databases import SHARED, database


ANN = Context(user_id="ann", tenant="acme", roles=("clerk",))
BOB = Context(user_id="bob", tenant="acme", roles=("manager",))
EVE = Context(user_id="ann", tenant="evil", roles=("manager",))
ZOE = Context(user_id="ann", roles=("manager",))
PAY: Any = {"tool_calls": [{"name": "pay", "arguments": {"amount": 5}, "id": "c1"}]}
FREE = ApprovalPolicy(write=ApprovalRule(ask=False))
ROWS = [{"id": f"C-{number:05}", "name": f"customer {number}"} for number in range(3_000)]


def one(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    """Write a line of a script with one call."""
    return {"tool_calls": [{"name": name, "arguments": arguments, "id": call_id}]}


class Shop:
    """An agent that pays, with a thread of Ann's."""

    def __init__(self, *lines: Any, **options: Any) -> None:
        """Build the agent over a script."""
        self.paid: list[int] = []

        @tool(risk="read")
        def verify() -> str:
            """Verify the person who asks."""
            return "verified"

        @tool
        def pay(amount: int) -> str:
            """Pay."""
            self.paid.append(amount)
            return f"paid {amount}, number {len(self.paid)}"

        self.model = ScriptedModel(lines=list(lines))
        options = {"checkpointer": InMemorySaver(), "tools": [verify, pay], **options}
        self.agent = build_agent(model=self.model, **options)
        self.config: Any = {"configurable": {"thread_id": "t"}}

    def ask(self, context: Context | None, text: str = "Pay.", message: str | None = None) -> Any:
        """Send a message to the thread."""
        said: Any = {"role": "user", "content": text} | ({"id": message} if message else {})
        config = self.config if self.agent.checkpointer else None
        return self.agent.invoke({"messages": [said]}, config, context=context)

    def decide(self, asked: Any, context: Context | None, kind: str = "approve") -> Any:
        """Answer the question."""
        return self.agent.invoke(self.answer(asked, kind), self.config, context=context)

    def answer(self, asked: Any, kind: str = "approve") -> Command[Any]:
        """Write an answer with the token of the question."""
        (question,) = asked["__interrupt__"]
        decisions = [{"type": kind, "token": question.value["calls"][0]["token"]}]
        return Command(resume={question.id: {"decisions": decisions}})

    @property
    def checkpoints(self) -> int:
        """How many states the thread has had."""
        return len(list(self.agent.get_state_history(self.config)))

    def serve(self, story: Callable[[httpx.AsyncClient], Any]) -> Any:
        """Let a story use the router; headers name the person."""

        def person(request: Request) -> Context:
            return Context.model_validate(json.loads(request.headers.get("x-person", "{}")))

        async def main() -> Any:
            app = FastAPI()
            app.include_router(agent_router(self.agent, person=person))
            transport = httpx.ASGITransport(app=app)
            async with (
                app.router.lifespan_context(app),
                httpx.AsyncClient(transport=transport, base_url="http://app") as client,
            ):
                return await story(client)

        return asyncio.run(main())


def as_(context: Context) -> dict[str, str]:
    """Write a person as headers."""
    return {"x-person": context.model_dump_json()}


# --- the router -------------------------------------------------------------------------------------------------------

Send = Callable[[httpx.AsyncClient, Any, Context], Any]


async def read(client: httpx.AsyncClient, _question: Any, who: Context) -> httpx.Response:
    """Read the thread."""
    return await client.get("/threads/t", headers=as_(who))


async def write(client: httpx.AsyncClient, _question: Any, who: Context) -> httpx.Response:
    """Send a message."""
    return await client.post("/threads/t/messages", json={"text": "And me?"}, headers=as_(who))


async def repeat(client: httpx.AsyncClient, _question: Any, who: Context) -> httpx.Response:
    """Send the message of the requester once more."""
    return await client.post("/threads/t/messages", json={"text": "Pay.", "id": "m1"}, headers=as_(who))


async def listen(client: httpx.AsyncClient, _question: Any, who: Context) -> httpx.Response:
    """Send it, and ask for events."""
    headers = {**as_(who), "accept": "text/event-stream"}
    return await client.post("/threads/t/messages", json={"text": "Pay.", "id": "m1"}, headers=headers)


async def approve(client: httpx.AsyncClient, question: Any, who: Context) -> httpx.Response:
    """Approve with the token of the question."""
    decisions = [{"type": "approve", "token": question["calls"][0]["token"]}]
    body = {"question": question["id"], "decisions": decisions}
    return await client.post("/threads/t/decisions", json=body, headers=as_(who))


async def reject(client: httpx.AsyncClient, question: Any, who: Context) -> httpx.Response:
    """Reject with the token of the question, under the user id of the requester."""
    decisions = [{"type": "reject", "token": question["calls"][0]["token"]}]
    body = {"question": question["id"], "decisions": decisions}
    return await client.post("/threads/t/decisions", json=body, headers=as_(who))


def meet(send: Send, owner: Context, other: Context, *lines: Any) -> tuple[Shop, httpx.Response, Any]:
    """Let one person ask, and another one come to the thread; return the answer to the other, and what waits."""
    shop = Shop(PAY, *lines)

    async def story(client: httpx.AsyncClient) -> Any:
        said = {"text": "Pay.", "id": "m1"}
        asked = (await client.post("/threads/t/messages", json=said, headers=as_(owner))).json()
        came = await send(client, asked["question"], other)
        return came, (await client.get("/threads/t", headers=as_(owner))).json()["question"]

    came, waits = shop.serve(story)
    return shop, came, waits


STRANGERS = [
    pytest.param(ANN, EVE, id="another-tenant"),
    pytest.param(ANN, ZOE, id="no-tenant"),
    pytest.param(ANN, Context(), id="nobody"),
    pytest.param(Context(user_id="ann"), EVE, id="a-tenant-where-none-was-named"),
]


@pytest.mark.parametrize(("owner", "other"), STRANGERS)
@pytest.mark.parametrize("send", [read, write, repeat, listen, approve, reject])
def test_a_thread_of_another_tenant_is_one_that_does_not_exist(send: Send, owner: Context, other: Context) -> None:
    """Whatever comes, it is told what a thread that nobody has begun is told, and the question waits on."""
    shop, came, waits = meet(send, owner, other)
    unknown = Shop().serve(lambda client: read(client, None, other))
    assert (came.status_code, came.json()) == (404, unknown.json())
    assert waits["calls"][0]["token"] not in came.text
    assert shop.paid == []


@pytest.mark.parametrize(
    "colleague",
    [
        pytest.param(BOB, id="colleague"),
        pytest.param(BOB.model_copy(update={"tenant": " ACME"}), id="tenant-written-another-way"),
        pytest.param(ANN, id="requester"),
    ],
)
@pytest.mark.parametrize(
    ("send", "paid"),
    [(read, []), (write, []), (repeat, []), (approve, [5])],
    ids=["read", "write", "repeat", "approve"],
)
def test_people_of_a_tenant_share_its_threads(send: Send, paid: list[int], colleague: Context) -> None:
    """They read, write and approve as before."""
    shop, came, _ = meet(send, ANN, colleague, "Done.")
    assert (came.status_code, shop.paid) == (200, paid)


def test_where_nobody_is_named_everything_is_as_before() -> None:
    """Without tenant and user id, all are the same person."""
    shop, came, _ = meet(approve, Context(), Context(), "Paid.")
    assert (came.json()["answer"], shop.paid) == ("Paid.", [5])


def test_a_host_lets_its_staff_decide_by_naming_the_tenant_of_the_thread() -> None:
    """That is the switch: whom it names, the router believes."""
    staff = Context(user_id="help-desk", roles=("staff",), tenant=ANN.tenant)
    shop, came, _ = meet(approve, ANN, staff, "Paid.")
    assert (came.status_code, shop.paid) == (200, [5])


# --- the library ------------------------------------------------------------------------------------------------------

SAYS: Any = {"messages": [("user", "And me?")]}


async def _drained(shop: Shop, value: Any, who: Context | None) -> None:
    async for _ in shop.agent.astream(value, shop.config, context=who):
        pass


WAYS: dict[str, Callable[[Shop, Any, Context | None], Any]] = {
    "message": lambda shop, _asked, who: shop.agent.invoke(SAYS, shop.config, context=who),
    "stream": lambda shop, _asked, who: list(shop.agent.stream(SAYS, shop.config, context=who)),
    "async": lambda shop, _asked, who: asyncio.run(_drained(shop, SAYS, who)),
    "resume": lambda shop, asked, who: shop.decide(asked, who),
    "async-resume": lambda shop, asked, who: asyncio.run(_drained(shop, shop.answer(asked), who)),
    "reject": lambda shop, asked, who: shop.decide(asked, who, "reject"),
    "context-as-a-dict": lambda shop, _asked, who: shop.agent.invoke(
        SAYS,
        shop.config,
        context=who and who.model_dump(),  # type: ignore[arg-type]
    ),
}


@pytest.mark.parametrize("who", [EVE, ZOE, None], ids=["another-tenant", "no-tenant", "nobody"])
@pytest.mark.parametrize("way", list(WAYS))
def test_a_run_for_another_tenant_is_refused_before_anything_is_written(way: str, who: Context | None) -> None:
    """The error says what is wrong and names no tenant; the thread is as it was, and its own tenant goes on."""
    shop = Shop(PAY, "Paid.")
    asked = shop.ask(ANN)
    before = shop.checkpoints
    with pytest.raises(OtherTenantError, match="'t' belongs to another tenant") as refused:
        WAYS[way](shop, asked, who)
    assert "acme" not in str(refused.value)
    assert (shop.checkpoints, shop.paid) == (before, [])
    assert shop.decide(asked, BOB)["messages"][-1].text == "Paid."
    assert shop.paid == [5]


def test_going_on_in_the_name_of_another_tenant_is_refused() -> None:
    """A run that was cut off isn't finished, and told, for somebody else; a worker that names nobody may go on."""
    shop = Shop("Hello.")
    shop.agent.interrupt_before_nodes = ["propose"]
    shop.ask(ANN)
    with pytest.raises(OtherTenantError):
        shop.agent.invoke(None, shop.config, context=EVE)
    shop.agent.interrupt_before_nodes = []
    assert shop.agent.invoke(None, shop.config)["messages"][-1].text == "Hello."


def test_a_thread_stays_with_the_tenant_that_began_it() -> None:
    """Later messages don't hand it over, however they spell the tenant; whoever keeps the threads may."""
    shop = Shop("One.", "Two.", "Three.")
    shop.ask(ANN)
    shop.ask(BOB.model_copy(update={"tenant": "Acme "}))
    assert shop.agent.get_state(shop.config).values["tenant"] == "acme"
    shop.agent.update_state(shop.config, {"tenant": Overwrite("evil")})
    with pytest.raises(OtherTenantError):
        shop.ask(ANN)
    assert shop.ask(EVE)["messages"][-1].text == "Three."


def test_threads_of_an_earlier_version_belong_to_their_last_requester() -> None:
    """They don't say whose they are; their people go on, and from then on it is written down."""
    shop = Shop("One.", "Two.")
    shop.ask(ANN)
    shop.agent.update_state(shop.config, {"tenant": Overwrite(None)})
    with pytest.raises(OtherTenantError):
        shop.ask(EVE)
    assert shop.ask(BOB)["messages"][-1].text == "Two."
    assert shop.agent.get_state(shop.config).values["tenant"] == "acme"


# --- four eyes and quotas ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["Ann", "ann ", "\uff21nn"])
def test_nobody_is_a_second_person_by_another_spelling(spelling: str) -> None:
    """Four eyes see one person; a colleague is another one."""
    shop = Shop(PAY, "Paid.", approvals=ApprovalPolicy(write=ApprovalRule(four_eyes=True)))
    asked = shop.ask(ANN)
    again = shop.decide(asked, ANN.model_copy(update={"user_id": spelling}))
    assert shop.paid == []
    shop.decide(again, BOB)
    assert shop.paid == [5]


@pytest.mark.parametrize(("who", "paid"), [("Ann ", [5]), ("bob", [5, 5])], ids=["another-spelling", "colleague"])
def test_another_spelling_has_no_quota_of_its_own(who: str, paid: list[int]) -> None:
    """A colleague has."""
    once = Quota(name="one a day", tools=("pay",), most=1, per="user", verdict="refuse")
    shop = Shop(PAY, "Done.", PAY, "Done.", policies=[once], approvals=FREE)
    shop.ask(ANN)
    shop.ask(ANN.model_copy(update={"user_id": who}))
    assert shop.paid == paid


# --- one ledger for several -------------------------------------------------------------------------------------------


@contextmanager
def ledgers(kind: str, folder: Path, *namespaces: str) -> Iterator[list[Ledger]]:
    """Open one database under several namespaces."""
    with database(kind, folder) as address:
        opened = [Ledger.open(address, namespace=name) for name in namespaces]
        try:
            yield opened
        finally:
            for ledger in opened:
                ledger.close()


@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize("names", [("shop", "bank"), ("", "bank")], ids=["two-names", "one-name"])
def test_two_deployments_over_one_ledger_do_not_meet(kind: str, names: tuple[str, str], tmp_path: Path) -> None:
    """With the same thread, message and call, each pays once, is told its own result, and has records of its own."""
    with ledgers(kind, tmp_path, *names) as opened:
        shops = [Shop(PAY, "Paid.", ledger=one, approvals=FREE, sinks=[SqlSink(one)]) for one in opened]
        shops[1].paid.append(0)
        told = [shop.ask(ANN, message="m1")["calls"]["c1"]["result"] for shop in shops]
        assert told == ["paid 5, number 1", "paid 5, number 2"]
        assert [[record["requester"] for record in one.records.read()] for one in opened] == [["ann"] * 2] * 2


@pytest.mark.parametrize("kind", SHARED)
def test_processes_of_one_deployment_meet_as_before(kind: str, tmp_path: Path) -> None:
    """A write that one has done is told by the other, and isn't done again."""
    with ledgers(kind, tmp_path, "shop", "shop") as opened:
        shops = [Shop(PAY, "Paid.", ledger=one, approvals=FREE) for one in opened]
        told = [shop.ask(ANN, message="m1")["calls"]["c1"]["result"] for shop in shops]
        assert told == ["paid 5, number 1"] * 2
        assert shops[1].paid == []


@pytest.mark.parametrize("kind", SHARED)
def test_no_book_of_a_ledger_shows_what_another_deployment_has_written(kind: str, tmp_path: Path) -> None:
    """Approvals, running threads, doubtful effects, results, uses, and what pruning takes away."""
    binding = Binding("t", "m1", "c1", "pay", "d" * 64)
    with ledgers(kind, tmp_path, "shop", "bank") as (shop, bank):
        token = shop.approvals.issue(binding, requester={}, expires=None)
        fault = bank.approvals.spend(token, binding, decision="approve", by={})
        assert getattr(fault, "fault", None) == "forged"
        with shop.runs.holding("t"), bank.runs.holding("t"):
            pass
        effect = Effect(binding=binding, namespace="shop")
        claim: Any = shop.effects.claim(effect)
        shop.effects.settle(effect.key, claim.fence, "unknown", {})
        assert ([one["thread"] for one in shop.effects.unknown("t")], bank.effects.unknown()) == (["t"], [])
        shop.results.keep("t", "ref", WholeResult("look", "secret", 6))
        assert bank.results.find("t", "ref") is None
        assert shop.uses.take("u1", "ann", "pay", ())
        assert [one.uses.count("ann", ["pay"], seconds=60) for one in (shop, bank)] == [1, 0]
        assert bank.prune(older_than=-60) == 0
        found = shop.results.find("t", "ref")
        assert found is not None
        assert found.text == "secret"


def test_without_a_namespace_keys_are_what_they_were() -> None:
    """Ledgers in use know what was done; who asks is no part of a key where a thread is named."""
    binding = Binding("thread", "turn", "call", "pay", "d" * 64)
    known = "f100f6749f0798379ea2b6a928529d0a02027a191f305b50fc6ea627a7fee72b"
    assert Effect(binding=binding).key == Effect(binding=binding, requester="somebody").key == known


@pytest.mark.parametrize("name", ["a b", "-a", "a" * 65, "ä", "a\n", "a/b"])
def test_a_namespace_is_plain_text(name: str) -> None:
    """What could be taken for another one is refused."""
    with pytest.raises(ValueError, match="namespace"):
        Ledger("sqlite://", namespace=name)


@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize("other", [BOB, EVE], ids=["colleague", "another-tenant"])
def test_people_without_threads_do_not_meet(kind: str, other: Context, tmp_path: Path) -> None:
    """With the same message id, each one's payment runs; the same person's is not made twice."""
    with ledgers(kind, tmp_path, "") as (ledger,):
        shop = Shop(*[PAY, "Paid."] * 3, ledger=ledger, approvals=FREE, checkpointer=None, sinks=[SqlSink(ledger)])
        told = [shop.ask(who, message="m1")["calls"]["c1"]["result"] for who in (ANN, other, ANN)]
        assert told == ["paid 5, number 1", "paid 5, number 2", "paid 5, number 1"]
        assert len(list(ledger.records.read())) == 4


# --- rules about what came before -------------------------------------------------------------------------------------

FIRST = After(name="verified first", tools=("pay",), after=("verify",), verdict="refuse")
STATES = Order(
    name="in order", start="new", states={"new": {"verify": "known"}, "known": {"pay": "new"}}, verdict="refuse"
)


@pytest.mark.parametrize("rule", [FIRST, STATES], ids=["after", "order"])
@pytest.mark.parametrize(("who", "paid"), [(BOB, []), (ANN, [5]), (EVE, [])], ids=["colleague", "own", "other-name"])
def test_nobody_goes_on_from_what_another_person_has_done(rule: Any, who: Context, paid: list[int]) -> None:
    """In a shared thread, what a rule wants first has to have been done for the one who asks."""
    who = who.model_copy(update={"tenant": "acme", "user_id": "eve" if who is EVE else who.user_id})
    shop = Shop(one("verify", "v1"), "Verified.", PAY, "Done.", policies=[rule], approvals=FREE)
    shop.ask(ANN, "Verify me.")
    shop.ask(who)
    assert shop.paid == paid


def test_what_one_has_done_counts_still_when_others_have_written_meanwhile() -> None:
    """Ann is verified, Bob chats, and Ann pays; a thread of an earlier version counts for its last requester."""
    shop = Shop(one("verify", "v1"), "Verified.", "Hello.", PAY, "Done.", policies=[FIRST], approvals=FREE)
    shop.ask(ANN, "Verify me.")
    done = shop.agent.get_state(shop.config).values["facts"]["tools_done"]
    shop.agent.update_state(shop.config, {"facts": {"tools_done": {"value": done["value"], "from": "tool"}}})
    shop.ask(BOB, "Hello!")
    shop.ask(ANN.model_copy(update={"user_id": "ANN"}))
    assert shop.paid == [5]


# --- results by roles -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "served"),
    [
        pytest.param((), False, id="without-roles"),
        pytest.param(("clerk",), False, id="one-role-less"),
        pytest.param(("clerk", "manager", "board"), False, id="more-roles"),
        pytest.param(("manager", "clerk"), True, id="same-roles"),
    ],
)
def test_an_earlier_result_is_for_the_roles_it_was_brought_for(roles: tuple[str, ...], served: bool) -> None:  # noqa: FBT001
    """Whoever has lost a role is told nothing of what it let them see."""
    up = [True]

    @tool(risk="read", fallbacks=(LastGood(max_age=60),), breaker=Breaker(failures=1))
    def look() -> str:
        """Look."""
        if not up[0]:
            raise ConnectionError
        return "the salaries"

    kept, breakers = GoodResults(), Breakers()

    def ask(who: Context, thread: str) -> Any:
        model = ScriptedModel(lines=[one("look", thread), "Done."])
        options: Any = {"good_results": kept, "breakers": breakers, "checkpointer": InMemorySaver()}
        agent = build_agent(model=model, tools=[look], limits=Limits(call_attempts=1), **options)
        config: Any = {"configurable": {"thread_id": thread}}
        return agent.invoke({"messages": [("user", "Look.")]}, config, context=who)["calls"][thread]

    ask(ANN.model_copy(update={"roles": ("clerk", "manager")}), "a")
    up[0] = False
    told = ask(ANN.model_copy(update={"roles": roles, "user_id": "Ann"}), "b")
    assert (told.get("served_by") == "last_good", "salaries" in told.get("result", "")) == (served, served)


@pytest.mark.parametrize(
    ("who", "reads"),
    [
        pytest.param(ANN, False, id="without-the-role"),
        pytest.param(BOB.model_copy(update={"roles": ("manager", "board")}), False, id="another-set"),
        pytest.param(BOB.model_copy(update={"roles": ()}), False, id="none-any-more"),
        pytest.param(BOB, True, id="same-roles"),
    ],
)
def test_a_long_result_is_read_on_by_the_roles_it_was_brought_for(who: Context, reads: bool) -> None:  # noqa: FBT001
    """A reference in a shared chat opens nothing for others."""

    @tool(risk="read")
    def customers() -> Any:
        """List the customers."""
        return ROWS

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    options: Any = {"tools": [customers, pay], "limits": Limits(result_tokens=300)}
    shop = Shop(one("customers", "l1"), "Listed.", {}, "Done.", **options)
    reference = shop.ask(BOB, "List them.")["calls"]["l1"]["kept"]["reference"]
    shop.model.lines[2] = one("read_result", "r1", reference=reference, offset=2_900, limit=2)
    record = shop.ask(who, "Read on.")["calls"]["r1"]
    assert (record["status"] == "done", "customer 2900" in record.get("result", "")) == (reads, reads)
