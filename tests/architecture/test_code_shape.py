"""Functions and files keep to a bound, and the source keeps to the words and means of the house."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.house import ROOT, functions, kept_files, modules_of_tests, parse, place, sources


LONGEST, FILE = 60, 600
"""Most lines of a function, its docstring left out, and of a file. The linter bounds complexity."""

FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
FORBIDDEN_MODULES = {"dill", "marshal", "pickle", "shelve"}
ENV = {"os.environ", "os.environb", "environ"}
VAGUE_NAMES = {"common.py", "helpers.py", "misc.py", "utils.py"}

# Put together from halves, so that this file passes its own test.
FORBIDDEN_WORDS = re.compile(
    "|".join(
        (
            r"(?<![\w.])/" + r"work/",
            r"(?<![\w.])/" + r"(?:home|root|Users)/\w",
            r"py" + r"pi\.org",
            r"python" + r"hosted",
            r"download\.py" + r"torch",
            r"registry\." + r"npm",
            r"--(?:extra-)?index-" + r"url",
            r"\bissue " + r"#?\d",
            r"\bas an AI" + r"\b",
        )
    ),
    re.IGNORECASE,
)


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function, from `def` to its end, without its docstring."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is None:
        return lines
    return lines - ((first.end_lineno or first.lineno) - first.lineno + 1)


def measured() -> dict[str, int]:
    """Measure every function of the package."""
    return {
        f"{place(path, function.lineno)} {function.name}": length(function)
        for path in sources()
        for function in functions(parse(path))
    }


def test_no_function_is_long() -> None:
    """A function holds one thought and fits on a screen."""
    assert {name: lines for name, lines in measured().items() if lines > LONGEST} == {}


def test_no_file_is_long() -> None:
    """A file holds one concept, whole."""
    lengths = {
        place(path): len(path.read_text(encoding="utf-8").splitlines()) for path in [*sources(), *modules_of_tests()]
    }
    assert {name: lines for name, lines in lengths.items() if lines > FILE} == {}


def test_no_code_is_evaluated_and_nothing_is_unpickled() -> None:
    """Text from a model or a store never becomes code."""
    found = [
        place(path, node.lineno)
        for path in sources()
        for node in ast.walk(parse(path))
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS)
        or (isinstance(node, ast.Import) and {alias.name for alias in node.names} & FORBIDDEN_MODULES)
        or (isinstance(node, ast.ImportFrom) and node.module in FORBIDDEN_MODULES)
    ]
    assert not found


def test_the_rule_book_touches_nothing() -> None:
    """Policies neither open files, nor print, nor read the clock."""
    found = [
        f"{place(path, node.lineno)} {ast.unparse(node.func)}"
        for path in sources()
        if path.is_relative_to(ROOT / "policies")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call)
        and re.fullmatch(r"open|print|input|time\.time|(?:\w+\.)*(?:now|utcnow|today)", ast.unparse(node.func))
    ]
    assert not found


def test_no_node_or_route_jumps() -> None:
    """All edges stand in `graph/build.py`: nothing returns a command that goes elsewhere, but to the graph around."""
    found = [
        place(path, node.lineno)
        for path in sources()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call) and any(keyword.arg == "goto" for keyword in node.keywords)
        if not any(ast.unparse(keyword) == "graph=Command.PARENT" for keyword in node.keywords)
    ]
    assert not found


def test_file_names_say_what_is_inside() -> None:
    """No module is a drawer for everything."""
    assert [place(path) for path in kept_files() if path.name in VAGUE_NAMES] == []


def texts() -> list[tuple[Path, str]]:
    """Read every file that is text."""
    contents = ((path, path.read_bytes()) for path in kept_files())
    return [(path, content.decode()) for path, content in contents if b"\0" not in content]


def test_files_name_no_place_and_no_occasion() -> None:
    """No file names the folders of one computer, the host of a package index or the number of a ticket."""
    found = [
        f"{place(path, number)} {match.group()}"
        for path, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if (match := FORBIDDEN_WORDS.search(line))
    ]
    assert not found


@pytest.mark.parametrize("path", [*sources(), *modules_of_tests()], ids=place)
def test_every_module_begins_with_its_purpose(path: Path) -> None:
    """The first thing in a module is a docstring whose first line is a whole sentence."""
    first = (ast.get_docstring(parse(path)) or "").split("\n")[0]
    assert first.endswith("."), f"{place(path)} begins with {first!r}"


@pytest.mark.parametrize("path", [path for path in modules_of_tests() if path.name.startswith("test_")], ids=place)
def test_every_test_says_in_a_sentence_what_holds(path: Path) -> None:
    """A test has a docstring of one sentence on one line."""
    found = {
        function.name: ast.get_docstring(function)
        for function in functions(parse(path))
        if function.name.startswith("test_")
    }
    assert {name: text for name, text in found.items() if not text or "\n" in text or not text.endswith(".")} == {}


def test_nothing_is_written_into_the_environment() -> None:
    """What the package set there would hold for everything else in the process."""
    writers = {"setdefault", "update", "pop", "popitem", "clear", "putenv", "unsetenv"}
    found = [
        place(path, node.lineno)
        for path in sources()
        for node in ast.walk(parse(path))
        if (isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and ast.unparse(node.value) in ENV)
        or (isinstance(node, ast.Attribute) and node.attr in writers and ast.unparse(node.value) in {*ENV, "os"})
    ]
    assert found == []
