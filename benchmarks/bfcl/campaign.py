"""Put questions to a model in several arms: what was done before is not done again, what is done is kept at once."""

from __future__ import annotations

import hashlib
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import metadata
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from langchain_core.language_models import BaseChatModel

from benchmarks.bfcl.arms import LIMITS, Arm, ModelFailedError, Trial
from benchmarks.bfcl.checker import Response, WrittenCall, judge_response
from benchmarks.bfcl.questions import Question
from benchmarks.bfcl.results import Judged, Result, Results, Settings
from reinforced_agent.graph.build import PROMPT
from reinforced_agent.models.binding import without_streamed_calls
from reinforced_agent.models.factory import resolve_model
from reinforced_agent.tools.call import digest as fingerprint


MOST_FAILURES = 3
"""Questions in a row without a reply from the model after which the rest is not asked."""

_ROOMS = ("benchmarks", "evaluation", "graph", "ledger", "models", "nodes", "policies", "tools")
_LIBRARY = Path(__file__).resolve().parents[2]

Load: TypeAlias = Callable[[], BaseChatModel]
"""Makes the model; called once in every process."""
Task: TypeAlias = tuple[Arm, Question]


class CampaignError(RuntimeError):
    """The evaluation can't go on; the text says why. Everything done so far is kept."""


@dataclass
class Outcome:
    """What a campaign came to."""

    results: list[Result] = field(default_factory=list)
    """Of the tasks that were given, also those that had been done before."""
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    """Arm, question, and what the model's client said, where there was no reply; nothing is kept of these."""


def plan(arms: Sequence[Arm], questions: Mapping[str, Sequence[Question]]) -> list[Task]:
    """Order the tasks: all arms of a question together and the categories in turn, so that a part is a fair sample."""
    rounds = zip_longest(*questions.values())
    return [(arm, question) for row in rounds for question in row if question is not None for arm in arms]


def make_model(spec: str) -> BaseChatModel:
    """Make the model a text names.

    Raises:
        CampaignError: When it can't be made; the text says what is missing.

    """
    try:
        return resolve_model(spec)
    except (ValueError, RuntimeError, ImportError) as error:
        raise CampaignError(str(error)) from error


def settings_of(spec: str, model_identity: Mapping[str, Any], reviewer: Mapping[str, Any] | None = None) -> Settings:
    """Collect what decides how a model answers.

    Args:
        spec: The text that names the model.
        model_identity: What else tells it from another one under the same name.
        reviewer: What decides how a reviewer judges; `None` where there is none.

    """
    limits = asdict(LIMITS)
    return Settings(
        {
            "model": spec,
            "identity": dict(model_identity),
            "prompt": PROMPT,
            "limits": {**limits, "retries": {kind.value: count for kind, count in limits["retries"].items()}},
            "version": _version(),
            **({} if reviewer is None else {"reviewer": dict(reviewer)}),
        }
    )


def run(
    tasks: Sequence[Task],
    load: Load,
    results: Results,
    *,
    workers: int = 1,
    on_done: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Do what isn't done yet.

    Args:
        tasks: Questions with their arms.
        load: Makes the model; for several workers it must be something that can be sent to a process.
        results: Where results are found and kept.
        workers: Processes; with one, everything happens in this one.
        on_done: Told how many tasks are done.

    Raises:
        ArmError: When the model can't take part in an arm.
        CampaignError: When the model fails several times in a row.
        ResultsError: When a result can't be kept.

    """
    outcome, left, streak = Outcome(), list[Task](), 0
    for arm, question in tasks:
        known = results.find(arm.name, question.id, question.digest)
        if known is None:
            left.append((arm, question))
        else:
            outcome.results.append(known)
    on_done(len(outcome.results))
    for (arm, question), trial in _trials(left, load, workers):
        if isinstance(trial, Trial):
            result = _judge(arm, question, trial, results.settings)
            results.add(result)
            outcome.results.append(result)
            streak = 0
        else:
            outcome.failures.append((arm.name, question.id, trial))
            streak += 1
        on_done(len(outcome.results) + len(outcome.failures))
        if streak == MOST_FAILURES:
            msg = f"The model gave no reply {streak} times in a row, last to {question.id!r}: {trial}"
            raise CampaignError(msg)
    return outcome


def _trials(tasks: Sequence[Task], load: Load, workers: int) -> Iterator[tuple[Task, Trial | str]]:
    """Try all tasks; a text in place of a trial says why there was no reply."""
    if not tasks:
        return
    if workers > 1:
        yield from _shared_out(tasks, load, workers)
        return
    model = without_streamed_calls(load())
    for chosen in {arm.name: arm for arm, _ in tasks}.values():
        chosen.require(model)
    for arm, question in tasks:
        yield (arm, question), _try(arm, question, model)


def _try(arm: Arm, question: Question, model: BaseChatModel) -> Trial | str:
    """Try one task."""
    try:
        return arm.try_on(model, question)
    except ModelFailedError as error:
        return str(error)


def _shared_out(tasks: Sequence[Task], load: Load, workers: int) -> Iterator[tuple[Task, Trial | str]]:
    """Try all tasks in several processes; only a few wait at a time, so that the end comes soon after Ctrl-C."""
    # Processes are started afresh: one forked from a process with a loaded model may hang in its libraries.
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _settle_in, (load,))
    waiting: dict[Future[Trial | str], Task] = {}
    queue = iter(tasks)
    try:
        while True:
            for arm, question in islice(queue, 2 * workers - len(waiting)):
                waiting[pool.submit(_try_here, arm, question)] = (arm, question)
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()
    except BrokenProcessPool as error:
        msg = "A worker process has ended too early, perhaps for want of memory: use fewer workers to see why."
        raise CampaignError(msg) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_models: list[BaseChatModel] = []
"""The model of a worker process."""


def _settle_in(load: Load) -> None:
    """Prepare a worker process; Ctrl-C is for the process that collects."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _models.append(without_streamed_calls(load()))


def _try_here(arm: Arm, question: Question) -> Trial | str:
    """Try one task in a worker process."""
    arm.require(_models[0])
    return _try(arm, question, _models[0])


def _judge(arm: Arm, question: Question, trial: Trial, settings: Settings) -> Result:
    """Turn a trial into a result."""
    return Result(
        arm=arm.name,
        id=question.id,
        category=question.category,
        question=question.digest,
        tools=fingerprint("tools", {"tools": [dict(tool) for tool in question.tools]}),
        settings=settings.digest,
        version=_version(),
        code=code_fingerprint(),
        first=judged(question, trial.first),
        final=judged(question, trial.final),
        unreviewed=None if trial.unreviewed is None else judged(question, trial.unreviewed),
        reviews=trial.reviews,
        exchanges=trial.exchanges,
        tokens=trial.tokens,
        seconds=round(trial.seconds, 3),
    )


def judged(question: Question, response: Response) -> Judged:
    """Judge a proposal."""
    score = judge_response(question.category, question.tools, question.answers, response)
    return Judged(
        calls=[{"name": call.name, "arguments": dict(call.arguments)} for call in response.calls],
        unreadable=response.unreadable,
        right=score.right,
        fault=score.fault.value if score.fault else None,
        where=score.where,
    )


def judge_again(results: Iterable[Result], questions: Iterable[Question]) -> list[Result]:
    """Judge kept results once more, with the present rules and answers.

    Raises:
        CampaignError: When a question isn't there any more, or asks something else by now.

    """
    by_id = {question.id: question for question in questions}
    return [_judge_again(result, by_id.get(result.id)) for result in results]


def _judge_again(result: Result, question: Question | None) -> Result:
    """Judge one result once more."""
    if question is None or question.digest != result.question:
        what = "is not there" if question is None else "is another one by now"
        msg = f"The question {result.id!r} {what}: judge these results with the questions they were made with."
        raise CampaignError(msg)
    again: dict[str, Judged] = {
        name: judged(question, _response(kept))
        for name in ("first", "final", "unreviewed")
        if (kept := getattr(result, name)) is not None
    }
    return result.model_copy(update=again)


def _response(kept: Judged) -> Response:
    """Return a proposal as it was kept."""
    return Response(tuple(WrittenCall(call["name"], call["arguments"]) for call in kept.calls), kept.unreadable)


def _version() -> str:
    """Return the version of this package."""
    return metadata.version("reinforced-agent")


@cache
def code_fingerprint() -> str:
    """Fingerprint the source that decides what an evaluation finds."""
    found = hashlib.sha256()
    for room in _ROOMS:
        for path in sorted((_LIBRARY / room).rglob("*.py")):
            found.update(path.relative_to(_LIBRARY).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
