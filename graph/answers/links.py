"""Links of an answer that would carry a private value out, made inert; the receipt tells of them."""

from __future__ import annotations

from reinforced_agent.graph.checks.provenance import trusted_texts, untrusted_texts
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.state import Note, State
from reinforced_agent.policies.answers.messages import tell_link
from reinforced_agent.policies.approval.policy import PRIVATE
from reinforced_agent.policies.egress import Private, inert


def without_leaks(text: str, state: State, bound: Bindings) -> tuple[str, list[Note]]:
    """Return an answer in which nothing leads out with a private value, and what the receipt has to say about it.

    Where no untrusted content was read, and where the host lets doubtful calls run, an answer stays as it is.
    """
    if bound.rules.approvals.on_doubt == "run":
        return text, []
    untrusted = [(foreign["source"], told) for foreign, told in untrusted_texts(state, bound)]
    if not untrusted:
        return text, []
    found = inert(text, Private([*trusted_texts(state, bound)], untrusted))
    locale = state["turn"].get("locale", "en")
    notes: list[Note] = [
        {"code": PRIVATE, "tool": source, "message": tell_link(source, locale)} for source in found.sources
    ]
    return found.text, notes
