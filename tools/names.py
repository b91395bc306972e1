"""Compare names of persons and tenants: however somebody's name is written, it is one person."""

from __future__ import annotations

import hashlib
import json
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


def name_of(tenant: str, user_id: str) -> str:
    """Return what stands for a person where names are not to be kept; who it is can't be read from it."""
    names = [canonical_name(tenant), canonical_name(user_id)]
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()
