"""Read rules from data: every mistake at once, with its line and what is allowed."""

from __future__ import annotations

import dataclasses
import functools
import json
import operator
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any, Final, Protocol

from pydantic import Discriminator, Tag, TypeAdapter, ValidationError

from reinforced_agent.policies.rules.base import Base as Rule
from reinforced_agent.policies.rules.claims import Claim
from reinforced_agent.policies.rules.comparing import Forbidden, Limit, Relation
from reinforced_agent.policies.rules.expressions import NODES
from reinforced_agent.policies.rules.facts import Source
from reinforced_agent.policies.rules.ordering import After, NotAgain, Order, Quota, Requires
from reinforced_agent.policies.rules.problems import STRICT, Path, RuleError, RuleProblem
from reinforced_agent.policies.rules.scene import Function
from reinforced_agent.policies.rules.sets import RuleSet
from reinforced_agent.policies.rules.texts import Document, parse
from reinforced_agent.policies.rules.validation import problems_of
from reinforced_agent.policies.schema.folds import nearest
from reinforced_agent.policies.schema.spelling import code_list
from reinforced_agent.tools.spec import ToolSpec


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
