"""Judge single proposals from public reports: raw model output in, a verdict on every call out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reinforced_agent.policies.reading import Answer, Calls, ModelOutput, ReadCall, UnreadCall, Unusable
from reinforced_agent.policies.risk import LAYER as RISK
from reinforced_agent.policies.rulebook import Examination, RuleBook
from reinforced_agent.policies.situation import PastCall, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Ask, Refuse, Revise
from reinforced_agent.policies.wording import for_model
from reinforced_agent.tools.call import RawCall, digest
from reinforced_agent.tools.spec import Risk, ToolSpec


_RISKS: Mapping[str, Risk] = {"read": Risk.READ, "write": Risk.WRITE}


@dataclass(frozen=True, slots=True)
class Judged:
    """One call of a proposal and what was decided about it."""

    name: str
    arguments: Mapping[str, Any]
    verdict: str
    feedback: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the call in the shape the cases compare."""
        return {"name": self.name, "args": dict(self.arguments), "verdict": self.verdict}


def check(
    model_output: Mapping[str, Any], tools: Sequence[Mapping[str, Any]], state: Mapping[str, Any]
) -> dict[str, Any]:
    """Judge one proposal.

    Args:
        model_output: `content`, `finish_reason` and `tool_calls` with `id`, `name` and `arguments` as sent.
        tools: `name`, `description`, `parameters`, `risk`, `requires_approval` and optional switches.
        state: What happened before: `executed` calls with `result` or `error`, and `reviews` by people.

    Returns:
        `verdict` (accept, reject, ask_approval, no_call, mixed or reuse_result), `calls` and `feedback`.

    """
    rules = RuleBook(_spec(tool) for tool in tools)
    asks = frozenset(tool["name"] for tool in tools if tool.get("requires_approval"))
    reading = rules.read(_output(model_output))
    match reading:
        case Answer():
            return {"verdict": "no_call", "calls": [], "feedback": ""}
        case Unusable(problems=problems):
            return {"verdict": "reject", "calls": [], "feedback": for_model(problems, tool="")}
        case Calls(calls=calls):
            return _sum_up(_judge_all(calls, rules, asks, _history(state, tools)))


def _output(model_output: Mapping[str, Any]) -> ModelOutput:
    """Take the raw output apart."""
    calls = model_output.get("tool_calls") or ()
    return ModelOutput(
        content=model_output.get("content") or "",
        calls=tuple(RawCall(call.get("id") or "", call.get("name") or "", call.get("arguments")) for call in calls),
        finish_reason=model_output.get("finish_reason"),
        message_id="message",
    )


def _spec(tool: Mapping[str, Any]) -> ToolSpec:
    """Describe a tool of a case; a risk we don't know is taken for the worst."""
    return ToolSpec(
        name=tool["name"],
        description=tool.get("description", ""),
        parameters=tool.get("parameters") or {"type": "object"},
        risk=_RISKS.get(tool.get("risk", ""), Risk.DESTRUCTIVE),
        pollable=bool(tool.get("pollable")),
    )


def _history(state: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> tuple[PastCall, ...]:
    """Turn what was executed, and what people edited, into the past of the turn."""
    changing = {tool["name"] for tool in tools if tool.get("risk") != "read"}
    edited = [
        PastCall(
            review["original"]["name"], digest(review["original"]["name"], review["original"]["args"]), Status.EDITED
        )
        for review in state.get("reviews") or ()
        if review.get("decision") == "edit"
    ]
    return (*edited, *(_past(call, changes=call["name"] in changing) for call in state.get("executed") or ()))


def _past(call: Mapping[str, Any], *, changes: bool) -> PastCall:
    """Write one executed call."""
    failed = "error" in call
    return PastCall(
        tool=call["name"],
        digest=digest(call["name"], call["args"]),
        status=Status.FAILED if failed else Status.DONE,
        result=str(call.get("error") if failed else call.get("result", "")),
        changes=changes,
    )


def _judge_all(
    calls: Sequence[ReadCall | UnreadCall], rules: RuleBook, asks: frozenset[str], history: tuple[PastCall, ...]
) -> list[Judged]:
    """Judge the calls in their order; an equal call of the same message is one call."""
    judged: list[Judged] = []
    seen: set[str] = set()
    for call in calls:
        if isinstance(call, UnreadCall):
            judged.append(Judged(call.name, {}, "reject", for_model(call.problems, tool=call.name)))
            continue
        examination = rules.examine(
            call.name,
            call.arguments,
            call_id=call.id,
            repairs=call.repairs,
            situation=_situation(history),
        )
        fingerprint = examination.call.digest if examination.call else call.id
        if fingerprint not in seen:
            judged.append(_judge(call, examination, asks, history))
        seen.add(fingerprint)
    return judged


def _situation(history: tuple[PastCall, ...]) -> Callable[[ToolSpec], Situation]:
    """Give every layer the same past."""
    return lambda spec: Situation(spec=spec, history=history)


def _judge(call: ReadCall, examination: Examination, asks: frozenset[str], history: tuple[PastCall, ...]) -> Judged:
    """Name the decision about one call."""
    decision = examination.decision
    canonical = examination.call
    if canonical is None or isinstance(decision, Revise | Refuse):
        feedback = decision.message if isinstance(decision, Revise | Refuse) else ""
        # The feedback on a repeated call carries the result it had.
        known = canonical is not None and any(
            past.digest == canonical.digest and past.status == Status.DONE for past in history
        )
        return Judged(call.name, call.arguments, "reuse_result" if known else "reject", feedback)
    # Whether a plain write asks is the host's choice, and the cases say it tool by tool.
    asked = any(isinstance(verdict, Ask) and verdict.layer != RISK for verdict in examination.verdicts)
    held = asked or canonical.tool in asks
    return Judged(canonical.tool, canonical.arguments, "ask_approval" if held else "accept")


def _sum_up(judged: Sequence[Judged]) -> dict[str, Any]:
    """Sum the calls up to one verdict."""
    verdicts = {item.verdict for item in judged}
    return {
        "verdict": verdicts.pop() if len(verdicts) == 1 else "mixed",
        "calls": [item.as_json() for item in judged],
        "feedback": "\n".join(item.feedback for item in judged if item.feedback),
    }
