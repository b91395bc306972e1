"""Tools run for the person who asked: nobody who approves, goes on with a run or calls a server takes that place."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import httpx
import pytest
from fastapi import Request
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.prebuilt import ToolRuntime
from langgraph.runtime import get_runtime
from langgraph.types import Command, interrupt

from reinforced_agent import (
    Alternative,
    ApprovalPolicy,
    ApprovalRule,
    Context,
    Happened,
    Person,
    Requester,
    ScriptedModel,
    approved_by,
    build_agent,
    requester,
    tool,
)
from tests.graph.house import House, call, calls, wait_until
from tests.graph.parents import Parent, as_node, nested
from tests.security.witnesses import (
    ANN,
    APPROVE,
    BOSS,
    PAY,
    SOURCES,
    THEN_READ,
    Caller,
    Seen,
    ShopContext,
    apaying,
    asked,
    by_boss,
    here,
    in_a_shop,
    looking,
    names,
    paying,
    shop_of,
    with_requester,
    with_runtime,
    with_tool_runtime,
    with_tool_runtime_read,
)
from tests.service.http.router import decide, say, use


# Attacks: whatever the tool looks at, it is ann.


def approved(source: Callable[[Seen], Any], seen: Seen) -> None:
    """Somebody else approves; the tool and the requester's later read see ann."""
    house = asked(source(seen), looking(seen)).decide(APPROVE, context=BOSS)
    assert (house.status("c1"), house.status("c2")) == ("done", "done")


def edited(seen: Seen) -> None:
    """Somebody else changes the call: it is theirs to answer for, but runs for ann."""
    house = asked(paying(seen), looking(seen))
    edit = {"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 4}}}
    house.decide(edit, context=BOSS)
    assert house.result["calls"]["c1"]["result"].endswith("paid 4")
    assert house.result["calls"]["c1"]["author"]["user_id"] == "boss"


def in_a_loop(seen: Seen) -> None:
    """The same in an event loop."""
    house = asked(apaying(seen), with_tool_runtime_read(seen))
    token = house.question.value["calls"][0]["token"]
    answer: Any = Command(resume={house.question.id: {"decisions": [{**APPROVE, "token": token}]}})
    house.result = asyncio.run(house.agent.ainvoke(answer, house.config, context=BOSS))
    assert house.status("c2") == "done"


def retried(seen: Seen) -> None:
    """Every attempt at a call sees ann."""
    faults = [ConnectionError("gone")]

    @tool(idempotent=True)
    def pay(amount: int) -> str:
        """Pay."""
        seen.extend(here())
        if faults:
            raise faults.pop()
        return f"paid {amount}"

    house = asked(pay, looking(seen)).decide(APPROVE, context=BOSS)
    assert house.result["calls"]["c1"]["attempts"] == 2


def reconciled(seen: Seen) -> None:
    """A hook that asks the target what became of a call sees ann."""

    def ask(_arguments: Any, _key: str) -> Happened:
        seen.extend(here())
        return Happened("paid after all")

    @tool(reconcile=ask)
    def pay(amount: int) -> str:
        """Pay."""
        seen.extend(here())
        raise ConnectionError

    house = asked(pay, looking(seen)).decide(APPROVE, context=BOSS)
    assert house.status("c1") == "done"
    assert len(seen) == 9


def fallen_back(seen: Seen) -> None:
    """What stands in for a tool sees ann."""

    @tool(fallbacks=[Alternative("spare")])
    def pay(amount: int) -> str:
        """Pay."""
        msg = f"no {amount}"
        raise ValueError(msg)

    @tool
    def spare(amount: int, who: Requester) -> str:
        """Pay otherwise."""
        seen.extend([who, *here()])
        return f"paid {amount}"

    house = asked(pay, spare, looking(seen)).decide(APPROVE, context=BOSS).decide(APPROVE, context=BOSS)
    assert house.status("c1") == "served"


def late(seen: Seen) -> None:
    """A call that outlasts its time, and the run, still sees ann."""
    ended, over = threading.Event(), threading.Event()

    @tool(timeout=0.05)
    def pay(amount: int) -> str:
        """Pay."""
        ended.wait(20)
        seen.extend(here())
        over.set()
        return f"paid {amount}"

    house = asked(pay, looking(seen)).decide(APPROVE, context=BOSS)
    assert house.status("c1") == "unknown"
    ended.set()
    assert over.wait(20)
    wait_until(lambda: not house.agent.ledger.effects.unknown())


def gone_on_with(seen: Seen) -> None:
    """A worker that goes on with a run that was cut off brings no context; there is ann's."""
    house = House(THEN_READ, PAY, "Done.", tools=[paying(seen), with_tool_runtime_read(seen)])
    house.agent.invoke({"messages": [("user", "Look.")]}, house.config, context=ANN, interrupt_before=["execute"])
    house.result = asyncio.run(house.agent.ainvoke(None, house.config))
    assert house.status("c2") == "done"
    house.decide(APPROVE, context=BOSS)
    assert house.status("c1") == "done"


def under_a_name_in_the_config(seen: Seen) -> None:
    """What a server writes of the approver's context, and of who called it, into the configuration is not shown."""
    found: dict[str, Any] = {}

    @tool
    def pay(amount: int, config: RunnableConfig) -> str:
        """Pay."""
        inner: Any = config
        server: Any = get_runtime().server_info
        found.update(inner["configurable"], server=server.user, graph=server.graph_id)
        return f"paid {amount}"

    house = asked(pay, looking(seen))
    house.config = {
        "configurable": {
            **house.config["configurable"],
            **BOSS.model_dump(mode="json"),
            "assistant_id": "a",
            "graph_id": "g",
            "langgraph_auth_user": Caller("boss"),
            "langgraph_auth_user_id": "boss",
            "langgraph_auth_permissions": ["all"],
        }
    }
    house.decide(APPROVE, context=BOSS)
    assert {name: found[name] for name in Context.model_fields} == ANN.model_dump(mode="json")
    assert (found["thread_id"], found["graph"], found["server"]) == ("thread", "g", None)
    assert not [name for name in found if name.startswith("langgraph_auth")]
    seen.append(found["user_id"])


def from_a_stored_thread(seen: Seen, folder: Path) -> None:
    """Another process, with another graph over the same file, has nothing but what is stored."""
    file = str(folder / "threads.db")
    with SqliteSaver.from_conn_string(file) as saver:
        asked(paying(seen), looking(seen), checkpointer=saver)
    with SqliteSaver.from_conn_string(file) as saver:
        house = House(THEN_READ, "Done.", tools=[with_tool_runtime(seen), looking(seen)], checkpointer=saver)
        waiting = house.agent.get_state(house.config).interrupts
        house.result = {"__interrupt__": waiting}
        house.decide(APPROVE, context=BOSS)
    assert (house.status("c1"), house.status("c2")) == ("done", "done")


def in_another_graph(seen: Seen) -> None:
    """A parent whose context is a dictionary: the tool sees ann's."""

    class Given(TypedDict):
        user_id: str
        locale: str

    house = nested(PAY, THEN_READ, "Done.", tools=[with_tool_runtime(seen), looking(seen)])
    parent = Parent(house, context=Given).chain(("agent", as_node(house)))
    parent.say(context={"user_id": "ann", "locale": "en"}).approve(context={"user_id": "boss", "locale": "en"})
    assert parent.chat[-1].text == "Done."
    assert seen[0] == {"user_id": "ann", "locale": "en"}


def within_a_tool(seen: Seen) -> None:
    """An agent that a tool runs works for ann as well."""
    inner = build_agent(model=ScriptedModel(lines=[THEN_READ, "Done."]), tools=[looking(seen)])

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        return str(inner.invoke({"messages": [("user", f"Look for {amount}.")]})["messages"][-1].text)

    house = asked(pay, lines=(PAY, "Done.")).decide(APPROVE, context=BOSS)
    assert house.result["calls"]["c1"]["result"] == "Done."


def changed_by_a_tool(seen: Seen) -> None:
    """A tool that writes into what it is given changes neither the turn nor what the next tool sees."""

    @tool
    def pay(amount: int, who: Requester, runtime: ToolRuntime[Context, Any]) -> str:
        """Pay."""
        who.facts["desk"]["number"] = runtime.context.facts["desk"]["number"] = 99
        runtime.state["turn"]["requester"]["user_id"] = "boss"
        return f"paid {amount}"

    house = asked(pay, looking(seen)).decide(APPROVE, context=BOSS)
    assert {one.facts["desk"]["number"] for one in seen} == {7}
    assert house.result["turn"]["facts"] == ANN.facts


def sent_by_the_model(seen: Seen) -> None:
    """A model that names somebody as the requester is told that there is no such argument."""
    forged = calls(call("pay", {"amount": 5, "who": {"user_id": "boss"}}, "c0"))
    house = asked(with_requester(seen), looking(seen), lines=(forged, PAY, THEN_READ, "Done."))
    assert house.result["calls"]["c0"]["status"] == "revise"
    house.decide(APPROVE, context=BOSS)


def through_the_router(seen: Seen) -> None:
    """The person of the request that approves is not the requester."""
    agent = build_agent(
        model=ScriptedModel(lines=[PAY, THEN_READ, "Done."]),
        tools=[with_tool_runtime(seen), looking(seen)],
        checkpointer=InMemorySaver(),
    )

    async def story(client: httpx.AsyncClient) -> Any:
        question = (await say(client, who="ann")).json()["question"]
        return (await decide(client, question, APPROVE, who="boss")).json()

    def person(request: Request) -> Context:
        return Context(user_id=request.headers["who"])

    assert use(agent, story, person)["answer"] == "Done."


def made_by_the_host(seen: Seen) -> None:
    """A host that makes its own context of the requester makes it of ann."""
    tools = [with_tool_runtime(seen), looking(seen)]
    house = nested(PAY, THEN_READ, "Done.", tools=tools, context_for=shop_of)
    parent = Parent(house, context=ShopContext).chain(("agent", as_node(house)))
    parent.say(context=ShopContext("ann", "north")).approve(context=ShopContext("boss", "north"))
    assert seen[0] == ShopContext("ann", "north")
    assert parent.chat[-1].text == "Done."


ATTACKS: dict[str, Callable[[Seen], None]] = {
    **{f"approved: {name}": lambda seen, one=source: approved(one, seen) for name, source in SOURCES.items()},  # type: ignore[misc]
    "edited": edited,
    "in a loop": in_a_loop,
    "retried": retried,
    "reconciled": reconciled,
    "fallen back": fallen_back,
    "late": late,
    "gone on with": gone_on_with,
    "config": under_a_name_in_the_config,
    "another graph": in_another_graph,
    "within a tool": within_a_tool,
    "changed by a tool": changed_by_a_tool,
    "sent by the model": sent_by_the_model,
    "router": through_the_router,
    "made by the host": made_by_the_host,
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_whoever_approves_the_tool_sees_the_requester(attack: Callable[[Seen], None]) -> None:
    """Nobody else is seen anywhere, and somebody is seen."""
    seen: Seen = []
    attack(seen)
    assert names(seen) == {"ann"}


def test_a_thread_that_another_process_goes_on_with_is_the_requester_s(tmp_path: Path) -> None:
    """What is stored is enough."""
    seen: Seen = []
    from_a_stored_thread(seen, tmp_path)
    assert names(seen) == {"ann"}


# Daily work.


def by_herself(seen: Seen) -> Any:
    """She approves her own call, in another spelling of her name."""
    asked(with_tool_runtime(seen), looking(seen)).decide(APPROVE, context=Context(user_id="Ann ", tenant="North"))
    return {one.user_id for one in seen}, {one.locale for one in seen}


def by_nobody_named(seen: Seen) -> Any:
    """Nobody names anybody, as in a notebook: there is no context, and an anonymous requester."""
    House(PAY, "Done.", tools=[paying(seen)]).say().decide(APPROVE)
    return seen


def for_nobody_named(seen: Seen) -> Any:
    """A person approves what nobody in particular asked for: the tool may see who did, but not act as them."""

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        seen.extend([get_runtime().context, requester().user_id, approved_by()])
        return f"paid {amount}"

    House(PAY, "Done.", tools=[pay]).say().decide(APPROVE, context=Context(user_id="boss", roles=("lead",)))
    return seen[0], seen[1], seen[2].user_id, seen[2].roles


def known_by_approver(seen: Seen) -> Any:
    """The approver is known to the write, and nobody to the read; the record names them, too."""

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        seen.append(approved_by())
        return f"paid {amount}"

    @tool(risk="read")
    def look(page: int) -> str:
        """Look."""
        seen.append(approved_by())
        return f"page {page}"

    house = asked(pay, look).decide(APPROVE, context=BOSS)
    record = house.result["calls"]["c1"]
    return seen, record["decision"]["by"]["user_id"], house.result["receipt"]["writes"][0]["approved_by"]


def in_his_language(_seen: Seen) -> Any:
    """A problem with a decision is told to whoever decided, in their language; the turn keeps the requester's."""
    chiefs = ApprovalPolicy(write=ApprovalRule(roles=("chief",)))
    house = asked(paying([]), looking([]), approvals=chiefs).decide(APPROVE, context=BOSS)
    return any("\u4e00" <= sign <= "\u9fff" for sign in house.question.value["problem"]), house.result["turn"]["locale"]


def one_after_the_other(seen: Seen) -> Any:
    """Two people in one thread: each turn runs for the one who asked."""
    house = House(THEN_READ, "1.", calls(call("look", {"page": 2}, "c3")), "2.", tools=[looking(seen)])
    house.say(context=ANN).say(context=BOSS)
    return [one.user_id for one in seen]


def the_whole_person(seen: Seen) -> Any:
    """Roles, tenant, language and facts are those of the requester."""
    asked(with_requester(seen), looking([]), lines=(PAY, "Done.")).decide(APPROVE, context=BOSS)
    return seen[:2]


def as_the_host_gave_it(seen: Seen) -> Any:
    """Within a host's graph, ann's own runs see the very context that the host gave."""
    parent = in_a_shop([with_tool_runtime(seen)])
    parent.approve(context=ShopContext("ann", "south"))
    return seen[0]


def without_the_context(_seen: Seen) -> Any:
    """A tool that isn't given the context runs in a host's graph whoever approves."""

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    parent = in_a_shop([pay])
    by_boss(parent)
    return [message.text for message in parent.chat if message.type == "tool"]


def without_a_name(seen: Seen) -> Any:
    """A context of the host that names nobody is that of nobody in particular, who may go on."""

    @dataclass(frozen=True)
    class Plain:
        shop: str

    house = nested(PAY, "Done.", tools=[with_runtime(seen)])
    parent = Parent(house, context=Plain).chain(("agent", as_node(house)))
    parent.say(context=Plain("north")).approve(context=Plain("north"))
    return seen[0].shop


def asking_itself(seen: Seen) -> Any:
    """A tool that asks a person something itself is answered by somebody else, and goes on for ann."""

    @tool(risk="read")
    def look(page: int) -> str:
        """Look."""
        answer = interrupt("Which shelf?")
        seen.extend(here())
        return f"page {page} of {answer}"

    house = House(THEN_READ, "Done.", tools=[look]).say(context=ANN).resume("B", context=BOSS)
    return names(seen), house.result["calls"]["c2"]["result"]


def streaming(seen: Seen) -> Any:
    """Store and stream writer are those of the run."""

    @tool
    def pay(amount: int, runtime: ToolRuntime[Context, Any]) -> str:
        """Pay."""
        runtime.stream_writer({"paying": amount})
        return f"paid {amount}"

    house = asked(pay, lines=(PAY, "Done."))
    token = house.question.value["calls"][0]["token"]
    answer: Any = Command(resume={house.question.id: {"decisions": [{**APPROVE, "token": token}]}})
    parts = house.agent.stream(answer, house.config, context=BOSS, stream_mode="custom")
    seen.extend(part for part in parts if "paying" in part)
    return seen


def of_the_host(seen: Seen) -> Any:
    """A host's function is asked for every call, also in the first run, whatever the type of the run's context."""
    House(THEN_READ, "Done.", tools=[looking(seen)], context_for=shop_of).say(context=ANN)
    return seen[0], seen[2]


def a_turn_of_before(seen: Seen) -> Any:
    """A question that was asked before requesters were kept whole is answered as any other."""
    house = asked(with_tool_runtime(seen), looking(seen))
    turn = house.agent.get_state(house.config).values["turn"]
    old = {name: value for name, value in turn.items() if name not in {"context", "facts"}}
    house.agent.update_state(house.config, {"turn": old}, as_node="check")
    house.result = house.agent.invoke(None, house.config, context=BOSS)
    house.decide(APPROVE, context=BOSS)
    return names(seen), house.status("c1")


ASKED_BY = Person(user_id="ann", tenant="north", roles=("clerk",), locale="en", facts={"desk": {"number": 7}})
APPROVED_BY = Person(user_id="boss", tenant="north", roles=("lead",))

DAILY: dict[str, tuple[Callable[[Seen], Any], Any]] = {
    "by herself": (by_herself, ({"ann"}, {"en"})),
    "nobody named": (by_nobody_named, [None, Person(locale="en"), None]),
    "for nobody named": (for_nobody_named, (None, "", "boss", ("lead",))),
    "known approver": (known_by_approver, ([APPROVED_BY, None], "boss", "boss")),
    "in his language": (in_his_language, (True, "en")),
    "one after the other": (one_after_the_other, ["ann", "ann", "ann", "boss", "boss", "boss"]),
    "the whole person": (the_whole_person, [ASKED_BY, ANN]),
    "as the host gave it": (as_the_host_gave_it, ShopContext("ann", "south")),
    "without the context": (without_the_context, ["paid 5"]),
    "without a name": (without_a_name, "north"),
    "asking itself": (asking_itself, ({"ann"}, "page 1 of B")),
    "streaming": (streaming, [{"paying": 5}]),
    "of the host": (of_the_host, (ShopContext("ann", "north", "north"), ShopContext("ann", "north", "north"))),
    "a turn of before": (a_turn_of_before, ({"ann"}, "done")),
}


@pytest.mark.parametrize(("use_it", "expected"), DAILY.values(), ids=DAILY)
def test_daily_work_is_not_disturbed(use_it: Callable[[Seen], Any], expected: Any) -> None:
    """Everything runs as it did."""
    assert use_it([]) == expected
