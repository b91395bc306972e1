"""Every test runs offline, without tracing, and with the strict reading of checkpoints."""

from __future__ import annotations

import ipaddress
import os
import signal
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import settings


# What the shell says about models, servers and tracing must not change what a test sees.
for _name in list(os.environ):
    if _name.startswith(("LANGCHAIN_", "LANGGRAPH_", "LANGSMITH_", "OPENAI_", "REINFORCED_AGENT_")) and not (
        _name == "REINFORCED_AGENT_REQUIRE_POSTGRES" or _name.startswith("REINFORCED_AGENT_TEST_")
    ):
        del os.environ[_name]

# LangGraph reads this when it is imported, LangSmith when the first test runs.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["LANGSMITH_TEST_TRACKING"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"


# The same cases every time, and no wall clock; `--hypothesis-profile=default` looks for new ones.
# A shell that starts a job in the background lets it ignore interruptions, and every process it starts would, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


_escapes: list[str] = []
"""Addresses outside this computer that the running test tried to reach."""


class NetworkBlockedError(RuntimeError):
    """A test tried to leave the computer."""


def _is_local(host: object) -> bool:
    """Tell whether a host is this computer: a loopback address, `localhost`, or none at all."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost", "0.0.0.0", "::"}:  # noqa: S104 - listening there is local
        return True
    try:
        return ipaddress.ip_address(str(name)).is_loopback
    except ValueError:
        return False


def _guard(event: str, arguments: tuple[Any, ...]) -> None:
    """Stop look-ups and connections that leave the computer; sockets of the file system may pass."""
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in {"socket.connect", "socket.sendto"} and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if not _is_local(host):
        _escapes.append(str(host))
        msg = f"This test tried to reach {host!r}; tests run offline."
        raise NetworkBlockedError(msg)


sys.addaudithook(_guard)


@pytest.fixture(autouse=True)
def _offline() -> Iterator[None]:
    """Fail a test that tried to reach the network, even where its code swallowed the error."""
    _escapes.clear()
    yield
    assert not _escapes, f"tried to reach {_escapes}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count a skipped PostgreSQL test as failed where a server is required."""
    report = yield
    required = os.environ.get("REINFORCED_AGENT_REQUIRE_POSTGRES") == "1"
    if required and report.skipped and not hasattr(report, "wasxfail") and item.get_closest_marker("postgres"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but REINFORCED_AGENT_REQUIRE_POSTGRES=1 wants it to run."
    return report
