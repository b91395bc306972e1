"""Read a person's answer to an approval: which calls it decides, and what in it can't be used."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, cast, get_args


DecisionType: TypeAlias = Literal["approve", "edit", "reject", "respond"]
"""What a person may decide: run it, run it changed, don't run it, or answer in place of the tool."""

DECISIONS: tuple[DecisionType, ...] = get_args(DecisionType)

_SEND: Final = 'Answer with {"decisions": [{"type": "approve", "token": "..."}]}.'
_OLD_STYLE: Final = frozenset({"accept", "ignore", "response", "edit"})
"""What a reply of the older inbox may say; it names no call, so it decides nothing."""


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
    token: str = ""
    """The one-time token that named the call, or stands for its position."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer decides, and for the person what was wrong with the rest."""

    decided: tuple[Decided, ...] = ()
    problems: tuple[str, ...] = ()


def read_answer(answer: object, waiting: Sequence[Waiting], *, positional: bool = False) -> Answer:
    """Match an answer to the waiting calls by token.

    Args:
        answer: `{"decisions": [{"type": ..., "token": ...}]}`; anything else is a problem, never an approval.
        waiting: The calls that wait, in the order in which they are asked about.
        positional: Accept decisions without tokens, one for each call in that order, as existing inboxes send them.

    """
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    if not isinstance(decisions, Sequence) or isinstance(decisions, str | bytes) or not decisions:
        return Answer(problems=(_how_to_answer(answer),))
    if positional and any(isinstance(decision, Mapping) and "token" not in decision for decision in decisions):
        return _read_in_order(decisions, waiting)
    by_token = {item.token: item for item in waiting if item.token}
    # A decision that can't be read still names its call: a misspelt rejection beside an approval is a contradiction.
    named = Counter(_token(decision) for decision in decisions)
    twice = [item for token, item in by_token.items() if named[token] > 1]
    problems = [f"Two decisions name the token of {item.id!r}: none of them counts." for item in twice]
    clear = {token: item for token, item in by_token.items() if named[token] <= 1}
    decided: list[Decided] = []
    for decision in decisions:
        if named[_token(decision)] > 1 and _token(decision) in by_token:
            continue
        match _read_decision(decision, clear):
            case str() as problem:
                problems.append(problem)
            case read:
                decided.append(read)
    return Answer(tuple(decided), tuple(dict.fromkeys(problems)))


def _read_in_order(decisions: Sequence[object], waiting: Sequence[Waiting]) -> Answer:
    """Read one decision for each call; where one can't be used, none counts: the others could mean other calls."""
    if len(decisions) != len(waiting):
        problem = (
            f"The number of calls that wait is {len(waiting)}, that of the decisions {len(decisions)}: none counts. "
            "Send one decision for each call, in their order, or name the tokens."
        )
        return Answer(problems=(problem,))
    decided: list[Decided] = []
    for number, (decision, item) in enumerate(zip(decisions, waiting, strict=True), 1):
        named = {"token": item.token, **decision} if isinstance(decision, Mapping) else decision
        match _read_decision(named, {item.token: item} if item.token else {}):
            case str() as problem:
                return Answer(problems=(f"Decision {number} can't be used, so none counts. {problem}",))
            case read:
                decided.append(read)
    return Answer(tuple(decided))


def _how_to_answer(answer: object) -> str:
    """Say what to send in place of something that holds no decisions."""
    replies = answer if isinstance(answer, list) else [answer]
    first = replies[0] if replies else None
    kind = first.get("type") if isinstance(first, Mapping) else None
    if isinstance(kind, str) and kind in _OLD_STYLE | set(DECISIONS):
        return f"A reply of type {kind!r} names no call, so it decides nothing. {_SEND}"
    return _SEND


def _token(decision: object) -> str:
    """Return the token a decision names; empty where it names none."""
    token = decision.get("token", "") if isinstance(decision, Mapping) else ""
    return token if isinstance(token, str) else ""


def _read_decision(decision: object, by_token: Mapping[str, Waiting]) -> Decided | str:
    """Read one decision, or say what is wrong with it."""
    if not isinstance(decision, Mapping):
        return "A decision must be an object with `type` and `token`."
    kind = decision.get("type")
    if not isinstance(kind, str) or kind not in DECISIONS:
        return f"The `type` of a decision must be one of {', '.join(DECISIONS)}."
    waiting = by_token.get(_token(decision))
    if waiting is None:
        return "The `token` of a decision belongs to no call that waits here: it is wrong, or was used already."
    if kind == "edit":
        return _read_edit(decision, waiting)
    message = decision.get("message", "")
    if not isinstance(message, str) or (kind == "respond" and not message.strip()):
        return f"The `message` of a {kind!r} decision must be text."
    return Decided(waiting.id, cast("DecisionType", kind), message, token=waiting.token)


def _read_edit(decision: Mapping[str, object], waiting: Waiting) -> Decided | str:
    """Read the call that a person puts in place of the proposed one."""
    action = decision.get("edited_action")
    if not isinstance(action, Mapping) or not isinstance(action.get("name"), str):
        return 'An edit needs `edited_action`: {"name": "...", "args": {...}}.'
    arguments = action.get("args")
    if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
        return "The `args` of an edit must be an object."
    try:
        # In the form of JSON: nothing else can be stored, and a question that can't be stored can't be answered.
        plain = json.loads(json.dumps(dict(arguments)))
    except (TypeError, ValueError, RecursionError):
        return "The `args` of an edit must hold plain JSON values only."
    return Decided(waiting.id, "edit", "", str(action["name"]), plain, waiting.token)
