"""Names and codes of any library say that no answer came: then a write may have been done all the same."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from reinforced_agent import tool
from reinforced_agent.tools.error_classes import classify
from reinforced_agent.tools.errors import diagnose


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def raised(name: str, module: str, *bases: type[Exception], **attributes: Any) -> Exception:
    """Make an exception as a library would."""
    error: Exception = type(name, bases or (Exception,), {"__module__": module})("boom")
    for attribute, value in attributes.items():
        setattr(error, attribute, value)
    return error


def grpc(name: str) -> Exception:
    """Make an exception of gRPC."""
    return raised("_InactiveRpcError", "grpc._channel", code=lambda: type("StatusCode", (), {"name": name}))


def broken(_: object = None) -> Any:
    """Fail when it is asked."""
    raise RuntimeError


@pytest.mark.parametrize(
    ("error", "transient", "conclusive", "category"),
    [
        pytest.param(subprocess.TimeoutExpired("pay", 3), True, False, "timeout", id="subprocess"),
        pytest.param(raised("TimeoutError", "redis.exceptions"), True, False, "timeout", id="redis"),
        pytest.param(raised("OperationTimedOut", "cassandra"), True, False, "timeout", id="cassandra"),
        pytest.param(raised("GatewayTimeout", "bank"), True, False, "timeout", id="of-the-house"),
        pytest.param(raised("KafkaTimeoutError", "kafka.errors"), True, False, "timeout", id="kafka"),
        pytest.param(raised("APIConnectionError", "stripe"), True, False, "network", id="stripe"),
        pytest.param(raised("AutoReconnect", "pymongo.errors"), True, False, "network", id="mongo"),
        pytest.param(raised("ServiceUnavailable", "neo4j.exceptions"), True, False, "network", id="neo4j"),
        pytest.param(raised("AMQPConnectionError", "aiormq"), True, False, "network", id="amqp"),
        pytest.param(raised("OperationalError", "psycopg"), True, False, "network", id="postgres"),
        pytest.param(OSError(113, "no route"), True, True, "network", id="host-unreachable"),
        pytest.param(grpc("DEADLINE_EXCEEDED"), True, False, "timeout", id="grpc-deadline"),
        pytest.param(grpc("UNAVAILABLE"), True, False, "network", id="grpc-unavailable"),
        pytest.param(grpc("RESOURCE_EXHAUSTED"), True, True, "rate_limit", id="grpc-busy"),
        pytest.param(grpc("CANCELLED"), False, False, "other", id="grpc-cancelled"),
        pytest.param(grpc("INVALID_ARGUMENT"), False, True, "mistake", id="grpc-refused"),
        pytest.param(raised("InvalidTimeout", "lib"), False, True, "other", id="setting"),
        pytest.param(raised("TimeoutValueError", "lib", ValueError), False, True, "other", id="value"),
        pytest.param(raised("NoTimetable", "rail"), False, True, "other", id="another-word"),
        pytest.param(raised("OperationalError", "sqlite3"), False, True, "other", id="sqlite"),
        pytest.param(raised("SoldOut", "shop", code="UNAVAILABLE"), False, True, "network", id="word-in-an-attribute"),
        pytest.param(raised("Odd", "lib", code=broken), False, True, "other", id="code-that-breaks"),
    ],
)
def test_names_and_codes_tell_what_is_certain(
    *, error: Exception, transient: bool, conclusive: bool, category: str
) -> None:
    """Whether it may pass, whether nothing was done for certain, and what can be done about it."""
    found = diagnose(error, pay)
    assert (found.transient, found.conclusive) == (transient, conclusive)
    assert classify(error, pay) == category


def test_what_it_was_raised_from_counts_more_than_a_name() -> None:
    """And who raises `from None` knows that nothing was done."""

    def chained(cause: BaseException | None) -> Exception:
        error = raised("GatewayTimeout", "bank")
        # As `raise ... from` sets it, and with it that nothing else is looked at.
        error.__cause__ = cause
        return error

    assert diagnose(chained(ConnectionRefusedError()), pay).conclusive
    assert diagnose(chained(None), pay).conclusive
    assert not diagnose(chained(ConnectionResetError()), pay).conclusive
