"""What a tool raised is sorted by what can be done about it, without importing the library it comes from."""

from __future__ import annotations

import socket
from typing import Any

import httpx
import pytest
import requests

from reinforced_agent.policies.messages.failures import CHINESE, ENGLISH
from reinforced_agent.tools.error_classes import classify
from reinforced_agent.tools.error_codes import FailureClass
from reinforced_agent.tools.error_rules import FailureRules
from reinforced_agent.tools.spec import ToolSpec


TOOL = ToolSpec(
    name="look", description="x", parameters={"type": "object"}, failures=FailureRules(mistakes=(ZeroDivisionError,))
)


class CodeError(Exception):
    """An exception with a code, as gRPC has it, or a response, as clouds have it."""

    def __init__(self, name: str = "", response: Any = None) -> None:
        super().__init__()
        self.response = response
        self._name = name

    def code(self) -> Any:
        """Return the code."""
        return type("Code", (), {"name": self._name})()


def answered(status: int) -> httpx.HTTPStatusError:
    """Make the error of an HTTP answer."""
    request = httpx.Request("GET", "http://a.test")
    return httpx.HTTPStatusError("", request=request, response=httpx.Response(status, request=request))


def wrapped(error: Exception, cause: Exception) -> Exception:
    """Raise one from another."""
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        pytest.param(answered(404), "not_found", id="404"),
        pytest.param(answered(401), "bad_credentials", id="401"),
        pytest.param(answered(429), "rate_limit", id="429"),
        pytest.param(answered(422), "mistake", id="422"),
        pytest.param(answered(500), "server", id="500"),
        pytest.param(answered(504), "timeout", id="504"),
        pytest.param(TimeoutError(), "timeout", id="timeout"),
        pytest.param(httpx.ReadTimeout(""), "timeout", id="httpx-timeout"),
        pytest.param(requests.ConnectTimeout(), "timeout", id="requests-timeout"),
        pytest.param(httpx.ConnectError(""), "network", id="httpx-connect"),
        pytest.param(requests.ConnectionError(), "network", id="requests-connection"),
        pytest.param(socket.gaierror(-2, "unknown"), "network", id="unknown-host"),
        pytest.param(FileNotFoundError(), "not_found", id="file"),
        pytest.param(PermissionError(), "bad_credentials", id="permission"),
        pytest.param(CodeError("RESOURCE_EXHAUSTED"), "rate_limit", id="grpc"),
        pytest.param(CodeError("UNAUTHENTICATED"), "bad_credentials", id="grpc-credentials"),
        pytest.param(CodeError(response={"Error": {"Code": "ThrottlingException"}}), "rate_limit", id="cloud"),
        pytest.param(CodeError(response={"ResponseMetadata": {"HTTPStatusCode": 404}}), "not_found", id="cloud-status"),
        pytest.param(ZeroDivisionError(), "mistake", id="declared"),
        pytest.param(wrapped(RuntimeError("sorry"), answered(429)), "rate_limit", id="cause"),
        pytest.param(ExceptionGroup("two", [KeyError(), answered(404)]), "not_found", id="group"),
        pytest.param(RuntimeError("Too many requests"), "other", id="words"),
    ],
)
def test_failures_are_sorted(error: Exception, kind: str) -> None:
    """By status, code or class, then by what is inside; words say nothing."""
    assert classify(error, TOOL) == kind


def test_every_class_has_its_words() -> None:
    """In both languages."""
    assert {kind.value for kind in FailureClass} <= ENGLISH.keys() == CHINESE.keys()
