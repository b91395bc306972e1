"""What goes wrong between a service and the provider of its model, as a server on this computer sends it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tests.models.chat_server import ChatServer, Raw, Reply, failed, running, said


KEY = "made-up-key-of-no-known-form"
"""The key that requests carry; nothing about it looks like one."""
PAGE = "<!DOCTYPE html>\n<html><head><title>Sign in to the company</title></head><body>Who are you?</body></html>"
TIMES = 4
"""Replies of a server that fails: clients try again."""


@dataclass(frozen=True)
class Failure:
    """One way to fail, and what is told of it."""

    name: str
    reply: Raw | Reply
    kind: str
    outcome: str
    code: int
    """Exit code."""
    status: int
    """HTTP status."""


FAILURES = (
    Failure(
        "wrong key",
        failed(401, f"Incorrect API key provided: {KEY}.", code="invalid_api_key", kind="invalid_request_error"),
        "access",
        "misconfigured",
        3,
        502,
    ),
    Failure(
        "wrong model",
        failed(404, "The model `m` does not exist.", code="model_not_found", kind="invalid_request_error"),
        "model",
        "misconfigured",
        4,
        502,
    ),
    Failure(
        "too long",
        failed(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
        "length",
        "too_long",
        8,
        413,
    ),
    Failure(
        "quota",
        failed(429, "You exceeded your current quota.", code="insufficient_quota", kind="insufficient_quota"),
        "credit",
        "misconfigured",
        7,
        502,
    ),
    Failure("filter", failed(400, "It was filtered.", code="content_filter"), "filter", "filtered", 9, 422),
    Failure("page", Raw(PAGE), "page", "misconfigured", 10, 502),
    Failure("outage", failed(503, "Out of service.", x_should_retry="false"), "server", "model_down", 12, 503),
    Failure(
        "too many requests",
        failed(429, "Slow down.", code="rate_limit_exceeded", retry_after="1200"),
        "busy",
        "model_down",
        11,
        503,
    ),
    Failure(
        "refused request",
        failed(400, "Unknown field.", kind="invalid_request_error"),
        "request",
        "misconfigured",
        5,
        502,
    ),
)
"""One of each class that a reply of a server can be."""


@contextmanager
def failing(failure: Failure, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Run a server that fails until it has done so often enough, and point the environment to it."""
    with running() as server:
        server.replies = [failure.reply] * TIMES
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield server


def repaired(server: ChatServer, text: str = "Here I am.") -> None:
    """Let a server answer from now on."""
    server.replies = [said(text)]
