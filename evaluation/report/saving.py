"""Save a page whole or not at all: it is written beside its place, and then put there in one step."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from reinforced_agent.evaluation.report.sources import ReportError


_OWNER_ALONE = 0o600
"""Mode of what is written: its owner may read and write it."""


def save(path: Path, text: str) -> None:
    """Write a text file; what stood there before stays until the new one is complete.

    A new file is its owner's alone, whatever the umask, since it tells of requests and calls; one that is replaced
    keeps its mode.

    Raises:
        ReportError: When it can't be written.

    """
    try:
        place = path.resolve()
        if place.exists() and not place.is_file():
            msg = f"The page can't be written to {str(path)!r}: that is no file. Name a file in a folder you may write."
            raise ReportError(msg)
        _replace(place, text)
    except OSError as error:
        msg = (
            f"The page can't be written to {str(path)!r}: {error.strerror}. Name a file in a folder you may write, "
            "with room on its disk; nothing was changed."
        )
        raise ReportError(msg) from error


def _replace(place: Path, text: str) -> None:
    """Write the text beside its place, and put it there; whatever happens, only the one or the other is left.

    Raises:
        OSError: When either fails.

    """
    part = place.with_name(f".{place.name[:100]}.{secrets.token_hex(8)}.part")
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else _OWNER_ALONE
    try:
        _write(part, text)
        part.chmod(mode)
        part.replace(place)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _write(part: Path, text: str) -> None:
    """Write a new file and see it on the disk."""
    with open(part, "x", encoding="utf-8", newline="\n", opener=_for_owner) as file:  # `Path.open` has no opener
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _for_owner(path: str, flags: int) -> int:
    """Open a file that only its owner can read from the beginning."""
    return os.open(path, flags, _OWNER_ALONE)
