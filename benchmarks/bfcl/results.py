"""Keep the result of every trial in a file of JSON Lines, so that an interrupted evaluation goes on where it stopped.

The first line names the settings, every other holds one trial with all that is needed to judge it again. A file of
other settings, or of another version of this layout, is never written to.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from reinforced_agent.tools.call import digest as fingerprint


SCHEMA = 1
"""Version of the layout below."""


class ResultsError(ValueError):
    """Results can't be read or written; the text says which file, what is wrong, and what to do."""


class Judged(BaseModel):
    """A proposal with the judgement on it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls: list[dict[str, Any]]
    """Name and arguments of each call."""
    unreadable: str = ""
    """Why the calls can't be read."""
    right: bool
    fault: str | None = None
    """What is wrong, one of `values.Fault`."""
    where: str = ""


class Result(BaseModel):
    """One question, tried in one arm."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    arm: str
    id: str
    category: str
    question: str
    """Fingerprint of what was asked: messages and tools."""
    tools: str
    """Fingerprint of the tools."""
    settings: str
    """Fingerprint of the settings."""
    version: str
    """Version of this package."""
    code: str
    """Fingerprint of its source, so that a change in the middle of an evaluation shows."""
    first: Judged
    """The first proposal, as the model wrote it."""
    final: Judged
    """What would have been executed."""
    unreviewed: Judged | None = None
    """What would have been executed without a reviewer; `None` where there was none."""
    reviews: list[dict[str, Any]] = []
    """What came of asking the reviewer, by message; see `graph.state.Reviewed`."""
    exchanges: list[dict[str, Any]]
    """What the model was shown and what it said, as often as it was asked."""
    tokens: int | None
    """Read and written, as the model counts them; `None` when it tells nothing."""
    seconds: float


@dataclass(frozen=True)
class Settings:
    """What decides how a model answers; results of different settings don't mix."""

    values: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """Fingerprint."""
        return fingerprint("settings", dict(self.values))

    @property
    def line(self) -> bytes:
        """The first line of a file."""
        return _line({"schema": SCHEMA, "settings": dict(self.values)})


@dataclass
class Results:
    """The results of one evaluation so far, in memory and, where a file is named, on disk."""

    settings: Settings
    kept: dict[tuple[str, str, str], Result] = field(default_factory=dict)
    file: FileIO | None = None

    def find(self, arm: str, test_id: str, question: str) -> Result | None:
        """Return the result of the same question in the same arm, if there is one."""
        return self.kept.get((arm, test_id, question))

    def add(self, result: Result) -> None:
        """Keep a result, on disk first.

        Raises:
            ResultsError: When it can't be written; what was written before stays.

        """
        if self.file is not None:
            _append(self.file, _line(result.model_dump()))
        self.kept[result.arm, result.id, result.question] = result


@contextmanager
def open_results(path: Path | None, settings: Settings) -> Iterator[Results]:
    """Open a file of results to go on with, or begin one; without a path they are kept in memory alone.

    Raises:
        ResultsError: When the file holds something else, belongs to other settings, is damaged, is in use, or can't be
            written; it is left as it is.

    """
    if path is None:
        yield Results(settings)
        return
    try:
        path.touch()
        file = FileIO(path, "r+")
    except OSError as error:
        msg = f"The results can't be written to {str(path)!r}: {error.strerror}. Name a file in a folder you may write."
        raise ResultsError(msg) from error
    with file:
        _lock(file, path)
        yield Results(settings, _go_on(file, path, settings), file)


def read_results(path: Path) -> tuple[Settings, list[Result]]:
    """Read a file of results; a last line that was cut off is left out.

    Raises:
        ResultsError: When it holds something else or is damaged.

    """
    try:
        content = path.read_bytes()
    except OSError as error:
        msg = f"The results in {str(path)!r} can't be read: {error.strerror}. Name a file written by `bfcl`."
        raise ResultsError(msg) from error
    lines, _ = _whole_lines(content)
    if not lines:
        raise ResultsError(_no_results(path))
    settings = _settings(lines[0], path)
    return settings, list(_results(lines[1:], settings, path).values())


def _go_on(file: FileIO, path: Path, settings: Settings) -> dict[tuple[str, str, str], Result]:
    """Read what there is, cut off an unfinished last line, and stand at the end."""
    content = file.read()
    lines, cut = _whole_lines(content)
    if not lines:
        if not settings.line.startswith(content):
            raise ResultsError(_no_results(path))
        file.truncate(0)
        file.seek(0)
        _append(file, settings.line)
        return {}
    found = _settings(lines[0], path)
    if found.digest != settings.digest:
        raise ResultsError(_other_settings(found, settings, path))
    results = _results(lines[1:], found, path)
    file.truncate(len(content) - cut)
    file.seek(0, 2)
    return results


def _whole_lines(content: bytes) -> tuple[list[bytes], int]:
    """Return the lines that were ended, and the length of what follows them."""
    whole, _, rest = content.rpartition(b"\n")
    return whole.split(b"\n") if len(rest) < len(content) else [], len(rest)


def _settings(line: bytes, path: Path) -> Settings:
    """Read the first line."""
    try:
        head = json.loads(line)
    except ValueError:
        raise ResultsError(_no_results(path)) from None
    match head:
        case {"schema": int() as schema} if schema != SCHEMA:
            msg = (
                f"The results in {str(path)!r} have version {schema} of the layout, but this program knows version "
                f"{SCHEMA}: use the program that wrote them, or name another file."
            )
            raise ResultsError(msg)
        case {"schema": int(), "settings": dict() as values}:
            return Settings(values)
        case _:
            raise ResultsError(_no_results(path))


def _results(lines: Sequence[bytes], settings: Settings, path: Path) -> dict[tuple[str, str, str], Result]:
    """Read all other lines."""
    found: dict[tuple[str, str, str], Result] = {}
    for number, line in enumerate(lines, 2):
        result = _result(line, number, path)
        key = (result.arm, result.id, result.question)
        if result.settings != settings.digest or key in found:
            why = "is there twice" if key in found else "belongs to other settings than the first line names"
            raise ResultsError(_damaged(path, number, f"the result of {result.id!r} in {result.arm!r} {why}"))
        found[key] = result
    return found


def _result(line: bytes, number: int, path: Path) -> Result:
    """Read one result."""
    try:
        return Result.model_validate(json.loads(line), strict=True)
    except ValueError as error:
        if not isinstance(error, ValidationError):
            raise ResultsError(_damaged(path, number, "it is no JSON")) from None
        first = error.errors()[0]
        field_name = ".".join(map(str, first["loc"]))
        why = f"{field_name}: {first['msg']}" if field_name else first["msg"]
        raise ResultsError(_damaged(path, number, why)) from None


def _append(file: FileIO, line: bytes) -> None:
    """Write a whole line or nothing."""
    start = file.tell()
    try:
        rest = memoryview(line)
        while rest:
            rest = rest[file.write(rest) or 0 :]
    except OSError as error:
        with suppress(OSError):
            file.truncate(start)
            file.seek(start)
        msg = (
            f"A result can't be written to {str(file.name)!r}: {error.strerror}. What was written before is kept; make "
            "room and run the same command again to go on."
        )
        raise ResultsError(msg) from error


def _lock(file: FileIO, path: Path) -> None:
    """Keep a second evaluation from writing to the same file; the lock ends with the process."""
    if sys.platform == "win32":
        return
    import fcntl  # noqa: PLC0415  # not on Windows

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        msg = f"Another evaluation is writing to {str(path)!r}: wait for it to end, or name another file."
        raise ResultsError(msg) from None


def _line(value: Mapping[str, Any]) -> bytes:
    """Write one line; characters that no text can hold stay as escapes."""
    return json.dumps(value).encode() + b"\n"


def _no_results(path: Path) -> str:
    """Say that a file is of another kind."""
    return f"{str(path)!r} holds no results of `bfcl`: name another file. It was left as it is."


def _damaged(path: Path, number: int, why: str) -> str:
    """Say that a line is damaged."""
    return (
        f"Line {number} of the results in {str(path)!r} is damaged ({why}): remove the line to have it done again, or "
        "name another file. The file was left as it is."
    )


def _other_settings(found: Settings, settings: Settings, path: Path) -> str:
    """Say which settings differ."""
    names = sorted({*found.values, *settings.values})
    differing = [
        f"{name} {found.values.get(name)!r} instead of {settings.values.get(name)!r}"
        for name in names
        if found.values.get(name) != settings.values.get(name)
    ]
    return (
        f"The results in {str(path)!r} are of other settings ({'; '.join(differing)}): name another file. It was left "
        "as it is."
    )
