"""What tests of tracing share: LangSmith's variables, and a server that listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from langsmith import Client, run_trees, utils

from reinforced_agent.graph.records import tracing
from tests.graph.listener import Listener, listening


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Set LangSmith's variables, and forget what it remembers of them before and after."""

    def use(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(f"LANGSMITH_{name}", value)
        _forget()

    use(API_KEY="lsv2_pt_made_up", USE_DAEMON="true")
    yield use
    made = tracing._client() if tracing._client.cache_info().currsize else None
    for client in (made, run_trees._CLIENT):
        if isinstance(client, Client):
            client.cleanup(timeout=0)
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    """Make LangSmith look at the environment again."""
    utils.get_env_var.cache_clear()  # type: ignore[attr-defined]
    utils.get_tracer_project.cache_clear()
    tracing._client.cache_clear()
    run_trees._CLIENT = None


@pytest.fixture
def langsmith(environment: Callable[..., None]) -> Iterator[Listener]:
    """A server that tracing is switched on for, by the environment alone."""
    with listening() as listener:
        environment(TRACING="true", ENDPOINT=listener.url)
        yield listener
