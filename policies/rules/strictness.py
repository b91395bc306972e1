"""How the classes that stand in rule files are read: strictly, each entry known."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict


STRICT: Final = ConfigDict(extra="forbid")
"""What a class wants to be read from a file says so with `__pydantic_config__ = STRICT`."""
