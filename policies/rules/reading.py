"""Read rules from data: every mistake at once, with its line and what is allowed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Final, Protocol

from pydantic import Discriminator, Tag, TypeAdapter, ValidationError

from reinforced_agent.policies.rules.claims import Claim
from reinforced_agent.policies.rules.comparing import Forbidden, Limit, Relation
from reinforced_agent.policies.rules.expressions import NODES
from reinforced_agent.policies.rules.facts import Source
from reinforced_agent.policies.rules.ordering import After, NotAgain, Order, Quota, Requires
from reinforced_agent.policies.rules.problems import Path, RuleError, RuleProblem
from reinforced_agent.policies.rules.scene import Function
from reinforced_agent.policies.rules.sets import RuleSet
from reinforced_agent.policies.rules.strictness import STRICT
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


KINDS: Final[Mapping[str, type]] = {
    "requires": Requires,
    "after": After,
    "order": Order,
    "limit": Limit,
    "relation": Relation,
    "forbidden": Forbidden,
    "quota": Quota,
    "not_again": NotAgain,
}


def _kind(value: Any) -> str:
    kind = value.get("kind", "") if isinstance(value, Mapping) else ""
    return f"<{kind}>" if isinstance(kind, str) else ""


AnyRule = Annotated[
    Annotated[Requires, Tag("<requires>")]
    | Annotated[After, Tag("<after>")]
    | Annotated[Order, Tag("<order>")]
    | Annotated[Limit, Tag("<limit>")]
    | Annotated[Relation, Tag("<relation>")]
    | Annotated[Forbidden, Tag("<forbidden>")]
    | Annotated[Quota, Tag("<quota>")]
    | Annotated[NotAgain, Tag("<not_again>")],
    Discriminator(_kind),
]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Contents:
    """A whole rule file."""

    __pydantic_config__ = STRICT

    rule: tuple[AnyRule, ...] = ()
    fact: tuple[Source, ...] = ()
    host_facts: tuple[str, ...] = ()


def load_rules(
    file: RuleFile, specs: Iterable[ToolSpec], *, functions: Mapping[str, Function] | None = None
) -> RuleSet:
    """Read the rules of a file, once, when an agent is built.

    Args:
        file: A path or resource that ends in `.toml`, `.yaml` or `.yml`.
        specs: The tools that the rules are about.
        functions: What `computed` names.

    Raises:
        RuleError: When the file can't be read or anything in it is wrong; the message names every mistake.
        ToolSchemaError: When a rule names a field of a tool whose schema can't be used.

    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError([RuleProblem((), f"the file can't be read as UTF-8 text: {error}", file.name)]) from error
    return parse_rules(text, specs, file=file.name, functions=functions)


def parse_rules(
    text: str, specs: Iterable[ToolSpec], *, file: str = "rules.toml", functions: Mapping[str, Function] | None = None
) -> RuleSet:
    """Read rules from a text; `file` says by its ending what it is written in, and names it in errors.

    Raises:
        RuleError: When anything is wrong; the message names every mistake.
        ToolSchemaError: When a rule names a field of a tool whose schema can't be used.

    """
    document = parse(text, file)
    rules = _rules(document, file, functions or {})
    if found := tuple(problems_of(rules, specs, complete=True)):
        raise _error(found, document, file)
    return rules


def read_rules(text: str, *, file: str, functions: Mapping[str, Function] | None = None) -> RuleSet:
    """Read rules without a look at the tools they name, such as to learn facts by their sources.

    Raises:
        RuleError: When the text is wrong in itself.

    """
    return _rules(parse(text, file), file, functions or {})


def _rules(document: Document, file: str, functions: Mapping[str, Function]) -> RuleSet:
    contents, found = _contents(document.data)
    if contents is None:
        raise _error(found, document, file)
    return RuleSet(
        rules=contents.rule, sources=contents.fact, host_facts=contents.host_facts, functions=dict(functions)
    )


def _error(found: Iterable[RuleProblem], document: Document, file: str) -> RuleError:
    """Put the lines to the mistakes, and sort them by these."""
    placed = [dataclasses.replace(one, file=file, line=document.line(one.path)) for one in found]
    return RuleError(sorted(placed, key=lambda one: one.line))


@cache
def _adapter() -> TypeAdapter[Contents]:
    return TypeAdapter(Contents)


def _contents(data: Any) -> tuple[Contents | None, tuple[RuleProblem, ...]]:
    """Make typed rules of data, or say all that is wrong."""
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None, (RuleProblem((), "dates, infinite numbers and deep nesting are not read. Put dates in quotes."),)
    try:
        return _adapter().validate_json(text, strict=True), ()
    except ValidationError as error:
        return None, tuple(_problem(item) for item in error.errors(include_url=False, include_input=False))


def _problem(item: Mapping[str, Any]) -> RuleProblem:
    """Write one mistake that the types found."""
    tags = [str(step)[1:-1] for step in item["loc"] if _is_tag(step)]
    path: Path = tuple(step for step in item["loc"] if not _is_tag(step))
    owner = _owner(path, tags)
    match item["type"]:
        case "missing":
            return RuleProblem(path, "is missing. Add it.")
        case "unexpected_keyword_argument" | "extra_forbidden":
            names = [one.name for one in dataclasses.fields(owner)] if owner else []
            near = nearest(str(path[-1]), names) or names
            return RuleProblem(path, f"there is no such entry here. Use one of {code_list(near)}.")
        case "union_tag_invalid" | "union_tag_not_found":
            return _untagged(path)
        case "literal_error":
            return RuleProblem(path, f"is none of the allowed values. Use {item['ctx']['expected']}.")
        case _:
            said = str(item["msg"])
            return RuleProblem(path, said[0].lower() + said[1:] + ".")


def _untagged(path: Path) -> RuleProblem:
    """Say what kinds there are, of rules or of expressions."""
    if len(path) == 2 and path[0] == "rule":  # noqa: PLR2004  # the list and the number of the rule
        return RuleProblem((*path, "kind"), f"is no kind of rule. Use one of {code_list(KINDS)}.")
    return RuleProblem(path, f"is no value. Write a plain value, a list of them, or a table with {code_list(NODES)}.")


def _is_tag(step: str | int) -> bool:
    return isinstance(step, str) and step.startswith("<") and step.endswith(">")


def _owner(path: Path, tags: list[str]) -> type | None:
    """Find the class whose entries stand at a place."""
    around = [step for step in path[:-1] if isinstance(step, str)]
    if not around:
        return Contents
    if around == ["fact"]:
        return Source
    last = tags[-1] if tags else ""
    if last in NODES:
        return NODES[last]
    return Claim if len(around) > 1 else KINDS.get(last)
