"""No module and no package of the project imports itself over others."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.house import FRONT_DOOR, ROOT, parse, rooms, sources


DEEP = ("graph", "policies")
"""Packages whose subpackages are layers of their own."""


def name_of(path: Path) -> str:
    """Name a module as it is imported."""
    parts = path.relative_to(FRONT_DOOR if path.is_relative_to(FRONT_DOOR) else ROOT).with_suffix("").parts
    own = () if parts[0] not in rooms() and parts[0] == "benchmarks" else ("reinforced_agent",)
    return ".".join((*own, *parts)).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sources()}


def is_for_types(node: ast.AST) -> bool:
    """Return whether a statement is there for the type checker alone."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports(tree: ast.Module) -> Iterator[str]:
    """Name the modules of the project that a module imports when it runs, at its top or within a function."""
    for_types = {id(one) for node in ast.walk(tree) if is_for_types(node) for one in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield inside if inside in MODULES else node.module


def unit_of(module: str) -> str:
    """Name the layer of a module: a subpackage or a file of graph or policies, else the package at the top."""
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[1:2] and parts[1] in DEEP else 2 if parts[0] == "reinforced_agent" else 1])


def cycle_in(needs: Mapping[str, set[str]]) -> list[str]:
    """Return a way from something over others back to it; empty where there is none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def edges() -> Iterator[tuple[str, str]]:
    """List which module imports which; the public names at the top load on first use and are left out."""
    for module, path in MODULES.items():
        if module != "reinforced_agent":
            yield from ((module, other) for other in imports(parse(path)) if other != module)


@pytest.mark.parametrize("of", [str, unit_of], ids=["modules", "packages"])
def test_nothing_imports_itself_over_others(of: type[str]) -> None:
    """What stands below never needs what stands above it."""
    needs: dict[str, set[str]] = {}
    for module, other in edges():
        if of(module) != of(other):
            needs.setdefault(of(module), set()).add(of(other))
    assert {"reinforced_agent.graph.build", "reinforced_agent.policies.pipeline"} <= needs.keys()
    assert cycle_in(needs) == []


def test_every_layer_has_its_place() -> None:
    """The import contract names each subpackage and each file right below graph and policies."""
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {one["id"]: one for one in settings["tool"]["importlinter"]["contracts"]}
    named = {
        name for layer in contracts["layers"]["layers"] for name in layer.replace("(", " ").replace(")", " ").split()
    }
    units = {unit_of(module) for module in MODULES if module.split(".")[1:2] and module.split(".")[1] in DEEP}
    units -= {f"reinforced_agent.{name}" for name in DEEP}
    assert units - named == set()


def test_a_cycle_is_noticed() -> None:
    """Also one over several others."""
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    assert not cycle_in({"a": {"b", "c"}, "b": {"c"}})
