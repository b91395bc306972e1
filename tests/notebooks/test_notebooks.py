"""Every notebook runs from its first cell to its last, and prints what it is stored with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.architecture.house import ROOT


NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path: Path) -> Any:
    """Read a notebook."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def printed(cell: Any) -> str:
    """Return what a cell wrote to its standard output."""
    streams = (output for output in cell.get("outputs", ()) if output.get("name") == "stdout")
    return "".join(output["text"] for output in streams)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_happens(path: Path, tmp_path: Path) -> None:
    """Executed afresh, each cell prints what a reader sees in the stored notebook."""
    stored, fresh = read(path), read(path)
    client = NotebookClient(
        fresh,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute()
    assert [printed(cell) for cell in fresh.cells] == [printed(cell) for cell in stored.cells]


def test_there_are_notebooks() -> None:
    """The folder is not empty, so that the test above can't pass by finding nothing."""
    assert NOTEBOOKS
