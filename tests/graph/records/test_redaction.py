"""What leaves the process in traces: no secret of a known kind, and everything else as it was."""

from __future__ import annotations

import json
import logging
import pkgutil
import subprocess
import sys
import time
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reinforced_agent
from reinforced_agent.policies.redaction import MASK, masked, set_mask_key
from reinforced_agent.policies.redaction.names import secret_named
from tests.graph.records.masks import alike
from tests.graph.records.ordinary_records import ORDINARY, ordinary_records
from tests.graph.records.secret_kinds import KINDS as SECRET_KINDS
from tests.graph.records.secret_kinds import cases_of


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
    "among-chinese": "密钥sk-{}无效",
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
    assert secret_named(name)[0]
    assert alike(masked({name: "Xy12"})) == {name: MASK}
    assert alike(masked({"name": name, "value": "Xy12"})) == {"name": name, "value": MASK}


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
    assert alike(masked(value)) == expected


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
        assert MASK in json.dumps(alike(hidden))
        assert masked(hidden) == hidden


CARDS = [
    *(
        "4111111111111111",
        "4222222222222",
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "4242\u00a04242 4242\u00a04242",
    ),
    *("5555555555554444", "2221000000000009", "2720 9999 9999 9996", "3782 822463 10005", "30569309025904"),
    *("6011000990139424", "3530111333300000", "6200 0000 0000 0005", "6759649826438453", "2200 0000 0000 0004"),
]
"""Numbers that the issuers of cards publish for tests."""


@pytest.mark.parametrize("number", CARDS)
@pytest.mark.parametrize("around", ["{}", "card {}, 12/27", "20 {} 123", "卡号{}已付", "pan={}.", "2026-12-01 {}"])
def test_numbers_of_payment_cards_are_hidden(number: str, around: str) -> None:
    """In one piece or in groups, among words and other digits, the number is gone and the rest stays."""
    assert alike(masked(around.format(number))) == around.format(MASK)
    assert alike(masked(json.dumps({"n": [around.format(number)]}))) == json.dumps(
        {"n": [around.format(MASK)]}, ensure_ascii=False
    )


def test_a_card_as_a_number_is_hidden() -> None:
    """Data may hold it without quotes."""
    assert alike(masked({"n": 4111111111111111, "text": '{"n": 4111111111111111}'})) == {
        "n": MASK,
        "text": f'{{"n": "{MASK}"}}',
    }


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("4111111111111112", id="check-digit"),
        pytest.param("1234567812345670", id="no-issuer"),
        pytest.param("41111111111111", id="length-of-no-issuer"),
        pytest.param("+4111111111111111", id="telephone"),
        pytest.param("0.4111111111111111", id="fraction"),
        pytest.param("4111111111111111.5", id="decimal"),
        pytest.param("order-a4111111111111111", id="part-of-an-id"),
        pytest.param("4111111111111111f", id="hexadecimal"),
        pytest.param("411111111111111100000", id="longer"),
        pytest.param("41 11 11 11 11 11 11 11", id="pairs"),
        pytest.param("1764547200000 2026-12-01 10:15:00", id="times"),
        pytest.param("GB82 WEST 1234 5698 7654 33", id="iban-with-a-typing-error"),
        pytest.param("4006381333931", id="article-number"),
    ],
)
def test_other_long_numbers_stay(text: str) -> None:
    """Ids, telephone numbers, measures and times are no cards."""
    assert masked(text) == text


def test_many_names_that_are_secrets_take_no_time() -> None:
    """Each is kept apart from all others without being compared with all of them."""
    started = time.thread_time()
    assert len(masked({f"ghp_{number:036}": number for number in range(10_000)})) == 10_000
    assert time.thread_time() - started < 5  # seconds


def test_every_logger_of_the_package_masks(caplog: pytest.LogCaptureFixture) -> None:
    """What is logged, and the error beside it, holds no secret, whichever module writes it."""
    found = pkgutil.walk_packages(reinforced_agent.__path__, "reinforced_agent.")
    modules = [one.name for one in found if not one.name.endswith("__main__")]
    for module in modules:
        import_module(module)
    known = logging.root.manager.loggerDict
    loggers = [one for name in modules if isinstance(one := known.get(name), logging.Logger)]
    assert len(loggers) > 10
    for logger in loggers:
        caplog.clear()
        try:
            raise ConnectionError("Incorrect API key: sk-" + "b2" * 20)  # noqa: TRY301
        except ConnectionError:
            logger.exception("Paid with %s", "4111 1111 1111 1111")
        assert MASK in alike(caplog.text), logger.name
        assert "b2b2" not in caplog.text, logger.name
        assert "4111" not in caplog.text, logger.name
        assert "ConnectionError" in caplog.text


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


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", SECRET_KINDS)
def test_no_secret_of_any_kind_is_in_a_record(kind: str, seed: int) -> None:
    """Keys of services, passwords in many languages, cards and accounts are gone, in data and in texts of it."""
    for data, secret in cases_of(kind, seed):
        texts = [f"({data})", f"{data}\n{data}"] if isinstance(data, str) else []
        for value in (data, {"arguments": {"note": data}}, json.dumps(data, ensure_ascii=False), *texts):
            hidden = json.dumps(masked(value), ensure_ascii=False)
            assert secret not in hidden, value
            assert masked(json.loads(hidden)) == json.loads(hidden)


@pytest.mark.parametrize("seed", range(1, 6))
def test_ordinary_records_stay_as_they_are(seed: int) -> None:
    """Ids, hashes, dates, prose in twelve languages, code and links are no secrets."""
    records = ordinary_records(seed)
    assert len(records) == ORDINARY
    assert [one for one in records if masked(one) != one] == []


def test_equal_secrets_have_equal_masks() -> None:
    """A value is recognised wherever it comes again, and however a number is written; other values differ."""
    first, again = masked({"password": "hunter2!"})["password"], masked("the password is hunter2!")
    assert again == f"the password is {first}"
    assert first != masked({"password": "hunter3!"})["password"]
    assert masked("4111 1111 1111 1111") == masked("4111111111111111") == masked({"n": 4111111111111111})["n"]
    assert masked("de89 3704 0044 0532 0130 00") == masked("DE89370400440532013000")


_IN_ANOTHER_PROCESS = """
import sys
from reinforced_agent.policies.redaction import masked, set_mask_key
if sys.argv[1]:
    set_mask_key(bytes.fromhex(sys.argv[1]))
print(masked({"pin": "4821"})["pin"])
"""


def test_masks_of_processes_can_be_compared_only_with_a_key_of_the_host() -> None:
    """Whoever reads two processes' records can't try values out: the digests differ, unless the host gives a key."""

    def mask_with(key: str) -> str:
        command = [sys.executable, "-c", _IN_ANOTHER_PROCESS, key]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert mask_with("") != mask_with("")
    assert mask_with("ab" * 32) == mask_with("ab" * 32) != mask_with("cd" * 32)
    with pytest.raises(ValueError, match="16"):
        set_mask_key(b"short")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"password": "${DB_PASSWORD}"}, id="reference"),
        pytest.param({"properties": {"password": {"type": "string", "minLength": 8}}}, id="schema"),
        pytest.param("token = os.environ['API_TOKEN']", id="code"),
        pytest.param("<label>Password:</label>", id="markup"),
        pytest.param("Adding the SSH key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMq98", id="public-key"),
        pytest.param("postgres://shop:${PASSWORD}@db.example/shop", id="reference-in-a-link"),
    ],
)
def test_what_only_tells_of_a_secret_stays(value: Any) -> None:
    """Where a secret is taken from, what form it has, and the public half of a key are no secrets."""
    assert masked(value) == value
