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


def saying(words: str, status: int) -> Exception:
    """Make an error that only words tell apart."""
    error = Carrying(status_code=status, body={"error": {"type": "invalid_request_error", "message": words}})
    error.args = (words,)
    return error


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
    pytest.param(of_openai(400, code="content_filter"), "filter", id="azure-filter"),
    pytest.param(
        of_openai(400, code="x", innererror={"code": "ResponsibleAIPolicyViolation"}), "filter", id="azure-policy"
    ),
    pytest.param(
        Carrying(status_code=403, body={"error": {"code": 403, "metadata": {"flagged_input": "x"}}}),
        "filter",
        id="openrouter-moderation",
    ),
    pytest.param(saying("Output blocked by content filtering policy", 400), "filter", id="anthropic-filter"),
    pytest.param(saying("Content Exists Risk", 400), "filter", id="deepseek-filter"),
    pytest.param(named("ModelRefusalError"), "filter", id="langchain-refusal"),
    pytest.param(saying("Your credit balance is too low to access the API.", 400), "credit", id="anthropic-balance"),
    pytest.param(saying("Budget has been exceeded! Current cost: 2", 400), "credit", id="litellm-budget"),
    pytest.param(
        Carrying(code=400, details={"error": {"details": [{"reason": "API_KEY_INVALID"}]}}), "access", id="google-key"
    ),
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


WAITS: list[Any] = [
    pytest.param({"retry-after": "20"}, 20, id="seconds"),
    pytest.param({"retry-after-ms": "1500", "retry-after": "2"}, 1.5, id="milliseconds"),
    pytest.param({"retry-after": "0.25"}, 0.25, id="fraction"),
    pytest.param(
        {"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30, id="date"
    ),
    pytest.param({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, id="date-gone-by"),
    pytest.param({"retry-after": "-5"}, None, id="negative"),
    pytest.param({"retry-after": "inf"}, None, id="endless"),
    pytest.param({"retry-after": "nan"}, None, id="nan"),
    pytest.param({"retry-after": "9" * 400}, None, id="huge"),
    pytest.param({"retry-after": "soon"}, None, id="words"),
    pytest.param({"retry-after": ""}, None, id="empty"),
    pytest.param({}, None, id="none"),
]


@pytest.mark.parametrize(("headers", "seconds"), WAITS)
def test_the_wait_that_a_server_names_is_read(headers: dict[str, str], seconds: float | None) -> None:
    """In seconds, in milliseconds or as a date by the server's own clock; what means no wait is left alone."""
    error = httpx.HTTPStatusError("no", request=None, response=httpx.Response(429, headers=headers))  # type: ignore[arg-type]
    assert fault_of(error).retry_after == seconds


def test_the_wait_of_google_stands_among_its_details() -> None:
    """Its clients keep the body as it came."""
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]
    assert fault_of(Carrying(code=429, details={"error": {"details": details}})).retry_after == 34.5


@pytest.mark.parametrize("status", [200, 302, 401, 403, 404, 407, 500, 502, 503])
def test_a_page_says_more_than_its_status(status: int) -> None:
    """Whoever shows pages is not the provider; only a gateway's own trouble may be over later."""
    error = of_openai(status)
    error.body = "\ufeff\n <html><head><title >A\n gate</title></head></html>"
    fault = fault_of(error)
    assert (fault.kind, fault.permanent, fault.status) == ("page", status < 500, status)
    assert "title 'A gate'" in fault.page
    assert fault.address == "http://server/v1/chat/completions"


@pytest.mark.parametrize(("status", "kind"), [(413, "length"), (429, "busy")])
def test_a_page_about_length_or_number_says_so(status: int, kind: str) -> None:
    """Gateways show one where a body is larger than they let pass, or where there are too many requests."""
    error = of_openai(status)
    error.body = "<html><head><title>Request Entity Too Large</title></head></html>"
    assert fault_of(error).kind == kind


@pytest.mark.parametrize(("code", "kind"), [(429, "busy"), (402, "credit"), (502, "server")])
def test_an_error_in_a_body_of_success_is_read(code: int, kind: str) -> None:
    """LangChain raises it as a value."""
    assert fault_of(ValueError({"message": "Provider returned error", "code": code})).kind == kind


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("<html>hi</html>", 200, "page"),
        ("It works!", 200, "page"),
        ("Bad gateway", 502, "server"),
        ("{", 200, "unknown"),
    ],
)
def test_a_reply_that_can_not_be_read_is_told_by_what_it_is(text: str, status: int, kind: str) -> None:
    """A client of this package keeps what came."""
    assert fault_of(named("UnreadableReplyError", ValueError, text=text, status_code=status)).kind == kind


def test_a_text_of_a_gateway_is_its_status() -> None:
    """Many write a word or two beside it."""
    error = of_openai(503)
    error.body = "upstream connect error or disconnect/reset before headers"
    assert fault_of(error).kind == "server"
