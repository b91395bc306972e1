"""Times the scans or the regular expressions of the package and prints, as JSON, what is slow.

Run as a script in a process of its own, which can be ended: a regular expression can't be interrupted.
"""

from __future__ import annotations

import ast
import json
import os
import pkgutil
import re
import sys
from collections import deque
from collections.abc import Callable, Container, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import reinforced_agent
from tests.architecture.house import parse, place, sources
from tests.architecture.slow_texts import MISFIT, SECONDS, UNITS, Text, texts_for, too_slow


_FLAGS_AT: Final = {
    "compile": 1,
    "search": 2,
    "match": 2,
    "fullmatch": 2,
    "findall": 2,
    "finditer": 2,
    "split": 3,
    "sub": 4,
    "subn": 4,
}
"""The functions of `re` that take a regular expression, and where they take its flags."""
_WHOLE: Final = frozenset({"match", "fullmatch"})
"""Uses that try one place only; all others look everywhere."""
_EVERY: Final = frozenset({"match", "fullmatch", "finditer"})

Site = tuple[Path, int, str]
"""A file, a line, and the function of `re` that is called there."""


class Recorder:
    """Notes every regular expression that a module of the package asks for, and where."""

    def __init__(self, files: Container[Path]) -> None:
        """Stand before the functions of `re`, for the rest of this process."""
        self.files = files
        self.sites: dict[tuple[str, int], set[Site]] = {}
        for name, position in _FLAGS_AT.items():
            setattr(re, name, self._noting(getattr(re, name), name, position))

    def _noting(self, function: Callable[..., Any], name: str, position: int) -> Callable[..., Any]:
        def noting(regex: Any, *rest: Any, **named: Any) -> Any:
            frame = sys._getframe(1)
            file = Path(os.path.realpath(frame.f_code.co_filename))
            if isinstance(regex, str) and file in self.files:
                flags = rest[position - 1] if len(rest) >= position else named.get("flags", 0)
                self.sites.setdefault((regex, int(flags)), set()).add((file, frame.f_lineno, name))
            return function(regex, *rest, **named)

        return noting

    def read(self, tree: ast.Module, file: Path) -> None:
        """Note what stands in a module as a literal: functions may not have run yet."""
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Attribute(ast.Name("re"), name), [ast.Constant(str(regex)), *_]) if name in _FLAGS_AT:
                    named = " ".join(ast.unparse(part) for part in [*node.args[1:], *node.keywords])
                    flags = sum(int(re.RegexFlag[flag]) for flag in re.findall(r"\bre\.([A-Z]+)\b", named))
                    self.sites.setdefault((regex, flags), set()).add((file, node.lineno, name))


class Uses:
    """How the names of a module are used: with which methods, or in any other way."""

    def __init__(self, tree: ast.Module) -> None:
        """Read a module."""
        self.of: dict[str, set[str]] = {}
        self.targets: dict[int, str] = {}
        """The name that is assigned on a line."""
        nodes = list(ast.walk(tree))
        for node in nodes:
            match node:
                case ast.Attribute(ast.Name(name), method):
                    self.of.setdefault(name, set()).add(method)
                case ast.Attribute(ast.Attribute(_, name), method):
                    self.of.setdefault(name, set()).add(method)
                case ast.Assign([ast.Name(name)], ast.Call()) | ast.AnnAssign(ast.Name(name), _, ast.Call()):
                    self.targets |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), name)
                case _:
                    pass
        methods = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in methods:
                self.of.setdefault(node.id, set()).add("")


def uses_of(sites: set[Site], modules: dict[Path, Uses]) -> frozenset[str]:
    """Return how a regular expression is used: where it is tried; in every way where that can't be told."""
    found: set[str] = set()
    for file, line, function in sites:
        name = modules[file].targets.get(line, "")
        near = modules.values() if name and not name.startswith("_") else [modules[file]]
        methods = {method for one in near for method in one.of.get(name, ())} if function == "compile" else {function}
        found |= (methods - {"pattern"}) or {""}
    if "" in found:
        return _EVERY
    return frozenset(method if method in _WHOLE else "finditer" for method in found)


def offences(recorder: Recorder, modules: dict[Path, Uses]) -> Iterator[str]:
    """Say which regular expressions are slow, and on which texts."""
    for (regex, flags), sites in recorder.sites.items():
        pattern = re.compile(regex, flags)
        file, line, _ = min(sites)
        print(place(file, line), regex, file=sys.stderr)  # noqa: T201 - the last one is the one that never ends
        texts = list(texts_for(regex, flags))
        for use in sorted(uses_of(sites, modules)):
            if slow := too_slow(_tried(pattern, use), texts):
                yield f"{place(file, line)} {use} takes {slow}: {regex}"


def _tried(pattern: re.Pattern[str], use: str) -> Callable[[str], object]:
    """Return a scan that uses a regular expression in one way."""
    if use == "finditer":
        return lambda text: deque(pattern.finditer(text), maxlen=0)
    method: Callable[[str], object] = getattr(pattern, use)
    return method


def slow_scans() -> Iterator[str]:
    """Say which scans are slow, and on which texts."""
    from tests.architecture.scans import LONGER_UNITS, fresh, scans  # noqa: PLC0415 - see below

    texts = [Text(unit, end=MISFIT) for unit in (*UNITS, *LONGER_UNITS)]
    for name, scan in scans():
        print(name, file=sys.stderr)  # noqa: T201 - the last one is the one that never ends
        if slow := too_slow(fresh(scan), texts, least=SECONDS):
            yield f"{name} takes {slow}"


def slow_patterns() -> Iterator[str]:
    """Say which regular expressions are slow, and on which texts: of all modules, and those that scans make."""
    trees = {Path(os.path.realpath(file)): parse(file) for file in sources()}
    recorder = Recorder(trees)
    for module in pkgutil.walk_packages(reinforced_agent.__path__, f"{reinforced_agent.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    from tests.architecture.scans import scans  # noqa: PLC0415 - imports the package: not before the recorder listens

    for _, scan in scans():
        scan("I will refund ann@example.org 5 euros for order A-1052 on 2026-12-01, 退款")
    for file, tree in trees.items():
        recorder.read(tree, file)
    return offences(recorder, {file: Uses(tree) for file, tree in trees.items()})


if __name__ == "__main__":
    slow = slow_patterns() if sys.argv[1:] == ["patterns"] else slow_scans()
    print(json.dumps(list(slow)))  # noqa: T201 - the parent reads it
