"""Errors of requests to models, of whatever client: which of them may pass, and which somebody has to mend."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import httpx
import openai
import pytest

from reinforced_agent.models.errors import fault_of
from reinforced_agent.models.scripted import ScriptError


class Carrying(Exception):  # noqa: N818  # stands for any error of a client
    """An error that carries what it is given."""

    def __init__(self, **carried: Any) -> None:
        """Carry it."""
        super().__init__("refused")
        self.__dict__.update(carried)


def named(name: str, *bases: type[Exception], **carried: Any) -> Exception:
    """Make an error of a class with this name."""
    error: Exception = type(name, bases or (Exception,), {})("refused")
    error.__dict__.update(carried)
    return error


def of_openai(status: int, **body: Any) -> openai.APIStatusError:
    """Make an error as the client of OpenAI raises it."""
    request = openai.DefaultHttpxClient().build_request("POST", "http://server/v1/chat/completions")
    return openai.APIStatusError("refused", response=_answer(request, status), body=body)


def _answer(request: Any, status: int) -> Any:
    class Answer:
        status_code = status
        headers: dict[str, str] = {}  # noqa: RUF012  # read only

    answer: Any = Answer()
    answer.request = request
    return answer


def of_anthropic(status: int, kind: str) -> Exception:
    """Make an error as the client of Anthropic raises it."""
    return Carrying(status_code=status, body={"type": "error", "error": {"type": kind, "message": "refused"}})


def caused_by(cause: BaseException, error: BaseException) -> BaseException:
    """Raise an error from another one, as wrappers do."""
    error.__cause__ = cause
    return error


class State:
    """A member of the states of gRPC."""

    def __init__(self, name: str) -> None:
        """Have a name."""
        self.name = name


PERMANENT: list[Any] = [
    pytest.param(of_openai(401, code="invalid_api_key", type="invalid_request_error"), "access", id="openai-key"),
    pytest.param(of_openai(403), "access", id="openai-rights"),
    pytest.param(of_openai(404, code="model_not_found", type="invalid_request_error"), "model", id="openai-model"),
    pytest.param(of_openai(400, code="context_length_exceeded"), "length", id="openai-length"),
    pytest.param(of_openai(400, type="invalid_request_error"), "request", id="openai-request"),
    pytest.param(of_openai(422), "request", id="openai-unprocessable"),
    pytest.param(of_openai(429, code="insufficient_quota", type="insufficient_quota"), "credit", id="openai-quota"),
    pytest.param(of_openai(402), "credit", id="payment-required"),
    pytest.param(of_openai(400, code="404"), "model", id="status-as-text"),
    pytest.param(openai.OpenAIError("Missing credentials."), "access", id="openai-no-key"),
    pytest.param(of_anthropic(401, "authentication_error"), "access", id="anthropic-key"),
    pytest.param(of_anthropic(404, "not_found_error"), "model", id="anthropic-model"),
    pytest.param(of_anthropic(413, "request_too_large"), "length", id="anthropic-length"),
    pytest.param(of_anthropic(400, "billing_error"), "credit", id="anthropic-credit"),
    pytest.param(Carrying(code=400, status="INVALID_ARGUMENT"), "request", id="google-request"),
    pytest.param(Carrying(code=404, status="NOT_FOUND"), "model", id="google-model"),
    pytest.param(Carrying(code=HTTPStatus.FORBIDDEN), "access", id="google-api-core"),
    pytest.param(Carrying(grpc_status_code=State("UNAUTHENTICATED")), "access", id="google-grpc"),
    pytest.param(Carrying(code=lambda: State("PERMISSION_DENIED")), "access", id="grpc"),
    pytest.param(named("DefaultCredentialsError"), "access", id="google-no-key"),
    pytest.param(Carrying(response={"ResponseMetadata": {"HTTPStatusCode": 403}}), "access", id="bedrock"),
    pytest.param(httpx.HTTPStatusError("no", request=None, response=httpx.Response(404)), "model", id="httpx"),  # type: ignore[arg-type]
    pytest.param(named("ContextOverflowError"), "length", id="langchain-length"),
    pytest.param(named("ModelAuthenticationError"), "access", id="langchain-key"),
    pytest.param(caused_by(of_openai(401), RuntimeError("wrapped")), "access", id="wrapped"),
    pytest.param(
        caused_by(httpx.UnsupportedProtocol("no scheme"), named("APIConnectionError")), "address", id="address"
    ),
    pytest.param(caused_by(named("SSLCertVerificationError", OSError), ConnectionError()), "address", id="certificate"),
    pytest.param(TypeError("a function is no text"), "code", id="type"),
    pytest.param(AttributeError("x"), "code", id="attribute"),
    pytest.param(KeyError("x"), "code", id="key"),
    pytest.param(NotImplementedError(), "code", id="no-tools"),
    pytest.param(ModuleNotFoundError("x"), "code", id="module"),
    pytest.param(ScriptError("at its end"), "setup", id="script"),
]
PASSING: list[Any] = [
    pytest.param(of_openai(429, code="rate_limit_exceeded"), "busy", id="openai-rate"),
    pytest.param(of_openai(500), "server", id="openai-server"),
    pytest.param(of_openai(503, type="invalid_request_error"), "server", id="status-over-code"),
    pytest.param(of_anthropic(529, "overloaded_error"), "server", id="anthropic-overloaded"),
    pytest.param(Carrying(code=429, status="RESOURCE_EXHAUSTED"), "busy", id="google-rate"),
    pytest.param(Carrying(code=503, status="UNAVAILABLE"), "server", id="google-server"),
    pytest.param(named("OpenAIRateLimitError", named("ModelRateLimitError").__class__), "busy", id="langchain-rate"),
    pytest.param(ConnectionError("no route"), "connection", id="connection"),
    pytest.param(named("APIConnectionError", openai.OpenAIError), "connection", id="openai-connection"),
    pytest.param(TimeoutError(), "connection", id="timeout"),
    pytest.param(RuntimeError("?"), "unknown", id="unknown"),
    pytest.param(ValueError("no JSON"), "unknown", id="answer-that-can-not-be-read"),
]


@pytest.mark.parametrize(("error", "kind"), PERMANENT)
def test_what_does_not_pass_by_itself_is_told_apart(error: BaseException, kind: str) -> None:
    """It fails again until somebody does what the advice says."""
    fault = fault_of(error)
    assert (fault.kind, fault.permanent, bool(fault.advice)) == (kind, True, True)


@pytest.mark.parametrize(("error", "kind"), PASSING)
def test_what_may_pass_is_not_held_against_the_settings(error: BaseException, kind: str) -> None:
    """Trouble of the server or of the way to it, and whatever isn't known, may be over later."""
    fault = fault_of(error)
    assert (fault.kind, fault.permanent, fault.advice) == (kind, False, "")


def test_an_error_that_breaks_when_it_is_looked_at_is_not_known() -> None:
    """Nothing comes out of the table but a fault."""

    class Unspeakable(Exception):  # noqa: N818  # an exception that can't even be looked at
        @property
        def status_code(self) -> int:
            raise RuntimeError

        def code(self) -> object:
            raise RuntimeError

    assert fault_of(Unspeakable()).kind == "unknown"


def test_errors_that_cause_each_other_end() -> None:
    """A chain of causes that runs in a circle is followed for a while only."""
    one, other = RuntimeError("one"), RuntimeError("other")
    one.__cause__, other.__cause__ = other, one
    assert fault_of(one).kind == "unknown"
