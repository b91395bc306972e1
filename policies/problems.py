"""One fault of a call as data: a code, where it is, and the facts its wording needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from reinforced_agent.policies.verdicts import ErrorKind


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """A fault found by a layer; `wording` turns it into text in the reader's language."""

    code: str
    """Key of the text in every catalogue of `policies.wording`."""
    kind: ErrorKind
    """Which retry budget it draws on."""
    field: str = ""
    """Path of the argument, such as `items[0].sku`; empty for the call as a whole."""
    facts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Values for the placeholders of the text; never the malformed text itself."""
