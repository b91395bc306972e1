"""Links in what the model writes that would carry a private value out: made inert, and told in the receipt."""

from __future__ import annotations

from typing import Any

from reinforced_agent.graph.checks.provenance import trusted_texts, untrusted_texts
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.state import State, Turn
from reinforced_agent.policies.egress import Private, inert


def private_in(state: State, bound: Bindings) -> Private | None:
    """Return what is private in a thread; `None` where nothing is held for it.

    So it is before untrusted content was read, and where the host lets doubtful calls run.
    """
    if bound.rules.approvals.on_doubt == "run":
        return None
    untrusted = [(foreign["source"], told) for foreign, told in untrusted_texts(state, bound)]
    return Private([*trusted_texts(state, bound)], untrusted) if untrusted else None


def without_leaks(content: Any, state: State, turn: Turn, bound: Bindings) -> tuple[Any, Turn]:
    """Return what a message says with nothing in it that leads out with a private value, and the turn that notes it."""
    private = private_in(state, bound) if content else None
    if private is None:
        return content, turn
    sources: list[str] = []

    def safe(text: str) -> str:
        found = inert(text, private)
        sources.extend(found.sources)
        return found.text

    if isinstance(content, str):
        written: Any = safe(content)
    else:
        written = [{**one, "text": safe(one["text"])} if one.get("type") == "text" else one for one in content]
    known = turn.get("inert_links", [])
    return written, {**turn, "inert_links": list(dict.fromkeys([*known, *sources]))} if sources else turn
