"""Dates, times and addresses, and why they are none."""

from __future__ import annotations

import pytest

from reinforced_agent.policies.messages import catalogue
from reinforced_agent.policies.schema.formats import explain, term_of, why_not_date, why_not_date_time, why_not_time


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2028-02-29", None),
        ("2027-02-29", "date_day"),
        ("1900-02-29", "date_day"),
        ("2027-04-31", "date_day"),
        ("2027-00-10", "date_month"),
        ("2027-1-5", "date_form"),
        ("05/01/2027", "date_form"),
        ("0999-01-01", "date_year"),
        ("2027-01-01T00:00:00", "date_form"),
        ("２０２７-01-01", "date_form"),
    ],
)
def test_dates(text: str, code: str | None) -> None:
    """A date has to be one of the calendar."""
    misfit = why_not_date(text)

    assert (misfit and misfit.code) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("08:15", None),
        ("08:15:30.25+02:00", None),
        ("23:59:59Z", None),
        ("24:00", "time_hour"),
        ("12:60", "time_minute"),
        ("8:15", "time_form"),
        ("noon", "time_form"),
    ],
)
def test_times(text: str, code: str | None) -> None:
    """A time has to be one of the clock; its offset may be missing."""
    misfit = why_not_time(text)

    assert (misfit and misfit.code) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2027-06-01T08:15:00Z", None),
        ("2027-06-01 08:15", None),
        ("2027-06-31T08:15:00Z", "date_day"),
        ("2027-06-01T25:00:00Z", "time_hour"),
        ("2027-06-01", "date_time_form"),
    ],
)
def test_dates_with_times(text: str, code: str | None) -> None:
    """Both halves have to exist."""
    misfit = why_not_date_time(text)

    assert (misfit and misfit.code) == code


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("email", "kim.example.org", "email_no_at"),
        ("email", "kim@", "email_no_domain"),
        ("email", "@example.org", "email_no_name"),
        ("email", "kim@exa mple.org", "email_form"),
        ("uri", "example.org/a", "uri_no_scheme"),
        ("uri", "https://example.org/a b", "uri_space"),
        ("uri", "https://[", "uri_form"),
        ("uuid", "1234", "uuid_digits"),
        ("uuid", "0" * 31 + "-0", "uuid_form"),
        ("hostname", "-", "format_other"),
    ],
)
def test_reasons(name: str, text: str, code: str) -> None:
    """Every misfit has a reason that says what to change."""
    assert explain(name, text).code == code


@pytest.mark.parametrize(
    ("name", "term"),
    [
        pytest.param("date", "format_date", id="date"),
        pytest.param("idn-email", "format_email", id="another-name-of-email"),
        pytest.param("iri", "format_uri", id="another-name-of-uri"),
        pytest.param("ipv4", "string", id="without-a-term"),
        pytest.param("", "string", id="none"),
    ],
)
def test_terms(name: str, term: str) -> None:
    """A format is called by a term that both catalogues have, or a text."""
    assert term_of(name) == term
    assert term in catalogue("en").terms
