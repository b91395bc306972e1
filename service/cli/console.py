"""Show a run on the terminal: every proposal, verdict, result and the answer, readable at a glance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.prompt import Prompt
from rich.table import Table
from rich.text import Text

from reinforced_agent.graph.approval.request import MOST_SHOWN, ApprovalRequest, HeldCall
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.state import SUCCEEDED
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.text.visible import visible, written
from reinforced_agent.service.cli.conversation import Run


_STYLES: Mapping[str, tuple[str, str]] = {
    Status.PROPOSED: ("cyan", "proposal"),
    Status.ACCEPTED: ("green", "accepted"),
    Status.APPROVED: ("green", "approved"),
    Status.WAITING: ("yellow", "waits for a person"),
    Status.REVISE: ("yellow", "sent back"),
    Status.REFUSED: ("red", "refused"),
    Status.OPEN: ("red", "tool not available"),
    Status.REJECTED: ("red", "declined by a person"),
    Status.DONE: ("green", "result"),
    Status.ANSWERED: ("green", "answered by a person"),
    Status.SERVED: ("yellow", "served by a fallback"),
    Status.FAILED: ("red", "failed"),
    Status.UNKNOWN: ("red", "outcome unknown"),
    Status.DELEGATED: ("yellow", "handed to a fallback"),
    Status.SHARED: ("green", "same as the call before"),
}
_MOST_SHOWN: Final = 400
"""Characters of a proposal or of what came of a call; what a person decides about is never cut as a whole."""
_LABEL: Final = 20
"""Characters of the label in front of an entry."""
_INDENT: Final = _LABEL + 4
"""Where the text of an entry begins; a terminal that is narrower than twice of this has it below the label."""


class TerminalWatcher:
    """Prints a run while it goes."""

    def __init__(self, console: Console) -> None:
        """Print to a console."""
        self._console = console
        self._names: dict[str, str] = {}

    def started(self, request: str) -> None:
        """Show the request."""
        self._names.clear()
        self._console.print()
        self._console.rule(Text(visible(request), "bold"), align="left")

    def updated(self, node: str, update: Mapping[str, Any]) -> None:
        """Show what a node changed."""
        for record in _records(update):
            self._names[record["id"]] = (
                record.get("tool") or record.get("raw_name") or self._names.get(record["id"], "?")
            )
            if node == "propose":
                self._line("proposal", "cyan", _short(_call(record)))
            elif node in {"check", "approve", "inspect", "fall_back"}:
                self._outcome(record)

    def asked(self, request: ApprovalRequest) -> None:
        """Show what a person has to decide."""
        if request["problem"]:
            self._line("answer not usable", "red", request["problem"])
        for action in request["action_requests"]:
            self._line("approval", "yellow", action["description"])

    def decided(self, call: HeldCall, decision: Mapping[str, Any]) -> None:
        """Show what was decided."""
        words = f"{decision['type']} {call['tool']}"
        self._line("decision", "yellow", f"{words}: {decision['message']}" if decision.get("message") else words)

    def ended(self, run: Run) -> None:
        """Show the answer."""
        style = {**dict.fromkeys(SUCCEEDED, "bold green"), "asked": "bold yellow"}.get(run.outcome, "bold red")
        self._line("question" if run.outcome == "asked" else "answer", style, run.answer)
        for entry in run.receipt["writes"]:
            by = f", approved by {entry['approved_by']}" if entry["approved_by"] else ""
            self._line(
                "receipt", "dim", f"{entry['tool']}: {entry['outcome'].replace('_', ' ')}{by} - {entry['effect']}"
            )
        self._line("", "dim", f"{run.steps} proposals, {run.seconds:.1f} s")

    def _outcome(self, record: CallRecord) -> None:
        """Show the status of a call and why it has it."""
        style, words = _STYLES.get(record["status"], ("white", record["status"]))
        name = self._names.get(record["id"], "?")
        why = "" if record["status"] == Status.DELEGATED else record.get("result") or record.get("feedback") or ""
        self._line(words, style, _short(f"{name}{_remarks(record)}" + (f": {why}" if why else "")))

    def _line(self, title: str, style: str, text: str) -> None:
        """Print one labelled entry; what comes from models and tools is never read as markup, nor obeyed."""
        _print_entry(self._console, Text(title, style), visible(text))


def _print_entry(console: Console, title: Text, text: str) -> None:
    """Print a text beside its label: no line of it, broken or wrapped, begins where labels stand."""
    if console.is_terminal and console.width < 2 * _INDENT:
        console.print(Padding(title, (0, 0, 0, 2)))
        console.print(Padding(Text(text, overflow="fold"), (0, 0, 0, 4)))
        return
    if console.is_terminal:
        entry = Table.grid(padding=(0, 2))
        entry.add_column(width=_LABEL)
        entry.add_column(overflow="fold")
        entry.add_row(title, Text(text))
        console.print(Padding(entry, (0, 0, 0, 2)))
        return
    title.pad_right(_LABEL - len(title))
    body = text.replace("\n", "\n" + " " * _INDENT)
    console.print(Text.assemble("  ", title, "  ", body), soft_wrap=True)


class SilentWatcher:
    """Shows nothing."""

    def started(self, request: str) -> None:
        """Show nothing."""

    def updated(self, node: str, update: Mapping[str, Any]) -> None:
        """Show nothing."""

    def asked(self, request: ApprovalRequest) -> None:
        """Show nothing."""

    def decided(self, call: HeldCall, decision: Mapping[str, Any]) -> None:
        """Show nothing."""

    def ended(self, run: Run) -> None:
        """Show nothing."""


def ask_at_terminal(console: Console, request: ApprovalRequest, position: int) -> dict[str, Any]:
    """Let the person at the terminal decide about one call."""
    action = request["action_requests"][position]
    whole = "\n".join(f"{written(name)}: {written(value)}" for name, value in action["args"].items())
    is_cut = any(written(value) != written(value, MOST_SHOWN) for value in action["args"].values())
    choices = ["approve", "edit", "reject", "respond", *(["show"] if is_cut else [])]
    count = len(request["action_requests"])
    which = f" ({position + 1} of {count})" if count > 1 else ""
    prompt = Text(f"  decide about {visible(action['name'])}{which}")
    while (choice := Prompt.ask(prompt, choices=choices, default="reject", console=console)) == "show":
        _print_entry(console, Text("arguments", "yellow"), whole)
    match choice:
        case "edit":
            return {"type": "edit", "edited_action": {"name": action["name"], "args": _edited(console, action["args"])}}
        case "reject":
            return {"type": "reject", "message": Prompt.ask("  reason", default="", console=console)}
        case "respond":
            return {"type": "respond", "message": Prompt.ask("  your answer", console=console)}
        case _:
            return {"type": "approve"}


def _edited(console: Console, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for new arguments until they are a JSON object; an empty line keeps the old ones."""
    _print_entry(console, Text("arguments now", "yellow"), written(dict(arguments)))
    while True:
        text = Prompt.ask("  arguments as JSON, nothing to keep them", default="", show_default=False, console=console)
        if not text.strip():
            return dict(arguments)
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, dict):
            return value
        console.print("  [red]That is no JSON object; the arguments are unchanged.")


def _records(update: Mapping[str, Any]) -> list[CallRecord]:
    """Return the call records of an update."""
    calls = update.get("calls")
    return list(calls.values()) if isinstance(calls, Mapping) else []


def _remarks(record: CallRecord) -> str:
    """Name the layer that objected, and the repairs that were needed."""
    verdicts = record.get("verdicts") or [{}]
    layer = verdicts[-1].get("layer") if record["status"] in {Status.REVISE, Status.REFUSED} else None
    by = f" by layer {layer!r}" if layer else ""
    return by + (f" (repaired: {', '.join(record['repairs'])})" if record.get("repairs") else "")


def _call(record: CallRecord) -> str:
    """Write a proposed call."""
    return f"{record['raw_name']} {record.get('raw') or '(can not be read)'}"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} … ({len(text)} characters)"
