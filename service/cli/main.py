"""The command line: try the demo, chat with own tools, draw the graph."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console

from reinforced_agent.policies.text.visible import exact_json
from reinforced_agent.service.cli.erase import erase
from reinforced_agent.service.cli.exits import ABOUT_EXITS, EXITS, fail
from reinforced_agent.service.cli.pause import tools as pausing
from reinforced_agent.service.cli.report import report
from reinforced_agent.service.cli.train import train
from reinforced_agent.service.settings import Settings, load_settings


if TYPE_CHECKING:
    from reinforced_agent.models.errors import FaultKind
    from reinforced_agent.service.cli.conversation import Conversation, Run

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Reliable tool calling: every call is checked, guided, approved and executed by a graph.",
)

app.add_typer(train, name="train")
app.add_typer(pausing, name="tools")
app.command()(report)
app.command()(erase)

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="openai:NAME, completion:NAME, local, local:PATH.gguf or scripted:FILE; +json or +react behind it for a "
        "model without tool calls; default from the settings.",
    ),
]
StrategyOption = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        help="retry, candidates, guided, guided+candidates, or guided:WAY such as guided:vllm; default from the "
        "settings.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def main() -> None:
    """Run the command line."""
    app()


@app.command(epilog=ABOUT_EXITS)
def demo(
    requests: Annotated[Path | None, typer.Option(help="Other requests, one a line.")] = None,
    model: ModelOption = None,
    strategy: StrategyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the main job: several requests, with every proposal, verdict, result and answer."""
    from reinforced_agent.service.cli.demo import REQUESTS, RequestsError, read_requests, run_demo  # noqa: PLC0415

    settings = _settings()
    with _clear(RequestsError):
        chosen = REQUESTS if requests is None else read_requests(requests)
    from reinforced_agent.graph.context import Context  # noqa: PLC0415  # slow to import
    from reinforced_agent.policies.guiding.strategy import StrategyError  # noqa: PLC0415

    watcher, decide = _terminal(as_json)
    with _clear(StrategyError):
        runs = run_demo(
            _model(model, settings),
            chosen,
            folder=settings.folder,
            watcher=watcher,
            decide=decide,
            context=Context(locale=settings.locale),
            strategy=strategy or settings.strategy,
        )
    if as_json:
        typer.echo(exact_json({"runs": [run.as_json() for run in runs]}))
    _exit_after(runs)


@app.command(epilog=ABOUT_EXITS)
def chat(
    text: Annotated[str | None, typer.Argument(help="One request; without it, a conversation.")] = None,
    model: ModelOption = None,
    tools: Annotated[str | None, typer.Option(help="module:name of a Toolset or a list of tools.")] = None,
    strategy: StrategyOption = None,
    reviewer: Annotated[str | None, typer.Option(help="A second model that looks at risky calls.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Run one request, or hold a conversation; approvals are asked for here."""
    from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415  # slow to import

    from reinforced_agent.graph.build import build_agent  # noqa: PLC0415
    from reinforced_agent.graph.context import Context  # noqa: PLC0415
    from reinforced_agent.graph.settings.storage import strict_serializer  # noqa: PLC0415
    from reinforced_agent.ledger import LedgerError  # noqa: PLC0415
    from reinforced_agent.service.cli.conversation import Conversation  # noqa: PLC0415

    settings = _settings()
    watcher, decide = _terminal(as_json)
    with _clear(ValueError, TypeError, LedgerError):
        agent = build_agent(
            model=_model(model, settings),
            tools=_tools(tools, settings),
            checkpointer=InMemorySaver(serde=strict_serializer()),
            ledger=_ledger(settings),
            strategy=strategy or settings.strategy,
            reviewer=_reviewer(reviewer, settings),
        )
    conversation = Conversation(agent, watcher=watcher, decide=decide, context=Context(locale=settings.locale))
    if text is None and as_json:
        fail("--json needs the request on the command line: reinforced-agent chat TEXT --json.")
    runs = [conversation.ask(text)] if text is not None else []
    if as_json:
        typer.echo(exact_json(runs[0].as_json()))
    elif text is None or (runs[0].outcome == "asked" and sys.stdin.isatty()):
        runs += _talk(conversation)
    _exit_after(runs)


@app.command()
def graph() -> None:
    """Print the graph as a mermaid drawing."""
    from reinforced_agent.graph.build import build_agent  # noqa: PLC0415  # slow to import
    from reinforced_agent.models.scripted import ScriptedModel  # noqa: PLC0415

    typer.echo(build_agent(model=ScriptedModel(lines=[]), tools=[]).get_graph().draw_mermaid(), nl=False)


def _talk(conversation: Conversation) -> Iterator[Run]:
    """Take requests until the end of input or an empty line."""
    console = Console()
    while True:
        try:
            text = console.input("\n[bold]you[/] > ").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if not text:
            return
        yield conversation.ask(text)


def _exit_after(runs: Sequence[Run]) -> None:
    """Tell a caller by the exit code what was wrong with the last request to the model that ended a run."""
    if failed := [run.model_error for run in runs if run.model_error]:
        raise typer.Exit(EXITS.get(cast("FaultKind", failed[-1]["kind"]), EXITS["unknown"]))


def _terminal(as_json: bool) -> tuple[Any, Any]:
    """Choose what is shown, and who decides: the person at the terminal, or nobody."""
    from functools import partial  # noqa: PLC0415

    from reinforced_agent.service.cli.console import SilentWatcher, TerminalWatcher, ask_at_terminal  # noqa: PLC0415
    from reinforced_agent.service.cli.conversation import decline  # noqa: PLC0415

    console = Console()
    interactive = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    decide = partial(ask_at_terminal, console) if interactive else decline
    return (SilentWatcher() if as_json else TerminalWatcher(console)), decide


def _settings() -> Settings:
    """Read the settings, or end with what is wrong."""
    try:
        return load_settings()
    except ValueError as error:
        fail(str(error))


def _model(spec: str | None, settings: Settings) -> Any:
    """Make the model, or end with what is missing."""
    from reinforced_agent.models.factory import resolve_model  # noqa: PLC0415  # slow to import

    try:
        return resolve_model(spec or settings.model, locale=settings.locale, env_file=".env")
    except (ValueError, RuntimeError, ImportError) as error:
        fail(str(error))


def _reviewer(spec: str | None, settings: Settings) -> Any:
    """Make the reviewer that is named, if one is."""
    if spec is None:
        return None
    from reinforced_agent.graph.settings.reviewer import Reviewer  # noqa: PLC0415  # slow to import

    return Reviewer(model=_model(spec, settings))


@contextmanager
def _clear(*errors: type[Exception]) -> Iterator[None]:
    """End with what is wrong, where it is one of these errors."""
    try:
        yield
    except errors as error:
        fail(str(error))


def _ledger(settings: Settings) -> Any:
    """Open the ledger that is set, or end with what is wrong with it."""
    from reinforced_agent.ledger import Ledger, LedgerError  # noqa: PLC0415  # slow to import

    try:
        return Ledger.open(settings.database, namespace=settings.namespace) if settings.database else None
    except LedgerError as error:
        fail(f"REINFORCED_AGENT_DATABASE: {error}")


def _tools(place: str | None, settings: Settings) -> Any:
    """Import the tools a text names, or end with what is wrong with them; without one, take the demo tools."""
    if place is None:
        from reinforced_agent.tools.demo import demo_toolset  # noqa: PLC0415

        return demo_toolset(settings.folder).values()
    found = _imported(place)
    if not isinstance(found, Iterable):
        fail(f"{place!r} is a `{type(found).__name__}`, no tools. {_PLACE_OF_TOOLS}")
    from reinforced_agent.tools.toolset import Toolset  # noqa: PLC0415  # slow to import

    try:
        return Toolset(found.values() if isinstance(found, Mapping) else found).values()
    except TypeError as error:
        fail(f"The tools {place!r} can't be used: {error}")


_PLACE_OF_TOOLS = "Write module:name of a Toolset or a list of tools."


def _imported(place: str) -> Any:
    """Import what `module:name` names; the module is the caller's, and may fail in any way."""
    module, _, name = place.partition(":")
    sys.path.insert(0, os.getcwd())  # noqa: PTH109  # the caller's own modules, as `python -m` finds them
    try:
        return getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:  # noqa: BLE001
        fail(f"The tools {place!r} can't be imported: {type(error).__name__}: {error}. {_PLACE_OF_TOOLS}")
