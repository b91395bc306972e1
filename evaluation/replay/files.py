"""Read recorded files, and say clearly what is wrong with one that can't be read."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from reinforced_agent.policies.schema import ToolSchemaError


Needs: TypeAlias = Mapping[str, type | tuple[type, ...]]
"""The fields a record must have, each with its types."""

NOTHING = type(None)
"""The type of what may be null."""


class RecordedDataError(ValueError):
    """Recorded data can't be read; the text says which file is expected, or which line is wrong."""


def read_lines(folder: Path, name: str) -> list[str]:
    """Read all lines of a recorded file.

    Raises:
        RecordedDataError: When there is no such file, it is damaged, or it holds nothing.

    """
    lines = _read(folder, name).splitlines()
    if not lines:
        msg = f"{name} in {str(folder)!r} is empty: it should hold one JSON object a line."
        raise RecordedDataError(msg)
    return lines


def read_object(folder: Path, name: str) -> dict[str, Any]:
    """Read a recorded file that holds one JSON object.

    Raises:
        RecordedDataError: When there is no such file, it is damaged, or it holds anything else.

    """
    text = _read(folder, name)
    try:
        value = json.loads(text)
    except ValueError as error:
        msg = f"{name} in {str(folder)!r} is no JSON: {error}."
        raise RecordedDataError(msg) from error
    if not isinstance(value, dict):
        msg = f"{name} in {str(folder)!r} should hold one JSON object."
        raise RecordedDataError(msg)
    return value


def parse(line: str, number: int, name: str, needs: Needs) -> dict[str, Any]:
    """Read one line of a recorded file.

    Args:
        line: The line.
        number: Its number, from 1.
        name: The name of the file.
        needs: What the record must have.

    Raises:
        RecordedDataError: When the line is no JSON object, or one of another kind.

    """
    try:
        value = json.loads(line)
    except ValueError as error:
        msg = f"Line {number} of {name} is no JSON: {error}."
        raise RecordedDataError(msg) from error
    if not isinstance(value, dict):
        msg = f"Line {number} of {name} is no JSON object."
        raise RecordedDataError(msg)
    for field, kind in needs.items():
        if field not in value or not isinstance(value[field], kind):
            what = "has no" if field not in value else f"has {type(value[field]).__name__} as"
            msg = (
                f"Line {number} of {name} {what} {field!r}: this is another kind of record; its fields: {_some(needs)}."
            )
            raise RecordedDataError(msg)
    return value


@contextmanager
def at_line(number: int, name: str) -> Iterator[None]:
    """Name the line of a recorded file whose record has another shape inside.

    Raises:
        RecordedDataError: When what is done meanwhile finds a part missing, of another type, or no usable schema.

    """
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ToolSchemaError) as error:
        msg = f"Line {number} of {name} has another shape than a record of that name: {type(error).__name__}: {error}."
        raise RecordedDataError(msg) from error


def _read(folder: Path, name: str) -> str:
    """Unpack a file."""
    path = folder / name
    if not path.is_file():
        raise RecordedDataError(_missing(folder, name))
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read()
    except EOFError as error:
        msg = f"{name} in {str(folder)!r} ends too early: copy it once more."
        raise RecordedDataError(msg) from error
    except (OSError, zlib.error, UnicodeDecodeError) as error:
        msg = f"{name} in {str(folder)!r} can't be unpacked: {error}. Give a gzip file of UTF-8 text."
        raise RecordedDataError(msg) from error


def _missing(folder: Path, name: str) -> str:
    """Say why a file isn't there."""
    if not folder.exists():
        return f"There is no folder {str(folder)!r}: name the one that holds {name}."
    if not folder.is_dir():
        return f"{str(folder)!r} is no folder: name the one that holds {name}."
    return f"There is no {name} in {str(folder)!r}: name the folder of the recorded data."


def _some(needs: Needs) -> str:
    return ", ".join(needs)
