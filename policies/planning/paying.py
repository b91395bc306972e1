"""Whether a request is worth a plan: decided from its text, the tools and the rules, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from reinforced_agent.policies.planning.ordering import PlanRule
from reinforced_agent.policies.rules import After, Order, Requires
from reinforced_agent.tools.spec import Risk, ToolSpec


_WORD: Final = re.compile(r"[a-z0-9]+")
_ITEM: Final = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、]|[（(]\d{1,2}[)）])\s*\S", re.MULTILINE)
_SEQUENCE: Final = re.compile(
    r"\b(?:then|after that|afterwards|finally|next,|first,|first of all|once (?:that|you|it)|before (?:that|you))\b"
    r"|然后|接着|之后|随后|最后再|再(?:把|给|将|帮)|首先|其次",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[.!?;。！？；]+(?:\s+|$)|[。！？；]|\n+")
_COMMON: Final = (
    "get list find search read fetch show look lookup check query load view describe make do run call use tool api "
    "create add set new update change edit put post send delete remove cancel"
)
_VERBS: Final = frozenset(_COMMON.split())
"""Words of tool names that occur in requests of every kind."""
_SHORT: Final = 4
_MANY_SENTENCES: Final = 3


def pays(request: str, specs: Sequence[ToolSpec], rules: Iterable[PlanRule] = ()) -> str:
    """Return why a plan pays; empty where it doesn't.

    It pays where the request lists several things or says what comes after what, where its words hint at two tools that
    change something or at two tools in a request of several sentences, and where a tool it hints at may only run
    after another one.

    Args:
        request: The newest message of the user.
        specs: The tools that are offered.
        rules: The rules about order.

    """
    if len(specs) < 2:  # noqa: PLR2004  # one tool needs no plan
        return ""
    if len(_ITEM.findall(request)) > 1:
        return "items"
    if _SEQUENCE.search(request):
        return "sequence"
    hinted = _hinted(request, specs)
    if sum(spec.risk is not Risk.READ for spec in hinted) > 1:
        return "writes"
    sentences = [part for part in _SENTENCE.split(request) if part.strip()]
    if len(hinted) > 1 and len(sentences) >= _MANY_SENTENCES:
        return "sentences"
    return "order" if _ordered([spec.name for spec in hinted], rules) else ""


def _hinted(request: str, specs: Iterable[ToolSpec]) -> list[ToolSpec]:
    """Return the tools whose name the request has the words of, apart from words that are in every request."""
    said = set(_WORD.findall(request.lower()))
    return [spec for spec in specs if (telling := _telling(spec.name)) and all(_occurs(word, said) for word in telling)]


def _telling(name: str) -> set[str]:
    """Return the words of a name that tell it from others; all of them where there are no such."""
    words = set(_WORD.findall(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()))
    return words - _VERBS or words


def _occurs(word: str, said: set[str]) -> bool:
    """Tell whether a word occurs, in another form as well: `booking` for `book`, `notes` for `note`."""
    return word in said or any(
        len(other) >= _SHORT and len(word) >= _SHORT and (other.startswith(word) or word.startswith(other))
        for other in said
    )


def _ordered(tools: Sequence[str], rules: Iterable[PlanRule]) -> bool:
    """Tell whether one of the tools may have to wait for another one."""
    return any(
        isinstance(known.rule, After | Requires | Order)
        and any(not known.rule.tools or tool in known.rule.tools for tool in tools)
        for known in rules
    )
