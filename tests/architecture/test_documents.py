"""What the documents show is what happens: their Python runs and prints what they say, their links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.house import ROOT


DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

FENCE = re.compile(
    r"(?P<skip><!-- not run: .+ -->\n)?```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL
)
"""A block of Python; a `text` block right after it is what the code prints."""


def name(path: Path) -> str:
    """Name a document by its place."""
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path) -> list[re.Match[str]]:
    """Find the Python of a document, without blocks under a comment `<!-- not run: reason -->`."""
    return [found for found in FENCE.finditer(path.read_text(encoding="utf-8")) if not found["skip"]]


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_python_in_a_document_prints_what_it_says(path: Path, tmp_path: Path) -> None:
    """The blocks of a document run one after the other as one program, and print what stands below them."""
    code = "\n".join(found["code"] for found in blocks(path))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == " ".join(found["output"] or "" for found in blocks(path)).split()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    """A relative link names a file or folder of the repository."""
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []
