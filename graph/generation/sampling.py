"""Hear the model once, or several proposals of it side by side, of which the layers choose one.

The layers only look: of the proposals that lose nothing is put on record but how many there were, and what was wrong.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final, assert_never
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.budget.budget import seconds_left, tokens_of
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.checks.pipeline import Examiner
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.generation.proposal import read, record_of
from reinforced_agent.graph.prompt.messages import newest_failure, output_of
from reinforced_agent.graph.queries.effects import Place
from reinforced_agent.graph.settings.strategy import Sampling
from reinforced_agent.graph.state import Spoken, State, Tally, merge_calls, plain
from reinforced_agent.models.candidates import Said, aask, ask, log_probabilities
from reinforced_agent.models.streaming import Hear
from reinforced_agent.models.waiting import LATE, ModelTimeoutError, aask_within, ask_within
from reinforced_agent.policies.guiding.strategy import Candidate, affordable, choose, merge, settled
from reinforced_agent.policies.parsing import Answer, Calls, Unusable
from reinforced_agent.policies.pipeline import Examination
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind
from reinforced_agent.tools.call import canonical_json


_ONE: Final = 1


@dataclass(frozen=True, slots=True)
class Heard:
    """What the model said, and what all its proposals cost."""

    message: AIMessage
    input_tokens: int
    output_tokens: int
    tally: Tally | None = None
    """What came of the other proposals; `None` where only one was asked for."""


@dataclass(slots=True)
class _Round:
    """The proposals of one step, as they come in."""

    state: State
    bound: Bindings
    sampling: Sampling
    asked: int
    said: list[Said] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)

    def add(self, said: Said) -> bool:
        """Look at one proposal; returns whether the others needn't be waited for."""
        self.said.append(said)
        self.candidates.append(_candidate(said.message, self.state, self.bound))
        return settled(self.candidates, self.asked, self.sampling.strategy)

    def heard(self) -> Heard:
        """Return the proposal that is taken, with the cost of all."""
        if self.asked == _ONE:
            return _alone(self._unweighed(self.said[0].message))
        won = choose(self.candidates, self.sampling.strategy)
        usages: list[Any] = [said.message.usage_metadata or {} for said in self.said if said.counts]
        lost = Counter(kind for at, one in enumerate(self.candidates) if at != won for kind in one.kinds)
        tally: Tally = {
            "asked": self.asked,
            "came": len(self.candidates),
            "distinct": len(merge(self.candidates)),
            "valid": sum(one.valid for one in self.candidates),
            "won": won,
            "lost": dict(lost),
        }
        read, written = (sum(usage.get(name, 0) for usage in usages) for name in ("input_tokens", "output_tokens"))
        return Heard(self._unweighed(self.said[won].message), read, written, tally)

    def _unweighed(self, message: AIMessage) -> AIMessage:
        """Take log-probabilities off that were only asked for to choose: the thread would keep them for every token."""
        if not self.sampling.asking.logprobs:
            return message
        rest = {name: value for name, value in message.response_metadata.items() if name != "logprobs"}
        return message.model_copy(update={"response_metadata": rest})


def hear(
    speaker: Any,
    shown: Sequence[AnyMessage],
    config: RunnableConfig,
    state: State,
    bound: Bindings,
    hear_piece: Hear | None = None,
) -> Heard:
    """Ask the model, for several proposals where the strategy wants them; only a single one is told as it comes.

    Raises:
        ModelTimeoutError: When it says nothing in the time that is left of the run.
        Exception: What its client raises.

    """
    turn, ends = _begin(state, bound), _ends(state, bound)
    if turn is None:
        return _alone(ask_within(ends(), speaker, shown, config, hear_piece))
    try:
        for count in _counts(turn):
            proposals = ask(speaker, shown, config, turn.sampling.asking, count, ends())
            if any(turn.add(said) for said in proposals):
                break
    except ModelTimeoutError:
        if not turn.said:
            raise
    return turn.heard()


async def ahear(
    speaker: Any,
    shown: Sequence[AnyMessage],
    config: RunnableConfig,
    state: State,
    bound: Bindings,
    hear_piece: Hear | None = None,
) -> Heard:
    """Ask the model in an event loop; see `hear`.

    Raises:
        ModelTimeoutError: When it says nothing in the time that is left of the run.
        Exception: What its client raises.

    """
    turn, left = _begin(state, bound), _ends(state, bound)()
    if turn is None:
        return _alone(await aask_within(left, speaker, shown, config, hear_piece))
    try:
        async with asyncio.timeout(left) as deadline:
            await _hear_all(turn, speaker, shown, config, left)
    except TimeoutError as error:
        if not deadline.expired():
            raise
        if not turn.said:
            raise ModelTimeoutError(LATE) from error
    return turn.heard()


async def _hear_all(
    turn: _Round, speaker: Any, shown: Sequence[AnyMessage], config: RunnableConfig, seconds: float | None
) -> None:
    """Take in proposals until one settles it."""
    for count in _counts(turn):
        async with aclosing(aask(speaker, shown, config, turn.sampling.asking, count, seconds)) as proposals:
            async for said in proposals:
                if turn.add(said):
                    return


def _ends(state: State, bound: Bindings) -> Callable[[], float | None]:
    """Return what tells how much working time is left, from now on; `None` without a bound."""
    left, started = seconds_left(state["turn"], bound.limits), time.monotonic()
    return lambda: None if left is None else left - (time.monotonic() - started)


def _alone(message: AIMessage) -> Heard:
    """Take the only proposal."""
    usage: Any = message.usage_metadata or {}
    return Heard(message, usage.get("input_tokens", 0), usage.get("output_tokens", 0))


def _begin(state: State, bound: Bindings) -> _Round | None:
    """Open a round where several proposals may be of use; without tools there is nothing to choose by."""
    sampling = bound.sampling
    if sampling is None or not bound.toolset:
        return None
    match sampling.strategy.when:
        case "always":
            wanted = True
        case "after a failed try":
            wanted = bool(newest_failure(state))
        case "low confidence":
            return _Round(state, bound, sampling, _ONE)
        case _:
            assert_never(sampling.strategy.when)
    count = _affordable(sampling, state, bound) if wanted else _ONE
    return None if count == _ONE else _Round(state, bound, sampling, count)


def _counts(turn: _Round) -> Iterator[int]:
    """Say how many proposals to ask for: all at once, or the rest after one that the model was unsure of."""
    yield turn.asked
    if turn.asked > _ONE or not _is_unsure(turn):
        return
    turn.asked = _affordable(turn.sampling, turn.state, turn.bound)
    if turn.asked > _ONE:
        yield turn.asked - (not turn.sampling.repeats)


def _is_unsure(turn: _Round) -> bool:
    """Tell whether the first proposal's mean log-probability is low; a model that tells none is never unsure."""
    values = log_probabilities(turn.said[0].message)
    return bool(values) and sum(values) / len(values) < turn.sampling.strategy.unsure_below


def _affordable(sampling: Sampling, state: State, bound: Bindings) -> int:
    """Ask for no more proposals than the tokens that are left are enough for."""
    turn, most = state["turn"], bound.limits.tokens
    spoken: Sequence[Spoken] = turn.get("spoken", ())
    newest: Any = spoken[-1] if spoken else {}
    took = newest.get("input_tokens", 0) + newest.get("output_tokens", 0)
    per_request = took // max(newest.get("candidates", {}).get("came", 1), 1)
    left = None if most is None else most - tokens_of(turn)
    return affordable(sampling.strategy.candidates, per_request, left)


def _candidate(message: AIMessage, state: State, bound: Bindings) -> Candidate:
    """Let the layers look at one proposal."""
    output = output_of(message.model_copy(update={"id": f"candidate-{uuid4().hex}"}))
    log_p = sum(log_probabilities(message))
    reading = read(output, message, state, bound)
    match reading:
        case Answer(text=text, complete=complete):
            return Candidate(key=text, kind="answer", valid=complete, score=1.0, log_p=log_p)
        case Unusable(problems=problems):
            kinds = tuple(problem.kind.value for problem in problems)
            return Candidate(key=output.content, kind="unusable", valid=False, log_p=log_p, kinds=kinds)
        case Calls(calls=calls, text=text):
            step = state["turn"]["step"] + 1
            records = plain({call.id: record_of(call, step) for call in calls})
            return _examined(records, _trial(state, records, text, step), bound, log_p)
        case _:
            assert_never(reading)


def _trial(state: State, records: dict[str, CallRecord], content: str, step: int) -> State:
    """Return the state as it would be if the proposal were taken."""
    return {
        **state,
        "turn": {**state["turn"], "step": step},
        "calls": merge_calls(state.get("calls"), records),
        "proposal": {"order": list(records), "content": content, "answer": None, "closed": False},
    }


def _examined(records: dict[str, CallRecord], trial: State, bound: Bindings, log_p: float) -> Candidate:
    """Say what the layers think of the calls of one proposal."""
    examiner = Examiner(Place(trial, "", bound))
    keys: list[str] = []
    kinds: list[str] = []
    score = 1.0
    for record in records.values():
        if problems := record.get("problems"):
            kinds.append(str(problems[0]["kind"]))
            keys.append(record["raw_name"])
            score = 0.0
            continue
        examination = examiner.examine(record)
        kinds += _objections(examination)
        score *= _score(examination)
        call = examination.call
        name, arguments = (call.tool, call.arguments) if call else (record["raw_name"], record["arguments"])
        keys.append(f"{name} {canonical_json(dict(arguments))}")
        examiner.note({**record, "digest": call.digest, "tool": call.tool} if call else record)
    return Candidate(key="\n".join(keys), kind="call", valid=not kinds, score=score, log_p=log_p, kinds=tuple(kinds))


def _objections(examination: Examination) -> list[str]:
    """Name what stops a call; a question to a person doesn't, but is a lesser thing than none."""
    decision = examination.decision
    return [] if isinstance(decision, Accept | Ask) else [ErrorKind(decision.kind).value]


def _score(examination: Examination) -> float:
    """Return what the most critical layer thinks; that a person is asked says nothing against a call."""
    return min((verdict.score for verdict in examination.verdicts if not isinstance(verdict, Ask)), default=1.0)
