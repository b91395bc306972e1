"""The question to a person as an interrupt carries it: what LangChain's inboxes render, and our part beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypedDict

from langgraph.types import StateSnapshot

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import pause_note
from reinforced_agent.graph.state import State
from reinforced_agent.ledger.pauses import Paused
from reinforced_agent.policies.approval import DECISIONS, DecisionType
from reinforced_agent.policies.schema.paths import says_where
from reinforced_agent.policies.text.visible import visible, written
from reinforced_agent.tools.effect_text import describe_effect
from reinforced_agent.tools.spec import Arguments, ToolSpec


MOST_SHOWN: Final = 400
"""Characters of one value, and entries of one list, that a question shows."""


class ActionRequest(TypedDict):
    """One call as LangChain's inboxes render it."""

    name: str
    args: dict[str, Any]
    description: str


class ReviewConfig(TypedDict):
    """What may be decided about the call at the same position."""

    action_name: str
    allowed_decisions: list[DecisionType]
    args_schema: dict[str, Any]
    """JSON Schema of the arguments, for an inbox that lets people edit them."""


class HeldCall(TypedDict):
    """Our part of the question, at the same position: what an answer must name, and why it is asked."""

    token: str
    call_id: str
    tool: str
    digest: str
    risk: str
    reason: str
    warnings: list[dict[str, Any]]
    """Doubts about the call, each with `code`, `field` and `message`; empty where there are none."""
    effect: str
    """What will happen, in words."""
    roles: list[str]
    """Roles that may decide, any of them; empty for everybody."""
    four_eyes: bool
    """Whether somebody else than the requester has to decide."""
    expires_at: str
    """Until when it can be answered, ISO 8601, UTC; empty for no end."""
    note: str
    """What was wrong with the person's last decision about it, and that its tool is paused; empty otherwise."""
    paused: str
    """The part of the note that tells of a pause; empty where the tool isn't paused."""


class ApprovalRequest(TypedDict):
    """The payload of the interrupt: a LangChain `HITLRequest` with our fields beside it."""

    action_requests: list[ActionRequest]
    review_configs: list[ReviewConfig]
    calls: list[HeldCall]
    requester: str
    """User id of who asked for it; empty where it isn't known."""
    problem: str
    """What was wrong with the last answer; empty otherwise."""


def request_for(waiting: list[CallRecord], state: State, bound: Bindings) -> ApprovalRequest:
    """Show the canonical arguments, why a person is asked, what will happen, and which tools are paused."""
    request: ApprovalRequest = {
        "action_requests": [_action(record, bound) for record in waiting],
        "review_configs": [_review(record, bound) for record in waiting],
        "calls": [_held(record, bound) for record in waiting],
        "requester": state["turn"]["requester"]["user_id"],
        "problem": visible(state["turn"].get("problem", "")),
    }
    return _with_pauses(request, bound.ledger.paused(), state["turn"].get("locale", "en"))


def with_pauses(snapshot: StateSnapshot, paused: Mapping[str, Paused]) -> StateSnapshot:
    """Let the questions of a stored state say which tools are paused now: they were put before, and wait on."""
    locale = snapshot.values.get("turn", {}).get("locale", "en") if isinstance(snapshot.values, Mapping) else "en"

    def told(asked: Any) -> Any:
        # A server keeps questions as plain dictionaries.
        value = asked.get("value") if isinstance(asked, dict) else asked.value
        if not isinstance(value, dict) or not {"calls", "action_requests"} <= value.keys():
            return asked
        now = _with_pauses(value, paused, locale)  # type: ignore[arg-type]
        return {**asked, "value": now} if isinstance(asked, dict) else replace(asked, value=now)

    tasks = tuple(task._replace(interrupts=tuple(map(told, task.interrupts))) for task in snapshot.tasks)
    return snapshot._replace(interrupts=tuple(map(told, snapshot.interrupts)), tasks=tasks)


def _with_pauses(request: ApprovalRequest, paused: Mapping[str, Paused], locale: str) -> ApprovalRequest:
    """Tell of the pauses of now in place of those of before."""
    told = [pause_note(call["tool"], paused, locale) for call in request["calls"]]
    if told == [call.get("paused", "") for call in request["calls"]]:
        return request
    before = zip(request["calls"], request["action_requests"], told, strict=True)
    changed = [_with_pause(call, action, text) for call, action, text in before]
    return {
        **request,
        "calls": [call for call, _ in changed],
        "action_requests": [action for _, action in changed],
    }


def _with_pause(call: HeldCall, action: ActionRequest, told: str) -> tuple[HeldCall, ActionRequest]:
    """Put what is told of a pause into the note of a call, and at the head of its description."""
    before = call.get("paused", "")
    note = call["note"].removesuffix(before).strip()
    lines = action["description"].removeprefix(before).removeprefix("\n")
    return (
        {**call, "note": f"{note} {told}".strip(), "paused": told},
        {**action, "description": f"{told}\n{lines}" if told else lines},
    )


def _action(record: CallRecord, bound: Bindings) -> ActionRequest:
    """Show a call: what it does, what there is to know about it, and its arguments, none hidden behind another one."""
    arguments, spec = dict(record["arguments"]), bound.toolset.get(record["tool"])
    reason = _on_one_line(record["reason"])
    doubts = (_on_one_line(str(warning["message"])) for warning in record.get("warnings", ()))
    unsaid = (doubt for doubt in doubts if doubt.rstrip(".。") not in reason)
    lines = (_effect(record, bound), reason, *unsaid, _on_one_line(record.get("note", "")), record["tool"])
    lines = (*lines, *argument_lines(arguments, spec))
    return {"name": record["tool"], "args": arguments, "description": "\n".join(line for line in lines if line)}


def argument_lines(arguments: Arguments, spec: ToolSpec | None) -> list[str]:
    """Write arguments one a line: those that say where something goes, then the others, long ones last.

    Otherwise they stand in the order of the schema.
    """
    known = {} if spec is None else spec.parameters.get("properties", {})
    names = [*(name for name in known if name in arguments), *(name for name in arguments if name not in known)]
    shown = {name: written(arguments[name], MOST_SHOWN) for name in names}
    where = {name for name in names if spec is not None and says_where([name], arguments[name], spec)}
    names.sort(key=lambda name: (name not in where, len(shown[name]) > MOST_SHOWN))
    return [f"  {name if name.isidentifier() and name.isascii() else written(name)}: {shown[name]}" for name in names]


def _on_one_line(text: str) -> str:
    return visible(" ".join(text.split("\n")))


def _review(record: CallRecord, bound: Bindings) -> ReviewConfig:
    """Say what may be decided."""
    spec = bound.toolset.get(record["tool"])
    schema = {} if spec is None else dict(spec.parameters)
    return {"action_name": record["tool"], "allowed_decisions": list(DECISIONS), "args_schema": schema}


def _held(record: CallRecord, bound: Bindings) -> HeldCall:
    """Say what an answer must name, and under which terms."""
    return {
        "token": record["token"],
        "call_id": record["id"],
        "tool": record["tool"],
        "digest": record["digest"],
        "risk": record["risk"],
        "reason": _on_one_line(record["reason"]),
        "warnings": [{**one, "message": _on_one_line(str(one["message"]))} for one in record.get("warnings", ())],
        "effect": _effect(record, bound),
        "roles": list(record.get("roles", ())),
        "four_eyes": record.get("four_eyes", False),
        "expires_at": record.get("expires_at", ""),
        "note": _on_one_line(record.get("note", "")),
        "paused": "",
    }


def _effect(record: CallRecord, bound: Bindings) -> str:
    """Say what will happen."""
    spec = bound.toolset.get(record["tool"])
    return "" if spec is None else visible(describe_effect(spec, record["arguments"]))
