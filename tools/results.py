"""Write what a tool returned as text for the model."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from pydantic_core import to_jsonable_python

from reinforced_agent.tools.returned import blocks_of, content_of, text_of


@dataclass(frozen=True, slots=True)
class Written:
    """A result as text, and what in it could not be written as it is."""

    text: str
    unwritable: tuple[str, ...] = ()
    """Where an object stood that has no JSON form, each as path and type; an empty path is the whole result."""
    not_finite: tuple[str, ...] = ()
    """Paths of numbers that are not finite."""


def as_text(value: Any) -> str:
    """Write a result as text: strings stay, everything else becomes JSON with real characters.

    A value that can't be written is named, never raised about: the tool has run, and the run must go on.
    """
    return write(value).text


def write(value: Any) -> Written:
    """Write a result as text, and say what could not be written; never raises."""
    try:
        written = _write(value)
        return replace(written, text=storable(written.text))
    except Exception as error:  # noqa: BLE001  # objects of hosts may fail in any way when they are looked at
        kind = type(value).__name__
        text = f"[a result of type {kind} that can't be written as text: {type(error).__name__}]"
        return Written(text, unwritable=(f"result: {kind}",))


def storable(text: str) -> str:
    """Replace lone surrogates, which no checkpoint and no request can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def message_of(error: BaseException) -> str:
    """Return the message of an exception, also of one that can't be written."""
    try:
        return storable(str(error))
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        return "no message can be read"


def _write(value: Any) -> Written:
    """Write a result as text."""
    # Of a message, or a command with one, its content is the result.
    value = value if isinstance(value, str) else content_of(value)
    if isinstance(value, str):
        return Written(value)
    if value is None:
        return Written("")
    if isinstance(value, bytes):
        return Written(f"[{len(value)} bytes of binary data]")
    if blocks := blocks_of(value):
        return Written(text_of(blocks))
    if (text := _plainly(value)) is not None:
        return Written(text)
    plain, odd = _plain_data(value)
    return Written(
        json.dumps(plain, ensure_ascii=False, default=str),
        unwritable=tuple(f"{place or 'result'}: {kind}" for place, kind in odd if kind),
        not_finite=tuple(place or "result" for place, kind in odd if not kind),
    )


def stored_form(value: Any) -> Any:
    """Return a value as plain data that any store keeps; what has no JSON form is named by its type. Never raises."""
    try:
        plain, _ = _plain_data(value)
        return json.loads(storable(json.dumps(plain, ensure_ascii=False, default=str)))
    except Exception:  # noqa: BLE001  # objects of hosts may fail in any way when they are looked at
        return f"[object of type {type(value).__name__}]"


def _plain_data(value: Any) -> tuple[Any, list[tuple[str, str]]]:
    """Turn a value into plain data, and note where something stood that has no JSON form, or isn't finite."""
    mark = uuid4().hex

    def name(strange: object) -> str:
        return f"{mark}{type(strange).__name__}"

    plain = to_jsonable_python(value, fallback=name, bytes_mode="base64", inf_nan_mode="constants")
    odd: list[tuple[str, str]] = []
    return _tidy(plain, mark, "", odd), odd


def _plainly(value: Any) -> str | None:
    """Write what has a JSON form throughout, in one go; `None` for everything else."""
    if not isinstance(value, dict | list | tuple | int | float):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None


def _tidy(value: Any, mark: str, place: str, odd: list[tuple[str, str]]) -> Any:
    """Name what has no JSON form, and note where it stood."""
    if isinstance(value, dict):
        return {_named(key, mark): _tidy(inner, mark, f"{place}.{key}".strip("."), odd) for key, inner in value.items()}
    if isinstance(value, list):
        return [_tidy(inner, mark, f"{place}.{at}".strip("."), odd) for at, inner in enumerate(value)]
    if isinstance(value, str) and value.startswith(mark):
        odd.append((_named(place, mark), value.removeprefix(mark)))
        return _named(value, mark)
    if isinstance(value, float) and not math.isfinite(value):
        odd.append((_named(place, mark), ""))
        return str(value)
    return value


def _named(text: str, mark: str) -> str:
    """Write the name of a type in place of an object."""
    return re.sub(f"{mark}(\\w+)", r"[object of type \1]", text)
