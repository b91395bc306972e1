"""Tell findings, counts and measures from errors of the call: linters, monitors and statistics are asked for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final


_PLACES: Final = frozenset(
    {
        *("file", "filename", "filepath", "line", "lineno", "linenumber", "column", "col", "row", "rule"),
        *("ruleid", "severity"),
        *("cell", "sheet", "record", "offset", "position", "selector", "element", "instancepath", "schemapath"),
        *("keyword", "pointer", "source", "start", "end", "test", "testname", "host"),
    }
)
"""Fields that say where in something else an error was found."""
_PLACE: Final = re.compile(
    r"[\w./\\-]+\.\w{1,5}[:(]\d+|\b(?:line|row|zeile|ligne|column)\s*\d+|第\s*\d+\s*[行列条]|^[A-Z]{1,4}\d{2,5}\b",
    re.IGNORECASE,
)
_NONE: Final = re.compile(
    r"\s*(?:0+|none|no|no errors?|nil|null|n/a|ok|success(?:ful)?|succeeded|false|-"
    r"|无|没有|成功|正常|操作成功|请求成功)?\s*[.。!！]?",
    re.IGNORECASE,
)
_MEASURE: Final = re.compile(
    r"[±~≈<>≤≥+-]?\s*(?![45]\d\d$)\d[\d.,]*(?:e-?\d+)?\s*(?:%|‰|°?[a-zA-Zµ°]{0,4})", re.IGNORECASE
)
"""A number with a unit; three figures alone can be a status of HTTP."""


def are_findings(errors: list[Any]) -> bool:
    """Tell whether the errors of a list were found at places in something else."""
    return any(_is_placed(one) for one in errors[:5])


def names_place(text: str) -> bool:
    """Tell whether a text names a place in something else, such as a line of a file."""
    return _PLACE.search(text) is not None


def _is_placed(one: object) -> bool:
    if isinstance(one, Mapping):
        named = any(re.sub(r"[\W_]", "", str(key).lower()) in _PLACES for key in one)
        return named or str(one.get("path", ""))[:1] in {"/", "$", "."}
    return isinstance(one, str) and names_place(one)


def is_measure(error: object) -> bool:
    """Tell whether an error is a number of errors, a deviation, or none at all."""
    if isinstance(error, bool) or error is None:
        return True
    if isinstance(error, int | float):
        return True
    if isinstance(error, str):
        return _NONE.fullmatch(error) is not None or _MEASURE.fullmatch(error) is not None
    return all(map(is_measure, error.values())) if isinstance(error, Mapping) else not error
