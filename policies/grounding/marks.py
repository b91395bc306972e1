"""Find the grounded fields of a tool once, and their values in each call; a slip in them stops the build."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from reinforced_agent.policies.approval.origins import Path
from reinforced_agent.policies.grounding.policy import LOOKUP, MARKER, Ground, GroundingPolicy, Kind
from reinforced_agent.policies.redaction.numbers import is_iban
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.paths import declaration
from reinforced_agent.policies.schema.view import View
from reinforced_agent.policies.text.folds import code_list, fold_words, nearest
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import Risk, ToolSpec


_DEEPEST: Final = 8
"""Levels of fields that are looked at; schemas may contain themselves."""

_NAMES: Final = (
    (Kind.EMAIL, re.compile(r"(?:^|_)(?:e_?mails?|e_?mail_address(?:es)?)(?:_|$)|^(?:邮箱|电子邮件|电邮)$")),
    (
        Kind.ACCOUNT,
        re.compile(
            r"(?:^|_)(?:ibans?|(?:account|acct|card|routing)_?(?:numbers?|nos?|nums?))$|^(?:账号|帐号|卡号|银行卡号|银行账号)$"
        ),
    ),
    (
        Kind.PHONE,
        re.compile(
            r"(?:^|_)(?:phones?|telephones?|mobiles?|cellphones?|fax|tel|"
            r"(?:tele|cell)?_?(?:phone|mobile|fax|cell|contact)_(?:number|no)s?)$|^(?:电话|手机|手机号|电话号码)$"
        ),
    ),
    (
        Kind.ID,
        re.compile(
            r"(?:^|_)(?:ids?|u?uids?|uuids?|guids?|"
            r"(?:order|invoice|booking|reservation|confirmation|tracking|customer|member|ticket|passport|case|"
            r"policy|serial|reference|employee|student|licen[cs]e)_(?:numbers?|nos?|refs?|references?))$|"
            r"^(?:订单|客户|用户|会员|发票|护照)(?:号|编号|号码)$"
        ),
    ),
    (
        Kind.AMOUNT,
        re.compile(
            r"(?:^|_)(?:amounts?|price|payment|fee|refund|donation|deposit|withdrawal|tip)"
            r"(?:_(?:eur|usd|gbp|cny|cents|dollars|euros|value))?$|^(?:金额|价格|总额)$"
        ),
    ),
)
_FORMATS: Final = {"email": Kind.EMAIL, "idn-email": Kind.EMAIL, "uuid": Kind.ID}
_EMAIL: Final = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")
_SHORTEST_ID: Final = 3
_SHORTEST_NUMBER, _LONGEST_NUMBER = 8, 50
"""Characters of a text that may be an IBAN or a telephone number, separators included."""
_SMALLEST_AMOUNT: Final = 10
"""Smaller numbers are implied by words such as "a", "both" or "each", and prove nothing."""
_FEWEST: Final = {Kind.ACCOUNT: 4, Kind.PHONE: 6, Kind.ID: 1}
"""Digits that a value of a kind has at least; one with fewer is something else, such as `primary`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What is known about one field of a tool, and about the fields inside it."""

    ground: Ground | None = None
    """Who may name its value; `None` where neither the host nor the schema says."""
    kind: Kind | None = None
    """What it is recognised as by its name and format."""
    required: bool = False
    """Whether a call needs it."""
    lookup: str = ""
    """The tool that looks its value up, where one is declared."""
    given: tuple[JSON, ...] = ()
    """Values that the schema itself gives: the default and the listed ones."""
    description: str = ""
    """What the schema says about it in words."""
    fields: Mapping[str, Mark] = field(default_factory=dict)
    """The fields inside it; lists are looked through."""


_UNMARKED: Final = Mark()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is compared with what was said."""

    path: Path
    """Where it is in the arguments."""
    value: str | float
    """The value."""
    ground: Ground
    """Who may name it: `USER` or `ANY`."""
    marked: bool
    """Whether the host or the schema says that it must have been given; else it was recognised by its kind."""
    mark: Mark
    """What is known about its field."""


def marks_of(spec: ToolSpec, policy: GroundingPolicy) -> Mark:
    """Find the grounded fields of a tool.

    Raises:
        ToolSchemaError: When the tool's schema can't be used.
        ValueError: When a marker in the schema is not one of `Ground`.

    """
    if not policy.enabled or spec.name in policy.without:
        return Mark(ground=Ground.OFF)
    tool = CompiledTool.compile(spec)
    return Mark(fields=_fields(tool, [tool.schema], policy.fields.get(spec.name, {}), (), _DEEPEST))


def _fields(
    tool: CompiledTool, nodes: list[Node], own: Mapping[str, Ground], way: tuple[str, ...], depth: int
) -> dict[str, Mark]:
    """Mark the fields of an object, or of the objects in a list."""
    views = _views(tool, nodes) if depth else []
    found: dict[str, Mark] = {}
    for name in dict.fromkeys(name for view in views for name in view.properties):
        inner = [node for view in views for node in view.properties.get(name, ())]
        path = (*way, name)
        found[name] = _mark(
            tool,
            inner,
            name,
            own.get(".".join(path)),
            required=any(name in view.required for view in views),
            fields=_fields(tool, inner, own, path, depth - 1),
        )
    return found


def _mark(
    tool: CompiledTool,
    nodes: list[Node],
    name: str,
    own: Ground | None,
    *,
    required: bool,
    fields: Mapping[str, Mark],
) -> Mark:
    """Gather what the host, the schema and the name of a field say about it."""
    views = _views(tool, nodes)
    marker = _keyword(nodes, MARKER)
    ground = own if own is not None or marker is None else Ground(marker)
    return Mark(
        ground=ground,
        kind=kind_of_field(name, next((view.format for view in views if view.format), "")),
        required=required,
        lookup=str(_keyword(nodes, LOOKUP) or ""),
        given=tuple(value for view in views for value in (*view.options, *view.default)),
        description=str(_keyword(nodes, "description") or ""),
        fields=fields,
    )


def _keyword(nodes: list[Node], key: str) -> Any:
    """Read a keyword that a field has itself, or that the elements of its list have."""
    for node in nodes:
        inner: Any = node
        while isinstance(inner, dict):
            if key in inner:
                return inner[key]
            inner = inner.get("items")
    return None


def _views(tool: CompiledTool, nodes: list[Node]) -> list[View]:
    """Look at nodes, at the elements of lists and at all alternatives, each once."""
    todo, seen, found = list(nodes), set[int](), list[View]()
    while todo:
        node = todo.pop(0)
        if id(node) in seen:
            continue
        seen.add(id(node))
        view = tool.view(node)
        found.append(view)
        todo += [*view.items, *view.prefix, *(inner for group in view.alternatives for inner in group)]
    return found


def leaves(arguments: Mapping[str, JSON], marks: Mark, spec: ToolSpec, policy: GroundingPolicy) -> list[Leaf]:
    """List the values of a call that are compared with what was said; unmarked ones of writes only."""
    if marks.ground is Ground.OFF:
        return []
    kinds = policy.kinds if spec.risk is not Risk.READ else frozenset[Kind]()
    return list(_leaves(dict(arguments), marks, None, (), kinds))


def _leaves(value: JSON, mark: Mark, inherited: Ground | None, path: Path, alive: frozenset[Kind]) -> Iterator[Leaf]:
    """Walk arguments along their marks; what holds for a field holds for all inside it that says nothing else."""
    ground = mark.ground or inherited
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, mark.fields.get(key, _UNMARKED), ground, (*path, key), alive)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, mark, ground, (*path, number), alive)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and ground is not Ground.OFF:
        if ground is not None:
            if value not in mark.given:
                yield Leaf(path, value, ground, True, mark)  # noqa: FBT003
        elif _is_recognised(value, mark, alive):
            yield Leaf(path, value, Ground.ANY, False, mark)  # noqa: FBT003


def _is_recognised(value: str | float, mark: Mark, alive: frozenset[Kind]) -> bool:
    """Tell whether a value of an unmarked field is of a kind that is checked."""
    if mark.kind is not None and is_of(mark.kind, value):
        return mark.kind in alive and value not in mark.given
    kind = kind_of_text(value) if isinstance(value, str) else None
    return kind in alive and value not in mark.given


class GroundingPolicyError(ValueError):
    """A grounding policy, or a marker in a schema, is wrong; the message names every entry, one a line."""


def validate(policy: GroundingPolicy, specs: Iterable[ToolSpec]) -> None:
    """Check every entry of a policy and every marker: tools and fields exist, and words are known.

    Raises:
        GroundingPolicyError: Something is wrong; with the nearest names where one doesn't exist.
        ToolSchemaError: A tool's schema can't be used.

    """
    tools = {spec.name: spec for spec in specs}
    problems = [f"{place}: {problem}" for place, problem in _problems(policy, tools)]
    if problems:
        raise GroundingPolicyError("\n".join(problems))


def _problems(policy: GroundingPolicy, tools: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    yield from (("without", _no_tool(name, tools)) for name in policy.without if name not in tools)
    for name, fields in policy.fields.items():
        place = f"fields[{name!r}]"
        if name not in tools:
            yield place, _no_tool(name, tools)
            continue
        for path in fields:
            yield from ((place, problem) for problem in _path_problems(path, tools[name]))
    for spec in tools.values():
        yield from ((f"tool {spec.name!r}", problem) for problem in _marker_problems(spec, policy, tools))


def _no_tool(name: str, tools: Iterable[str]) -> str:
    known = sorted(tools)
    near = code_list(nearest(name, known) or known[:20])
    return f"there is no tool {name!r}. " + (f"Use one of {near}." if near else "No tools are registered.")


def _path_problems(path: str, spec: ToolSpec) -> Iterator[str]:
    declared = declaration(spec, path)
    if not declared.named:
        near = code_list(nearest(path, declared.names) or sorted(declared.names)[:20])
        yield f"`{spec.name}` declares no field {path!r}." + (f" Use {near}." if near else "")


def _marker_problems(spec: ToolSpec, policy: GroundingPolicy, tools: Mapping[str, ToolSpec]) -> Iterator[str]:
    try:
        marks = marks_of(spec, policy)
    except ValueError as error:
        if "is not a valid Ground" not in str(error):
            raise
        words = code_list(ground.value for ground in Ground)
        yield f"its schema has an unknown word in `{MARKER}`: {error}. Use {words}."
        return
    for mark in _each(marks):
        if mark.lookup and mark.lookup not in tools:
            yield f"a field is looked up with {mark.lookup!r}, but " + _no_tool(mark.lookup, tools)


def _each(mark: Mark) -> Iterator[Mark]:
    for inner in mark.fields.values():
        yield inner
        yield from _each(inner)


def kind_of_field(name: str, format_name: str) -> Kind | None:
    """Recognise a field by the format of its schema, else by its name."""
    words = fold_words(name)
    named = next((kind for kind, pattern in _NAMES if pattern.search(words)), None)
    return _FORMATS.get(format_name, named)


def kind_of_text(text: str) -> Kind | None:
    """Recognise a text that as a whole is an e-mail address, an IBAN or an international telephone number."""
    if "@" in text:
        return Kind.EMAIL if _EMAIL.fullmatch(text.strip()) else None
    if not _SHORTEST_NUMBER <= len(text) <= _LONGEST_NUMBER:
        return None
    if text.lstrip().startswith("+"):
        return Kind.PHONE if _is_phone(text) else None
    return Kind.ACCOUNT if text[:2].isalpha() and is_iban(text) else None


def _is_phone(text: str) -> bool:
    """Check a number with its country code against the numbering plans of ITU-T E.164."""
    import phonenumbers  # noqa: PLC0415  # few processes ever see one

    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(text))
    except phonenumbers.NumberParseException:
        return False


def is_of(kind: Kind, value: JSON) -> bool:
    """Tell whether a value in a field of a kind really is of it, so that it can have been made up."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    if kind is Kind.AMOUNT:
        return not isinstance(value, str) and not abs(value) < _SMALLEST_AMOUNT
    if kind is Kind.EMAIL:
        return isinstance(value, str) and "@" in value
    text = str(value)
    return len(text) >= _SHORTEST_ID and sum(map(str.isdigit, text)) >= _FEWEST[kind]
