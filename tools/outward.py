"""Which reads carry what they are given to the outside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final


_FORMATS: Final = frozenset({"uri", "uri-reference", "iri", "iri-reference", "url", "hostname", "idn-hostname"})
_PLACES: Final = frozenset({"url", "urls", "uri", "uris", "host", "hosts", "hostname", "domain", "domains"})
_SEARCHES: Final = frozenset({"query", "queries"})
_ADDED: Final = frozenset({"name", "string", "text"})
"""Words behind these that change nothing, as in `domain_name`."""
_GAPS: Final = re.compile(r"[-_.\s]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DEEPEST: Final = 20


def leads_outside(parameters: Mapping[str, Any], *, untrusted_output: bool) -> bool:
    """Tell by the parameters of a read whether what it is given leaves for the outside.

    A search leaves where what it brings back was written by others; one whose results the host vouches for stays in.
    """
    return any(
        kind in _FORMATS or name in _PLACES or (untrusted_output and name in _SEARCHES)
        for name, kind in _parameters(parameters, _DEEPEST)
    )


def _parameters(schema: Any, depth: int) -> Iterator[tuple[str, str]]:
    """List what parameters are called after, and their formats; nested ones as well."""
    if depth == 0 or not isinstance(schema, Mapping | list):
        return
    if isinstance(schema, list):
        for one in schema:
            yield from _parameters(one, depth - 1)
        return
    yield "", str(schema.get("format", ""))
    named = schema.get("properties")
    for name, one in named.items() if isinstance(named, Mapping) else ():
        yield _noun(str(name)), ""
        yield from _parameters(one, depth - 1)
    for key in ("items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"):
        yield from _parameters(schema.get(key), depth - 1)
    for key in ("$defs", "definitions"):
        kept = schema.get(key)
        yield from _parameters([*kept.values()] if isinstance(kept, Mapping) else None, depth - 1)


def _noun(name: str) -> str:
    """Return the word that says what a parameter is: `url` for `pageUrl`, `id` for `host_id`."""
    words = _GAPS.split(_HUMP.sub("_", name).casefold())
    return words[-2] if len(words) > 1 and words[-1] in _ADDED else words[-1]
