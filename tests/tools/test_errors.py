"""What exceptions of tools say: whether they may pass, and whether the call certainly had no effect."""

from __future__ import annotations

import asyncio
import concurrent.futures
import errno
import http.client
import importlib
import importlib.util
import socket
import ssl
import urllib.error
from email.message import Message
from typing import Any

import httpx
import openai
import pytest
import requests
import urllib3

from reinforced_agent.tools.errors import BROKEN_OFF, CUT_OFF, NEVER_REACHED, NEVER_SENT, Diagnosis, diagnose
from reinforced_agent.tools.spec import ToolSpec
from reinforced_agent.tools.threads import ToolsBusyError


TOOL = ToolSpec(name="pay", description="Pay.", parameters={"type": "object"})
REQUEST: Any = httpx.Request("POST", "http://bank.test/pay")
ANSWER_429: Any = httpx.Response(429, request=REQUEST)


def answered(status: int, **headers: str) -> httpx.HTTPStatusError:
    """Make the error of an HTTP answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.HTTPStatusError("", request=REQUEST, response=httpx.Response(status, headers=named, request=REQUEST))


def raised_from(error: Exception, cause: BaseException | None, context: BaseException | None = None) -> Exception:
    """Chain exceptions as `raise ... from` and handlers do."""
    error.__cause__ = cause
    error.__context__ = context
    error.__suppress_context__ = cause is not None
    return error


def silenced(error: Exception, context: BaseException) -> Exception:
    """Chain exceptions as `raise ... from None` does."""
    raised_from(error, None, context)
    error.__suppress_context__ = True
    return error


class BookingError(Exception):
    """An exception of the tool's own."""


class SlowDownError(httpx.ConnectError):
    """An exception derived from one of a library."""


class HostileError(Exception):
    """An exception that can't be looked at."""

    def __getattribute__(self, name: str) -> Any:
        """Fail."""
        raise ValueError(name)


class ShyError(Exception):
    """An exception whose details can't be read."""

    @property
    def response(self) -> Any:
        """Fail."""
        msg = "no response was set"
        raise RuntimeError(msg)


class CodedError(Exception):
    """An exception with a code."""

    def __init__(self, code: Any) -> None:
        super().__init__()
        self.code = code


def openai_error(inside: BaseException | None) -> Exception:
    """Make the connection error of the OpenAI client."""
    return raised_from(openai.APIConnectionError(request=REQUEST), inside)


def pool(reason: Exception) -> requests.ConnectionError:
    """Make the connection error of requests."""
    return requests.ConnectionError(urllib3.exceptions.MaxRetryError(None, "/", reason))  # type: ignore[arg-type]


NEW_CONNECTION = urllib3.exceptions.NewConnectionError(None, "refused")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "diagnosis"),
    [
        pytest.param(ConnectionRefusedError(), NEVER_REACHED, id="refused"),
        pytest.param(socket.gaierror(-2, "unknown"), NEVER_REACHED, id="unknown-host"),
        pytest.param(SlowDownError(""), NEVER_REACHED, id="derived-from-httpx"),
        pytest.param(requests.ConnectTimeout(), NEVER_REACHED, id="requests-connect-timeout"),
        pytest.param(pool(NEW_CONNECTION), NEVER_REACHED, id="requests-refused"),
        pytest.param(urllib.error.URLError(ConnectionRefusedError()), NEVER_REACHED, id="urllib-refused"),
        pytest.param(openai_error(httpx.ConnectError("")), NEVER_REACHED, id="openai-refused"),
        pytest.param(ToolsBusyError(""), NEVER_REACHED, id="busy"),
        pytest.param(answered(429), NEVER_REACHED, id="429"),
        pytest.param(answered(425), NEVER_REACHED, id="425"),
        pytest.param(
            openai.RateLimitError("", response=ANSWER_429, body=None),
            NEVER_REACHED,
            id="openai-429",
        ),
        pytest.param(CodedError(429), NEVER_REACHED, id="code-429"),
        pytest.param(ConnectionResetError(), BROKEN_OFF, id="reset"),
        pytest.param(ConnectionAbortedError(), BROKEN_OFF, id="aborted"),
        pytest.param(BrokenPipeError(), BROKEN_OFF, id="broken-pipe"),
        pytest.param(TimeoutError(), BROKEN_OFF, id="timeout"),
        pytest.param(concurrent.futures.TimeoutError(), BROKEN_OFF, id="future-timeout"),
        pytest.param(http.client.RemoteDisconnected(""), BROKEN_OFF, id="remote-disconnected"),
        pytest.param(http.client.IncompleteRead(b""), BROKEN_OFF, id="incomplete-read"),
        pytest.param(requests.ReadTimeout(), BROKEN_OFF, id="requests-read-timeout"),
        pytest.param(requests.ConnectionError(), BROKEN_OFF, id="requests-connection"),
        pytest.param(
            requests.ConnectionError(urllib3.exceptions.ProtocolError("aborted", ConnectionResetError())),
            BROKEN_OFF,
            id="requests-aborted",
        ),
        pytest.param(urllib.error.URLError(ConnectionResetError()), BROKEN_OFF, id="urllib-reset"),
        pytest.param(urllib.error.URLError("no reason"), BROKEN_OFF, id="urllib-text"),
        pytest.param(openai_error(httpx.ReadError("")), BROKEN_OFF, id="openai-read"),
        pytest.param(openai_error(None), BROKEN_OFF, id="openai-bare"),
        pytest.param(openai.APITimeoutError(request=REQUEST), BROKEN_OFF, id="openai-timeout"),
        *(pytest.param(answered(status), BROKEN_OFF, id=str(status)) for status in (408, 500, 502, 503, 504, 520)),
        pytest.param(urllib.error.HTTPError("", 503, "", Message(), None), BROKEN_OFF, id="urllib-503"),
        *(pytest.param(answered(status), NEVER_SENT, id=str(status)) for status in (400, 401, 404, 409, 422, 501)),
        pytest.param(ssl.SSLCertVerificationError(), NEVER_SENT, id="certificate"),
        pytest.param(ValueError("no such room"), NEVER_SENT, id="value"),
        pytest.param(FileNotFoundError(errno.ENOENT, "x"), NEVER_SENT, id="file"),
        pytest.param(CodedError("rate_limit_exceeded"), NEVER_SENT, id="code-text"),
        pytest.param(CodedError(7), NEVER_SENT, id="code-of-its-own"),
        pytest.param(CodedError(True), NEVER_SENT, id="code-yes"),  # noqa: FBT003  # the point
        pytest.param(ShyError(), NEVER_SENT, id="shy"),
        pytest.param(HostileError(), CUT_OFF, id="hostile"),
        pytest.param(answered(303), CUT_OFF, id="303-after-a-post"),
        pytest.param(answered(200), CUT_OFF, id="200-then-stumbled"),
        pytest.param(asyncio.CancelledError(), CUT_OFF, id="cancelled"),
        pytest.param(concurrent.futures.CancelledError(), CUT_OFF, id="future-cancelled"),
        pytest.param(SystemExit(429), CUT_OFF, id="exit"),
        pytest.param(KeyboardInterrupt(), CUT_OFF, id="interrupt"),
    ],
)
def test_an_exception_is_judged(error: BaseException, diagnosis: Diagnosis) -> None:
    """Exceptions of Python and of client libraries say what became of the call."""
    assert diagnose(error, TOOL) == diagnosis


@pytest.mark.parametrize(
    ("name", "diagnosis"),
    [
        ("ConnectError", NEVER_REACHED),
        ("ConnectTimeout", NEVER_REACHED),
        ("PoolTimeout", NEVER_REACHED),
        ("ProxyError", NEVER_REACHED),
        ("ReadTimeout", BROKEN_OFF),
        ("WriteTimeout", BROKEN_OFF),
        ("ReadError", BROKEN_OFF),
        ("WriteError", BROKEN_OFF),
        ("RemoteProtocolError", BROKEN_OFF),
        ("LocalProtocolError", NEVER_SENT),
        ("UnsupportedProtocol", NEVER_SENT),
    ],
)
@pytest.mark.parametrize(
    "library",
    [library for library in ("httpx", "httpcore", "httpx2", "httpcore2") if importlib.util.find_spec(library)],
)
def test_the_clients_of_httpx_and_what_is_below_are_told_apart(library: str, name: str, diagnosis: Diagnosis) -> None:
    """Before the connection stands nothing was done; after that anybody's guess."""
    kind = getattr(importlib.import_module(library), name)
    assert diagnose(kind(""), TOOL) == diagnosis


@pytest.mark.parametrize(
    ("error", "diagnosis"),
    [
        pytest.param(raised_from(BookingError(), httpx.ReadTimeout("")), BROKEN_OFF, id="from-broken-off"),
        pytest.param(raised_from(BookingError(), ConnectionRefusedError()), NEVER_REACHED, id="from-refused"),
        pytest.param(raised_from(BookingError(), None, httpx.ReadTimeout("")), BROKEN_OFF, id="while-handling"),
        pytest.param(silenced(BookingError(), httpx.ReadTimeout("")), NEVER_SENT, id="from-none"),
        pytest.param(raised_from(BookingError(), KeyError()), NEVER_SENT, id="from-unknown"),
        pytest.param(raised_from(answered(404), None, httpx.ReadTimeout("")), NEVER_SENT, id="speaks-for-itself"),
        pytest.param(
            raised_from(BookingError(), raised_from(BookingError(), TimeoutError())), BROKEN_OFF, id="two-steps"
        ),
    ],
)
def test_an_exception_that_nobody_knows_is_judged_by_what_it_was_raised_from(
    error: Exception, diagnosis: Diagnosis
) -> None:
    """Words of the tool's own don't hide what happened, unless it says that it knows."""
    assert diagnose(error, TOOL) == diagnosis


def test_a_chain_that_never_ends_is_not_certain() -> None:
    """What is too deep to be looked at might hold anything."""
    error = BookingError()
    for _ in range(30):
        error = raised_from(BookingError(), error)  # type: ignore[assignment]
    assert diagnose(error, TOOL) == CUT_OFF


@pytest.mark.parametrize(
    ("members", "diagnosis"),
    [
        pytest.param([ConnectionRefusedError(), answered(429)], NEVER_REACHED, id="agree"),
        pytest.param([ConnectionRefusedError(), TimeoutError()], BROKEN_OFF, id="one-inconclusive"),
        pytest.param([ConnectionRefusedError(), ValueError()], NEVER_SENT, id="one-permanent"),
        pytest.param([ValueError(), TimeoutError()], CUT_OFF, id="worst-of-both"),
        pytest.param([ExceptionGroup("", [TimeoutError()])], BROKEN_OFF, id="nested"),
        pytest.param(
            [answered(429, Retry_After="3"), answered(429, Retry_After="9")],
            Diagnosis(transient=True, conclusive=True, retry_after=9),
            id="longest-wait",
        ),
    ],
)
def test_a_group_is_as_bad_as_its_worst_member(members: list[Exception], diagnosis: Diagnosis) -> None:
    """Only what all members say holds for the group."""
    assert diagnose(ExceptionGroup("both", members), TOOL) == diagnosis


@pytest.mark.parametrize(
    ("error", "diagnosis"),
    [
        pytest.param(BookingError(), NEVER_REACHED, id="unknown"),
        pytest.param(raised_from(BookingError(), asyncio.CancelledError()), BROKEN_OFF, id="still-inconclusive"),
        pytest.param(ExceptionGroup("", [BookingError()]), NEVER_REACHED, id="in-a-group"),
        pytest.param(KeyError(), NEVER_SENT, id="another-class"),
    ],
)
def test_a_tool_declares_what_may_pass(error: Exception, diagnosis: Diagnosis) -> None:
    """A declared class is transient; whether the call had an effect is judged as before."""
    assert diagnose(error, TOOL.declare(transient=(BookingError,))) == diagnosis


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({"Retry_After": "7"}, 7, id="seconds"),
        pytest.param({"retry_after": "0.5"}, 0.5, id="lower-case"),
        pytest.param(
            {"Retry_After": "Mon, 30 Nov 2026 10:00:12 GMT", "Date": "Mon, 30 Nov 2026 10:00:00 GMT"}, 12, id="date"
        ),
        pytest.param(
            {"Retry_After": "Mon, 30 Nov 2026 09:00:00 GMT", "Date": "Mon, 30 Nov 2026 10:00:00 GMT"}, 0, id="past"
        ),
        pytest.param({"Retry_After": "Mon, 30 Nov 2026 10:00:12 GMT"}, None, id="date-of-no-answer"),
        pytest.param({"Retry_After": "soon"}, None, id="garbage"),
        pytest.param({"Retry_After": "nan"}, None, id="nan"),
        pytest.param({"Retry_After": "-4"}, 0, id="negative"),
        pytest.param({}, None, id="none"),
    ],
)
def test_the_wait_that_a_server_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    """`Retry-After` is a number of seconds, or a date beside the date of the answer."""
    assert diagnose(answered(503, **headers), TOOL).retry_after == seconds


def test_the_wait_stands_on_the_error_where_the_library_puts_it_there() -> None:
    """The standard library keeps the headers on the exception itself."""
    headers = Message()
    headers["retry-after"] = "4"
    found = diagnose(urllib.error.HTTPError("", 429, "", headers, None), TOOL)
    assert found == Diagnosis(transient=True, conclusive=True, retry_after=4)
