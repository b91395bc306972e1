"""Keep deployments apart that share a ledger: what one of them has written is nothing to the others."""

from __future__ import annotations

import hashlib
import re
from typing import Final


LONGEST: Final = 64
"""Characters of a namespace."""
_PLAIN: Final = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST - 1}}}")


def require_namespace(name: str) -> str:
    """Return a namespace; empty is the one of ledgers that name none.

    Raises:
        ValueError: When it is no plain text, saying what is.

    """
    if name and not _PLAIN.fullmatch(name):
        msg = (
            f"The namespace of a ledger is {name[:LONGEST]!r}: write 1 to {LONGEST} letters, digits, '.', '_' or '-' "
            "and begin with a letter or digit, such as namespace='shop-eu'."
        )
        raise ValueError(msg)
    return name


def within(namespace: str, key: str) -> str:
    """Return what a key is called within a namespace: 64 hex digits, or the key itself where there is none."""
    if not namespace:
        return key
    # Another function than the one that keys are made with: no key without a namespace can meet it.
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), key=namespace.encode(), digest_size=32).hexdigest()
