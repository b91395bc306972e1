"""A person at the terminal decides about a call."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from reinforced_agent.service.console import TerminalWatcher, ask_at_terminal


REQUEST: Any = {
    "action_requests": [{"name": "send", "args": {"to": "ann"}, "description": "Send."}],
    "review_configs": [{"action_name": "send", "allowed_decisions": ["approve"]}],
    "calls": [{"token": "t", "call_id": "c", "tool": "send", "digest": "", "risk": "write", "reason": "", "note": ""}],
    "problem": "",
}


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        pytest.param("approve\n", {"type": "approve"}, id="approve"),
        pytest.param("reject\nToo late\n", {"type": "reject", "message": "Too late"}, id="reject"),
        pytest.param("\n\n", {"type": "reject", "message": ""}, id="just-enter"),
        pytest.param("respond\nDone by hand\n", {"type": "respond", "message": "Done by hand"}, id="respond"),
        pytest.param(
            'edit\nnonsense\n{"to": "bob"}\n',
            {"type": "edit", "edited_action": {"name": "send", "args": {"to": "bob"}}},
            id="edit-at-the-second-try",
        ),
        pytest.param("perhaps\napprove\n", {"type": "approve"}, id="unknown-word-first"),
    ],
)
def test_what_is_typed_becomes_a_decision(typed: str, decision: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Approve, edit, reject and respond; Enter alone never approves."""
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert ask_at_terminal(Console(file=io.StringIO()), REQUEST, 0) == decision


def test_text_of_models_and_tools_is_never_markup() -> None:
    """Square brackets in a result are shown, not obeyed."""
    shown = io.StringIO()
    watcher = TerminalWatcher(Console(file=shown, width=200))
    record = {"id": "c", "tool": "look", "status": "done", "result": "[bold red]x[/] [link=file:///]y"}
    watcher.updated("inspect", {"calls": {"c": record}})
    assert "[bold red]x[/] [link=file:///]y" in shown.getvalue()
