"""Hold a call against what the model writes beside it: who says "I will cancel" and looks something up errs somewhere.

Only plain announcements count: "I will", "I'm going to", "let me" and their like, directly before the verb. Steps on
the way ("first I'll look it up"), conditions, questions and negations announce nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from reinforced_agent.policies.approval.fields import values_of
from reinforced_agent.policies.rules.base import Base, Finding
from reinforced_agent.policies.rules.expressions import number
from reinforced_agent.policies.rules.problems import RuleProblem
from reinforced_agent.policies.rules.scene import Scene
from reinforced_agent.policies.schema.folds import nearest
from reinforced_agent.policies.schema.spelling import code_list
from reinforced_agent.tools.spec import ToolSpec


_LONGEST: Final = 4_000
"""Characters of a message that are looked at."""
_SENTENCE: Final = re.compile(r"(?<=[!?;:。！？；\n])|(?<=[.])(?=\s)|\n")
_ENGLISH: Final = (
    r"\b(?:i will|i'll|i shall|we will|we'll|i am going to|i'm going to|let me|i am|i'm)\s+"
    r"(?:(?:now|just|also|then|immediately|go ahead and|proceed to|proceed with)\s+)*"
)
_CHINESE: Final = (
    r"(?:我将|我会|我来|我要|我这就|我现在|我马上|现在就?|马上|这就)"
    r"(?:将|会|就|为|帮|给|您|你|立即|马上|把[^，,。；;]{1,12})*"
)
_OPEN: Final = re.compile(
    r"\b(?:first|before|after|once|if|when|unless|until|check|look|verify|review|need to|then"
    r"|would you|shall i|may i)\b"
    r"|[?？]|如果|若|先|之前|之后|然后|再|一旦|等|查|核实|确认|是否|吗"
)
"""What makes of an announcement a step on the way, a condition or a question."""
_AMOUNT: Final = r"(?:[$€£¥]\s*)?(\d[\d,]*(?:\.\d+)?)"
_MONEY: Final = re.compile(
    r"(?:[$€£¥]|\b(?:usd|eur|gbp|cny|rmb)\s)\s*(\d[\d,]*(?:\.\d+)?)"
    r"|(\d[\d,]*(?:\.\d+)?)\s*(?:dollars?|euros?|pounds?|yuan|usd|eur|gbp|cny|rmb|元|块|美元|欧元)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announces(Base):
    """The text beside a call must not announce another action, or another amount."""

    kind: Literal["announces"] = "announces"
    announced: Mapping[str, tuple[str, ...]]
    """Tool → the verbs, in any language, with which the model announces it: `refund = ["refund", "退款"]`."""
    amount: str = ""
    """Field of the call that an amount in the announcement of its own tool has to agree with."""

    def objection(self, scene: Scene) -> Finding | None:
        """Object where the text announces tools, none of which is called in the message."""
        sentences = [part for part in _sentences(scene.situation.text) if not _OPEN.search(part)]
        said = [(tool, verb, part) for part in sentences for tool, verb in self._said(part)]
        called = {scene.call.tool, *(other.tool for other in scene.beside())}
        if said and called.isdisjoint(tool for tool, _, _ in said):
            tools = list(dict.fromkeys(tool for tool, _, _ in said))
            return Finding("announces", {"said": said[0][1], "allowed": code_list(tools)})
        own = [(verb, part) for tool, verb, part in said if tool == scene.call.tool]
        return self._other_amount(own, scene) if self.amount else None

    def problems(self, tools: Mapping[str, ToolSpec]) -> Iterator[RuleProblem]:
        """Check that the tools exist and have verbs."""
        for tool, verbs in self.announced.items():
            if tool not in tools:
                near = code_list(nearest(tool, tools) or sorted(tools)[:20])
                yield RuleProblem(("announced", tool), f"there is no tool {tool!r}. Use one of {near}.")
            if not any(verb.strip() for verb in verbs):
                yield RuleProblem(("announced", tool), "is empty. List the verbs that announce it.")

    def _said(self, sentence: str) -> Iterator[tuple[str, str]]:
        """List the tools that a sentence announces, each with the verb."""
        for tool, verbs in self.announced.items():
            yield from ((tool, verb) for verb in verbs if verb.strip() and _announcing(verb).search(sentence))

    def _other_amount(self, said: Iterable[tuple[str, str]], scene: Scene) -> Finding | None:
        """Object where amounts are announced, and none of them is that of the call or of one beside it."""
        told = {amount for verb, sentence in said for amount in _amounts(verb, sentence)}
        calls = [scene.call.arguments, *(o.arguments for o in scene.beside() if o.tool == scene.call.tool)]
        own = {number(value) for one in calls for value in values_of(one, scene.situation.spec, self.amount)}  # type: ignore[arg-type]
        if not told or not own or told & own:
            return None
        return Finding("announces_amount", {"field": self.amount}, (self.amount,))


def _sentences(text: str) -> list[str]:
    """Part a text into sentences, in small letters and with plain apostrophes."""
    plain = text[:_LONGEST].lower().replace("’", "'")
    return [part for part in _SENTENCE.split(plain) if part and part.strip()]


@lru_cache(maxsize=1024)
def _announcing(verb: str) -> re.Pattern[str]:
    """Make the pattern of an announcement: one that ends in letters may be inflected."""
    plain = re.escape(verb.strip().lower())
    return re.compile(f"{_ENGLISH}{plain}\\w*" if plain.isascii() else f"{_CHINESE}{plain}")


def _amounts(verb: str, sentence: str) -> Iterator[Decimal]:
    """List the amounts of an announcement: what follows the verb at once, and what has a currency."""
    after = re.search(rf"{re.escape(verb.strip().lower())}\w*\s*(?:you\s+)?{_AMOUNT}(?![\w-])", sentence)
    found = [after[1]] if after else []
    found += [one[1] or one[2] for one in _MONEY.finditer(sentence)]
    return (Decimal(text.replace(",", "")) for text in found)
