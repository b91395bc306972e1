"""The command that erases a person from threads and ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reinforced_agent.policies.text.visible import visible
from reinforced_agent.service.cli.exits import fail
from reinforced_agent.service.cli.pause import DatabaseOption, opened


if TYPE_CHECKING:
    from reinforced_agent.graph.erasure import Erasure

_MOST_NAMED = 20
"""Threads that are named one by one."""


def erase(
    *,
    user: Annotated[str, typer.Option(help="Id of the user, as the host names them to the agent.")],
    tenant: Annotated[str, typer.Option(help="Tenant of the user.")] = "",
    db: DatabaseOption = None,
    namespace: Annotated[
        str | None,
        typer.Option(help="Namespace of the ledger, where its agents name one; default: REINFORCED_AGENT_NAMESPACE."),
    ] = None,
    checkpoints: Annotated[
        str | None,
        typer.Option(
            help="Where threads are kept: sqlite:///FILE or postgresql://USER@HOST/DATABASE; without it, only the "
            "ledger is looked through."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Erase a person's texts from threads, ledger, records and stored results; the bare facts of effects stay."""
    from reinforced_agent.graph.agent import ThreadBusyError  # noqa: PLC0415  # slow to import
    from reinforced_agent.graph.erasure import erase_person  # noqa: PLC0415

    with opened(db, namespace) as ledger, _threads(checkpoints) as saver:
        whom: dict[str, Any] = {"tenant": tenant, "checkpointer": saver, "ledger": ledger}
        try:
            if not yes:
                _tell(erase_person(user, **whom, dry_run=True), "would be")
                if saver is None:
                    typer.echo("No threads are looked through: name them with --checkpoints.")
                typer.confirm(f"Erase {visible(user)}?", abort=True)
            erased = erase_person(user, **whom)
        except (ValueError, ThreadBusyError) as error:
            fail(str(error))
    _tell(erased, "were")
    if erased.left:
        raise typer.Exit(1)


def _tell(erased: Erasure, were: str) -> None:
    """Say what is erased."""
    rows = erased.rows
    typer.echo(f"{len(erased.deleted)} threads {were} deleted{_named(erased.deleted)}.")
    typer.echo(f"{len(erased.rewritten)} threads {were} written anew without this person{_named(erased.rewritten)}.")
    typer.echo(
        f"In the ledger {were} erased: outcomes of {rows.effects} effects, {rows.approvals} approvals, {rows.records} "
        f"records, {rows.results} whole results, {rows.uses} uses."
    )
    if erased.left:
        typer.echo(
            f"{len(erased.left)} threads of several people are kept by another graph and left as they are"
            f"{_named(erased.left)}: erase the person there, or delete them.",
            err=True,
        )


def _named(threads: tuple[str, ...]) -> str:
    """Name threads, the first ones of many."""
    if not threads:
        return ""
    more = ", …" if len(threads) > _MOST_NAMED else ""
    return visible(f" ({', '.join(threads[:_MOST_NAMED])}{more})")


@contextmanager
def _threads(url: str | None) -> Iterator[Any]:
    """Open the place where threads are kept, or end with what is wrong with it."""
    if url is None:
        yield None
        return
    scheme, _, place = url.partition("://")
    if scheme == "sqlite" and place.startswith("/"):
        with _sqlite(place.removeprefix("/")) as saver:
            yield saver
    elif scheme in {"postgres", "postgresql"}:
        with _postgres(url) as saver:
            yield saver
    else:
        fail("The address of the threads can't be read: write `sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`.")


@contextmanager
def _sqlite(file: str) -> Iterator[Any]:
    from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415  # slow to import

    from reinforced_agent.graph.settings.storage import strict_serializer  # noqa: PLC0415

    if not Path(file).is_file():
        fail(f"There is no file {file!r}.")
    with SqliteSaver.from_conn_string(file) as saver:
        saver.serde = strict_serializer()
        yield saver


@contextmanager
def _postgres(url: str) -> Iterator[Any]:
    try:
        from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415  # needs an extra
        from psycopg import Error  # noqa: PLC0415
    except ModuleNotFoundError:
        fail("The driver of PostgreSQL is not installed; run: pip install 'reinforced-agent[postgres]'")
    from reinforced_agent.graph.settings.storage import strict_serializer  # noqa: PLC0415

    try:
        with PostgresSaver.from_conn_string(url) as saver:
            saver.serde = strict_serializer()
            yield saver
    except Error as error:
        fail(f"The threads can't be read: {str(error).strip().splitlines()[0]}")
