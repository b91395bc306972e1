"""Read rules from data: every mistake at once, with its line and what is allowed."""

from __future__ import annotations

import dataclasses
import functools
import json
import operator
import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any, Final, Protocol

import yaml
from pydantic import Discriminator, Tag, TypeAdapter, ValidationError

from reinforced_agent.policies.rules.base import Base as Rule
from reinforced_agent.policies.rules.claims import Claim
from reinforced_agent.policies.rules.expressions import NODES
from reinforced_agent.policies.rules.facts import Source
from reinforced_agent.policies.rules.ordering import After, NotAgain, Order, Quota, Requires
from reinforced_agent.policies.rules.problems import STRICT, Path, RuleError, RuleProblem
from reinforced_agent.policies.rules.scene import Function
from reinforced_agent.policies.rules.sets import RuleSet
from reinforced_agent.policies.rules.validation import problems_of
from reinforced_agent.policies.rules.values import Forbidden, Limit, Relation
from reinforced_agent.policies.text.folds import code_list, nearest
from reinforced_agent.tools.spec import ToolSpec


LONGEST: Final = 200_000
"""Characters of a rule file."""
_PLAIN: Final = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null"))

_ALIKE: Final = {
    "bool": re.compile("true|false"),
    "int": re.compile("[-+]?(0|[1-9][0-9]*)"),
    "float": re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?"),
}
"""How a value is written that every version of YAML reads in the same way."""


class Document(Protocol):
    """A file as data."""

    @property
    def data(self) -> Any:
        """What it holds: tables, lists and plain values."""

    def line(self, path: Path) -> int:
        """Return the line, from 1, of the part at a path, or of what lies nearest around it."""


def parse(text: str, file: str) -> Document:
    """Read a text by the ending of its file name, `.toml`, `.yaml` or `.yml`.

    Raises:
        RuleError: When it can't be read.

    """
    ending = file.rpartition(".")[2].lower()
    kinds: dict[str, Callable[[str, str], Document]] = {
        "toml": TomlDocument,
        "yaml": YamlDocument,
        "yml": YamlDocument,
    }
    if ending not in kinds:
        raise RuleError([RuleProblem((), "rules are read from .toml, .yaml and .yml files. Rename the file.", file)])
    if len(text) > LONGEST:
        raise RuleError([RuleProblem((), f"the file is longer than {LONGEST} characters. Split it.", file)])
    return kinds[ending](text, file)


class TomlDocument:
    """A TOML text. Its parser tells no lines: a part begins where the text up to there first holds it."""

    def __init__(self, text: str, file: str) -> None:
        """Read the text.

        Raises:
            RuleError: When it is no TOML.

        """
        self._lines = text.replace("\r\n", "\n").split("\n")
        try:
            self.data: Any = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            found = re.search(r"\(at line (\d+), column \d+\)", str(error))
            line = int(found[1]) if found else len(self._lines)
            said = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
            raise RuleError([RuleProblem((), f"this is no TOML: {said}.", file, line)]) from error
        self._upto: Final = lru_cache(maxsize=None)(self._complete)

    def line(self, path: Path) -> int:
        """Return the first line with which the text holds the part."""
        while not _has(self.data, path):
            path = path[:-1]
        numbers = range(1, len(self._lines) + 1)
        return 1 + bisect_left(numbers, True, key=lambda number: _has(self._upto(number), path))  # noqa: FBT003

    def _complete(self, line: int) -> Any:
        """Read the text up to a line, and on to the end of the value that it breaks off in."""
        for end in range(line, len(self._lines)):
            with suppress(ValueError):
                return tomllib.loads("\n".join(self._lines[:end]))
        return self.data


class YamlDocument:
    """A YAML text, read without anchors, tags and repeated keys; its parser tells the lines."""

    def __init__(self, text: str, file: str) -> None:
        """Read the text.

        Raises:
            RuleError: When it is no YAML, or says something in a way that only YAML has.

        """
        self._file = file
        self._places: dict[Path, int] = {(): 1}
        try:
            loader = yaml.SafeLoader(text)
            node = loader.get_single_node() if not self._aliases(text) else None
            self.data: Any = {} if node is None else self._value(node, (), loader)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            if isinstance(error, RuleError):
                raise
            mark = getattr(error, "problem_mark", None)
            nested = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            said = getattr(error, "problem", None) or nested
            raise self._error((), f"this is no YAML: {said}.", mark.line + 1 if mark else 1) from error

    def line(self, path: Path) -> int:
        """Return the line where the part begins."""
        while path not in self._places:
            path = path[:-1]
        return self._places[path]

    def _error(self, path: Path, text: str, line: int) -> RuleError:
        return RuleError([RuleProblem(path, text, self._file, line)])

    def _aliases(self, text: str) -> bool:
        """Refuse anchors: a short text could mean an endless one.

        Raises:
            RuleError: When there is one.

        """
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if getattr(event, "anchor", None):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise self._error((), "anchors and aliases are not read. Write the value out.", line)
        return False

    def _value(self, node: Any, path: Path, loader: Any) -> Any:
        """Turn a node into plain data, and note its line."""
        self._places.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*path, number), loader) for number, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return dict(self._entries(node, path, loader))
        if node.tag not in _PLAIN:
            raise self._error(path, "this value is no text, number or truth. Put it in quotes.", self._places[path])
        if node.style is None and not _is_plain(node.tag, node.value):
            said = f"{node.value[:40]!r} is read as one thing by some and as another by others. Put it in quotes, or"
            raise self._error(path, f"{said} write `true`, `false` or a decimal number.", self._places[path])
        return loader.construct_object(node)

    def _entries(self, node: Any, path: Path, loader: Any) -> Iterator[tuple[str, Any]]:
        for key, value in node.value:
            line, name = key.start_mark.line + 1, str(key.value)
            if not isinstance(key, yaml.ScalarNode) or (*path, name) in self._places:
                raise self._error((*path, name[:40]), "names of entries are texts, each only once. Rename it.", line)
            self._places[*path, name] = line
            yield name, self._value(value, (*path, name), loader)


def _is_plain(tag: str, written: str) -> bool:
    """Tell whether a truth or a number is written so that YAML 1.1 and 1.2 read it alike: no `NO`, `010` or `1:30`."""
    allowed = _ALIKE.get(tag.rpartition(":")[2])
    return allowed is None or allowed.fullmatch(written) is not None


def _has(data: Any, path: Path) -> bool:
    """Tell whether data have a part at a path."""
    for step in path:
        if isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        elif isinstance(data, dict) and step in data:
            data = data[str(step)]
        else:
            return False
    return True


class RuleFile(Protocol):
    """What rules are read from, such as a `pathlib.Path` or a resource of a package."""

    @property
    def name(self) -> str:
        """The name of the file; its ending says how it is read."""

    def read_text(self, encoding: str) -> str:
        """Return the text."""


_KINDS: Final[tuple[type[Rule], ...]] = (
    Requires,
    After,
    Order,
    Limit,
    Relation,
    Forbidden,
    Quota,
    NotAgain,
)
"""The kinds of the house, in the order in which they are named."""


def _kind(value: Any) -> str:
    kind = value.get("kind", "") if isinstance(value, Mapping) else ""
    return f"<{kind}>" if isinstance(kind, str) else ""


@dataclasses.dataclass(frozen=True)
class Kinds:
    """The kinds of rules that a file may use."""

    by_name: Mapping[str, type[Rule]]

    @classmethod
    def of(cls, own: Iterable[type[Rule]]) -> Kinds:
        """Put the kinds of a host beside those of the house.

        Raises:
            TypeError: When a kind is no rule, or has no name of its own.

        """
        named: dict[str, type[Rule]] = {}
        for kind in (*_KINDS, *own):
            name = _name_of(kind)
            if not name or name in named:
                msg = (
                    f"{kind!r} can't be a kind of rule: subclass `Rule` as a frozen dataclass, "
                    'and give it a name that no other kind has, as in `kind: Literal["weekday"] = "weekday"`.'
                )
                raise TypeError(msg)
            named[name] = kind
        return cls(named)


def _name_of(kind: Any) -> str:
    """Return the name that a file calls a kind by."""
    if not (isinstance(kind, type) and issubclass(kind, Rule) and dataclasses.is_dataclass(kind)):
        return ""
    return next((str(one.default) for one in dataclasses.fields(kind) if one.name == "kind"), "")


def load_rules(
    file: RuleFile,
    specs: Iterable[ToolSpec],
    *,
    functions: Mapping[str, Function] | None = None,
    kinds: Iterable[type[Rule]] = (),
) -> RuleSet:
    """Read the rules of a file, once, when an agent is built.

    Args:
        file: A path or resource that ends in `.toml`, `.yaml` or `.yml`.
        specs: The tools that the rules are about.
        functions: What `computed` names.
        kinds: Kinds of rules of your own, beside those of the house.

    Raises:
        TypeError: When one of `kinds` can't be a kind.
        RuleError: When the file can't be read or anything in it is wrong; the message names every mistake.
        ToolSchemaError: When a rule names a field of a tool whose schema can't be used.

    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError([RuleProblem((), f"the file can't be read as UTF-8 text: {error}", file.name)]) from error
    return parse_rules(text, specs, file=file.name, functions=functions, kinds=kinds)


def parse_rules(
    text: str,
    specs: Iterable[ToolSpec],
    *,
    file: str = "rules.toml",
    functions: Mapping[str, Function] | None = None,
    kinds: Iterable[type[Rule]] = (),
) -> RuleSet:
    """Read rules from a text; `file` says by its ending what it is written in, and names it in errors.

    Raises:
        TypeError: When one of `kinds` can't be a kind.
        RuleError: When anything is wrong; the message names every mistake.
        ToolSchemaError: When a rule names a field of a tool whose schema can't be used.

    """
    document = parse(text, file)
    rules = _rules(document, file, functions or {}, Kinds.of(kinds))
    if found := tuple(problems_of(rules, specs, complete=True)):
        raise _error(found, document, file)
    return rules


def read_rules(text: str, *, file: str, functions: Mapping[str, Function] | None = None) -> RuleSet:
    """Read rules without a look at the tools they name, such as to learn facts by their sources.

    Raises:
        RuleError: When the text is wrong in itself.

    """
    return _rules(parse(text, file), file, functions or {}, Kinds.of(()))


def _rules(document: Document, file: str, functions: Mapping[str, Function], kinds: Kinds) -> RuleSet:
    contents, found = _contents(document.data, kinds)
    if contents is None:
        raise _error(found, document, file)
    return RuleSet(
        rules=contents.rule,
        sources=contents.fact,
        host_facts=contents.host_facts,
        functions=dict(functions),
        tell_facts=contents.tell_facts,
        secret_facts=contents.secret_facts,
    )


def _error(found: Iterable[RuleProblem], document: Document, file: str) -> RuleError:
    """Put the lines to the mistakes, and sort them by these."""
    placed = [dataclasses.replace(one, file=file, line=document.line(one.path)) for one in found]
    return RuleError(sorted(placed, key=lambda one: one.line))


@lru_cache(maxsize=32)
def _adapter(kinds: tuple[type[Rule], ...]) -> TypeAdapter[Any]:
    """Make what reads a whole rule file."""
    tagged: list[Any] = [Annotated[kind, Tag(f"<{_name_of(kind)}>")] for kind in kinds]
    any_rule: Any = Annotated[functools.reduce(operator.or_, tagged), Discriminator(_kind)]
    entries: list[tuple[str, Any, Any]] = [
        ("rule", tuple[any_rule, ...], dataclasses.field(default=())),
        ("fact", tuple[Source, ...], dataclasses.field(default=())),
        ("host_facts", tuple[str, ...], dataclasses.field(default=())),
        ("tell_facts", bool, dataclasses.field(default=False)),
        ("secret_facts", tuple[str, ...], dataclasses.field(default=())),
    ]
    strict = {"__pydantic_config__": STRICT}
    return TypeAdapter(dataclasses.make_dataclass("Contents", entries, frozen=True, kw_only=True, namespace=strict))


_CONTENTS: Final = ("rule", "fact", "host_facts", "tell_facts", "secret_facts")
"""The entries of a whole rule file."""


def _contents(data: Any, kinds: Kinds) -> tuple[Any, tuple[RuleProblem, ...]]:
    """Make typed rules of data, or say all that is wrong."""
    try:
        text = json.dumps(data, allow_nan=False)
    except RecursionError:
        return None, (RuleProblem((), "it is nested too deeply. Take a level out."),)
    except (TypeError, ValueError):
        return None, tuple(_unwritable(data, ()))
    try:
        return _adapter(tuple(kinds.by_name.values())).validate_json(text, strict=True), ()
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        return None, tuple(_problem(item, kinds) for item in found)


def _unwritable(value: Any, path: Path) -> Iterator[RuleProblem]:
    """Find the dates and infinite numbers."""
    if isinstance(value, Mapping | list):
        for step, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _unwritable(inner, (*path, step))
    elif isinstance(value, float) and not isfinite(value):
        yield RuleProblem(path, "is no finite number. Leave it out where there is no bound.")
    elif not isinstance(value, str | int | float | None):
        yield RuleProblem(path, "dates and times are not read. Put it in quotes.")


def _problem(item: Mapping[str, Any], kinds: Kinds) -> RuleProblem:
    """Write one mistake that the types found."""
    tags = [str(step)[1:-1] for step in item["loc"] if _is_tag(step)]
    path: Path = tuple(step for step in item["loc"] if not _is_tag(step))
    match item["type"]:
        case "missing":
            return RuleProblem(path, "is missing. Add it.")
        case "unexpected_keyword_argument" | "extra_forbidden":
            names = _entries(path, tags, kinds)
            near = nearest(str(path[-1]), names) or names
            return RuleProblem(path, f"there is no such entry here. Use one of {code_list(near)}.")
        case "union_tag_invalid" | "union_tag_not_found":
            return _untagged(path, kinds)
        case "literal_error":
            return RuleProblem(path, f"is none of the allowed values. Use {item['ctx']['expected']}.")
        case _:
            said = str(item["msg"])
            return RuleProblem(path, said[0].lower() + said[1:] + ".")


def _untagged(path: Path, kinds: Kinds) -> RuleProblem:
    """Say what kinds there are, of rules or of expressions."""
    if len(path) == 2 and path[0] == "rule":  # noqa: PLR2004  # the list and the number of the rule
        return RuleProblem((*path, "kind"), f"is no kind of rule. Use one of {code_list(kinds.by_name)}.")
    return RuleProblem(path, f"is no value. Write a plain value, a list of them, or a table with {code_list(NODES)}.")


def _is_tag(step: str | int) -> bool:
    return isinstance(step, str) and step.startswith("<") and step.endswith(">")


def _entries(path: Path, tags: list[str], kinds: Kinds) -> list[str]:
    """List the entries that there may be at a place."""
    around = [step for step in path[:-1] if isinstance(step, str)]
    if not around:
        return list(_CONTENTS)
    last = tags[-1] if tags else ""
    owner: Any = Claim if len(around) > 1 else kinds.by_name.get(last)
    owner = Source if around == ["fact"] else NODES.get(last, owner)
    return [one.name for one in dataclasses.fields(owner)] if owner else []
