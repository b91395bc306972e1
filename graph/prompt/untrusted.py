"""Keep untrusted content apart: cleaned and screened when it comes, fenced when it is shown."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from typing import Any, Final

from langchain_core.messages import AnyMessage, ToolMessage

from reinforced_agent.graph.call_record import CallRecord, Foreign
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.queries.sources import source_of_message
from reinforced_agent.graph.state import State
from reinforced_agent.policies.messages.untrusted import kinds, say
from reinforced_agent.policies.untrusted import clean, reveal_all, screen
from reinforced_agent.tools.returned import media_in, text_beside_media


MARK: Final = "foreign"
"""Name under which a tool message says whose text it holds; it is never sent to a model."""


def take_in(tool: str, text: str, bound: Bindings) -> tuple[str, dict[str, Foreign]]:
    """Clean and screen the whole text that a tool brought, and say on record what was found.

    Text of tools that only the host writes stays as it is, and nothing is put on record.
    """
    if tool not in bound.toolset.of_strangers:
        return text, {}
    policy = bound.screening
    cleaned = reveal_all(text) if policy.clean else None
    found = screen(text, policy)
    foreign: Foreign = {"source": tool, "nonce": secrets.token_hex(6) if policy.fence else ""}
    if cleaned is not None and cleaned.removed:
        foreign["removed"] = dict(cleaned.removed)
    if found is not None:
        foreign["patterns"], foreign["passage"] = list(found.patterns), found.passage
    return text if cleaned is None else cleaned.text, {"foreign": foreign}


def taken_in_before(known: Foreign | None, again: Foreign | None, bound: Bindings) -> dict[str, Foreign]:
    """Say on record what is known about a text that was taken in earlier and now once more.

    What was found then still holds: it may have been in a part that was taken out. The number of the fence is new, so
    that a text can't know it from the time before.
    """
    if known is None or again is None:
        found = known or again
        fresh = secrets.token_hex(6) if bound.screening.fence else ""
        return {} if found is None else {"foreign": {**found, "nonce": fresh}}
    return {"foreign": {**again, **known, "nonce": again.get("nonce", "")}}


def clean_shown(text: str, outcome: dict[str, Foreign], bound: Bindings) -> str:
    """Clean the part of a long text that is shown; of the whole only what nobody sees was taken out before."""
    return clean(text).text if outcome and bound.screening.clean else text


def marked(record: CallRecord) -> dict[str, Any]:
    """Return what a tool message keeps about the strangers whose text it holds."""
    if "foreign" not in record:
        return {}
    lead = record.get("result", "")[: record.get("lead", 0)]
    return {MARK: {**record["foreign"], "lead": lead} if lead else record["foreign"]}


def foreign_in(message: AnyMessage) -> Foreign | None:
    """Return what a message says about the strangers whose text it holds; `None` where it holds none."""
    found: Foreign | None = message.additional_kwargs.get(MARK) if isinstance(message, ToolMessage) else None
    return found


def stranger_in(message: AnyMessage, strangers: frozenset[str]) -> str:
    """Name the tool whose text of strangers a message holds, as it is marked or by its source; empty for others."""
    if not isinstance(message, ToolMessage):
        return ""
    foreign, source = foreign_in(message), source_of_message(message)
    return foreign["source"] if foreign else source if source in strangers else ""


def fence(messages: Iterable[AnyMessage], locale: str) -> Iterator[AnyMessage]:
    """Show the model where text of strangers begins and ends; messages without it stay the same objects."""
    for message in messages:
        foreign = foreign_in(message)
        yield message if foreign is None else _fenced(message, foreign, locale)


def _fenced(message: AnyMessage, foreign: Foreign, locale: str) -> AnyMessage:
    """Put a fence around a text that can't know its number, and around what comes with it."""
    text, lead = text_beside_media(message.content), foreign.get("lead", "")
    # What the graph itself says of the text stands outside, so that no text can say it in its place.
    before = [lead.rstrip("\n")] if lead and text.startswith(lead) else []
    parts = [text[len(lead) :] if before else text]
    nonce = foreign.get("nonce", "")
    opening, closing = ([say(end, locale, nonce=nonce)] if nonce else [] for end in ("begin", "end"))
    if removed := foreign.get("removed"):
        closing = [*closing, say("removed", locale, kinds=kinds(removed, locale))]
    shown, rest = [*before, *opening, *parts], dict(message.additional_kwargs)
    rest.pop(MARK)
    return message.model_copy(update={"content": _around(message, shown, closing), "additional_kwargs": rest})


def _around(message: AnyMessage, shown: list[str], closing: list[str]) -> Any:
    """Join a text in a fence; pictures, sounds and files stand within the fence as well."""
    blocks = [] if isinstance(message.content, str) else [one for one in message.content if isinstance(one, dict)]
    media = media_in(blocks)
    if not media:
        return "\n".join([*shown, *closing])
    end = [{"type": "text", "text": "\n".join(closing)}] if closing else []
    return [{"type": "text", "text": "\n".join(shown)}, *media, *end]


def tell_fence(state: State, bound: Bindings) -> str:
    """Say once what a fence means, as soon as there is one."""
    if not bound.toolset.of_strangers or not bound.screening.fence:
        return ""
    in_history = any(foreign_in(message) is not None for message in state.get("messages", []))
    summary = state.get("summary")
    shown = in_history or any("foreign" in record for record in state.get("calls", {}).values())
    shown = shown or bool(summary and summary["sources"])
    return say("fence", state["turn"].get("locale", "en")) if shown else ""
