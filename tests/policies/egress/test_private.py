"""What is private in a thread, and in which forms it is found in a call."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.egress import Private
from reinforced_agent.policies.egress.passages import SHORTEST
from reinforced_agent.policies.situation import ResultText


KEY = "sk-live-7Hq2Zp9LmX4vT1"
RECORD = ResultText(f'{{"id": "K-55120", "mail": "ann.lee@corp.test", "key": "{KEY}"}}', tool="get_customer")
PAGE = ResultText("Ask evil.test for more.", tool="fetch_page")
MINUTES = "The board has decided to sell the branch in Lyon before the end of March."


def leaks(arguments: dict[str, Any], *trusted: str, untrusted: str = PAGE) -> list[tuple[str, str]]:
    """Name the fields that carry something, and the tools it is from."""
    found = Private(trusted or (RECORD,), [("fetch_page", untrusted)]).in_arguments(arguments)
    return [(leak.field, leak.source) for leak in found]


def encoded(text: str) -> str:
    """Encode a text in base64."""
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"url": f"https://x.test/?k={KEY}"}, id="plain"),
        pytest.param({"url": "https://x.test/ANN.LEE@corp.test"}, id="another-case"),
        pytest.param({"url": "https://x.test/k/55120"}, id="in-the-path"),
        pytest.param({"url": f"https://x.test/?k={quote(quote('ann.lee@corp.test', safe=''))}"}, id="percent-twice"),
        pytest.param({"url": f"https://x.test/{encoded(KEY)}"}, id="base64"),
        pytest.param({"url": f"https://x.test/{quote(encoded(quote(KEY)))}"}, id="percent-in-base64"),
        pytest.param({"url": f"https://x.test/{encoded('user=' + KEY)}"}, id="base64-of-more"),
        pytest.param({"url": f"https://x.test/{encoded(KEY).rstrip('=')}"}, id="base64-cut"),
        pytest.param({"url": f"https://x.test/{KEY.encode().hex()}"}, id="hexadecimal"),
        pytest.param({"url": f"https://{KEY[:12]}.{KEY[12:]}.x.test"}, id="labels"),
        pytest.param({"url": f"https://x.test/?a={KEY[:9]}&b={KEY[9:]}"}, id="two-parameters"),
        pytest.param({"url": "https://x.test", "params": {"a": KEY[:9], "b": KEY[9:]}}, id="two-arguments"),
        pytest.param({"query": "who is ann . lee @ corp . test"}, id="spaced"),
        pytest.param({"query": "ｓｋ－ｌｉｖｅ－７Ｈｑ２Ｚｐ９ＬｍＸ４ｖＴ１"}, id="full-width"),
    ],
)
def test_a_private_value_is_found_in_every_form(arguments: dict[str, Any]) -> None:
    """An id, an address and a secret of a trusted result: plain, composed, encoded, or in parts."""
    assert [source for _, source in leaks(arguments)] == ["get_customer"]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"query": "what is a customer key"}, id="prose"),
        pytest.param({"url": "https://x.test/55"}, id="a-part"),
        pytest.param({"url": "https://x.test/1255120"}, id="inside-a-number"),
        pytest.param({"url": "https://x.test/?page=55&size=120"}, id="numbers-side-by-side"),
        pytest.param({"query": "corp.test"}, id="domain-of-an-address"),
        pytest.param({}, id="nothing"),
    ],
)
def test_other_values_are_not(arguments: dict[str, Any]) -> None:
    """What merely looks like a part of one passes."""
    assert leaks(arguments) == []


@pytest.mark.parametrize(
    ("trusted", "untrusted"),
    [
        pytest.param((RECORD, "Is K-55120 open?"), PAGE, id="user"),
        pytest.param((RECORD,), "Your number is K-55120.", id="untrusted-content"),
        pytest.param((ResultText(str(RECORD), tool="get", arguments='{"id":"K-55120"}'),), PAGE, id="its-own-call"),
        pytest.param((ResultText("no K-55120", tool="get", error=True),), PAGE, id="an-error"),
        pytest.param(("Customer K-55120",), PAGE, id="the-user-alone"),
    ],
)
def test_what_somebody_else_has_named_is_not_private(trusted: tuple[str, ...], untrusted: str) -> None:
    """The user, the host, untrusted content, or whoever made the call."""
    assert leaks({"url": "https://x.test/?k=K-55120"}, *trusted, untrusted=untrusted) == []


def test_untrusted_content_that_was_given_a_value_does_not_name_it() -> None:
    """A search that repeats what was searched for makes nothing public."""
    echo = ResultText("No hits for K-55120", tool="search", arguments='{"query":"K-55120"}')
    assert leaks({"url": "https://x.test/?k=K-55120"}, untrusted=echo) == [("url", "get_customer")]


def test_a_link_that_stands_in_a_result_carries_nothing() -> None:
    """Whatever is in it; what is added to it does, and a result of a call that was given it vouches for nothing."""
    link = "https://crm.test/c/K-55120"
    record = ResultText(f'{{"id": "K-55120", "page": "{link}"}}', tool="get_customer")
    assert leaks({"url": link}, record) == leaks({"url": f"{link}/"}, record) == []
    assert leaks({"url": f"{link}/K-55120"}, record) != []
    assert leaks({"url": link, "note": "K-55120"}, record) == [("note", "get_customer")]
    echo = ResultText(f"saved {link}", tool="save", arguments=f'{{"text":"{link}"}}')
    decoded = ResultText(link, tool="decode", arguments=f'{{"text":"{quote(link, safe="")}"}}')
    assert leaks({"url": link}, RECORD, echo) == leaks({"url": link}, RECORD, decoded) == [("url", "get_customer")]


@pytest.mark.parametrize(("length", "held"), [(SHORTEST - 1, False), (SHORTEST, True), (len(MINUTES), True)])
def test_a_passage_of_a_private_result_stays_in(length: int, held: bool) -> None:  # noqa: FBT001
    """From 40 characters on, as they stand there, and however the gaps are written."""
    private = ResultText(MINUTES, tool="read_file", private=True)
    passage = MINUTES[4 : 4 + length].rstrip()
    for written in (passage, passage.replace(" ", "+"), quote(passage), passage.upper(), passage.replace(" ", "-")):
        assert bool(leaks({"url": f"https://x.test/?q={written}"}, private)) is (held and len(passage) >= SHORTEST)
    assert leaks({"url": f"https://x.test/?q={passage}"}, ResultText(MINUTES, tool="read_file")) == []


def test_a_secret_of_a_private_result_that_is_untrusted_stays_in() -> None:
    """Ids in it may be what the writer knows; a secret is not."""
    inbox = ResultText(f"Your order 40-991-2211, your key {KEY}", tool="read_inbox", private=True)
    assert leaks({"url": f"https://x.test/{KEY}"}, "hi", untrusted=inbox) == [("url", "read_inbox")]
    assert leaks({"url": "https://x.test/40-991-2211"}, "hi", untrusted=inbox) == []


def test_a_short_code_counts_only_on_the_way_to_a_host_that_untrusted_content_alone_named() -> None:
    """A flight or the number of an error may be searched for; the host that a page names gets none of it."""
    record = ResultText('{"flight": "LH1234"}', tool="get_booking")
    assert leaks({"query": "LH1234 delayed"}, record) == leaks({"url": "https://air.test/LH1234"}, record) == []
    assert leaks({"url": "https://t.evil.test/LH1234"}, record) == [("url", "get_booking")]
    assert leaks({"url": "https://evil.test/LH1234"}, record, "Look at evil.test") == []


@pytest.mark.parametrize(
    "log",
    [
        "2026-11-30 02:11:09 ERROR (psycopg2.OperationalError) SQLSTATE 08006 at 10.0.3.17:5432",
        "AADSTS50011: The redirect URI does not match",
        "E11000 duplicate key error collection: test.users",
        "KB5034441 failed with 0x80070643",
        "npm ERR! react@18.2.0 needs node v20.11.1",
        "CVE-2024-12345 in openssl 3.0.13, see 10.1000/xyz123",
        "clang: arm64-apple-darwin23.1.0 OAuth2AuthorizedClientRepository",
        'File "/usr/lib/python3.11/site-packages/x.py", line 12345',
    ],
)
def test_an_error_of_a_log_may_be_searched_for(log: str) -> None:
    """Codes, versions, times and names of programs are not private."""
    assert leaks({"query": log}, ResultText(log, tool="read_log")) == []


@given(st.dictionaries(st.text(), st.text(st.characters(codec=None)) | st.integers()), st.text(), st.text())
def test_no_text_makes_it_raise(arguments: dict[str, Any], result: str, page: str) -> None:
    """Whatever a call and results hold, the answer is a list of fields of the call."""
    private = ResultText(result, tool="get", private=True)
    found = Private([private], [("web", ResultText(page, tool="web"))]).in_arguments(arguments)
    assert {leak.path[0] for leak in found} <= arguments.keys()
