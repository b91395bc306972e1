"""Calls that a server failed to recognise and passed on as text, one format family a file.

A call is taken from text only where the whole text is well-formed calls to registered tools; anything else that looks
like a call is sent back to the model.
"""

from __future__ import annotations

from reinforced_agent.policies.reading.leaked.bare_json import read_bare_json
from reinforced_agent.policies.reading.leaked.invoke import read_invoke
from reinforced_agent.policies.reading.leaked.kimi import read_kimi
from reinforced_agent.policies.reading.leaked.mentions import only_mentions
from reinforced_agent.policies.reading.leaked.mistral import read_mistral
from reinforced_agent.policies.reading.leaked.python_calls import read_python_calls
from reinforced_agent.policies.reading.leaked.shape import Broken, Found, Leaked, TextCall, unregistered
from reinforced_agent.policies.reading.leaked.tags import read_tags
from reinforced_agent.policies.routing import NameIndex


_MARKED = (read_tags, read_invoke, read_mistral, read_kimi)


def find_calls(text: str, names: NameIndex) -> Found:
    """Read a text as calls in one of the formats that mark them, as bare JSON or as Python."""
    marked = next((found for read in _MARKED if (found := read(text)) is not None), None)
    if isinstance(marked, Broken) and only_mentions(text, names):
        return None
    return only_registered(marked or read_bare_json(text, names) or read_python_calls(text, names), names)


def only_registered(found: Found, names: NameIndex) -> Found:
    """Turn down calls of which any names a tool that is not registered."""
    if not isinstance(found, Leaked):
        return found
    unknown = next((call.name for call in found.calls if names.resolve(call.name) is None), None)
    return found if unknown is None else unregistered(unknown, names)


__all__ = ["Broken", "Found", "Leaked", "TextCall", "find_calls", "only_registered"]
