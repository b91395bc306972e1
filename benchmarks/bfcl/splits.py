"""Part the questions for good into those to develop on and those to test on, and draw a sample."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, TypeAlias

from benchmarks.bfcl.questions import Question


Split: TypeAlias = Literal["dev", "test"]
"""`dev` may be looked at and tuned on as often as one likes; `test` is for one look with settings that are frozen."""


def split_of(test_id: str) -> Split:
    """Return the split of a question: its id decides, by the lowest bit of the first byte of SHA-256."""
    return "dev" if _hash(f"bfcl split {test_id}")[0] % 2 == 0 else "test"


def sample(questions: Sequence[Question], split: Split, limit: int | None, seed: int) -> list[Question]:
    """Draw questions of a split.

    Args:
        questions: All of a category.
        split: Which half.
        limit: How many at most; `None` for all.
        seed: Equal seeds draw equal questions, and a higher limit only adds to them.

    """
    mine = [question for question in questions if split_of(question.id) == split]
    return sorted(mine, key=lambda question: _hash(f"{seed} {question.id}"))[:limit]


def _hash(text: str) -> bytes:
    """Scatter a text."""
    return hashlib.sha256(text.encode()).digest()
