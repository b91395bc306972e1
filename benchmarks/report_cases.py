"""Judge single proposals from public reports: raw model output in, a verdict on every call out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.case_rules import facts_of, rules_of
from reinforced_agent.policies.approval import ApprovalPolicy, ApprovalRule
from reinforced_agent.policies.grounding import said_by_user
from reinforced_agent.policies.messages import for_model
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.parsing import Answer, Calls, ModelOutput, ReadCall, UnreadCall, Unusable
from reinforced_agent.policies.pipeline import Examination, RuleBook
from reinforced_agent.policies.results import is_unfinished
from reinforced_agent.policies.situation import PastCall, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Ask, Refuse, Revise
from reinforced_agent.tools.call import RawCall, canonical_json, digest
from reinforced_agent.tools.results import as_text
from reinforced_agent.tools.spec import Risk, ToolSpec


_ALTERNATING: Final = tell("alternating", "en")
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
        state: What happened before: the `conversation`, `executed` calls with `result` or `error`, and `reviews` by
            people; and the rules of the house: `policies` over facts, `workspace_root`. Without a conversation nothing
            is known about what was said, so that no value counts as made up.

    Returns:
        `verdict` (accept, reject, ask_approval, no_call, mixed or reuse_result), `calls` and `feedback`.

    """
    # Whether a plain write asks is the host's choice, and the cases say it tool by tool.
    asked = {tool["name"]: ApprovalRule(ask=bool(tool.get("requires_approval"))) for tool in tools}
    approvals = ApprovalPolicy(tools=asked)
    rules = RuleBook((_spec(tool) for tool in tools), layers=tuple(rules_of(tools, state)), approvals=approvals)
    reading = rules.read(_output(model_output))
    match reading:
        case Answer():
            return {"verdict": "no_call", "calls": [], "feedback": ""}
        case Unusable(problems=problems):
            return {"verdict": "reject", "calls": [], "feedback": for_model(problems, tool="")}
        case Calls(calls=calls):
            allowed = int(state.get("max_identical_failures") or 1)
            told = _told(state.get("conversation") or (), tools)
            past = _Past(_history(state, rules, tools), allowed, *told, facts=facts_of(state))
            return _sum_up(_judge_all(calls, rules, past))


def _told(
    conversation: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], frozenset[str]]:
    """Return what the user said, what each tool returned, and which tools may return text of strangers."""
    called = {call["id"]: call["name"] for message in conversation for call in message.get("tool_calls") or ()}
    said = said_by_user((str(message.get("role", "")), _text(message)) for message in conversation)
    results = [message for message in conversation if message.get("role") == "tool"]
    returned = ((str(called.get(message.get("tool_call_id"), "")), _text(message)) for message in results)
    return said, tuple(returned), frozenset(tool["name"] for tool in tools if tool.get("untrusted_output"))


def _text(message: Mapping[str, Any]) -> str:
    """Return what a message says; a content that isn't plain text as its JSON."""
    content = message.get("content")
    return content if isinstance(content, str) else "" if content is None else canonical_json(content)


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
        repeat="allow" if tool.get("pollable") else "refuse",
    )


def _history(state: Mapping[str, Any], rules: RuleBook, tools: Sequence[Mapping[str, Any]]) -> tuple[PastCall, ...]:
    """Turn what was executed, and what people decided, into the past of the turn."""
    changing = {tool["name"] for tool in tools if tool.get("risk") != "read"}
    reviewed = [past for review in state.get("reviews") or () for past in _reviewed(review, rules, changing)]
    executed = [call for call in state.get("executed") or () if _is_of_turn(call, state)]
    return (*reviewed, *(_past(call, rules, changes=call["name"] in changing) for call in executed))


def _is_of_turn(call: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    """Tell whether a call belongs to the present user turn; where nothing is said about turns, it does."""
    turns = (call.get("turn"), state.get("turn"))
    return None in turns or turns[0] == turns[1]


def _reviewed(review: Mapping[str, Any], rules: RuleBook, changing: Collection[str]) -> Iterator[PastCall]:
    """Write what a person decided about a call."""
    original, executed = review.get("original"), review.get("executed")
    status = {"edit": Status.EDITED, "reject": Status.REJECTED}.get(str(review.get("decision")))
    if original and status:
        yield PastCall(original["name"], _digest(original, rules), status)
    if executed:
        yield _past(executed, rules, changes=executed["name"] in changing)


def _past(call: Mapping[str, Any], rules: RuleBook, *, changes: bool) -> PastCall:
    """Write one executed call."""
    failed = "error" in call
    brought = as_text(call.get("result", ""))
    return PastCall(
        tool=call["name"],
        digest=_digest(call, rules),
        status=Status.FAILED if failed else Status.DONE,
        result=str(call.get("error")) if failed else brought,
        changes=changes,
        unfinished=not failed and is_unfinished(brought),
    )


def _digest(call: Mapping[str, Any], rules: RuleBook) -> str:
    """Fingerprint a call in its canonical form, or as it stands where it has none."""
    examined = rules.examine(call["name"], call["args"], call_id="past")
    return examined.call.digest if examined.call else digest(call["name"], call["args"])


@dataclass(frozen=True, slots=True)
class _Past:
    """What happened before the proposal."""

    calls: tuple[PastCall, ...]
    identical_failures: int
    said: tuple[str, ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    strangers: frozenset[str] = frozenset()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def situation(self, spec: ToolSpec) -> Situation:
        """Give every layer the same past."""
        return Situation(
            spec=spec,
            history=self.calls,
            identical_failures=self.identical_failures,
            facts=self.facts,
            said=self.said,
            trusted=self._trusted(),
            untrusted=tuple((tool, text) for tool, text in self.results if tool in self.strangers),
        )

    def _trusted(self) -> tuple[str, ...]:
        """List what values may come from; without a conversation it isn't known, and nothing counts as made up."""
        results = (*self.results, *((past.tool, past.result) for past in self.calls))
        known = (text for tool, text in results if tool not in self.strangers)
        return (*self.said, *known) if self.said else ()

    def had(self, fingerprint: str, status: Status) -> bool:
        """Tell whether the same call met this fate."""
        return any(past.digest == fingerprint and past.status == status for past in self.calls)


def _judge_all(calls: Sequence[ReadCall | UnreadCall], rules: RuleBook, past: _Past) -> list[Judged]:
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
            situation=past.situation,
        )
        fingerprint = examination.call.digest if examination.call else call.id
        if fingerprint not in seen:
            judged.append(_judge(call, examination, past))
        seen.add(fingerprint)
    return judged


def _judge(call: ReadCall, examination: Examination, past: _Past) -> Judged:
    """Name the decision about one call."""
    decision = examination.decision
    canonical = examination.call
    if canonical is None or isinstance(decision, Revise | Refuse):
        feedback = decision.message if isinstance(decision, Revise | Refuse) else ""
        # The feedback on a repeated call carries the result it had, unless the model goes back and forth.
        known = canonical is not None and feedback != _ALTERNATING and past.had(canonical.digest, Status.DONE)
        return Judged(call.name, call.arguments, "reuse_result" if known else "reject", feedback)
    if past.had(canonical.digest, Status.REJECTED):
        return Judged(canonical.tool, canonical.arguments, "reject", tell("rejected_before", "en"))
    held = isinstance(decision, Ask)
    return Judged(canonical.tool, canonical.arguments, "ask_approval" if held else "accept")


def _sum_up(judged: Sequence[Judged]) -> dict[str, Any]:
    """Sum the calls up to one verdict."""
    verdicts = {item.verdict for item in judged}
    return {
        "verdict": verdicts.pop() if len(verdicts) == 1 else "mixed",
        "calls": [item.as_json() for item in judged],
        "feedback": "\n".join(item.feedback for item in judged if item.feedback),
    }
