"""The arm with a reviewer: the whole graph, in which a second model looks at every call that the layers pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from langchain_core.language_models import BaseChatModel

from benchmarks.bfcl.arms import Arm, ArmError, Trial, whole_graph
from benchmarks.bfcl.identity import identity_of
from benchmarks.bfcl.questions import Question
from reinforced_agent.graph.settings.reviewer import Reviewer, prompt_of
from reinforced_agent.models.factory import resolve_model
from reinforced_agent.tools.spec import Risk


REVIEWED: Final = "reviewed"
"""Name of the arm."""
_SECONDS: Final = 600.0
"""How long an opinion is waited for: a busy machine must not decide what is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jury:
    """The reviewer of an evaluation, as it can be sent to another process."""

    spec: str
    """Names its model, as for `resolve_model`."""
    loops: int = 1
    prompt: Path | None = None
    """File with a prompt of one's own; `None` for the one that comes with the package."""

    @property
    def settings(self) -> dict[str, Any]:
        """What decides how it judges.

        Raises:
            OSError: When the file of its model can't be read.
            ReviewerError: When its prompt can't be read.

        """
        version = prompt_of(self.prompt)[1]
        identity: Mapping[str, str] = identity_of(self.spec)
        return {"model": self.spec, "identity": dict(identity), "loops": self.loops, "prompt": version}

    def reviewer(self) -> Reviewer:
        """Make it ready to review all calls; nothing that is asked here changes anything, so all count alike.

        Raises:
            ModelSpecError: When its model's text names no model.
            ReviewerError: When it can't be used.

        """
        model = _model(self.spec)
        return Reviewer(model=model, loops=self.loops, prompt=self.prompt, from_risk=Risk.READ, seconds=_SECONDS)


@cache
def _model(spec: str) -> BaseChatModel:
    """Make a model once in a process."""
    return resolve_model(spec)


def with_jury(arms: Iterable[Arm], jury: Jury | None) -> list[Arm]:
    """Give the arm with a reviewer its reviewer.

    Raises:
        ArmError: When there is the arm and no reviewer, or the other way round.

    """
    arms = list(arms)
    if (jury is not None) != any(arm.name == REVIEWED for arm in arms):
        what = "no reviewer for it" if jury is None else "a reviewer, but not this arm"
        msg = f"The arm {REVIEWED!r} and --reviewer belong together: there is {what}."
        raise ArmError(msg)
    if jury is None:
        return arms
    return [replace(arm, attempt=partial(_attempt, jury)) if arm.name == REVIEWED else arm for arm in arms]


def _attempt(jury: Jury, model: BaseChatModel, question: Question) -> Trial:
    """Try a question with the reviewer.

    Raises:
        ModelFailedError: When the model gives no reply.

    """
    return whole_graph(model, question, reviewer=jury.reviewer())
