"""Tell the model which facts are known that the rules of the house refer to; values only where they are harmless.

A text of a tool may be anybody's, and this stands beside the system prompt: so only short plain values are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.state import State
from reinforced_agent.policies.rules.messages import phrase


_PLAIN: Final = re.compile(r"[\w.:@#+-]{1,64}")
_MOST: Final = 10
"""Keys of a table that are named."""


def tell_facts(state: State, bound: Bindings) -> str:
    """Write one paragraph; empty where no rule set wants it."""
    told = bound.house.told_facts
    if not told:
        return ""
    locale = state["turn"].get("locale", "en")
    facts = state.get("facts", {})
    known = [_known(name, facts[name], bound, locale) for name in told if name in facts]
    missing = [f"`{name}`" for name in told if name not in facts]
    return "\n".join(_lines(known, missing, locale))


def _lines(known: list[str], missing: list[str], locale: str) -> Iterator[str]:
    if known:
        yield phrase("facts_known", locale, bound="; ".join(known))
    if missing:
        yield phrase("facts_missing", locale, bound=", ".join(missing))


def _known(name: str, fact: Mapping[str, Any], bound: Bindings, locale: str) -> str:
    """Write one fact that is known."""
    strange = fact.get("tool") in bound.toolset.of_strangers
    value = "" if strange or name in bound.house.secret_facts else _shown(fact.get("value"))
    return f"`{name}`: {value}" if value else f"`{name}`: {phrase('fact_hidden', locale)}"


def _shown(value: Any) -> str:
    """Write a value that can say nothing but itself; of a table its keys."""
    if isinstance(value, dict):
        keys = [shown for key in list(value)[-_MOST:] if (shown := _shown(key))]
        return ", ".join(keys) + (f", … ({len(value)})" if len(keys) < len(value) else "") if keys else ""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value) if isinstance(value, str | int | float) else ""
    return text if _PLAIN.fullmatch(text) else ""
