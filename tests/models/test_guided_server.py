"""Masks over real connections: what servers are told in each way, and what of those that refuse or don't listen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal, get_args

import pytest

from reinforced_agent import Strategy, build_agent, resolve_model, tool
from reinforced_agent.policies.guiding.strategy import Way
from tests.models.guided_server import MASKS, Server, called, running, said, strict_tools


WAYS = get_args(Way)
ran: list[dict[str, Any]] = []


@tool(risk="read")
def get_tide(harbour: str, day: int, unit: Literal["m", "ft"] = "m", notes: list[str] | None = None) -> str:
    """Tell the height of the tide."""
    ran.append({"harbour": harbour, "day": day, "unit": unit, "notes": notes})
    return f"{harbour}, day {day}: 3.10 {unit}"


@tool(risk="read")
def get_wind(harbour: str) -> str:
    """Tell the wind."""
    return f"{harbour}: calm"


ASK: Any = {"messages": [("user", "How high is the tide in Brest on day 4?")]}
RIGHT = {"name": "get_tide", "arguments": {"harbour": "Brest", "day": 4}}
WRONG = [
    {"name": "tide", "arguments": {"harbour": "Brest", "day": 4}},
    {"name": "get_tide", "arguments": {"harbor": "Brest", "day": 4}},
    {"name": "get_tide", "arguments": {"harbour": "Brest", "day": 4, "unit": "km"}},
]


@pytest.fixture
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server of the manner that the test names, and point the environment to it."""
    ran.clear()
    pytest.importorskip("llguidance", reason="the parser of grammars is not installed")
    with running(getattr(request, "param", "masks")) as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.address)
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        yield found


def agent(way: Any = "auto", *, spec: str = "openai:m", **strategy: Any) -> Any:
    """Build an agent whose replies are masked."""
    return build_agent(model=spec, tools=[get_tide, get_wind], strategy=Strategy(guided=way, **strategy))


def run(built: Any, manner: str = "sync") -> dict[str, Any]:
    """Run an agent in one of the manners."""
    if manner == "sync":
        return dict(built.invoke(ASK))
    if manner == "stream":
        return dict(list(built.stream(ASK, stream_mode=["values", "messages"], version="v2"))[-1]["data"])
    return dict(asyncio.run(built.ainvoke(ASK)))


def sent(body: dict[str, Any]) -> str:
    """Name the field by which a request masks its reply."""
    return next(iter(MASKS & body.keys()), "strict" if strict_tools(body) else "")


@pytest.mark.parametrize("manner", ["sync", "async", "stream"])
@pytest.mark.parametrize("way", WAYS)
def test_a_masked_model_proposes_right_at_once(server: Server, way: Way, manner: str) -> None:
    """Wrong names, unknown fields and values that aren't listed can't be written; an answer can."""
    server.drafts = [[*WRONG, RIGHT], ["It is 3.10 m high."]]
    state = run(agent(way), manner)
    assert state["messages"][-1].text == "It is 3.10 m high."
    assert ran == [{"harbour": "Brest", "day": 4, "unit": "m", "notes": None}]
    assert [one["guided"] for one in state["turn"]["spoken"]] == [{"way": way, "sent": True, "heeded": True}] * 2


FIELDS = {
    "strict tools": "strict",
    "response_format": "response_format",
    "vllm": "structured_outputs",
    "llama.cpp": "json_schema",
    "vllm grammar": "structured_outputs",
    "sglang grammar": "ebnf",
    "llama.cpp grammar": "grammar",
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_server_is_told(server: Server, way: Way) -> None:
    """It is told by its own field alone, with the tools on offer, and not both ways at once."""
    server.drafts = [[RIGHT], ["3.10 m."]]
    run(agent(way))
    for body in server.requests:
        assert sent(body) == FIELDS[way]
        assert ("tools" in body) is (way == "strict tools")
        assert not body.get("stream")
        assert "get_tide" in str(body) and "get_wind" in str(body)  # noqa: PT018  # one fact
    assert "Brest, day 4: 3.10 m" in server.prompt()


@pytest.mark.parametrize("server", ["ignores"], indirect=True)
@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_takes_no_notice(server: Server, way: Way, caplog: pytest.LogCaptureFixture) -> None:
    """Its replies are read and checked as ever; that it doesn't keep to masks is on record, and said once."""
    server.drafts = [[WRONG[1]], [RIGHT], [said("3.10 m.")]]
    state = run(agent(way))
    assert state["messages"][-1].text == "3.10 m."
    assert len(ran) == 1
    assert [call["status"] for call in state["calls"].values()] == ["revise", "done"]
    grammar = "grammar" in way
    assert all(one["guided"]["sent"] for one in state["turn"]["spoken"])
    assert ("does not keep to it" in caplog.text) is (not grammar)
    assert caplog.text.count("does not keep to it") <= 1


@pytest.mark.parametrize("server", ["refuses"], indirect=True)
@pytest.mark.parametrize("spec", ["openai:m", "openai:m+json"])
@pytest.mark.parametrize("way", WAYS)
def test_a_server_that_refuses_masks(server: Server, way: Way, spec: str, caplog: pytest.LogCaptureFixture) -> None:
    """It is asked again without, once and for all; the log and the record say so."""
    if way == "strict tools" and spec.endswith("json"):
        return
    server.drafts = [[WRONG[0]], [RIGHT], ["3.10 m."], ["3.10 m."]]
    built = agent(way, spec=spec)
    state = run(built)
    run(built)
    assert [sent(body) for body in server.requests] == [FIELDS[way], "", "", "", ""]
    assert len(ran) == 1
    assert [one["guided"]["sent"] for one in state["turn"]["spoken"]] == [False] * 3
    assert caplog.text.count("The server refuses") == 1


@pytest.mark.parametrize("server", ["refuses schemas"], indirect=True)
def test_a_tool_whose_schema_is_refused_goes_without(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """The other tools stay strict."""
    server.drafts = [[RIGHT], ["3.10 m."]]
    run(agent("strict tools"))
    assert [sorted(strict_tools(body)) for body in server.requests] == [["get_tide", "get_wind"], [], ["get_wind"]]
    assert "get_tide: from now on they go without" in caplog.text


JSON_WAYS = [way for way in WAYS if FIELDS[way] != "strict" and "grammar" not in way]


@pytest.mark.parametrize("way", JSON_WAYS)
@pytest.mark.parametrize(
    ("cut", "told"),
    [
        pytest.param('{"answer": "The tide is 3.1', "The tide is 3.1", id="within the text"),
        pytest.param('{"answer": "It is \\u00e9lev\\u00', "It is élev", id="within a letter"),
    ],
)
def test_an_answer_that_was_cut_off_is_told_as_text(server: Server, way: Way, cut: str, told: str) -> None:
    """What there is of it is told, never as raw JSON, with a word that it was cut."""
    server.drafts = [[said(cut, "length")]]
    answer = run(agent(way))["messages"][-1].text
    assert answer.startswith(told)
    assert len(answer) > len(told) + 5
    assert "{" not in answer


@pytest.mark.parametrize("way", WAYS)
def test_a_call_that_was_cut_off_is_sent_back(server: Server, way: Way) -> None:
    """Nothing runs before a whole one comes."""
    written = '{"name": "get_tide", "arguments": {"harbour": "Br'
    cut = called("get_tide", '{"harbour": "Br', "length") if way == "strict tools" else said(written, "length")
    server.drafts = [[cut], [RIGHT], ["3.10 m."]]
    state = run(agent(way))
    assert "cut off" in server.prompt(1)
    assert len(ran) == 1
    assert state["messages"][-1].text == "3.10 m."


@pytest.mark.parametrize("way", ["strict tools", "response_format"])
def test_a_refusal_is_the_answer(server: Server, way: Way) -> None:
    """A model that refuses in the field made for it is told as it speaks."""
    refusal = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    server.drafts = [[{"finish_reason": "stop", "message": refusal}]]
    state = run(agent(way))
    assert state["messages"][-1].text == "I can't help with that."
    assert ran == []


@pytest.mark.parametrize("way", [*JSON_WAYS, "llama.cpp grammar"])
def test_an_answer_is_streamed_once_and_never_raw(server: Server, way: Way) -> None:
    """A server that streams JSON is heard to its end, and the text of the answer is passed on."""
    server.drafts = [[*WRONG, RIGHT], ["3.10 m."]]
    model = resolve_model("openai:m").model_copy(update={"streaming": True})
    built = build_agent(model=model, tools=[get_tide, get_wind], strategy=Strategy(guided=way))
    seen = [part[0].text for part in built.stream(ASK, stream_mode="messages")]
    assert all(body["stream"] for body in server.requests)
    assert seen.count("3.10 m.") == 1
    assert not any("{" in text for text in seen)
    assert len(ran) == 1


def test_strict_calls_are_not_streamed(server: Server) -> None:
    """Put together from pieces, a call that was cut off would look whole."""
    server.drafts = [[RIGHT], ["3.10 m."]]
    model = resolve_model("openai:m").model_copy(update={"streaming": True})
    built = build_agent(model=model, tools=[get_tide], strategy="guided")
    assert "3.10 m." in [part[0].text for part in built.stream(ASK, stream_mode="messages")]
    assert not any(body.get("stream") for body in server.requests)


@pytest.mark.parametrize("way", ["response_format", "llama.cpp grammar"])
def test_a_field_of_the_host_stays(server: Server, way: Way) -> None:
    """What a host has its model send beside the usual fields is sent with a mask, too."""
    server.drafts = [["Hello."]]
    model = resolve_model("openai:m").model_copy(update={"extra_body": {"cache_prompt": True}})
    build_agent(model=model, tools=[get_tide], strategy=Strategy(guided=way)).invoke(ASK)
    assert server.requests[0]["cache_prompt"] is True
    assert sent(server.requests[0]) == FIELDS[way]


@pytest.mark.parametrize("way", ["strict tools", "response_format", "vllm grammar"])
def test_candidates_are_masked_too(server: Server, way: Way) -> None:
    """Several proposals come in one request, with its mask."""
    server.drafts = [[WRONG[0], WRONG[1], RIGHT], ["3.10 m."]]
    state = run(agent(way, candidates=2, when="always", take="best"))
    assert server.requests[0]["n"] == 2
    assert state["turn"]["spoken"][0]["candidates"]["valid"] == 2
    assert len(ran) == 1


def test_a_mask_that_cannot_be_compiled_is_not_sent_again(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """A server that took masks before is not given up: it is asked without one where these tools are on offer."""
    server.drafts = [["Hi."], ["Hi."], ["Hi."]]
    built = agent("response_format")
    run(built)
    server.manner = "refuses"
    run(built)
    server.manner = "masks"
    run(built)
    assert [sent(body) for body in server.requests] == ["response_format", "response_format", "", ""]
    assert "with them it is asked without" in caplog.text


@pytest.mark.parametrize("server", ["is broken"], indirect=True)
def test_another_error_says_nothing_about_masks(server: Server) -> None:
    """A server that refuses everything for a while is asked with a mask again."""
    built = agent("vllm")
    assert run(built)["turn"]["outcome"] == "misconfigured"
    server.manner, server.drafts = "masks", [["Hi."]]
    assert run(built)["messages"][-1].text == "Hi."
    assert [sent(body) for body in server.requests] == ["structured_outputs", "", "structured_outputs"]
