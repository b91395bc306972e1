"""What tests of security share: databases that several processes can use."""

from __future__ import annotations

from tests.databases import shared_address


__all__ = ["shared_address"]
