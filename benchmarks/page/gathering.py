"""Gather what the page tells: replay the recorded data, read the results of a live evaluation and earlier measurements.

What is not there is named with the reason, so that the page can say so; what is damaged is an error.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata, resources
from pathlib import Path
from typing import Any, Final

from benchmarks.bfcl.agreement import measure_agreement
from benchmarks.bfcl.arms import ARMS
from benchmarks.bfcl.questions import CATEGORIES
from benchmarks.bfcl.results import Result, Settings, read_results
from benchmarks.recorded import injection, trajectories
from benchmarks.recorded.packs import example_packs
from benchmarks.recorded.rules import compare_with_rules
from reinforced_agent.evaluation.replay import recorded
from reinforced_agent.evaluation.replay.layers import Pack
from reinforced_agent.evaluation.replay.workers import WORKERS


STANDARD: Final = "standard layers"
"""Setting of a replay of conversations: what every agent has."""
WITH_PACKS: Final = "with the rule packs"
"""Setting of a replay of conversations: the example packs as well."""

_PACKAGES: Final = ("reinforced-agent", "bfcl-eval", "langgraph", "pydantic", "numpy", "scipy")
_SHORT: Final = 12
"""Characters of a fingerprint that are shown."""


class PageError(ValueError):
    """The page can't be made; the text says which input is wrong."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file the page was made from."""

    name: str
    lines: int
    digest: str
    """The first characters of the SHA-256 of its content."""


@dataclass(frozen=True, slots=True)
class Live:
    """The results of a live evaluation."""

    settings: Settings
    results: tuple[Result, ...]

    @property
    def arms(self) -> list[str]:
        """Names, in their order."""
        return list(dict.fromkeys(result.arm for result in self.results))

    @property
    def categories(self) -> list[str]:
        """Names, in their order."""
        return list(dict.fromkeys(result.category for result in self.results))

    def of(self, arm: str, category: str) -> dict[str, Result]:
        """Return the results of a cell by the id of the question."""
        return {one.id: one for one in self.results if (one.arm, one.category) == (arm, category)}


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything the page tells."""

    found: Mapping[str, Any] = field(default_factory=dict)
    """By topic: `recorded`, `rules`, `agreement`, `trajectories`, `injection`, what the command prints."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """By topic: why it was not measured."""
    live: Live | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)
    """By topic: `crashtest`, `bench`, `fuzz`, earlier measurements, which no seed repeats exactly."""
    inputs: tuple[Input, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


def gather(data: Path | None, results: Path | None, measured: Mapping[str, Any], *, workers: int = WORKERS) -> Gathered:
    """Measure what can be measured.

    Args:
        data: Folder of the recorded data; `None` when it is not at hand.
        results: File written by `bfcl --out`; `None` when there is none.
        measured: Earlier measurements, see `load_measured`.
        workers: Processes that share the work.

    Raises:
        PageError: When the folder or the file of results is named but not there.
        RecordedDataError: When recorded data is damaged.
        ResultsError: When the results are damaged.

    """
    _require(data, results)
    found: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for topic, (files, measure) in _topics(workers).items():
        if why := _why_not(data, files):
            missing[topic] = why
        elif data is not None:
            found[topic] = measure(data)
    names = sorted({name for files, _ in _topics(workers).values() for name in files})
    paths = [data / name for name in names if (data / name).is_file()] if data else []
    live = None if results is None else Live(*_read(results))
    inputs = (*map(_input, paths), *([_input(results)] if results else []))
    return Gathered(found, missing, live, measured, inputs, versions())


def _require(data: Path | None, results: Path | None) -> None:
    """See that what is named is there."""
    if data is not None and not data.is_dir():
        msg = f"There is no folder {str(data)!r}: name the one with the recorded data, or leave it out."
        raise PageError(msg)
    if results is not None and not results.is_file():
        msg = f"There is no file {str(results)!r}: name one written by `bfcl --out`, or leave it out."
        raise PageError(msg)


Measure = Callable[[Path], Any]


def _topics(workers: int) -> dict[str, tuple[tuple[str, ...], Measure]]:
    """Name the files of each topic, and how it is measured."""
    responses = (recorded.FILE,)
    return {
        "recorded": (responses, lambda data: recorded.replay(data, workers=workers, details=True)),
        "rules": (responses, lambda data: compare_with_rules(data, workers=workers)),
        "agreement": (responses, measure_agreement),
        "trajectories": ((trajectories.FILE, trajectories.DOMAINS), lambda data: _trajectories(data, workers)),
        "injection": ((injection.FILE, injection.TOOLS), lambda data: _injection(data, workers)),
    }


def _why_not(data: Path | None, files: tuple[str, ...]) -> str:
    """Say why something can't be measured; empty when it can."""
    if data is None:
        return "no folder of recorded data was given"
    absent = [name for name in files if not (data / name).is_file()]
    return f"the folder of recorded data has no {' and no '.join(f'`{name}`' for name in absent)}" if absent else ""


def _trajectories(data: Path, workers: int) -> dict[str, Any]:
    """Replay conversations with the standard layers, and with the packs where there are any."""
    return {
        name: trajectories.replay_trajectories(data, packs=chosen, workers=workers, details=True)
        for name, chosen in _packs().items()
    }


def _injection(data: Path, workers: int) -> dict[str, Any]:
    """Replay injections with the standard layers, and with the packs where there are any."""
    return {
        name: injection.replay_injection(data, packs=chosen, workers=workers, details=True)
        for name, chosen in _packs().items()
    }


def _packs() -> dict[str, Mapping[str, Pack]]:
    """Name the sets of packs that are measured."""
    packs = example_packs()
    return {STANDARD: {}, **({WITH_PACKS: packs} if packs else {})}


def _read(path: Path) -> tuple[Settings, tuple[Result, ...]]:
    """Read the results of a live evaluation, in an order that doesn't depend on when each was done."""
    settings, results = read_results(path)
    arms, categories = list(ARMS), list(CATEGORIES)

    def place(one: Result) -> tuple[int, int, str]:
        return _place(arms, one.arm), _place(categories, one.category), one.id

    return settings, tuple(sorted(results, key=place))


def _place(names: list[str], name: str) -> int:
    """Return where a name stands; unknown ones come last."""
    return names.index(name) if name in names else len(names)


def _input(path: Path) -> Input:
    """Describe a file by what is in it, so that it doesn't matter how it was packed."""
    content = path.read_bytes()
    plain = gzip.decompress(content) if path.suffix == ".gz" else content
    return Input(
        path.name, plain.count(b"\n") + (not plain.endswith(b"\n")), hashlib.sha256(plain).hexdigest()[:_SHORT]
    )


def versions() -> dict[str, str]:
    """Name the versions that decide the numbers."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def load_published() -> dict[str, Any]:
    """Read the figures of others that ours are compared with."""
    text = (resources.files(__package__) / "published.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def load_measured(path: Path | None = None) -> dict[str, Any]:
    """Read earlier measurements: those of a file, or those that come with this package.

    Raises:
        PageError: When the file is not there, or no JSON object.

    """
    source = resources.files(__package__) / "measured.json" if path is None else path
    try:
        found = json.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"The measurements in {str(path)!r} can't be read: {error}. Name a file written by `results --measure`."
        raise PageError(msg) from error
    if not isinstance(found, dict):
        msg = f"The measurements in {str(path)!r} are no JSON object: name a file written by `results --measure`."
        raise PageError(msg)
    return found
