"""One breaker as a process keeps it: what it is of, where it stands, what it did, and its lines in the log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, assert_never
from urllib.parse import urlsplit

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.policies.breaker import BreakerState, Closed, Open, Probing
from reinforced_agent.policies.redaction import masked
from reinforced_agent.tools.breaker import Breaker
from reinforced_agent.tools.host_functions import key_made_of, takes_two
from reinforced_agent.tools.names import canonical_name
from reinforced_agent.tools.people import Person
from reinforced_agent.tools.spec import Arguments, ToolSpec


_logger = masking_logger("reinforced_agent.breakers")
_LONGEST_KEY = 150
"""Characters of a key that stand in a name."""
_FORMATS: Final = frozenset({"uri", "iri", "url", "hostname", "idn-hostname"})
_NAMES: Final = frozenset({"url", "urls", "uri", "link", "href", "host", "hostname", "domain", "website", "endpoint"})
"""Formats and names of parameters that say which host a call goes to."""
_MOST_HOSTS: Final = 20
"""Hosts of one call that are looked at."""


@dataclass(slots=True)
class Kept:
    """One breaker, and what it did so far."""

    tool: str
    key: str | None
    rule: Breaker
    state: BreakerState = field(default_factory=Closed)
    opened: int = 0
    stopped: int = 0
    probes: int = 0

    @property
    def name(self) -> str:
        """Name it, as in a snapshot."""
        return self.tool if self.key is None else f"{self.tool}:{self.key}"


def kind_of_key(rule: Breaker, spec: ToolSpec) -> Literal["tool", "host", "tenant", "function"]:
    """Return what the breaker of a tool goes by."""
    match rule.key:
        case None | "tool":
            return "tool"
        case "auto":
            return "host" if _of_host(spec) else "tool"
        case "host":
            return "host"
        case "tenant":
            return "tenant"
        case _:
            return "function"


def key_of(rule: Breaker, spec: ToolSpec, arguments: Arguments, who: Person) -> str | None:
    """Return what a call depends on; empty where that isn't known, `None` for a call without a breaker.

    A long key is shortened, and stays one of its own.
    """
    match kind_of_key(rule, spec):
        case "tool":
            return ""
        case "host":
            key: str | None = ",".join(sorted({*_hosts(spec, arguments)}))
        case "tenant":
            key = canonical_name(who.tenant)
        case "function":
            function = rule.key
            if not callable(function):
                return None
            key = key_made_of(function, arguments, who) if takes_two(function) else key_made_of(function, arguments)
    if key is None or len(key) <= _LONGEST_KEY:
        return key
    return f"{key[:_LONGEST_KEY]}…{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _of_host(spec: ToolSpec) -> list[str]:
    """Return the parameters of a tool that say which host a call goes to."""
    declared = spec.parameters.get("properties")
    properties = declared if isinstance(declared, dict) else {}
    return [name for name, schema in properties.items() if _says_host(name, schema)]


def _says_host(name: str, schema: object) -> bool:
    """Tell whether a parameter says which host a call goes to, by its format or by the last word of its name."""
    described = schema if isinstance(schema, dict) else {}
    items = described.get("items")
    formats = {described.get("format"), items.get("format") if isinstance(items, dict) else None}
    last = name.replace("-", "_").rpartition("_")[2].lower()
    return not formats.isdisjoint(_FORMATS) or last in _NAMES or name.endswith(("Url", "URL", "Uri", "Host"))


def _hosts(spec: ToolSpec, arguments: Arguments) -> Iterator[str]:
    """Yield the hosts that a call goes to, each with its port where one is named; other texts are left out."""
    for name in _of_host(spec):
        value = arguments.get(name)
        for one in value[:_MOST_HOSTS] if isinstance(value, list) else [value]:
            if isinstance(one, str) and (host := _host_in(one)):
                yield host


def _host_in(text: str) -> str:
    """Return the host of a URL, or of a text that is one without its scheme; empty where there is none."""
    try:
        parts = urlsplit(text if "//" in text else f"//{text}")
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return ""
    return host if port is None else f"{host}:{port}"


def log_change(kept: Kept, before: BreakerState, after: BreakerState) -> None:
    """Write a line on each change of kind."""
    if type(before) is type(after):
        return
    name = masked(kept.name)
    match after:
        case Open(since=since, until=until) if until > since:
            _logger.warning("The breaker of %s opened: it is left alone for %g seconds.", name, until - since)
        case Open():
            _logger.info("The probe of %s told nothing; the next call is one.", name)
        case Probing():
            _logger.info("The breaker of %s lets one call out as a probe.", name)
        case Closed():
            _logger.warning("The breaker of %s closed: it may be called again.", name)
        case _:
            assert_never(after)
