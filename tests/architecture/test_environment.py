"""Tests run offline and with the strict reading of checkpoints."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from tests import conftest


@dataclass
class Thing:
    """A type that no checkpoint knows."""

    size: int


@pytest.mark.parametrize("host", ["example.com", "192.0.2.1", "2001:db8::1"])
def test_the_network_is_out_of_reach(host: str) -> None:
    """Neither a name nor an address outside this computer can be reached."""
    with pytest.raises(RuntimeError, match="tests run offline"):
        socket.create_connection((host, 80), timeout=1)
    conftest._escapes.clear()


def test_this_computer_is_in_reach() -> None:
    """Servers that a test starts itself can be reached by name and by address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("localhost", port), timeout=1).close()
        socket.create_connection(("127.0.0.1", port), timeout=1).close()


def test_tracing_is_off() -> None:
    """No test sends traces, whatever the shell says."""
    assert os.environ["LANGSMITH_TRACING"] == os.environ["LANGSMITH_TEST_TRACKING"] == "false"


def test_checkpoints_hold_plain_data_only() -> None:
    """An unregistered type is not restored as itself, so that a test notices when one gets into the state."""
    serde = JsonPlusSerializer()
    assert serde.loads_typed(serde.dumps_typed({"size": 1})) == {"size": 1}
    assert not isinstance(serde.loads_typed(serde.dumps_typed(Thing(1))), Thing)
