"""What these tests share with those of crashes: a database of each kind."""

from __future__ import annotations

from tests.benchmarks.crash.conftest import database


__all__ = ["database"]
