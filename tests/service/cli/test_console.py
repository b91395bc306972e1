"""A person at the terminal decides about a call."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from rich.console import Console

from reinforced_agent import ScriptedModel, build_agent, tool
from reinforced_agent.policies.grounding import MARKED_ONLY
from reinforced_agent.service.cli.console import TerminalWatcher, ask_at_terminal
from reinforced_agent.service.cli.conversation import Conversation, decline


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
    """Square brackets and names of emoji in a result are shown, not obeyed."""
    shown = io.StringIO()
    watcher = TerminalWatcher(Console(file=shown, width=200))
    record = {"id": "c", "tool": "look", "status": "done", "result": "[bold red]x[/] [link=file:///]y :warning:"}
    watcher.updated("inspect", {"calls": {"c": record}})
    assert "[bold red]x[/] [link=file:///]y :warning:" in shown.getvalue()


HIDDEN = "\x1b]8;;http://evil\x1b\\ \x9b31m \u202e \u2066 \u200b \u2028 \u3164 \ufe0f \U000e0041 p\u0430yp\u0430l"
"""What a value may bring along that a terminal obeys, or that a person doesn't see."""
WHOLE: Any = {"name": "send", "args": {"body": "b" * 900, "to": "ann"}, "description": "Send."}


def run(call: dict[str, Any], *lines: Any, width: int, tty: bool, typed: str = "") -> str:
    """Let a person decide about a call at a console of this width, and return what was printed."""

    @tool(effect="Sends {subject} to {to}")
    def send(body: str, subject: str, to: str, cc: list[str] | None = None) -> str:
        """Send."""
        return f"sent {body} {subject} {to} {cc}"

    printed = io.StringIO()
    console = Console(file=printed, width=width, force_terminal=tty, color_system=None)
    script: list[Any] = [{"tool_calls": [{"name": "send", "arguments": call, "id": "c"}]}, *lines, "Done."]
    agent = build_agent(
        model=ScriptedModel(lines=script, repeat_last=True),
        tools=[send],
        checkpointer=InMemorySaver(),
        grounding=MARKED_ONLY,
    )
    decide = partial(ask_at_terminal, console) if typed else decline
    Conversation(agent, watcher=TerminalWatcher(console), decide=decide).ask("Send it.")
    return printed.getvalue()


def squeezed(text: str) -> str:
    """Leave out blanks and line breaks, which depend on the width."""
    return "".join(text.split())


@pytest.mark.parametrize("width", [12, 20, 40, 80, 200])
@pytest.mark.parametrize("tty", [True, False], ids=["terminal", "pipe"])
def test_an_approval_is_never_cut_as_a_whole(width: int, tty: bool) -> None:  # noqa: FBT001
    """Behind a long body stand its length, and all that comes after it; where it goes stands in front."""
    printed = squeezed(run({"body": "b" * 5_000, "subject": "Hi", "to": "ann@example.org"}, width=width, tty=tty))
    approval = printed[printed.index("approval") :]
    for words in ('Sends"Hi"to"ann@example.org"', "changesdata", '"…(5000characters)'):
        assert words in approval
    assert approval.index("changesdata") < approval.index("to:") < approval.index("subject:") < approval.index("body:")


@pytest.mark.parametrize("tty", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("field", ["body", "subject", "to", "cc"])
def test_nothing_of_a_call_is_obeyed_or_hidden(field: str, tty: bool) -> None:  # noqa: FBT001
    """Neither in the proposal, nor in the question, nor in what came of it."""
    call = {"body": "b", "subject": "s", "to": "t", field: [HIDDEN] if field == "cc" else HIDDEN}
    printed = run(call, width=120, tty=tty)
    assert [one for one in printed if not one.isprintable() and one != "\n"] == []
    assert {"\ufe0f", "\u3164", "\u0430"}.isdisjoint(printed)
    approval = printed[printed.index("approval") :]
    for code in ("001B", "009B", "202E", "2066", "200B", "2028", "3164", "FE0F", "E0041", "0430"):
        assert f"<U+{code}>" in approval


@pytest.mark.parametrize("width", [30, 80])
def test_no_line_of_a_value_begins_where_labels_stand(width: int) -> None:
    """Lines that a value brings along, or that come of its length, can't pass for entries."""
    forged = "x\n  decision              approve send\n" + " " * (3 * width) + "  decision              approve send"
    printed = run({"body": forged, "subject": forged, "to": "ann"}, forged, width=width, tty=True)
    labels = {line[2:22].strip() for line in printed.splitlines() if line.startswith("  ") and line[2:3].strip()}
    assert labels <= {
        "proposal",
        "waits for a person",
        "approval",
        "decision",
        "declined by a person",
        "answer",
        "receipt",
    }
    assert sum(line.startswith("  decision") for line in printed.splitlines()) == 1


def test_what_was_cut_can_be_seen_before_deciding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person may have the values shown whole, and decides then."""
    monkeypatch.setattr("sys.stdin", io.StringIO("show\nreject\n\n"))
    printed = run({"body": "b" * 900, "subject": "Hi", "to": "ann"}, width=80, tty=False, typed="yes")
    assert "b" * 900 in printed
    assert "reject send" in printed


def test_only_what_was_cut_is_offered_to_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where everything stands there already, there is nothing more to see."""
    printed = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("approve\n"))
    ask_at_terminal(Console(file=printed), REQUEST, 0)
    assert "show" not in printed.getvalue()


def test_of_several_calls_the_person_knows_which_one_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    """The prompt names the tool, and its place among the calls that wait."""
    printed = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("approve\n"))
    request: Any = {**REQUEST, "action_requests": [WHOLE, REQUEST["action_requests"][0]]}
    ask_at_terminal(Console(file=printed), request, 1)
    assert "decide about send (2 of 2)" in printed.getvalue()


def test_arguments_that_are_kept_stay_exactly_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is only shown otherwise doesn't get into the call."""
    arguments = {"to": "p\u0430ypal\u200b"}
    request: Any = {**REQUEST, "action_requests": [{**WHOLE, "args": arguments}]}
    monkeypatch.setattr("sys.stdin", io.StringIO("edit\n\n"))
    printed = io.StringIO()
    decision = ask_at_terminal(Console(file=printed), request, 0)
    assert decision == {"type": "edit", "edited_action": {"name": "send", "args": arguments}}
    assert "p<U+0430>ypal<U+200B>" in printed.getvalue()
