"""The text of a rule file as plain data, and the line where each part of it stands."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, Protocol

import yaml

from reinforced_agent.policies.rules.problems import Path, RuleError, RuleProblem


LONGEST: Final = 200_000
"""Characters of a rule file."""
_PLAIN: Final = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null"))

_ALIKE: Final = {
    "bool": re.compile("true|false"),
    "int": re.compile("[-+]?(0|[1-9][0-9]*)"),
    "float": re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?"),
}
"""How a value is written that every version of YAML reads in the same way."""


class Document(Protocol):
    """A file as data."""

    @property
    def data(self) -> Any:
        """What it holds: tables, lists and plain values."""

    def line(self, path: Path) -> int:
        """Return the line, from 1, of the part at a path, or of what lies nearest around it."""


def parse(text: str, file: str) -> Document:
    """Read a text by the ending of its file name, `.toml`, `.yaml` or `.yml`.

    Raises:
        RuleError: When it can't be read.

    """
    ending = file.rpartition(".")[2].lower()
    kinds: dict[str, Callable[[str, str], Document]] = {
        "toml": TomlDocument,
        "yaml": YamlDocument,
        "yml": YamlDocument,
    }
    if ending not in kinds:
        raise RuleError([RuleProblem((), "rules are read from .toml, .yaml and .yml files. Rename the file.", file)])
    if len(text) > LONGEST:
        raise RuleError([RuleProblem((), f"the file is longer than {LONGEST} characters. Split it.", file)])
    return kinds[ending](text, file)


class TomlDocument:
    """A TOML text. Its parser tells no lines: a part begins where the text up to there first holds it."""

    def __init__(self, text: str, file: str) -> None:
        """Read the text.

        Raises:
            RuleError: When it is no TOML.

        """
        self._lines = text.replace("\r\n", "\n").split("\n")
        try:
            self.data: Any = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            found = re.search(r"\(at line (\d+), column \d+\)", str(error))
            line = int(found[1]) if found else len(self._lines)
            said = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
            raise RuleError([RuleProblem((), f"this is no TOML: {said}.", file, line)]) from error
        self._upto: Final = lru_cache(maxsize=None)(self._complete)

    def line(self, path: Path) -> int:
        """Return the first line with which the text holds the part."""
        while not _has(self.data, path):
            path = path[:-1]
        numbers = range(1, len(self._lines) + 1)
        return 1 + bisect_left(numbers, True, key=lambda number: _has(self._upto(number), path))  # noqa: FBT003

    def _complete(self, line: int) -> Any:
        """Read the text up to a line, and on to the end of the value that it breaks off in."""
        for end in range(line, len(self._lines)):
            with suppress(ValueError):
                return tomllib.loads("\n".join(self._lines[:end]))
        return self.data


class YamlDocument:
    """A YAML text, read without anchors, tags and repeated keys; its parser tells the lines."""

    def __init__(self, text: str, file: str) -> None:
        """Read the text.

        Raises:
            RuleError: When it is no YAML, or says something in a way that only YAML has.

        """
        self._file = file
        self._places: dict[Path, int] = {(): 1}
        try:
            loader = yaml.SafeLoader(text)
            node = loader.get_single_node() if not self._aliases(text) else None
            self.data: Any = {} if node is None else self._value(node, (), loader)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            if isinstance(error, RuleError):
                raise
            mark = getattr(error, "problem_mark", None)
            nested = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            said = getattr(error, "problem", None) or nested
            raise self._error((), f"this is no YAML: {said}.", mark.line + 1 if mark else 1) from error

    def line(self, path: Path) -> int:
        """Return the line where the part begins."""
        while path not in self._places:
            path = path[:-1]
        return self._places[path]

    def _error(self, path: Path, text: str, line: int) -> RuleError:
        return RuleError([RuleProblem(path, text, self._file, line)])

    def _aliases(self, text: str) -> bool:
        """Refuse anchors: a short text could mean an endless one.

        Raises:
            RuleError: When there is one.

        """
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if getattr(event, "anchor", None):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise self._error((), "anchors and aliases are not read. Write the value out.", line)
        return False

    def _value(self, node: Any, path: Path, loader: Any) -> Any:
        """Turn a node into plain data, and note its line."""
        self._places.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*path, number), loader) for number, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return dict(self._entries(node, path, loader))
        if node.tag not in _PLAIN:
            raise self._error(path, "this value is no text, number or truth. Put it in quotes.", self._places[path])
        if node.style is None and not _is_plain(node.tag, node.value):
            said = f"{node.value[:40]!r} is read as one thing by some and as another by others. Put it in quotes, or"
            raise self._error(path, f"{said} write `true`, `false` or a decimal number.", self._places[path])
        return loader.construct_object(node)

    def _entries(self, node: Any, path: Path, loader: Any) -> Iterator[tuple[str, Any]]:
        for key, value in node.value:
            line, name = key.start_mark.line + 1, str(key.value)
            if not isinstance(key, yaml.ScalarNode) or (*path, name) in self._places:
                raise self._error((*path, name[:40]), "names of entries are texts, each only once. Rename it.", line)
            self._places[*path, name] = line
            yield name, self._value(value, (*path, name), loader)


def _is_plain(tag: str, written: str) -> bool:
    """Tell whether a truth or a number is written so that YAML 1.1 and 1.2 read it alike: no `NO`, `010` or `1:30`."""
    allowed = _ALIKE.get(tag.rpartition(":")[2])
    return allowed is None or allowed.fullmatch(written) is not None


def _has(data: Any, path: Path) -> bool:
    """Tell whether data have a part at a path."""
    for step in path:
        if isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        elif isinstance(data, dict) and step in data:
            data = data[str(step)]
        else:
            return False
    return True
