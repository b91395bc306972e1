"""With which code a command ends, and what it says where it can't do what was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

import typer

from reinforced_agent.models.errors import FaultKind
from reinforced_agent.policies.text.visible import visible


EXITS: Final[Mapping[FaultKind, int]] = {
    "setup": 1,
    "code": 1,
    "access": 3,
    "model": 4,
    "request": 5,
    "address": 6,
    "credit": 7,
    "length": 8,
    "filter": 9,
    "page": 10,
    "busy": 11,
    "server": 12,
    "connection": 12,
    "unknown": 12,
}
"""Exit codes of `chat` and `demo`, by what was wrong with a request to the model."""

ABOUT_EXITS: Final = (
    "Exit code: 0 where the model could be asked, 2 where the command can't begin. Where a request to the model ended "
    "a turn: 1 its set-up or code, 3 key, 4 name of the model, 5 request refused, 6 address, 7 no credit, 8 too long, "
    "9 filter of the provider, 10 a page in place of a reply, 11 too many requests, 12 can't be reached, or trouble of "
    "its own."
)
"""What the help says of them."""


def fail(text: str) -> NoReturn:
    """End with one clear sentence on standard error, hidden characters shown, and exit code 2."""
    typer.echo(visible(text), err=True)
    raise typer.Exit(2)
