"""Tell whether what was read, or what the user said, speaks of something as done."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from reinforced_agent.policies.answers.targets import compact, ids_in, shape, tokens_of
from reinforced_agent.policies.answers.verbs import Verb


_NO_FACT: Final = re.compile(
    r"\b(?:not|never|cannot|no|nothing|if|once|until|unless|to be|be|will|would|can|could|may|must|should|want|like"
    r"|need|get|have (?:it|them|my \w+)|please|fail\w*)\b[^.;\n]{0,40}$|n't [^.;\n]{0,40}$"
    r"|[未没不待]\S{0,3}$|(?:无法|如果|可以|需|将|请|帮|想)[^，。\n]{0,12}$",
    re.IGNORECASE,
)
_MOST: Final = 100_000
_MOST_ITEMS: Final = 4_000


def vouches(texts: Iterable[str], verb: Verb, ids: Sequence[str]) -> bool:
    """Tell whether one of the texts says that a thing was done, to what has these ids where any are named."""
    return any(_says(text, verb, tuple(ids)) for text in texts)


@lru_cache(maxsize=1024)
def _says(text: str, verb: Verb, ids: tuple[str, ...]) -> bool:
    """Tell whether a text says it."""
    part = text[:_MOST]
    if verb.trace.search(part) is None:
        return False
    found = [unit for unit, chain in _units(part) if affirms(unit, verb) and _fits(unit, chain, ids)]
    return bool(found)


def affirms(text: str, verb: Verb) -> bool:
    """Tell whether a text has words for it that are not denied, wished or a condition."""
    for found in verb.trace.finditer(text):
        after = text[found.end() : found.end() + 14]
        denied = re.match(r"[\w ]{0,8}[\"']?\s*[:=]\s*(?:false|null|none|0\b|no\b|\"\")", after, re.IGNORECASE)
        if not denied and not _NO_FACT.search(text[max(0, found.start() - 70) : found.start()]):
            return True
    return False


def _fits(unit: str, chain: Sequence[str], ids: tuple[str, ...]) -> bool:
    """Tell whether the nearest ids of the same sort are those that are meant."""
    for one in ids:
        for text in (unit, *chain):
            if compact(one) in tokens_of(text):
                break
            if any(shape(other) == shape(one) for other in ids_in(text)):
                return False
        else:
            continue
    return True


def _units(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Take a text apart into what belongs together, each with what it lies in, the nearest first."""
    data = _decoded(text)
    if data is None:
        lines = [line for line in re.split(r"\n|(?<=[.!?。！？])\s*", text) if line.strip()]
        yield from ((line, (text,)) for line in lines)
        return
    todo: list[tuple[str, Any, tuple[str, ...]]] = [("", data, ())]
    for _ in range(_MOST_ITEMS):
        if not todo:
            return
        name, value, chain = todo.pop()
        own = f"{name} {_own(value)}"
        yield own, chain
        named = (
            value.items()
            if isinstance(value, dict)
            else (("", one) for one in value)
            if isinstance(value, list)
            else ()
        )
        todo += [(str(key), one, (own, *chain)) for key, one in named if isinstance(one, dict | list)]


def _own(value: Any) -> str:
    """Write what a value holds itself, without what lies deeper."""
    if isinstance(value, dict):
        plain = {key: one for key, one in value.items() if not isinstance(one, dict | list)}
        return json.dumps(plain, ensure_ascii=False, default=str)
    if isinstance(value, list):
        return json.dumps([one for one in value if not isinstance(one, dict | list)], ensure_ascii=False, default=str)
    return str(value)


def _decoded(text: str) -> Any:
    """Read a text as JSON; `None` where it is none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
