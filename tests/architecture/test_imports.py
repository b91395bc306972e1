"""Modules are imported under one name, load little, and do nothing but define."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import reinforced_agent
from tests.architecture import import_probe
from tests.architecture.house import kept_files, parse, place, rooms


FRAMEWORKS = {
    "langchain",
    "langchain_core",
    "langchain_openai",
    "langgraph",
    "langsmith",
    "openai",
    "torch",
    "transformers",
}


def run(*arguments: str) -> str:
    """Run Python in a process of its own and return what it printed."""
    done = subprocess.run([sys.executable, "-B", *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported_names(node: ast.AST) -> list[str]:
    """Name the modules that a statement imports."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module)):
            return [module]
        case _:
            return []


def test_no_room_is_imported_by_its_bare_name() -> None:
    """A bare name would load a second copy of the module, with classes of its own."""
    bare = [
        f"{place(path, node.lineno)} imports {name}"
        for path in kept_files()
        if path.suffix == ".py"
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported_names(node)
        if name.split(".")[0] in {*rooms(), "src"}
    ]
    assert not bare


@pytest.mark.parametrize("module", ["reinforced_agent", "reinforced_agent.tools.call", "reinforced_agent.tools.spec"])
def test_plain_modules_load_no_framework(module: str) -> None:
    """Code that only describes tools and calls doesn't pay for frameworks."""
    loaded = json.loads(run("-c", f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"))
    assert not FRAMEWORKS & {name.split(".")[0] for name in loaded}


def test_nothing_happens_on_import() -> None:
    """Importing every module writes no file, opens no socket and starts no thread or process."""
    report = json.loads(run(import_probe.__file__))
    assert report["offences"] == []
    assert set(rooms()) <= {name.split(".")[1] for name in report["imported"]}


def test_the_probe_sees_what_a_module_does(tmp_path: Path) -> None:
    """A file written, a thread started and a socket opened on import are each noticed."""
    package = tmp_path / "src" / "reinforced_agent"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "busy.py").write_text(
        "import socket, sqlite3, threading\n"
        f"open({str(tmp_path / 'made')!r}, 'w').close()\n"
        "threading.Thread(target=print).start()\n"
        "socket.socket().close()\n"
        "sqlite3.connect(':memory:').close()\n",
        encoding="utf-8",
    )
    script = f"import sys; sys.path.insert(0, {str(package.parent)!r}); import runpy; "
    report = json.loads(run("-c", f"{script}runpy.run_path({import_probe.__file__!r}, run_name='__main__')"))
    seen = {offence.split(": ")[1].split(" ")[0] for offence in report["offences"]}
    assert seen == {"open", "thread", "socket.__new__", "sqlite3.connect"}


def test_public_names_are_sorted() -> None:
    """`__all__` is in order and names each export once."""
    assert reinforced_agent.__all__ == sorted(set(reinforced_agent.__all__))


@pytest.mark.parametrize("name", reinforced_agent.__all__)
def test_every_public_name_leads_to_its_room(name: str) -> None:
    """An export is there, is listed by `dir`, and comes from a room of the house."""
    value = getattr(reinforced_agent, name)
    assert name in dir(reinforced_agent)
    # What marks a parameter has no module of its own; what it is annotated with has.
    marks = getattr(value, "__metadata__", None)
    assert (type(marks[0]) if marks else value).__module__.startswith("reinforced_agent.")


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The front door objects to names it doesn't know as any module does."""
    with pytest.raises(AttributeError, match="module 'reinforced_agent' has no attribute 'nonsense'"):
        _ = reinforced_agent.nonsense  # type: ignore[attr-defined]
