"""Every example runs from start to end as its file says, and prints what it shows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.databases import schema
from tests.examples.programs import EXAMPLES, run


NEEDS_MCP = pytest.mark.skipif(find_spec("langchain_mcp_adapters") is None, reason="the extra `mcp` is not installed")


STORIES = [
    pytest.param(
        "fastapi_app.py",
        [
            'own route: {"fuse":2.5}',
            "event: proposal",
            '"status": "waiting"',
            "event: question",
            '"requester": "ann"',
            "answer: 20.00 EUR paid back for A-1003.",
        ],
        id="fastapi-app",
    ),
    pytest.param(
        "worker.py",
        [
            "waits: Pay money back for an order. | `refund` changes data. | refund |   order_id: ",
            "answer: 20.00 EUR paid back for A-1003.",
            "booked: 1 time",
        ],
        id="worker",
    ),
    pytest.param(
        "subgraph.py",
        [
            "ann wants: Pay money back for an order.",
            "other: Hello, which order is it about?",
            "order: 20.00 EUR paid back for A-1003.",
            "order: A-1003 is paid back.",
            "paid 1 time",
        ],
        id="subgraph",
    ),
    pytest.param(
        "mcp_tools.py",
        [
            "asked about add_note: `add_note` changes data. -> approve",
            "asked about wipe_notes: `wipe_notes` changes data. -> reject",
            "find_notes: revise",
            "`query` is not a parameter of `find_notes`",
            "find_notes: done - nothing found",
            "read_note: failed - `read_note` failed",
            "there is no note 7",
            "add_note: done - added",
            "wipe_notes: rejected",
            "notes: buy milk",
        ],
        id="mcp-tools",
        marks=NEEDS_MCP,
    ),
    pytest.param(
        "sqlite_threads.py",
        [
            "sync: 20.00 EUR paid back for A-1003. ['sync.db', 'sync.db.ledger']",
            "async, asked: Refund 20 euros for A-1003.",
            "async, answered: 20.00 EUR paid back for A-1003.",
        ],
        id="sqlite-threads",
    ),
]


@pytest.fixture(scope="module")
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Run the examples that are going to be looked at, two at a time: most of their time goes into imports."""
    wanted = {item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")}
    names = [str(story.values[0]) for story in STORIES if story.values[0] in wanted]
    with ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(run, name, folder=tmp_path_factory.mktemp("example")) for name in names}


@pytest.mark.parametrize(("name", "told"), STORIES)
def test_an_example_shows_what_it_says(name: str, told: list[str], programs: dict[str, Any]) -> None:
    """It ends well, and prints these in this order."""
    printed, at = programs[name].result(), 0
    for words in told:
        at = printed.find(words, at)
        assert at >= 0, f"{words!r} is not, or not in its place, in:\n{printed}"
    assert "Traceback" not in printed


@pytest.mark.postgres
def test_threads_are_kept_in_postgresql(tmp_path: Path) -> None:
    """What one server asked, another one answers."""
    with schema() as address:
        printed = run("postgres_threads.py", folder=tmp_path, REINFORCED_AGENT_DATABASE=address)
    assert printed == "waits: Pay money back for an order.\nanswer: 20.00 EUR paid back for A-1003.\n"


def test_every_example_is_listed_and_says_how_to_run_it() -> None:
    """The table names each file and folder, and each file begins with what it shows and the command."""
    names = {path.name for path in EXAMPLES.glob("*.py")}
    folders = {path.parent.name for path in EXAMPLES.glob("*/*.py")}
    assert set(re.findall(r"\(([\w.]+)\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"))) == names | folders
    for name in names - {"stand_in.py"}:
        docstring = ast.get_docstring(ast.parse((EXAMPLES / name).read_text(encoding="utf-8"))) or ""
        assert f".venv/bin/python examples/{name}" in docstring, name
        assert len([line for line in docstring.splitlines() if line.strip()]) <= 3, name
