"""How a command ends that can't do what was asked."""

from __future__ import annotations

from typing import NoReturn

import typer

from reinforced_agent.policies.text.visible import visible


def fail(text: str) -> NoReturn:
    """End with one clear sentence on standard error, hidden characters shown, and exit code 2."""
    typer.echo(visible(text), err=True)
    raise typer.Exit(2)
