"""Read a person's answer to an approval: which calls it decides, and what in it can't be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast, get_args


DecisionType: TypeAlias = Literal["approve", "edit", "reject", "respond"]
"""What a person may decide: run it, run it changed, don't run it, or answer in place of the tool."""

DECISIONS: tuple[DecisionType, ...] = get_args(DecisionType)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits for a person."""

    id: str
    token: str


@dataclass(frozen=True, slots=True)
class Decided:
    """One usable decision."""

    id: str
    type: DecisionType
    message: str = ""
    """The reason of a rejection, or the response."""
    name: str = ""
    """The tool of an edit."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of an edit."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer decides, and for the person what was wrong with the rest."""

    decided: tuple[Decided, ...] = ()
    problems: tuple[str, ...] = ()


def read_answer(answer: object, waiting: Sequence[Waiting], *, positional: bool = False) -> Answer:
    """Match an answer to the waiting calls by token.

    Args:
        answer: `{"decisions": [{"type": ..., "token": ...}]}`; anything else is a problem, never an approval.
        waiting: The calls that wait.
        positional: Accept a decision without a token while exactly one call waits, as existing inboxes send it.

    """
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    if not isinstance(decisions, Sequence) or isinstance(decisions, str) or not decisions:
        return Answer(problems=('Answer with {"decisions": [{"type": "approve", "token": "..."}]}.',))
    by_token = {item.token: item for item in waiting}
    implied = waiting[0].token if positional and len(waiting) == 1 == len(decisions) else ""
    decided: dict[str, Decided] = {}
    problems: list[str] = []
    for decision in decisions:
        match _read_decision(decision, by_token, implied):
            case str() as problem:
                problems.append(problem)
            case read if read.id in decided:
                problems.append(f"Two decisions name the token of {read.id!r}: none of them counts.")
                by_token = {token: item for token, item in by_token.items() if item.id != read.id}
            case read:
                decided[read.id] = read
    clear = tuple(item for item in decided.values() if any(item.id == other.id for other in by_token.values()))
    return Answer(clear, tuple(problems))


def _read_decision(decision: object, by_token: Mapping[str, Waiting], implied: str) -> Decided | str:
    """Read one decision, or say what is wrong with it."""
    if not isinstance(decision, Mapping):
        return "A decision must be an object with `type` and `token`."
    kind = decision.get("type")
    if kind not in DECISIONS:
        return f"The `type` of a decision must be one of {', '.join(DECISIONS)}."
    token = decision.get("token", implied)
    waiting = by_token.get(token) if isinstance(token, str) else None
    if waiting is None:
        return "The `token` of a decision belongs to no call that waits here: it is wrong, or was used already."
    if kind == "edit":
        return _read_edit(decision, waiting)
    message = decision.get("message", "")
    if not isinstance(message, str) or (kind == "respond" and not message.strip()):
        return f"The `message` of a {kind!r} decision must be text."
    return Decided(waiting.id, cast("DecisionType", kind), message)


def _read_edit(decision: Mapping[str, object], waiting: Waiting) -> Decided | str:
    """Read the call that a person puts in place of the proposed one."""
    action = decision.get("edited_action")
    if not isinstance(action, Mapping) or not isinstance(action.get("name"), str):
        return 'An edit needs `edited_action`: {"name": "...", "args": {...}}.'
    arguments = action.get("args")
    if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
        return "The `args` of an edit must be an object."
    return Decided(waiting.id, "edit", "", str(action["name"]), dict(arguments))
