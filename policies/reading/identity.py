"""Give every call an id of its own, and leave the provider's id alone wherever it can serve."""

from __future__ import annotations

import hashlib
from collections.abc import Set as AbstractSet
from itertools import count

from reinforced_agent.policies.reading.faults import encodable


MAX_ID = 256
"""Characters; longer ids are refused by providers and stores alike."""
_FRESH_LENGTH = 9


class Identities:
    """The ids of one message, unique among themselves and in the conversation."""

    def __init__(self, message_id: str, taken: AbstractSet[str]) -> None:
        """Start with the ids already used in the conversation."""
        self._seed = message_id
        self._taken = taken
        self._given: set[str] = set()

    def claim(self, native: object) -> tuple[str, bool]:
        """Return the provider's id if it can serve, else a fresh one; and whether it is fresh."""
        if isinstance(native, str) and self._usable(native):
            self._given.add(native)
            return native, False
        fresh = next(filter(self._free, map(self._derive, count())))
        self._given.add(fresh)
        return fresh, True

    def _usable(self, native: str) -> bool:
        return bool(native.strip()) and len(native) <= MAX_ID and encodable(native) and self._free(native)

    def _free(self, candidate: str) -> bool:
        return candidate not in self._given and candidate not in self._taken

    def _derive(self, attempt: int) -> str:
        """Make an id from the message and the place in it, so that reading it again gives the same.

        Nine letters and digits are what every provider accepts: Mistral's API takes exactly that.
        """
        source = f"{self._seed}\0{len(self._given)}\0{attempt}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(source).hexdigest()[:_FRESH_LENGTH]
