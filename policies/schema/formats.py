"""Formats of text values that the calendar and the clock decide, with a reason a reader understands."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple


class Misfit(NamedTuple):
    """Why a text is not what its format says."""

    code: str
    """Key of the text in the catalogues of `policies.messages`."""
    facts: Mapping[str, str] = {}
    """Values for its placeholders."""


_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-]([0-9]{2}):([0-9]{2}))?")
_SPLIT = re.compile(r"[Tt ]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FIRST_YEAR: Final = 1000
_MONTHS: Final = 12
_HOURS: Final = 23
_MINUTES: Final = 59
_HEX_DIGITS: Final = 32


def why_not_date(text: str) -> Misfit | None:
    """Tell why a text is no date `YYYY-MM-DD` of the calendar from the year 1000 on; `None` where it is one."""
    match = _DATE.fullmatch(text)
    if match is None:
        return Misfit("date_form")
    year, month, day = (int(part) for part in match.groups())
    if year < _FIRST_YEAR:
        return Misfit("date_year", {"year": str(year)})
    if not 1 <= month <= _MONTHS:
        return Misfit("date_month", {"month_number": match[2]})
    days = calendar.monthrange(year, month)[1]
    if not 1 <= day <= days:
        return Misfit("date_day", {"year": str(year), "month": f"month_{month}", "days": str(days)})
    return None


def why_not_time(text: str) -> Misfit | None:
    """Tell why a text is no time of day `HH:MM[:SS]`, with or without an offset; `None` where it is one."""
    match = _TIME.fullmatch(text)
    if match is None:
        return Misfit("time_form")
    hour, minute, second, offset_hour, offset_minute = (int(part or 0) for part in match.groups())
    if hour > _HOURS or offset_hour > _HOURS:
        return Misfit("time_hour")
    if max(minute, second, offset_minute) > _MINUTES:
        return Misfit("time_minute")
    return None


def why_not_date_time(text: str) -> Misfit | None:
    """Tell why a text is no date and time; `None` where it is one.

    The offset from UTC may be missing: asking for one would make a model invent it.
    """
    parts = _SPLIT.split(text, maxsplit=1)
    if len(parts) == 1:
        return Misfit("date_time_form")
    return why_not_date(parts[0]) or why_not_time(parts[1])


def _why_not_email(text: str) -> Misfit:
    local, at, domain = text.rpartition("@")
    if not at:
        return Misfit("email_no_at")
    if not domain:
        return Misfit("email_no_domain")
    return Misfit("email_no_name") if not local else Misfit("email_form")


def _why_not_uri(text: str) -> Misfit:
    if any(character.isspace() for character in text):
        return Misfit("uri_space")
    return Misfit("uri_form") if _SCHEME.match(text) else Misfit("uri_no_scheme")


def _why_not_uuid(text: str) -> Misfit:
    digits = sum(character in "0123456789abcdefABCDEF" for character in text)
    return Misfit("uuid_form") if digits == _HEX_DIGITS else Misfit("uuid_digits", {"count": str(digits)})


_DECIDED_HERE: Final[Mapping[str, Callable[[str], Misfit | None]]] = {
    "date": why_not_date,
    "time": why_not_time,
    "date-time": why_not_date_time,
}
_EXPLAINED_HERE: Final[Mapping[str, Callable[[str], Misfit]]] = {
    "email": _why_not_email,
    "idn-email": _why_not_email,
    "uri": _why_not_uri,
    "url": _why_not_uri,
    "iri": _why_not_uri,
    "uuid": _why_not_uuid,
}


def explain(name: str, text: str) -> Misfit:
    """Say why a text that was found not to be of a format isn't; general where the format has no reasons here."""
    decided = _DECIDED_HERE.get(name)
    if decided is not None:
        return decided(text) or Misfit("format_other", {"format": name})
    explained = _EXPLAINED_HERE.get(name)
    return explained(text) if explained is not None else Misfit("format_other", {"format": name})


def _check(decide: Callable[[str], Misfit | None]) -> Callable[[str], bool]:
    return lambda text: decide(text) is None


_TERMS: Final[Mapping[str, str]] = {
    **{name: f"format_{name}" for name in ("date", "time", "date-time", "email", "uri", "uuid")},
    "idn-email": "format_email",
    **dict.fromkeys(("url", "iri"), "format_uri"),
}


def term_of(name: str) -> str:
    """Return the key under which the catalogues describe a text of a format; a plain text for unknown ones."""
    return _TERMS.get(name, "string")


CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {name: _check(why) for name, why in _DECIDED_HERE.items()}
"""Formats that are judged here instead of by the validator, by name."""
