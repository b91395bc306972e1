"""Compare names of persons and tenants: however somebody's name is written, it is one person."""

from __future__ import annotations

import unicodedata


def canonical_name(name: str) -> str:
    """Return the form in which names are compared: compatible letters, case and outer white space make no difference.

    A name of white space alone is none, which is the empty text.
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded).strip()


def same_name(one: str, other: str) -> bool:
    """Tell whether two names mean the same person or tenant; where neither is known, they do."""
    return canonical_name(one) == canonical_name(other)
