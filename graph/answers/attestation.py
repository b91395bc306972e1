"""Ask the model which tools its answer says were carried out, and compare that with what ran; off by default."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from reinforced_agent.graph.answers.receipt import writes_of
from reinforced_agent.graph.budget.budget import limit_reached
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.prompt.messages import output_of
from reinforced_agent.graph.prompt.provider_fields import message_with
from reinforced_agent.graph.state import State, Turn, Update
from reinforced_agent.models.binding import bind_tools
from reinforced_agent.policies.answers.messages import attest, not_carried_out
from reinforced_agent.policies.parsing import Answer, Calls, ReadCall, Reading, Unusable, read
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.tools.spec import Risk, ToolSpec


BUDGET: Final = "attestation"
"""Key under which the turn counts that its answer was attested."""
REPORT: Final = "report_actions"
"""Name of the tool by which the model replies."""


def is_due(state: State, update: Update, bound: Bindings) -> bool:
    """Return whether an answer is to be attested: once a turn, where no write ran or one did not end done."""
    turn = update.get("turn", {})
    if not bound.answers.attest or (update.get("proposal") or {}).get("answer") is None:
        return False
    if turn.get("retries", {}).get(BUDGET) or limit_reached({**state, "turn": turn}, bound.limits):
        return False
    return bool(_writes(bound)) and {outcome for _, outcome in writes_of(state, bound)} != {"done"}


def question_about(update: Update, shown: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Write the request: the conversation as the model saw it, its answer, and the question."""
    locale = update["turn"].get("locale", "en")
    answer = message_with(update["proposal"], update["proposal"]["answer"] or "")
    return [*shown, answer, HumanMessage(attest(REPORT, locale))]


def reporter(bound: Bindings) -> Any:
    """Bind the one tool by which the model replies, which runs nothing."""
    return bind_tools(bound.model, [_report(bound)])


def attested(state: State, update: Update, reply: AIMessage, bound: Bindings) -> Update:
    """Send the answer back where the model says that it tells of tools that did not run; else leave it as it is.

    A reply that can't be read is no opinion.
    """
    turn: Turn = _counted(update["turn"], reply)
    done = {record["tool"] for record, outcome in writes_of(state, bound) if outcome == "done"}
    missing = [name for name in _claimed(reply, bound) if name not in done]
    if not missing:
        return {**update, "turn": turn}
    answer = update["proposal"]["answer"] or ""
    feedback = not_carried_out(missing, turn.get("locale", "en"))
    again = {**update["proposal"], "answer": None, "content": "", "feedback": feedback, "withheld": answer}
    return {**update, "turn": turn, "proposal": again}  # type: ignore[typeddict-item]  # the keys of a proposal


def _writes(bound: Bindings) -> list[str]:
    return [spec.name for spec in bound.toolset.values() if spec.offered and spec.risk is not Risk.READ]


def _report(bound: Bindings) -> ToolSpec:
    names = {"type": "array", "items": {"type": "string", "enum": _writes(bound)}}
    return ToolSpec(
        name=REPORT,
        description="Say which tools an answer tells the user were carried out. Runs nothing.",
        parameters={"type": "object", "properties": {"tools": names}, "required": ["tools"]},
        risk=Risk.READ,
    )


def _claimed(reply: AIMessage, bound: Bindings) -> list[str]:
    """Read the tools that a reply names; only names that are offered count."""
    named = _named(read(output_of(reply), NameIndex([REPORT])))
    offered = set(_writes(bound))
    return [name for name in dict.fromkeys(named) if name in offered]


def _named(reading: Reading) -> list[str]:
    match reading:
        case Calls(calls=(ReadCall(arguments=arguments), *_)):
            found: Any = arguments.get("tools")
        case Answer(text=text):
            found = _list_in(text)
        case Calls() | Unusable():
            found = None
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _list_in(text: str) -> Any:
    """Read a reply without a call: a JSON list of names, or an object that holds it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found.get("tools") if isinstance(found, dict) else found


def _counted(turn: Turn, reply: AIMessage) -> Turn:
    """Count the question, and its tokens with those of the answer."""
    usage: Any = reply.usage_metadata or {}
    *earlier, newest = turn["spoken"]
    read_tokens = newest.get("input_tokens", 0) + usage.get("input_tokens", 0)
    written = newest.get("output_tokens", 0) + usage.get("output_tokens", 0)
    retries = {**turn.get("retries", {}), BUDGET: 1}
    spoken = [*earlier, {**newest, "input_tokens": read_tokens, "output_tokens": written}]
    return {**turn, "retries": retries, "spoken": spoken}  # type: ignore[typeddict-item]  # the keys of a spoken message
