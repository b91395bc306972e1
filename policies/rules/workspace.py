"""Whether a path stays inside a folder, decided by its components alone; links on the disk can't be seen from here."""

from __future__ import annotations

import re
from typing import Final


_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
"""An address or a Windows drive."""
_HIDDEN: Final = re.compile(r"[\\\x00-\x1f\x7f]|%(?:25)*(?:2e|2f|5c|00)", re.IGNORECASE)
"""Other separators, control characters, and dots or slashes that a tool might decode."""


def components(path: str) -> tuple[str, ...]:
    """Split an absolute path into its components, with `.` and `..` resolved; `..` of the root is the root."""
    found: list[str] = []
    for part in path.split("/"):
        if part == "..":
            found[-1:] = []
        elif part not in {"", "."}:
            found.append(part)
    return tuple(found)


def is_inside(path: object, root: str) -> bool:
    """Tell whether a path is the folder `root` or lies below it; a relative one starts there.

    Anything that could be read in two ways is not inside: addresses, drives, home folders, backslashes, encoded dots.
    """
    if not isinstance(path, str) or not path or path.startswith("~") or path.strip() != path:
        return False
    if _SCHEME.match(path) or _HIDDEN.search(path):
        return False
    base = components(root)
    return components(path if path.startswith("/") else f"{root}/{path}")[: len(base)] == base
