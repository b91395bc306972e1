"""What can be said about a result: fine, to be used with a warning, or not to be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing about a result that the model has to know, as data."""

    code: str
    """Key of its text in `policies.wording.results`."""
    facts: Mapping[str, str] = field(default_factory=dict)
    mention: bool = False
    """Whether the answer to the user has to say so."""


@dataclass(frozen=True, slots=True)
class Fine:
    """The result may be used."""


@dataclass(frozen=True, slots=True)
class Suspicious:
    """The result may be used with what is noted."""

    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class Bad:
    """The result can't be used."""

    doubt: Doubt
    reported: bool = False
    """Whether the tool itself says that it failed; then a write had no effect, as if it had raised."""
    lost: bool = False
    """Whether it isn't the tool that answered but something on the way, so that a write may have happened or not."""
    may_pass: bool = True
    """Whether the same call may bring a better one."""


Sanity: TypeAlias = Fine | Suspicious | Bad
