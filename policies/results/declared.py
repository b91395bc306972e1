"""Hold a result against what its tool declares."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from reinforced_agent.policies.results.result import Brought
from reinforced_agent.policies.results.verdicts import Bad, Doubt
from reinforced_agent.policies.same import Same
from reinforced_agent.policies.text.json_paths import look
from reinforced_agent.tools.result_rules import Freshness, Range, ResultCheck, ResultRules, compiled


_MOST_PROBLEMS: Final = 3
_MOST_WORDS: Final = 300
_SCRIPTS: Final = {
    "zh": "\u3400-\u9fff",
    "ja": "\u3040-\u30ff\u3400-\u9fff",
    "ko": "\uac00-\ud7af",
    "ru": "\u0400-\u04ff",
}
_LETTER: Final = re.compile(r"[^\W\d_]")
_MILLISECONDS: Final = 1e11
"""Seconds since 1970 above which a number counts milliseconds."""


def unfit(brought: Brought, rules: ResultRules) -> Bad | None:
    """Return the first thing that makes the result unusable."""
    for check in (_form, _schema, _required, _ranges, _checks):
        if (doubt := check(brought, rules)) is not None:
            return Bad(doubt)
    return None


def doubts(brought: Brought, rules: ResultRules, now: datetime | None) -> Iterator[Doubt | Bad]:
    """Return what the model has to know, and what makes the result too old to be used."""
    if rules.freshness is not None and now is not None and (old := _age(brought.data, rules.freshness, now)):
        yield Bad(old) if rules.freshness.refuse else old
    if (part := _part(brought.data, rules)) is not None:
        yield part
    if rules.language and not _is_written_in(rules.language, brought.head):
        yield Doubt("language", {"language": rules.language})
    for check in rules.warnings:
        if found := _ask(check, brought.data):
            yield Doubt("warned", {"problem": found}, mention=True)


def _form(brought: Brought, rules: ResultRules) -> Doubt | None:
    return Doubt("not_json") if rules.form == "json" and brought.text.strip() and not brought.is_json else None


def _schema(brought: Brought, rules: ResultRules) -> Doubt | None:
    """List what doesn't fit the schema."""
    if rules.schema is None:
        return None
    problems = list(_problems(brought.data, rules))[:_MOST_PROBLEMS]
    return Doubt("schema", {"problems": "; ".join(problems)}) if problems else None


def _problems(data: Any, rules: ResultRules) -> Iterator[str]:
    if isinstance(rules.schema, type):
        yield from _of_model(data, rules.schema)
        return
    for error in _validator(Same(rules)).iter_errors(data):
        place = ".".join(map(str, error.instance_path))
        yield f"{place or 'result'}: {error.message[:_MOST_WORDS]}"


def _of_model(data: Any, model: type[BaseModel]) -> Iterator[str]:
    try:
        model.model_validate(data)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_input=False):
            yield f"{'.'.join(map(str, item['loc'])) or 'result'}: {item['msg'][:_MOST_WORDS]}"


@lru_cache(maxsize=1024)
def _validator(same: Same[ResultRules]) -> Any:
    return compiled(same.value.schema)  # type: ignore[arg-type]  # asked for only where it is a mapping


def _required(brought: Brought, rules: ResultRules) -> Doubt | None:
    found = {path: look(brought.data, path) for path in rules.required}
    missing = [path for path, values in found.items() if values is None or None in values]
    return Doubt("required", {"paths": ", ".join(missing)}) if missing else None


def _ranges(brought: Brought, rules: ResultRules) -> Doubt | None:
    for bounds in rules.ranges:
        for value in look(brought.data, bounds.path) or ():
            if not isinstance(value, bool) and isinstance(value, int | float | str) and not _within(value, bounds):
                return Doubt("range", _words_of(bounds, value))
    return None


def _within(value: float | str, bounds: Range) -> bool:
    """Tell whether a value lies in the bounds; a text that is no number is left to the schema."""
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return isinstance(value, str)
    if math.isnan(number):
        return False
    return (bounds.least is None or number >= bounds.least) and (bounds.most is None or number <= bounds.most)


def _words_of(bounds: Range, value: float | str) -> dict[str, str]:
    least = "-∞" if bounds.least is None else f"{bounds.least:g}"
    most = "∞" if bounds.most is None else f"{bounds.most:g}"
    unit = f" {bounds.unit}" if bounds.unit else ""
    return {"path": bounds.path or "result", "value": str(value)[:40], "allowed": f"{least} … {most}{unit}"}


def _checks(brought: Brought, rules: ResultRules) -> Doubt | None:
    problem = next((found for check in rules.checks if (found := _ask(check, brought.data))), None)
    return Doubt("check", {"problem": problem}) if problem else None


def _ask(check: ResultCheck, data: Any) -> str | None:
    """Ask a check of the host; one that breaks off says nothing about the result."""
    try:
        found = check(data)
    except ValueError as error:
        found = str(error)
    except Exception:  # noqa: BLE001  # the check is the host's code, and what it stumbles over is no result it knows
        return f"{getattr(check, '__name__', 'a check')} can't be applied to it"
    return found[:_MOST_WORDS] if isinstance(found, str) else None


def _age(data: Any, rule: Freshness, now: datetime) -> Doubt | None:
    """Say how old the oldest time of a result is, when that is too old."""
    times = [time for value in look(data, rule.path) or () if (time := _time(value, now)) is not None]
    if not times:
        return Doubt("no_time", {"path": rule.path}, mention=False)
    seconds = (now - min(times)).total_seconds()
    if seconds <= rule.seconds:
        return None
    return Doubt("stale", {"at": min(times).isoformat(timespec="minutes"), "age": _span(seconds)}, mention=True)


def _time(value: Any, now: datetime) -> datetime | None:
    """Read a time; one without a zone is taken to be in UTC."""
    try:
        if isinstance(value, str):
            read = datetime.fromisoformat(value)
            return read.replace(tzinfo=now.tzinfo or UTC) if read.tzinfo is None else read
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _span(seconds: float) -> str:
    """Write a time span with one unit."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _part(data: Any, rules: ResultRules) -> Doubt | None:
    """See that the result is one page, by the declared marks."""
    parts = rules.completeness
    if parts is None:
        return None
    if parts.more and any(look(data, parts.more) or ()):
        return Doubt("more", mention=True)
    totals = look(data, parts.total) if parts.total else None
    shown = len(_list_at(data, parts.items)) if parts.items else 0
    total = totals[0] if totals else None
    if isinstance(total, int | float) and shown < total:
        return Doubt("part_of", {"shown": str(shown), "total": f"{total:g}"}, mention=True)
    return None


def _list_at(data: Any, path: str) -> list[Any]:
    for step in path.split("."):
        data = data.get(step) if isinstance(data, dict) else None
    return data if isinstance(data, list) else []


def _is_written_in(language: str, head: str) -> bool:
    """Tell whether the letters can be those of a language; only other scripts are noticed."""
    letters = len(_LETTER.findall(head))
    own = _SCRIPTS.get(language.lower()[:2], "a-zA-Z\u00c0-\u024f")
    return letters == 0 or len(re.findall(f"[{own}]", head)) * 3 >= letters
