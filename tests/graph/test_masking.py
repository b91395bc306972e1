"""What leaves the process in traces: no secret of a known kind, and everything else as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.graph.masking import MASK, is_secret_name, masked


BODY = st.text("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789", min_size=36, max_size=40)
"""The part of a key that is random; long enough not to occur anywhere else."""

KINDS = {
    "openai": "sk-proj-{}",
    "openai-old": "sk-{}",
    "stripe": "sk_live_{}",
    "github": "ghp_{}",
    "github-fine": "github_pat_{}",
    "gitlab": "glpat-{}",
    "slack": "xoxb-{}",
    "langsmith": "lsv2_pt_{}",
    "huggingface": "hf_{}",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.{}.sig-{}",
    "bearer": "Bearer {}1",
    "header": "Authorization: Basic {}",
    "login": "postgres://bob:{}@db.example/shop",
    "pem": "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
    "cut-pem": "-----BEGIN PRIVATE KEY-----\n{}",
    "shell": "export API_KEY={}",
    "query": "https://shop.example/?access_token={}&page=2",
    "python": "connect(password='{}', host='db')",
    "words": "Password: {}",
    "part-of-json": 'send {{"client_secret": "{}", "n": 1}} now',
    "cut-json": '{{"n": 1, "password": "{}',
}
"""Texts with a secret in them, by kind."""

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text("ab cd{}[]\"\\':=,.\n-_é", max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcd_", max_size=8), inner, max_size=4),
    max_leaves=12,
)
"""Data without a secret: no name and no value in it can look like one."""


@pytest.mark.parametrize(
    "name",
    [
        *("password", "userPassword", "PASSWD", "db_password_2", "passphrase", "pwd"),
        *(
            "api_key",
            "apiKey",
            "APIKEY",
            "X-API-Key",
            "openai_api_key",
            "private-key",
            "private_key_pem",
            "secret_access_key",
        ),
        *("secret", "clientSecret", "client secret", "credentials", "jwt", "auth", "Proxy-Authorization", "Set-Cookie"),
        *("token", "accessToken", "refresh_token", "csrf-token", "access_tokens", "pin", "card_pin", "cvv", "otp_code"),
    ],
)
def test_names_of_secrets_are_known_in_any_spelling(name: str) -> None:
    """Case, hyphens, underscores and what stands around the word don't matter."""
    assert is_secret_name(name)
    assert masked({name: "Xy12"}) == {name: MASK}
    assert masked({"name": name, "value": "Xy12"}) == {"name": name, "value": MASK}


@pytest.mark.parametrize(
    "name",
    [
        *("secretary", "tokens", "max_tokens", "total_tokens", "token_count", "token_usage", "next_page_token"),
        *(
            "input_token_details",
            "keyboard",
            "key",
            "primary_key",
            "author",
            "authority",
            "spinning",
            "opinion",
            "compass",
        ),
        *("password_policy", "api_key_id", "cookie_policy", "session_id", "digest", "call_id"),
    ],
)
def test_names_that_only_sound_like_secrets_are_left_alone(name: str) -> None:
    """Counts, policies and other words that hold the word stay readable."""
    assert masked({name: "Xy12"}) == {name: "Xy12"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"password": 1234}, {"password": MASK}, id="number"),
        pytest.param({"credentials": {"user": "ann", "word": "x"}}, {"credentials": MASK}, id="whole-object"),
        pytest.param(
            {"password": None, "token": "", "secret": True}, {"password": None, "token": "", "secret": True}, id="none"
        ),
        pytest.param([{"a": ({"pin": "1"},)}], [{"a": ({"pin": MASK},)}], id="nested"),
        pytest.param({"args": '{"pin": "1", "n": 2}'}, {"args": f'{{"pin": "{MASK}", "n": 2}}'}, id="json-in-text"),
        pytest.param('"{\\"pin\\": \\"1\\"}"', f'"{{\\"pin\\": \\"{MASK}\\"}}"', id="json-in-json"),
        pytest.param('{"pin": "123", "pin": ""}', f'{{"pin": "{MASK}", "pin": ""}}', id="name-twice"),
        pytest.param("user=ann&password=x%20y&n=1", f"user=ann&password={MASK}&n=1", id="form"),
        pytest.param("Cookie: a=b; c=d\r\nHost: h", f"Cookie: {MASK}\r\nHost: h", id="header-line"),
        pytest.param("url=https://h/?token=abc", f"url=https://h/?token={MASK}", id="assignment-in-assignment"),
        pytest.param("redis://:pw@cache:6379/0", f"redis://{MASK}@cache:6379/0", id="login-without-name"),
        pytest.param('log \\"secret\\": \\"abc\\" end', f'log \\"secret\\": \\"{MASK}\\" end', id="escaped-quotes"),
    ],
)
def test_secrets_are_hidden_where_they_stand(value: Any, expected: Any) -> None:
    """Only the secret is replaced; what stands around it stays."""
    assert masked(value) == expected


def test_names_that_are_secrets_are_hidden_and_kept_apart() -> None:
    """A key used as a field name doesn't leave either, and no field is lost."""
    hidden = masked({"ghp_" + "a1" * 18: 1, "ghp_" + "b2" * 18: 2})
    assert sorted(hidden.values()) == [1, 2]
    assert "a1a1" not in str(hidden)
    assert masked(hidden) == hidden


@pytest.mark.parametrize("kind", KINDS)
@given(body=BODY, around=st.sampled_from(["{}", "see {} there", "\n{}\n", "({})"]))
def test_no_secret_of_a_known_kind_survives(kind: str, body: str, around: str) -> None:
    """Alone, in a sentence, nested, in JSON and in JSON within JSON, the secret is gone after one pass."""
    text = around.format(KINDS[kind].format(body, body))
    for value in (text, {"a": [text]}, {text: 1}, json.dumps({"a": text}), json.dumps(json.dumps([text]))):
        hidden = masked(value)
        assert body not in json.dumps(hidden)
        assert MASK in json.dumps(hidden)
        assert masked(hidden) == hidden


@given(PLAIN)
def test_what_holds_no_secret_is_left_as_it_is(value: Any) -> None:
    """Data, and texts that hold data, come back byte for byte."""
    assert masked(value) == value
    for text in (json.dumps(value), json.dumps(value, indent=2), repr(value)):
        assert masked(text) == text


@given(st.text("passwordtkeniu=:{}[]\"'\\ ,;&@/.-_1\n", max_size=60))
def test_masking_twice_is_masking_once(text: str) -> None:
    """Whatever a text looks like, its masked form is final."""
    once = masked(text)
    assert masked(once) == once


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("[" * 100_000, id="deep-text"),
        pytest.param(json.dumps({"n": 10**4000})[:-1] + "0" * 1000 + "}", id="long-number"),
        pytest.param("password=" * 20_000, id="assignments"),
        pytest.param("sk-a-" * 20_000, id="beginnings-of-keys"),
        pytest.param("\\" * 50_000 + '"', id="escapes"),
        pytest.param("key " * 30_000 + "=", id="words"),
        pytest.param(object(), id="object"),
    ],
)
def test_nothing_makes_it_fail(value: Any) -> None:
    """Masking ends, and without an error, on anything."""
    masked({"a": value})


def test_what_lies_too_deep_is_hidden_whole() -> None:
    """Data that holds itself, and secrets at any depth, don't get through."""
    deep: Any = {"password": "hunter2"}
    for _ in range(500):
        deep = [deep]
    assert "hunter2" not in str(masked(deep))
    loop: list[Any] = ["plain"]
    loop.append(loop)
    assert str(masked(loop)).count("plain") < 50
