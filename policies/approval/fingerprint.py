"""A fingerprint of what an approval was given under: the tool as it was declared, and the rules of the host.

It is the same in every process that runs the same declarations. Of functions it covers the code, their defaults and the
plain values that they refer to; of other objects, their class and what they hold.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import json
import re
import types
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from typing import Any, Final

from reinforced_agent.tools.spec import ToolSpec


LENGTH: Final = 32
"""Hex digits of one fingerprint."""
_DEEPEST: Final = 40
"""Levels of values within values that are looked at."""
_PLAIN: Final = (str, int, float, bool, bytes, type(None))
_DECLARED: Final = (
    *("name", "version", "description", "parameters", "risk", "effect", "idempotent"),
    *("destinations", "validate", "untrusted_output", "egress"),
)
"""What a tool declares about the meaning of its calls."""


def tool_fingerprint(spec: ToolSpec) -> str:
    """Return the fingerprint of what a tool declares about its calls; how it runs is not a part of it."""
    return fingerprint([getattr(spec, name) for name in _DECLARED])


def fingerprint(value: object) -> str:
    """Return 32 hex digits that stand for a value, whatever it is."""
    written = json.dumps(_Canonical().of(value), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(written.encode()).hexdigest()[:LENGTH]


class _Canonical:
    """Writes values as plain data, in one way only."""

    def __init__(self) -> None:
        self._inside: list[object] = []
        """The values that hold the one that is written, outermost first."""

    def of(self, value: object) -> Any:
        """Write a value; one that holds itself is not followed, nor anything very deep."""
        if isinstance(value, _PLAIN) and not isinstance(value, enum.Enum):
            return repr(value)
        if len(self._inside) >= _DEEPEST or any(value is outer for outer in self._inside):
            return _name(value)
        self._inside.append(value)
        try:
            return self._write(value)
        finally:
            self._inside.pop()

    def _write(self, value: Any) -> Any:
        """Write a container, or leave the value to those that write what acts."""
        if isinstance(value, Mapping):
            return {"map": sorted(([self.of(key), self.of(one)] for key, one in value.items()), key=json.dumps)}
        if isinstance(value, list | tuple):
            return [self.of(one) for one in value]
        if isinstance(value, AbstractSet):
            return {"set": sorted((self.of(one) for one in value), key=json.dumps)}
        if is_dataclass(value) and not isinstance(value, type):
            held = {one.name: getattr(value, one.name) for one in fields(value) if one.compare}
            return [_name(value), self.of(held)]
        return self._acting(value)

    def _acting(self, value: Any) -> Any:
        match value:
            case type():
                return _name(value)
            case enum.Enum():
                return [_name(value), value.name]
            case functools.partial():
                return ["partial", self.of((value.func, value.args, value.keywords))]
            case types.MethodType():
                return ["method", self.of((value.__func__, value.__self__))]
            case types.FunctionType():
                return self._function(value)
            case types.CodeType():
                return [value.co_code.hex(), self.of((value.co_names, value.co_consts))]
            case _:
                return self._object(value)

    def _function(self, function: types.FunctionType) -> Any:
        """Write what a function does: its code, and the values that it was made with or refers to."""
        code = function.__code__
        cells = [_content(cell) for cell in function.__closure__ or ()]
        known = {name: function.__globals__[name] for name in _names_in(code) if name in function.__globals__}
        referred = {name: one for name, one in known.items() if self._is_followed(one, function)}
        made = (function.__defaults__, function.__kwdefaults__, cells, referred)
        return [_name(function), self.of(code), *(self.of(one) for one in made)]

    def _is_followed(self, value: object, function: types.FunctionType) -> bool:
        """Tell whether a global is a part of what a function does: plain data, and functions beside it."""
        beside = isinstance(value, types.FunctionType) and value.__module__ == function.__module__
        return beside or isinstance(value, (*_PLAIN, list, tuple, dict, set, frozenset, re.Pattern, enum.Enum))

    def _object(self, value: object) -> Any:
        """Write an object of another kind: its class, how it is called, and what it holds."""
        call = getattr(type(value), "__call__", None)  # noqa: B004  # the method itself is wanted
        held = getattr(value, "__dict__", {})
        # What prints itself by its value, such as a date, a decimal number or a pattern, is told by that.
        shown = repr(value) if type(value).__repr__ is not object.__repr__ and not held else ""
        return [_name(value), "" if " at 0x" in shown else shown, self.of((call, dict(held)))]


def _names_in(code: types.CodeType) -> Iterator[str]:
    """Name the globals that code refers to, that of functions within it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None  # not filled in yet


def _name(value: object) -> str:
    kind = value if isinstance(value, type | types.FunctionType) else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"
