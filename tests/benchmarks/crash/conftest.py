"""What tests with several processes share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.crash.databases import reachable


@pytest.fixture(params=[pytest.param("sqlite", id="sqlite"), pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the address of a file that is not there yet, and of a server."""
    return f"sqlite:///{tmp_path / 'ledger.db'}" if request.param == "sqlite" else reachable()
