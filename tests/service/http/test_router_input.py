"""What a client sends to the router and can't be used is refused with the reason, and nothing runs."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.service.http.router import PAID, PAY, agent_of, decide, say, use


@pytest.mark.parametrize(
    ("args", "said"),
    [
        pytest.param('{"amount": "five"}', "`amount`", id="not-valid"),
        pytest.param('{"sum": 5}', "`sum` is not a parameter", id="not-known"),
        pytest.param('{"amount": 123456789012345678901234567890}', "beyond 64 bits", id="too-big"),
        pytest.param('{"\\ud800": 5}', "broken characters", id="not-text"),
    ],
)
def test_an_edit_that_is_not_valid_is_refused_with_the_reason(args: str, said: str) -> None:
    """The person is told what is wrong with it, and the question waits on."""

    async def story(client: httpx.AsyncClient) -> Any:
        asked = (await say(client)).json()["question"]
        edit = {"type": "edit", "edited_action": {"name": "pay", "args": "ARGS"}, "token": asked["calls"][0]["token"]}
        body = json.dumps({"question": asked["id"], "decisions": [edit]}).replace('"ARGS"', args)
        refused = await client.post("/threads/t/decisions", content=body, headers={"content-type": "application/json"})
        waiting = (await client.get("/threads/t")).json()["question"]
        return refused, await decide(client, waiting, {"type": "approve"})

    refused, approved = use(agent_of(PAY, "Paid."), story)
    assert refused.status_code == 422
    assert said in refused.json()["detail"]["reason"]
    assert (approved.json()["answer"], PAID) == ("Paid.", [5])


@pytest.mark.parametrize(
    "body",
    [b'{"text": "\\ud800"}', b'{"text": NaN}', b"\xff\xfe", b"[]", b'{"text": "hi", "\\ud800": 1}', b""],
    ids=["surrogate", "not-finite", "no-text", "no-object", "key", "nothing"],
)
def test_a_body_that_can_not_be_repeated_is_refused_as_any_other(body: bytes) -> None:
    """What is no JSON, or holds what JSON can't carry, is bad input and no error of the server."""

    async def story(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post("/threads/t/messages", content=body, headers={"content-type": "application/json"})

    refused = use(agent_of("Never said."), story)
    assert (refused.status_code, refused.json()["detail"]["error"]) == (422, "invalid")
    assert "body" in refused.json()["detail"]["reason"]
