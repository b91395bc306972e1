"""The tools of one agent, by registered name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, overload

from reinforced_agent.tools.containers import settled
from reinforced_agent.tools.effect_text import INDIRECT, require_sound_effect
from reinforced_agent.tools.estimates import unknown_tools
from reinforced_agent.tools.fallbacks import Alternative, LastGood
from reinforced_agent.tools.functions import ToolDefinitionError, spec_from_function
from reinforced_agent.tools.spec import Risk, ToolSpec


MOST_STAND_INS = 16
"""Calls that may stand in for those of one proposal, along chains of chains."""
_LEGAL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@overload
def tool(source: Any, /, **declared: Any) -> ToolSpec: ...
@overload
def tool(**declared: Any) -> Callable[[Callable[..., Any]], ToolSpec]: ...
def tool(source: Any = None, /, **declared: Any) -> Any:
    """Make a tool; works as a decorator, with or without declarations, and on LangChain tools.

    Args:
        source: A typed function, a LangChain tool or a `ToolSpec`.
        **declared: Fields of `ToolSpec`, such as `risk="read"`, and `arguments=`, the Pydantic model that a
            function takes as its only parameter.

    Raises:
        ToolDefinitionError: When the source can't be described to a model.

    """
    if source is None:
        return lambda function: as_spec(function, **declared)
    return as_spec(source, **declared)


def as_spec(source: Any, **declared: Any) -> ToolSpec:
    """Turn anything that can be a tool into its description.

    Raises:
        ToolDefinitionError: When the source is of a kind that can't be a tool.

    """
    if isinstance(source, ToolSpec):
        return source.declare(**declared)
    # Imported here: a toolset of plain functions needs no framework.
    from langchain_core.tools import BaseTool  # noqa: PLC0415

    from reinforced_agent.tools.langchain import spec_from_langchain  # noqa: PLC0415

    if isinstance(source, BaseTool):
        return spec_from_langchain(source, **declared)
    if callable(source):
        return spec_from_function(source, **declared)
    msg = f"{source!r} can't be a tool: pass a typed function, a LangChain tool or a ToolSpec."
    raise ToolDefinitionError(msg)


class Toolset(Mapping[str, ToolSpec]):
    """An immutable set of tools with unique, legal names."""

    def __init__(self, tools: Iterable[Any]) -> None:
        """Describe every tool.

        Args:
            tools: Typed functions, LangChain tools and `ToolSpec`s, mixed as you like.

        Raises:
            ToolDefinitionError: On an illegal or repeated name, a tool that can't run, or a fallback or a lighter
                alternative that isn't in the set.
            TypeError: When a tool is given alone, without a list around it.

        """
        specs = [as_spec(item) for item in settled(tools, tuple[Any, ...], "tools")]
        self._specs = {spec.name: spec for spec in specs}
        if len(self._specs) != len(specs):
            names = [spec.name for spec in specs]
            msg = f"Two tools share the name {next(name for name in names if names.count(name) > 1)!r}: rename one."
            raise ToolDefinitionError(msg)
        for spec in specs:
            self._require_sound(spec)

    def __getitem__(self, name: str) -> ToolSpec:
        """Return the tool registered under exactly this name."""
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names in the order given."""
        return iter(self._specs)

    def __len__(self) -> int:
        """Count the tools."""
        return len(self._specs)

    @cached_property
    def of_strangers(self) -> frozenset[str]:
        """The tools whose results may hold text of strangers, by themselves or through what serves for them."""
        found = {name for name, spec in self.items() if spec.untrusted_output}
        while more := {name for name, spec in self.items() if name not in found and found & _alternatives(spec)}:
            found |= more
        return frozenset(found)

    @cached_property
    def longest_chain(self) -> int:
        """How many calls may stand in for one, along chains of chains."""
        return min(
            MOST_STAND_INS, sum(isinstance(one, Alternative) for spec in self.values() for one in spec.fallbacks)
        )

    def _require_sound(self, spec: ToolSpec) -> None:
        """Fail when the graph is built rather than when the tool is called."""
        if not _LEGAL_NAME.fullmatch(spec.name):
            msg = f"{spec.name!r} is no legal tool name: use 1 to 64 letters, digits, `_` or `-`."
            raise ToolDefinitionError(msg)
        if spec.run is None and spec.arun is None:
            msg = f"The tool {spec.name!r} has nothing to run: give it `run` or `arun`."
            raise ToolDefinitionError(msg)
        require_sound_effect(spec)
        _require_known_destinations(spec)
        if spec.result is not None and (flaw := spec.result.flaw()):
            msg = f"`result` of the tool {spec.name!r} can't be used: {flaw}."
            raise ToolDefinitionError(msg)
        for name in unknown_tools(spec.estimate, self._specs):
            msg = f"The estimate of {spec.name!r} proposes {name!r}, which is not in the toolset: add it."
            raise ToolDefinitionError(msg)
        for fallback in spec.fallbacks:
            if isinstance(fallback, Alternative) and fallback.tool not in self._specs:
                msg = f"The tool {spec.name!r} falls back to {fallback.tool!r}, which is not in the toolset: add it."
                raise ToolDefinitionError(msg)
            if isinstance(fallback, LastGood) and spec.risk is not Risk.READ:
                msg = (
                    f"The tool {spec.name!r} changes something, so no earlier result may stand in for it: "
                    "take `LastGood` out of its fallbacks, or declare risk='read'."
                )
                raise ToolDefinitionError(msg)


def _alternatives(spec: ToolSpec) -> set[str]:
    """Name the tools that may serve for one."""
    return {fallback.tool for fallback in spec.fallbacks if isinstance(fallback, Alternative)}


def offer(specs: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Describe tools in the function format that chat models bind."""
    return [
        {
            "type": "function",
            "function": {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)},
        }
        for spec in specs
    ]


def _require_known_destinations(spec: ToolSpec) -> None:
    """Refuse a destination that no argument can be, which would leave the real one unguarded."""
    known = spec.parameters.get("properties", {})
    if not INDIRECT.isdisjoint(spec.parameters):
        return  # what the arguments are isn't all said here
    for name in spec.destinations or ():
        if name not in known:
            allowed = ", ".join(map(repr, known)) or "none"
            msg = (
                f"`destinations` of the tool {spec.name!r} names {name!r}, which is no parameter: use one of {allowed}."
            )
            raise ToolDefinitionError(msg)
