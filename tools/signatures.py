"""What a function, a method, a partial or any other object that can be called says about its parameters."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reinforced_agent.tools.injection import Injected, injected_as


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of something that can be called."""

    name: str
    doc: str
    parameters: Mapping[str, inspect.Parameter]
    """What a caller gives; neither what a partial has fixed nor what the graph fills in."""
    hints: Mapping[str, Any]
    """Types of all parameters, as far as they are annotated."""
    unresolved: Mapping[str, str]
    """Annotations that name something which can't be found, as they are written."""
    injected: tuple[Injected, ...]
    """What the graph fills in."""
    is_async: bool


def signature_of(function: Callable[..., Any]) -> Signature:
    """Read a signature.

    Raises:
        ValueError: When there is none, as of some functions that are not written in Python.

    """
    described: Any = function
    fixed = frozenset[str]()
    while isinstance(described, functools.partial):
        fixed |= described.keywords.keys()
        described = described.func
    called = described if inspect.isroutine(described) or isinstance(described, type) else described.__call__
    hints: dict[str, Any] = {}
    unresolved: dict[str, str] = {}
    parameters = inspect.signature(_bare(function)).parameters
    for name, parameter in parameters.items():
        if name in fixed or parameter.annotation is parameter.empty:
            continue
        try:
            hints[name] = _resolved(parameter.annotation, called)
        except (NameError, AttributeError, TypeError, SyntaxError):
            unresolved[name] = str(parameter.annotation)
    found = {
        name: injected_as(name, hint, optional=parameters[name].default is not inspect.Parameter.empty)
        for name, hint in hints.items()
    }
    return Signature(
        name=getattr(described, "__name__", type(described).__name__),
        doc=inspect.getdoc(described) or "",
        parameters={name: one for name, one in parameters.items() if name not in fixed and found.get(name) is None},
        hints=hints,
        unresolved=unresolved,
        injected=tuple(one for one in found.values() if one is not None),
        is_async=inspect.iscoroutinefunction(inspect.unwrap(called)),
    )


def written(parameter: inspect.Parameter) -> str:
    """Write a parameter without its type and default."""
    stars = 1 if parameter.kind is parameter.VAR_POSITIONAL else 2 if parameter.kind is parameter.VAR_KEYWORD else 0
    return "*" * stars + parameter.name


def _bare(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a partial without what was copied onto it from its function, such as a signature that shows all."""
    if not isinstance(function, functools.partial):
        return function
    return functools.partial(_bare(function.func), *function.args, **function.keywords)


def _resolved(annotation: Any, called: Callable[..., Any]) -> Any:
    """Resolve one annotation by itself: what is wrong with another one is no matter here."""
    holder: Any = types.SimpleNamespace(__annotations__={"found": annotation})
    globals_ = getattr(inspect.unwrap(called), "__globals__", None) or vars(sys.modules[called.__module__])
    return typing.get_type_hints(holder, globals_, include_extras=True)["found"]
