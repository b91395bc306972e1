"""Layer 2: find the registered tool that a written name means, without ever guessing another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.messages import for_model, for_operator
from reinforced_agent.policies.text.folds import NEAR, code_list, fold_words, nearest_of, prepared, shown
from reinforced_agent.policies.verdicts import ErrorKind, Problem, Revise


LAYER: Final = "routing"
_LONGEST: Final = 200
_NAMESPACE = re.compile(r"(?:functions|tools|default_api)[./:]")
_INDEX = re.compile(r"(?<=.):[0-9]{1,4}$")
_SERVER = re.compile(r"mcp__.+?__")
_CONTROL = re.compile(
    r"<\|(?:channel|message|recipient|constrain)\|>\s*(?:commentary|analysis|final|json)?|<\|[^|<>]{0,40}\|>|^\s*<s>|</s>\s*$"
)
_INVISIBLE: Final = "\u200b\u200c\u200d\u2060\ufeff"
"""Zero-width characters and the byte order mark."""
_PARALLEL: Final = ("multi_tool_use", "multi_tool_use.parallel", "parallel_tool_use")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A written name and the registered tool it stands for."""

    name: str
    """The registered name."""
    repairs: tuple[str, ...] = ()
    """What had to be folded to find it, such as `name_case`; empty for an exact match."""


class NameIndex:
    """The registered names, with the folds under which a written name still means exactly one of them."""

    def __init__(self, names: Iterable[str], unlisted: frozenset[str] = frozenset()) -> None:
        """Index the names once; look-ups don't depend on how many there are. Unlisted ones are never proposed."""
        self._unlisted = unlisted
        self._names = frozenset(names)
        self._prepared = prepared(self._names)
        self._by_case = _table(self._names, str.casefold)
        self._by_words = _table(self._names, fold_words)
        self._by_suffix = _table((n for n in self._names if _SERVER.match(n)), _without_server)

    def __contains__(self, name: object) -> bool:
        """Tell whether a name is registered as it is written."""
        return name in self._names or name in self._unlisted

    def __len__(self) -> int:
        """Count the registered names."""
        return len(self._names)

    @property
    def names(self) -> tuple[str, ...]:
        """The registered names in the order of the alphabet."""
        return tuple(sorted(self._names))

    def resolve(self, written: str) -> Resolved | None:
        """Find the one registered tool a written name means, or `None`.

        Exact first. Then white space around it, control tokens and a known namespace may be taken off, the prefix of
        an MCP server may be missing, and case and word separators may differ, as long as exactly one tool remains.
        A server that was added is only suggested without: its tool of that name may be another one.
        """
        if written in self:
            return Resolved(written)
        forms = list(_stripped(written)) if len(written) <= _LONGEST else []
        for name, repairs in forms:
            if name in self:
                return Resolved(name, repairs)
        found = {name: repairs for form in reversed(forms) for name, repairs in self._folded(*form)}
        return Resolved(*found.popitem()) if len(found) == 1 else None

    def candidates(self, written: str) -> tuple[str, ...]:
        """Return the tools that a written name may mean by its folds; more than one where they don't decide."""
        return tuple(sorted({name for form in _stripped(written[:_LONGEST]) for name, _ in self._folded(*form)}))

    def suggest(self, written: str, *, most: int = 3) -> tuple[str, ...]:
        """Return the registered names that look most like the written one, nearest first; never one to run."""
        name, _ = list(_stripped(written[:_LONGEST]))[-1]
        bare = _without_server(name)
        first = (bare,) if bare in self._names else ()
        near = nearest_of(name, self._prepared, most=most, floor=NEAR)
        return (*first, *(other for other in near if other not in first))[:most]

    def _folded(self, name: str, repairs: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the tools a stripped name may mean, each with all repairs; the closest fold comes last."""
        if "name_control_tokens" in repairs:
            return
        for table, key, repair in (
            (self._by_suffix, name, "name_server"),
            (self._by_words, fold_words(name), "name_separators"),
            (self._by_case, name.casefold(), "name_case"),
        ):
            yield from ((found, (*repairs, repair)) for found in table.get(key, ()))


def check_routing(written: str, index: NameIndex, *, locale: str = "en") -> Resolved | Revise:
    """Resolve the name of a proposed call, or tell the model which tools there are.

    Args:
        written: The name as the model wrote it.
        index: The registered names.
        locale: Language of the message for the model, such as `en` or `zh-CN`.

    """
    found = index.resolve(written)
    if found is not None:
        return found
    problem = _problem(written, index)
    label = shown(written) or ""
    return Revise(
        layer=LAYER,
        kind=ErrorKind.UNKNOWN_TOOL,
        message=for_model([problem], tool=label, locale=locale),
        operator=for_operator([problem], tool=label),
    )


def _problem(written: str, index: NameIndex) -> Problem:
    name = shown(written.strip())
    facts = {
        "name": name or "",
        "near": code_list(index.candidates(written) or index.suggest(written)),
    }
    return Problem(_code(written, facts, index), ErrorKind.UNKNOWN_TOOL, "", facts)


def _code(written: str, facts: dict[str, str], index: NameIndex) -> str:
    if not len(index):
        return "no_tools"
    if not written.strip():
        return "no_tool_name"
    if written.strip() in _PARALLEL:
        return "parallel_wrapper"
    if len(index.candidates(written)) > 1:
        return "ambiguous_tool"
    base = "unknown_tool" if facts["name"] else "unreadable_tool"
    return base + ("_near" if facts["near"] else "")


def _stripped(written: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the written name with more and more taken off around it, and the names of these repairs."""
    name = written
    repairs: tuple[str, ...] = ()
    yield name, repairs
    for repair, strip in _STRIPS:
        shorter = strip(name)
        if shorter != name and shorter:
            name, repairs = shorter, (*repairs, repair)
            yield name, repairs


def _without_space(name: str) -> str:
    """Strip white space and invisible characters, in whatever order they come."""
    shorter = name.strip().strip(_INVISIBLE)
    return shorter if shorter == name else _without_space(shorter)


def _without_server(name: str) -> str:
    return _SERVER.sub("", name, count=1) if _SERVER.match(name) else name


def _without_namespace(name: str) -> str:
    match = _NAMESPACE.match(name)
    return _INDEX.sub("", name[match.end() :]) if match else name


_STRIPS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("name_control_tokens", lambda name: _CONTROL.sub("", name)),
    ("name_whitespace", _without_space),
    ("name_namespace", _without_namespace),
)


def _table(names: Iterable[str], fold: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for name in sorted(names):
        table[fold(name)] = (*table.get(fold(name), ()), name)
    return table
