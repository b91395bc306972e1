"""The bank of the crash test: it pays whatever it is told, as often as it is told, and writes every payment down."""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Entry:
    """One payment that was made."""

    thread: str
    reference: str
    amount: int


class Bank:
    """A bank with a book of its own; it knows no idempotency keys, and nothing of the ledger."""

    def __init__(self, book: Path) -> None:
        """Keep the book in a file: one line a payment, on the disk before the payment counts as made."""
        self._book = book

    def pay(self, thread: str, reference: str, amount: int) -> None:
        """Make a payment."""
        line = json.dumps(asdict(Entry(thread, reference, amount))) + "\n"
        # A single write of a short line is there as a whole or not at all, whenever the process is killed.
        with closing(_Descriptor(self._book)) as book:
            os.write(book.number, line.encode())
            os.fsync(book.number)

    def entries(self, thread: str) -> list[Entry]:
        """Return the payments of a thread, oldest first."""
        if not self._book.exists():
            return []
        lines = self._book.read_text(encoding="utf-8").splitlines()
        entries = (Entry(**json.loads(line)) for line in lines)
        return [entry for entry in entries if entry.thread == thread]


class _Descriptor:
    """The book, open at its end."""

    def __init__(self, file: Path) -> None:
        """Open."""
        self.number = os.open(file, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)

    def close(self) -> None:
        """Close."""
        os.close(self.number)
