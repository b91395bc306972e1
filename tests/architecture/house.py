"""Where things are in the house, and how to read its source."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path


ROOT = Path(__file__).resolve().parents[2]
"""The top of the repository."""

FRONT_DOOR = ROOT / "src" / "reinforced_agent"
"""The package as Python sees it in a checkout."""


def rooms() -> list[str]:
    """Name the rooms: every package at the top other than benchmarks and tests."""
    found = (path.parent.name for path in ROOT.glob("*/__init__.py"))
    return sorted(name for name in found if name not in {"benchmarks", "tests"})


def sources() -> list[Path]:
    """List the modules of the package and of the benchmarks."""
    inside = (path for room in [*rooms(), "benchmarks"] for path in sorted((ROOT / room).rglob("*.py")))
    return [*sorted(FRONT_DOOR.glob("*.py")), *inside]


def modules_of_tests() -> list[Path]:
    """List the modules of the tests."""
    return sorted((ROOT / "tests").rglob("*.py"))


def kept_files() -> list[Path]:
    """List the files under version control, and new ones that are going to be; links are not followed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]  # deleted ones are left out below
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    paths = (ROOT / name for name in sorted(set(names)) if name)
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def parse(path: Path) -> ast.Module:
    """Read a module as a syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Find every function and method of a module."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def place(path: Path, line: int = 1) -> str:
    """Name a line the way editors find it."""
    return f"{path.relative_to(ROOT)}:{line}"
