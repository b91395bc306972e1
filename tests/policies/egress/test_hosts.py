"""Hosts are read as browsers read them, and compared by the domain that somebody has registered."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.egress.hosts import domains_in, host_of, registrable


@pytest.mark.parametrize(
    ("value", "host"),
    [
        pytest.param("https://evil.test/a?b=c#d", "evil.test", id="link"),
        pytest.param("EVIL.test/a", "evil.test", id="no-scheme"),
        pytest.param("//evil.test/a", "evil.test", id="slashes-alone"),
        pytest.param("https:/evil.test", "evil.test", id="one-slash"),
        pytest.param("https:\\\\evil.test\\a", "evil.test", id="backslashes"),
        pytest.param("https://bbc.co.uk@evil.test/", "evil.test", id="user-name"),
        pytest.param("https://evil.test:8443/", "evil.test", id="port"),
        pytest.param("https://evil.test./", "evil.test", id="dot-at-the-end"),
        pytest.param("https://%65vil%2Etest/", "evil.test", id="percent"),
        pytest.param("https://ｅｖｉｌ。ｔｅｓｔ/", "evil.test", id="full-width"),
        pytest.param("https://ev\u200bil.te\nst/", "evil.test", id="unseen"),
        pytest.param("http://2130706433/", "127.0.0.1", id="whole-number"),
        pytest.param("http://0x7f.1/", "127.0.0.1", id="hexadecimal"),
        pytest.param("http://0177.0.0.1/", "127.0.0.1", id="octal"),
        pytest.param("http://[::1]:80/", "::1", id="ipv6"),
        pytest.param("https://münchen.de/", "xn--mnchen-3ya.de", id="international"),
        pytest.param("mailto:ann@corp.test?subject=x", "corp.test", id="mail-link"),
        pytest.param("ann@corp.test", "corp.test", id="mail"),
        pytest.param("http://localhost:1/", "localhost", id="local"),
        pytest.param("src/main.py", "", id="path"),
        pytest.param("3.14", "", id="number"),
        pytest.param("two words", "", id="prose"),
        pytest.param("javascript:alert(1)", "", id="script"),
        pytest.param("http://999999999999/", "", id="no-address"),
        pytest.param("", "", id="empty"),
    ],
)
def test_where_a_value_leads(value: str, host: str) -> None:
    """Whatever is written around a host, it is the one that would be called."""
    assert host_of(value) == host


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("evil.co.uk", "evil.co.uk"),
        ("me.github.io", "me.github.io"),
        ("a.b.evil.test", "evil.test"),
        ("notevil.test", "notevil.test"),
        ("10.0.0.1", "10.0.0.1"),
        ("localhost", "localhost"),
    ],
)
def test_what_somebody_has_registered(host: str, domain: str) -> None:
    """Not the last two labels: what stands on the public suffix list is nobody's."""
    assert registrable(host) == domain


@pytest.mark.parametrize(
    ("text", "domains"),
    [
        pytest.param("https://news.bbc.co.uk/x, or ann@mail.corp.test.", {"bbc.co.uk", "corp.test"}, id="two"),
        pytest.param("主机是evil.test。", {"evil.test"}, id="without-spaces"),
        pytest.param("edit src/main.py at 3.14", set(), id="paths-and-numbers"),
        pytest.param("call http://2130706433/x", {"127.0.0.1"}, id="whole-number"),
    ],
)
def test_the_domains_that_a_text_names(text: str, domains: set[str]) -> None:
    """In links, in addresses, and bare; a name inside a path is none."""
    assert domains_in(text) == domains


def test_no_network_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of suffixes is the one that is installed."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert registrable("deep.down.example.com.au") == "example.com.au"


@given(st.text(st.characters(codec=None)))
def test_no_text_makes_it_raise(text: str) -> None:
    """Whatever a value holds, it leads to a host or to none."""
    assert isinstance(registrable(host_of(text)), str)
    assert isinstance(registrable(host_of(f"https://{text}")), str)
    assert isinstance(domains_in(text), frozenset)
