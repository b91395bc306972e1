"""The built-in tool by which the model reads on in a result that was too long to be shown whole."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from langchain_core.messages import ToolMessage

from reinforced_agent.graph.context import Person, known_as
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.queries.sources import kept_of
from reinforced_agent.graph.state import State
from reinforced_agent.policies.messages.sizes import size_text
from reinforced_agent.policies.paging import Reader, Request
from reinforced_agent.tools.functions import ToolDefinitionError
from reinforced_agent.tools.spec import Arguments, Risk, ToolSpec
from reinforced_agent.tools.toolset import Toolset


_REFERENCE: Final = 12
"""Characters of a reference; after them it says for which roles a result was brought."""
_UNBOUND: Final = 20_000
"""Tokens of a page where results have no bound."""
_DESCRIPTION: Final = (
    "Read more of an earlier tool result of this conversation that was shortened. Results are lists of items, objects "
    "with fields, or texts of lines or characters, counted from 0."
)
_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "reference": {"type": "string", "minLength": 1, "description": "The reference that the result names."},
        "path": {
            "type": "string",
            "default": "",
            "description": "Part of the result, such as `rows` or `rows.120.name`; empty for all of it.",
        },
        "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "How many to skip."},
        "limit": {"type": "integer", "minimum": 1, "description": "How many to read; without it, what fits."},
        "search": {"type": "string", "default": "", "description": "Only what holds this text, whatever the case."},
    },
    "required": ["reference"],
    "additionalProperties": False,
}


class ResultNotKeptError(LookupError):
    """No such result is kept for this conversation."""


@dataclass(frozen=True, slots=True)
class Page:
    """What was read, and the tool it comes from."""

    text: str
    tool: str


def with_reader(toolset: Toolset, name: str | None) -> Toolset:
    """Add the tool; it isn't offered until there is something to read.

    Raises:
        ToolDefinitionError: When a tool of the host has its name.

    """
    if name is None:
        return toolset
    if name in toolset:
        msg = (
            f"{name!r} is the name of the built-in tool that reads long results: rename your tool, or give the "
            'built-in one another name with build_agent(results=ResultPolicy(reader="read_more")).'
        )
        raise ToolDefinitionError(msg)
    reader = ToolSpec(
        name=name,
        description=_DESCRIPTION,
        parameters=_PARAMETERS,
        risk=Risk.READ,
        offered=False,
        idempotent=True,
        run=_outside,
    )
    return Toolset([*toolset.values(), reader])


def _outside(_arguments: Arguments) -> Any:
    """Refuse to read without a conversation."""
    msg = "results are read within a run of the agent only"
    raise ResultNotKeptError(msg)


def is_reader(name: str, bound: Bindings) -> bool:
    """Tell whether a tool is the built-in one."""
    return name == bound.sizes.policy.reader


def may_read(state: State, bound: Bindings) -> bool:
    """Tell whether a result of this conversation was shortened and is kept."""
    if bound.sizes.policy.reader is None:
        return False
    if any(record.get("kept") for record in state.get("calls", {}).values()):
        return True
    return any(isinstance(message, ToolMessage) and kept_of(message) for message in state.get("messages", []))


def for_run(
    bound: Bindings, thread: str, turn: str, requester: Person | None, locale: str, *, nested: bool = False
) -> Bindings:
    """Say for which conversation and for whom calls are run; one that nothing keeps is this turn of this person."""
    who = known_as(requester)
    alone = f"turn {turn} of {who}" if who else f"turn {turn}"
    audience = _audience(requester)
    return replace(bound, conversation=thread or alone, audience=audience, locale=locale, nested=nested)


def _audience(requester: Person | None) -> str:
    """Return a mark of the roles of a person, at the end of the references to what was brought for them."""
    roles = sorted(set(requester["roles"])) if requester else []
    return f"-{hashlib.sha256(json.dumps(roles).encode()).hexdigest()[:8]}" if roles else ""


def runnable(spec: ToolSpec, bound: Bindings) -> ToolSpec:
    """Let the built-in tool read in the conversation that runs; other tools stay as they are."""
    return spec.declare(run=partial(_read, bound)) if is_reader(spec.name, bound) else spec


def _read(bound: Bindings, arguments: Arguments) -> Page:
    """Read a page.

    Raises:
        ResultNotKeptError: When this conversation has no such result.
        PathError: When the result has no such part.

    """
    wanted: dict[str, Any] = dict(arguments)
    reference = str(wanted.pop("reference")).strip()
    store = bound.sizes.store
    theirs = reference[_REFERENCE:] == bound.audience
    found = store.find(bound.conversation, reference) if store is not None and theirs else None
    if found is None:
        raise ResultNotKeptError(size_text("unknown_reference", bound.locale, reference=reference[:40]))
    tokens = bound.sizes.result_tokens(bound.limits.result_tokens_of(bound.toolset.get(found.tool))) or _UNBOUND
    reader = Reader(found.tool, tokens, bound.sizes.count, bound.locale)
    return Page(reader.page(found.text, Request(**wanted)), found.tool)
