"""What the house asks of every final answer, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from reinforced_agent.tools.containers import typed_containers


class AnswerPolicyError(ValueError):
    """Rules about answers that can't be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Disclaimer:
    """A text that certain answers must hold; appended where the model leaves it out."""

    text: str
    tools: tuple[str, ...] = ()
    """Needed when one of these was used in the turn."""
    topics: tuple[str, ...] = ()
    """Needed when the request or the answer holds one of these; without `tools` and `topics`, always."""
    present: str = ""
    """Regular expression that tells whether the answer says it in its own words; by default the text itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """Content that no answer may hold."""

    pattern: str
    """Regular expression, in any case of letters."""
    message: str
    """For the model: what is not allowed, and what to do."""
    otherwise: Literal["replace", "refuse"] = "replace"
    """What is done when the model writes it again: it is replaced, or the whole answer is."""
    replacement: str = "[…]"
    """What stands in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class AnswerPolicy:
    """Which answers are objected to, how often the model is asked again, and what is done when that doesn't help."""

    disclaimers: tuple[Disclaimer, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    most_characters: int | None = None
    """Length; a longer answer is cut."""
    attest: bool = False
    """Whether the model is asked, once a turn, which tools its answer says were carried out, where a tool that changes
    something is offered and none ran, or one did not end done. An answer that by its own account tells of what did not
    run goes back once. Costs one request; an opinion, so off unless switched on."""
    retries: int = 1
    """How often the model is asked again in a turn; 0 = never, the answer is corrected at once."""

    def __post_init__(self) -> None:
        """Refuse rules that can't be kept.

        Raises:
            AnswerPolicyError: On a pattern that is none, or a bound that no answer could keep.

        """
        for pattern in (*(rule.pattern for rule in self.forbidden), *(rule.present for rule in self.disclaimers)):
            try:
                re.compile(pattern)
            except re.error as error:
                msg = f"{pattern!r} in the answer rules is no regular expression: {error}."
                raise AnswerPolicyError(msg) from error
        if (self.most_characters is not None and self.most_characters < 1) or self.retries < 0:
            msg = "AnswerPolicy.most_characters must be above zero, and AnswerPolicy.retries not below."
            raise AnswerPolicyError(msg)


OFF = AnswerPolicy(retries=0)
"""No answer is objected to."""
