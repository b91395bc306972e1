"""The arms of the comparison: ways to get calls out of a model, from the model alone to the whole graph.

A new arm is one more entry of `ARMS`: how the model speaks, and how it is tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from benchmarks.bfcl.checker import Response
from benchmarks.bfcl.exchanges import Recorder, proposal_of
from benchmarks.bfcl.outcomes import accepted_of, first_of, unreviewed_of
from benchmarks.bfcl.questions import Question
from reinforced_agent.graph.build import PROMPT, build_agent
from reinforced_agent.graph.settings.reviewer import Reviewer
from reinforced_agent.models.binding import bind_tools
from reinforced_agent.models.local import LocalChatModel
from reinforced_agent.models.local.plain import PlainLocalModel
from reinforced_agent.models.text import TextToolModel
from reinforced_agent.policies.guiding.strategy import Strategy, Word
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.spec import Risk, ToolSpec


LIMITS = Limits(seconds=None)
"""Bounds of a run of the whole graph; a busy machine must not decide what is right."""


class ModelFailedError(RuntimeError):
    """The model gave no reply; the text is what its client says."""


class ArmError(ValueError):
    """An arm is unknown, or a model can't take part in it; the text says what can be done."""


@dataclass(frozen=True)
class Trial:
    """What came of one question."""

    first: Response
    """The first proposal, as the model wrote it."""
    final: Response
    """What would have been executed."""
    unreviewed: Response | None = None
    """What would have been executed without a reviewer; `None` where there was none."""
    reviews: list[dict[str, Any]] = field(default_factory=list)
    """What came of asking the reviewer, by message; see `graph.state.Reviewed`."""
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    """Every request to the model with its reply."""
    tokens: int | None = None
    seconds: float = 0.0


Attempt: TypeAlias = Callable[[BaseChatModel, Question], Trial]


@dataclass(frozen=True)
class Arm:
    """One way to get calls out of a model."""

    name: str
    about: str
    """For the help text."""
    models: Literal["any", "embedded", "served"]
    """Which models can take part."""
    voice: Callable[[BaseChatModel], BaseChatModel]
    """Makes the model speak the way of this arm."""
    attempt: Attempt
    """Puts a question to it."""

    def try_on(self, model: BaseChatModel, question: Question) -> Trial:
        """Put a question to a model, which remembers nothing of earlier ones.

        Raises:
            ModelFailedError: When the model gives no reply.

        """
        return self.attempt(self.voice(model), question)

    def require(self, model: BaseChatModel) -> None:
        """See that a model can take part.

        Raises:
            ArmError: When it can't.

        """
        kind = "embedded" if isinstance(model, LocalChatModel) else "served"
        if self.models not in ("any", kind):
            others = [arm.name for arm in ARMS.values() if arm.models in ("any", kind)]
            msg = f"The arm {self.name!r} is for {self.models} models: for this one, choose from {', '.join(others)}."
            raise ArmError(msg)


def choose_arms(names: Iterable[str]) -> list[Arm]:
    """Find arms by name.

    Raises:
        ArmError: When a name is unknown.

    """
    names = list(names)
    if not names:
        msg = f"No arm is named: choose from {', '.join(ARMS)}."
        raise ArmError(msg)
    if unknown := [name for name in names if name not in ARMS]:
        msg = f"{unknown[0]!r} is no arm: choose from {', '.join(ARMS)}."
        raise ArmError(msg)
    return [ARMS[name] for name in dict.fromkeys(names)]


def one_shot(model: BaseChatModel, question: Question) -> Trial:
    """Ask once and take what is proposed.

    Raises:
        ModelFailedError: When the model gives no reply.

    """
    recorder, started = Recorder(), time.monotonic()
    bound = bind_tools(model, stand_ins(question))
    try:
        reply = bound.invoke(_shown(question), {"callbacks": [recorder]})
    except Exception as error:
        msg = f"{type(error).__name__}: {error}"
        raise ModelFailedError(msg) from error
    seconds = time.monotonic() - started
    proposed = proposal_of(reply, _names(question))
    return Trial(proposed, proposed, exchanges=recorder.as_json(), tokens=recorder.tokens, seconds=seconds)


def whole_graph(
    model: BaseChatModel, question: Question, *, reviewer: Reviewer | None = None, strategy: Strategy | Word = "retry"
) -> Trial:
    """Let the graph check what is proposed and ask again; the first accepted proposal counts.

    Where some calls of a proposal are accepted and others sent back, the run goes on until nothing is sent back, and
    all that were accepted count.

    Args:
        model: The model.
        question: What is asked.
        reviewer: Who reviews every call that the layers pass.
        strategy: How feedback steers generation.

    Raises:
        ModelFailedError: When the model gives no reply.

    """
    recorder, started = Recorder(), time.monotonic()
    state = _run_until_accepted(model, question, recorder, reviewer, strategy)
    records = list((state.get("calls") or {}).values())
    first = first_of(recorder, records, _names(question))
    spoken = state.get("turn", {}).get("spoken", ())
    return Trial(
        first,
        accepted_of(records),
        unreviewed=None if reviewer is None else unreviewed_of(records),
        reviews=[dict(one["review"]) for one in spoken if "review" in one],
        exchanges=recorder.as_json(),
        tokens=recorder.tokens,
        seconds=time.monotonic() - started,
    )


def _run_until_accepted(
    model: BaseChatModel, question: Question, recorder: Recorder, reviewer: Reviewer | None, strategy: Strategy | Word
) -> Mapping[str, Any]:
    """Run the graph until a proposal is accepted or the run ends, and return its state.

    Raises:
        ModelFailedError: When the model gives no reply.

    """
    agent = build_agent(
        model=model,
        tools=stand_ins(question),
        prompt=question.system or PROMPT,
        limits=LIMITS,
        reviewer=reviewer,
        strategy=strategy,
        name="evaluation",
    )
    asked = {"messages": [("user", text) for text in question.requests]}
    found: Mapping[str, Any] = {}
    states = agent.stream(asked, {"callbacks": [recorder]}, stream_mode="values")
    with closing(cast("Generator[Any]", states)):
        for found in states:
            if found.get("turn", {}).get("outcome") in {"model_down", "misconfigured", "too_long", "filtered"}:
                raise ModelFailedError(found["turn"].get("detail", ""))
            if _is_accepted(list((found.get("calls") or {}).values())):
                break
    return found


def _is_accepted(records: list[Mapping[str, Any]]) -> bool:
    """Tell whether the newest proposal has a call that may run, and none that was sent back."""
    newest = max((record["step"] for record in records), default=0)
    statuses = {record["status"] for record in records if record["step"] == newest}
    return Status.ACCEPTED in statuses and not statuses & {Status.PROPOSED, Status.REVISE}


def stand_ins(question: Question) -> list[ToolSpec]:
    """Return the tools of a question, none of which does anything."""
    return [
        ToolSpec(
            name=tool["name"],
            description=tool["description"],
            parameters=tool["parameters"],
            risk=Risk.READ,
            run=lambda _arguments: "noted",
        )
        for tool in question.tools
    ]


def _names(question: Question) -> Iterator[str]:
    """Name the tools of a question."""
    return (tool["name"] for tool in question.tools)


def _shown(question: Question) -> list[BaseMessage]:
    """Return what a model is shown of a question, as the graph shows it."""
    return [SystemMessage(question.system or PROMPT), *(HumanMessage(text) for text in question.requests)]


def _as_it_is(model: BaseChatModel) -> BaseChatModel:
    """Let a model speak as it does; the embedded one forgets the prompts it has read, so that none is read for free."""
    return model.afresh() if isinstance(model, LocalChatModel) else model


def _unmasked(model: BaseChatModel) -> BaseChatModel:
    """Let the embedded model write freely, with its tools in the prompt; other models write freely anyway."""
    if not isinstance(model, LocalChatModel):
        return model
    return TextToolModel(inner=PlainLocalModel(engine=model.engine), protocol="json")


def _without_reviewer(_model: BaseChatModel, _question: Question) -> Trial:
    """Stand in for a reviewer that is named when the arm is chosen; see `bfcl.reviewed`.

    Raises:
        ArmError: Always.

    """
    msg = "The arm 'reviewed' needs a reviewer: name its model with --reviewer."
    raise ArmError(msg)


def _guided(model: BaseChatModel, question: Question) -> Trial:
    """Let the graph check what is proposed under masks.

    Raises:
        ModelFailedError: When the model gives no reply.

    """
    return whole_graph(model, question, strategy="guided")


ARMS: Mapping[str, Arm] = {
    arm.name: arm
    for arm in (
        Arm("free", "the model alone, asked once; the embedded one without its grammar", "any", _unmasked, one_shot),
        Arm("retry", "the whole graph around the freely writing model", "any", _unmasked, whole_graph),
        Arm("masked", "the embedded model as it is, under masks, asked once", "embedded", _as_it_is, one_shot),
        Arm("masked+feedback", "the whole graph around the masked model", "embedded", _as_it_is, whole_graph),
        Arm("off", "a served model alone, asked once", "served", _as_it_is, one_shot),
        Arm("layers", "the whole graph around a served model", "served", _as_it_is, whole_graph),
        Arm("guided", "the same, with its server masking what it writes", "served", _as_it_is, _guided),
        Arm("reviewed", "the whole graph with a reviewer of every call", "any", _as_it_is, _without_reviewer),
    )
}
"""All arms by name."""
