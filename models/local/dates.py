"""Find dates as people write them and write them as YYYY-MM-DD, without asking whether the calendar has them."""

import re


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_FORMS = tuple(
    re.compile(rf"\b{form}\b", re.IGNORECASE)
    for form in (
        rf"{_YEAR}-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})",
        rf"{_YEAR}/(?P<month>\d{{1,2}})/(?P<day>\d{{1,2}})",
        rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_YEAR}",
        rf"{_DAY}(?:\s+of)?\s+{_MONTH},?\s+{_YEAR}",
        rf"{_MONTH}\s+(?:the\s+)?{_DAY},?\s+{_YEAR}",
    )
)


def iso_dates(text: str) -> list[str]:
    """Return the dates of a text in their order of form, each as YYYY-MM-DD; 31 November is returned like any other."""
    return [_iso(match) for form in _FORMS for match in form.finditer(text)]


def _iso(match: re.Match[str]) -> str:
    month = match["month"].lower()
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1
    return f"{match['year']}-{number:02d}-{int(match['day']):02d}"
