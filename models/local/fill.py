"""Fill in the arguments of one tool, field by field, each masked by its own grammar.

An optional field is kept only if its value depends on the request, and a value out of a list is chosen by how much the
request raises its probability. Both are contextual calibration: the same prompt with "N/A" in place of the request
shows what the model would say anyway (Zhao et al. 2021, "Calibrate Before Use").
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from reinforced_agent.models.local.choice import words
from reinforced_agent.models.local.copying import STRENGTH, Copying, Habit, habits
from reinforced_agent.models.local.cursor import Cursor
from reinforced_agent.models.local.dates import iso_dates
from reinforced_agent.models.local.decode import Guidance, Objection, write
from reinforced_agent.models.local.engine import Engine, Reading
from reinforced_agent.models.local.grammar import LONGEST, resolve, value_grammar, without_null
from reinforced_agent.models.local.prompt import Tool


HEEDED = Habit(2.0, 2.0)
"""Values that were proposed, and dates, count twice as much as the words of a field that is always copied."""
DEPENDS = 2.0
"""Nats by which a request must raise the probability of an optional value; chosen on development requests."""
SMALL = frozenset(
    {"a", "an", "and", "are", "at", "be", "by", "for", "from", "has", "in", "is", "it", "of", "the", "to"}
)
"""Words that add nothing of their own."""
MOST_TOKENS = 120
"""Tokens of one value at most."""


@dataclass(frozen=True)
class Steering:
    """What is known about the arguments beside the request."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Values that stand, by field."""
    refused: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Values that must not come again, by field."""
    quoted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Values that were proposed for a field."""
    hints: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Texts that a field should be copied from instead of the request."""
    left_out: frozenset[str] = frozenset()
    """Optional fields that stay out."""


@dataclass(frozen=True)
class Filled:
    """Arguments that were written."""

    arguments: dict[str, Any]
    text: str
    """The same as JSON, cut where the tokens ran out."""
    tokens: int
    complete: bool


@dataclass(frozen=True)
class _Value:
    """One value as it was written, with the blank before it."""

    text: str
    tokens: int = 0
    complete: bool = True
    kept: bool = True


@dataclass
class Form:
    """The arguments of one call on their way."""

    engine: Engine
    tool: Tool
    request: str
    asked: Reading
    """The prompt up to where the arguments begin."""
    blank: Callable[[], Reading]
    """The same prompt with "N/A" as the request."""
    steering: Steering = field(default_factory=Steering)
    earlier: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the newest earlier call, which a follow-up may leave unsaid."""

    @cached_property
    def habits(self) -> Mapping[str, Habit]:
        """How much each field is copied."""
        return habits(self.tool)

    def fill(self) -> Filled:
        """Write all fields in the order of the schema."""
        own, parts, arguments, tokens = self.engine.fork(self.asked), list[str](), dict[str, Any](), 0
        for name in self.tool.properties:
            before = "{" + "".join(f"{part}, " for part in parts) + f"{json.dumps(name)}:"
            own, value = self._value(name, own, before)
            tokens += value.tokens
            if not value.complete:
                return Filled(arguments, before + value.text, tokens, complete=False)
            if value.kept:
                arguments[name] = json.loads(value.text)
                parts.append(f"{json.dumps(name)}:{value.text}")
        return Filled(arguments, "{" + ", ".join(parts) + "}", tokens, complete=True)

    def _value(self, name: str, own: Reading, before: str) -> tuple[Reading, _Value]:
        if name in self.steering.fixed:
            return own, _Value(f" {json.dumps(self.steering.fixed[name], ensure_ascii=False)}")
        if name in self.steering.left_out:
            return own, _Value("", kept=False)
        schema = self._schema(name)
        own = self.engine.move(own, [*self.asked.tokens, *self.engine.encode(before)])
        options = [option for option in choices(schema) if option not in self.steering.refused.get(name, ())]
        if options:
            gains = self._gains(own, before, [f" {json.dumps(option, ensure_ascii=False)}" for option in options])
            said = words(self.request)
            mentioned = {text: gain + STRENGTH * (words(text) <= said) for text, gain in gains.items()}
            text, gain = max(mentioned.items(), key=lambda item: item[1])
            return own, _Value(text, kept=self._required(name) or gain >= DEPENDS)
        value = self._write(name, schema, self.engine.fork(own))
        if value.complete and not self._required(name):
            gain = self._gains(own, before, [value.text])[value.text]
            value = replace(value, kept=gain >= DEPENDS and self._is_grounded(name, value.text))
        return own, value

    def _is_grounded(self, name: str, text: str) -> bool:
        """Tell whether an optional text shares a word with what it may be taken from; an invented one stays out."""
        told = words(" ".join([self.request, *self._sources(name, {})]))
        return not text.strip().startswith('"') or bool(words(text) & told)

    def _schema(self, name: str) -> Mapping[str, Any]:
        schema: Any = self.tool.properties[name]
        if isinstance(schema, Mapping) and "$ref" in schema:
            schema = resolve(str(schema["$ref"]), self.tool.parameters)
        if not self._required(name):
            schema = without_null(schema)
        if isinstance(schema, Mapping) and len(schema.get("anyOf") or ()) == 1:
            schema = schema["anyOf"][0]
        return schema if isinstance(schema, Mapping) else {}

    def _required(self, name: str) -> bool:
        return name in (self.tool.parameters.get("required") or ())

    def _gains(self, own: Reading, before: str, values: Sequence[str]) -> dict[str, float]:
        """Return by how many nats the request raises the probability of each value."""
        blank = self.blank()
        start = self.engine.encode(before)
        rows = [self.engine.encode(f"{before}{value}}}")[len(start) :] for value in values]
        said = self.engine.log_probabilities(own, rows)
        anyway = self.engine.log_probabilities(self.engine.read(start, blank), rows)
        return {value: here - there for value, here, there in zip(values, said, anyway, strict=True)}

    def _write(self, name: str, schema: Mapping[str, Any], own: Reading) -> _Value:
        longest = min(LONGEST, max(40, len(self.request) + 20))
        sources, dated = self._sources(name, schema), is_date(schema)
        # A date that stands in the text is read more reliably by rule than by a small model.
        heeded = bool(self.steering.quoted.get(name)) or (dated and any(map(iso_dates, sources)))
        copying = Copying(sources, HEEDED if heeded else self.habits.get(name, Habit()), dated)
        guidance = Guidance(value_grammar(schema, self.tool.parameters, longest), copying.wishes, self._objects(name))
        written = write(self.engine, own, guidance, MOST_TOKENS)
        if not written.complete:
            return _Value(written.text, written.tokens, complete=False)
        return _Value(_without_additions(written.text[:-1], sources), written.tokens)

    def _sources(self, name: str, schema: Mapping[str, Any]) -> Sequence[str]:
        """Return what a field may be copied from: quoted values, else the request and what went before."""
        if quoted := self.steering.quoted.get(name):
            return quoted
        sources = [*self.steering.hints.get(name, [self.request])]
        if name in self.earlier and not (is_date(schema) and iso_dates(self.request)):
            sources.append(str(self.earlier[name]))
        return sources

    def _objects(self, name: str) -> Objection:
        """Return the objection to writing a refused value again, or going on from it without a model to copy."""
        refused = [json.dumps(value, ensure_ascii=False) for value in self.steering.refused.get(name, ())]
        sources = " ".join([*self.steering.quoted.get(name, ()), *self.steering.hints.get(name, ())])

        def objects(cursor: Cursor, text: str) -> bool:
            new = (cursor.text + text).strip()
            longer = any(new.startswith(value.removesuffix('"')) for value in refused)
            return new.rstrip(",}") in refused or (longer and new.strip('",}') not in sources)

        return objects


def _without_additions(text: str, sources: Sequence[str]) -> str:
    """Drop later sentences of a text that bring words which nobody said; the first one stays as it is."""
    if not text.strip().startswith('"'):
        return text
    first, *more = re.split(r"(?<=[.!?])\s+", json.loads(text))
    said = words(" ".join(sources)) | SMALL
    kept = [sentence for sentence in more if words(sentence) <= said]
    return f" {json.dumps(' '.join([first, *kept]), ensure_ascii=False)}" if len(kept) < len(more) else text


def choices(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values that a schema lists, empty if it is open."""
    if schema.get("type") == "boolean":
        return [True, False]
    return list(schema.get("enum") or ())


def is_date(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema asks for a date as YYYY-MM-DD."""
    return schema.get("format") == "date"
