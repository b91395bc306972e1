"""Who reviews calls before they run, as the host says it and as a built graph needs it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from langchain_core.language_models import BaseChatModel

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.models.binding import bind_tools, without_streamed_calls
from reinforced_agent.models.factory import resolve_model
from reinforced_agent.policies.review import ReviewerError, ReviewPolicy
from reinforced_agent.policies.review.reading import SPEC


_logger = masking_logger(__name__)

PROMPT_VERSION: Final = "v1"
"""Version of the prompt that comes with the package; every version has a file of its own, which never changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer(ReviewPolicy):
    """A second model that looks at calls before they run, and may send them back with a doubt.

    >>> Reviewer(model="openai:gpt-4o-mini", from_risk="write", loops=1).loops
    1

    """

    model: BaseChatModel | str
    """A LangChain chat model, or a text for `resolve_model`; best another one than the model that proposes."""
    prompt: str | Path | None = None
    """A prompt of the host's own, as text or as the path of a file; `None` for the one that comes with the package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewing:
    """A reviewer, ready to be asked."""

    policy: ReviewPolicy
    speaker: Any
    """The model with the verdict tool at hand."""
    model: str
    """What the model is called in records."""
    prompt: str
    version: str
    """Version of the prompt, as it stands in records."""


def reviewing_for(reviewer: Reviewer | None) -> Reviewing | None:
    """Make a reviewer ready; `None` where there is none.

    Raises:
        ReviewerError: When its prompt can't be read.
        ModelSpecError: When the model's text names no model.

    """
    if reviewer is None:
        return None
    given = reviewer.model
    model = without_streamed_calls(resolve_model(given) if isinstance(given, str) else given)
    prompt, version = prompt_of(reviewer.prompt)
    name = given if isinstance(given, str) else _name(given)
    return Reviewing(policy=reviewer, speaker=bind_tools(model, [SPEC]), model=name, prompt=prompt, version=version)


def prompt_of(given: str | Path | None) -> tuple[str, str]:
    """Return a prompt with its version; the version of one's own tells its text apart.

    Raises:
        ReviewerError: When the file can't be read, or there is nothing in it.

    """
    if given is None:
        return shipped_prompt(PROMPT_VERSION), PROMPT_VERSION
    try:
        text = given.read_text("utf-8") if isinstance(given, Path) else given
    except (OSError, UnicodeDecodeError) as error:
        msg = f"The reviewer's prompt {str(given)!r} can't be read: {error}. Give the path of a text file."
        raise ReviewerError(msg) from error
    if not text.strip():
        msg = "The reviewer's prompt is empty: write one, or leave it out for the one that comes with the package."
        raise ReviewerError(msg)
    name = given.stem if isinstance(given, Path) else "own"
    return text, f"{name}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def shipped_prompt(version: str) -> str:
    """Read a prompt that comes with the package."""
    return files("reinforced_agent.policies.review").joinpath(f"prompt_{version}.md").read_text("utf-8")


def _name(model: BaseChatModel) -> str:
    """Name a model for records."""
    for field in ("model_name", "model"):
        if isinstance(named := getattr(model, field, None), str) and named:
            return named
    return str(model._llm_type)  # noqa: SLF001  # has no public name
