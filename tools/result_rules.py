"""What a tool declares about its results: how they look, and what they must not be taken for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

from reinforced_agent.tools.containers import typed_containers


ResultCheck: TypeAlias = Callable[[Any], str | None]
"""Gets the result (JSON, else the text) and returns what is wrong with it, or `None`, or raises `ValueError`."""


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a number, both included; in a list, of every one."""

    path: str
    """Where it stands: keys joined by dots, lists are looked through; empty for the whole result."""
    least: float | None = None
    most: float | None = None
    unit: str = ""
    """For the words only, such as `°C`."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old a result may be."""

    path: str
    """Where its time stands: ISO 8601, or seconds since 1970."""
    seconds: float
    """Greatest age."""
    refuse: bool = False
    """Whether an older result can't be used at all; otherwise it is passed on with its age."""


@dataclass(frozen=True, slots=True)
class Completeness:
    """How a result says that it is only a part."""

    total: str = ""
    """Path of the number of all items."""
    items: str = ""
    """Path of the list of those that are here; needed for `total`."""
    more: str = ""
    """Path of a value that is set when there is more: a flag, a token or an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class ResultRules:
    """What is expected of every result of a tool."""

    schema: Mapping[str, Any] | type[BaseModel] | None = None
    """JSON Schema, or a Pydantic model, that the result must fit."""
    ranges: tuple[Range, ...] = ()
    required: tuple[str, ...] = ()
    """Paths that must be there and not be null, in every item of a list."""
    checks: tuple[ResultCheck, ...] = ()
    """What they object to can't be used."""
    warnings: tuple[ResultCheck, ...] = ()
    """What they object to is passed on, and the answer has to mention it."""
    language: str = ""
    """Language that its text is written in, such as `en` or `zh`; only other scripts are noticed."""
    freshness: Freshness | None = None
    completeness: Completeness | None = None
    form: Literal["any", "text", "json"] = "any"
    """`text` and `json` are never a page of HTML, `json` can always be read as such. A schema, `required` and `ranges`
    rule a page out as well."""
    may_be_empty: bool = True
    """Whether nothing, or an empty list, can be a right answer."""
    undeclared: bool = True
    """Whether to look also for what needs no declaration: failures that a change reports, parts of a list, what can't
    be read. With `False` only what is declared here is judged, and every text is a right answer."""

    @property
    def declares_data(self) -> bool:
        """Whether the result is declared to be data or plain text, so that a page of HTML can't be it."""
        return self.form != "any" or self.schema is not None or bool(self.required or self.ranges)

    def flaw(self) -> str:
        """Say what is wrong with the declaration; empty when it is sound."""
        for bounds in self.ranges:
            if bounds.least is None and bounds.most is None:
                return f"the range of {bounds.path!r} has no bound: give `least` or `most`"
            if bounds.least is not None and bounds.most is not None and bounds.least > bounds.most:
                return (
                    f"the range of {bounds.path!r} is upside down: `least` is {bounds.least:g}, `most` {bounds.most:g}"
                )
        if self.form not in {"any", "text", "json"}:
            return f"{self.form!r} is no form: write 'any', 'text' or 'json'"
        if self.freshness is not None and self.freshness.seconds <= 0:
            return "`Freshness.seconds` must be above zero"
        parts = self.completeness
        if parts is not None and not (parts.more or (parts.total and parts.items)):
            return "`Completeness` needs `more`, or `total` and `items`"
        return self._flaw_of_schema()

    def _flaw_of_schema(self) -> str:
        """Say why the schema can't be used."""
        if self.schema is None or isinstance(self.schema, type):
            return ""
        try:
            compiled(self.schema)
        except Exception as error:  # noqa: BLE001  # whatever the compiler stumbles over, the schema is of no use
            return f"the schema of its results can't be used: {error}"
        return ""


def compiled(schema: Mapping[str, Any]) -> Any:
    """Compile a schema of results; nothing is fetched for it.

    Raises:
        ValueError: When it is no schema.

    """
    # Imported here: most tools declare no schema of their results.
    import jsonschema_rs  # noqa: PLC0415

    def fetch(uri: str) -> Any:
        msg = f"{uri} is outside of the schema"
        raise ValueError(msg)

    return jsonschema_rs.validator_for(dict(schema), validate_formats=True, retriever=fetch)
