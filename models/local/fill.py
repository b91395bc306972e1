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

from reinforced_agent.models.local.choice import SMALL, words
from reinforced_agent.models.local.copying import STRENGTH, Copying, Habit, habits
from reinforced_agent.models.local.cursor import Cursor
from reinforced_agent.models.local.dates import iso_dates
from reinforced_agent.models.local.decode import Guidance, Objection, Wishes, write
from reinforced_agent.models.local.engine import Engine, Reading
from reinforced_agent.models.local.evidence import Evidence
from reinforced_agent.models.local.grammar import LONGEST, resolve, value_grammar, without_null
from reinforced_agent.models.local.prompt import Tool


HEEDED = Habit(2.0, 2.0)
"""Values that were proposed, and dates, count twice as much as the words of a field that is always copied."""
SAID_ONCE = Habit(0.8, 0.5)
"""The habit of fields without examples where the evidence expert has a say; chosen on development requests."""
DEPENDS = 2.0
"""Nats by which a request must raise the probability of an optional value; chosen on development requests."""
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
    evidence: Evidence | None = None
    """The evidence expert, where it has a say."""
    copies: bool = True
    """Whether the copying expert has a say."""

    @cached_property
    def habits(self) -> Mapping[str, Habit]:
        """How much each field is copied."""
        return habits(self.tool)

    def fill(self) -> Filled:
        """Write all fields in the order of the schema."""
        own, parts, arguments, tokens = self.engine.fork(self.asked), list[str](), dict[str, Any](), 0
        for name in self.evidence.order() if self.evidence else self.tool.properties:
            before = "{" + "".join(f"{part}, " for part in parts) + f"{json.dumps(name)}:"
            own, value = self._value(name, own, before)
            tokens += value.tokens
            if not value.complete:
                return Filled(arguments, before + value.text, tokens, complete=False)
            if value.kept:
                arguments[name] = json.loads(value.text)
                parts.append(f"{json.dumps(name)}:{value.text}")
                if self.evidence:
                    self.evidence.take(name, self._schema(name), value.text)
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
            if self.evidence and True in options and self.evidence.mentions(name):
                mentioned[" true"] += STRENGTH
            text, gain = max(mentioned.items(), key=lambda item: item[1])
            return own, _Value(text, kept=self._required(name) or gain >= DEPENDS)
        numbers = self._numbers(name, schema)
        value = self._write(name, schema, self.engine.fork(own))
        if numbers:
            stands = value.complete and not (self.evidence and self.evidence.misread(schema, value.text))
            value = self._likeliest(own, before, numbers, value if stands else replace(value, complete=False))
        if value.complete and not self._required(name):
            gain = self._gains(own, before, [value.text])[value.text]
            value = replace(value, kept=self._is_supported(name, value.text, raised=gain >= DEPENDS))
        return own, value

    def _numbers(self, name: str, schema: Mapping[str, Any]) -> dict[str, float]:
        numbers = self.evidence.numbers(name, schema) if self.evidence else {}
        refused = self.steering.refused.get(name, ())
        return {f" {text}": bonus for text, bonus in numbers.items() if json.loads(text) not in refused}

    def _likeliest(self, own: Reading, before: str, numbers: Mapping[str, float], value: _Value) -> _Value:
        """Return the best of the numbers of the request and the value that was written without them."""
        texts = list(dict.fromkeys([*numbers, *([value.text] if value.complete else [])]))
        start = len(self.engine.encode(before))
        rows = [self.engine.encode(f"{before}{text}}}")[start:] for text in texts]
        odds = self.engine.log_probabilities(own, rows)
        total = {text: odd + numbers.get(text, 0.0) for text, odd in zip(texts, odds, strict=True)}
        return _Value(max(total, key=lambda text: total[text]), value.tokens)

    def _is_supported(self, name: str, text: str, *, raised: bool) -> bool:
        if self.evidence:
            return self.evidence.supports(name, self._schema(name), text, raised=raised)
        return raised and self._is_grounded(name, text)

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
        # In steps, so that requests of about one length share their grammars.
        longest = min(LONGEST, 50 * (1 + (len(self.request) + 20) // 50))
        sources, dated = self._sources(name, schema), is_date(schema)
        # A date that stands in the text is read more reliably by rule than by a small model.
        heeded = bool(self.steering.quoted.get(name)) or (dated and any(map(iso_dates, sources)))
        usual = SAID_ONCE if self.evidence else Habit()
        copying = Copying(sources, HEEDED if heeded else self.habits.get(name, usual), dated)
        grammar = value_grammar(schema, self.tool.parameters, longest)
        guidance = Guidance(grammar, objects=self._objects(name))
        if self.copies or heeded:
            guidance = replace(guidance, wishes=self._wishes(name, copying))
        written = write(self.engine, own, guidance, MOST_TOKENS)
        if not written.complete:
            return _Value(written.text, written.tokens, complete=False)
        text = _without_additions(written.text[:-1], sources) if self.copies else written.text[:-1]
        return _Value(self.evidence.prune(text) if self.evidence else text, written.tokens)

    def _wishes(self, name: str, copying: Copying) -> Wishes:
        """Return the wishes of the copying expert, those near the words of the field raised by the evidence expert."""
        evidence = self.evidence
        if evidence is None:
            return copying.wishes

        def wishes(cursor: Cursor) -> Mapping[str, float]:
            found = copying.wishes(cursor)
            return found if cursor.value else evidence.nearby(name, found)

        return wishes

    def _sources(self, name: str, schema: Mapping[str, Any]) -> Sequence[str]:
        """Return what a field may be copied from: quoted values, else the request and what went before."""
        if quoted := self.steering.quoted.get(name):
            return quoted
        sources = [*self.steering.hints.get(name, [self.evidence.left() if self.evidence else self.request])]
        if name in self.earlier and not (is_date(schema) and iso_dates(self.request)):
            sources.append(str(self.earlier[name]))
        return sources

    def _objects(self, name: str) -> Objection:
        """Return the objection to writing a refused value again, or going on from it without a model to copy."""
        refused = [json.dumps(value, ensure_ascii=False) for value in self.steering.refused.get(name, ())]
        used = [json.dumps(text, ensure_ascii=False) for text in (self.evidence.used_up() if self.evidence else ())]
        sources = " ".join([*self.steering.quoted.get(name, ()), *self.steering.hints.get(name, ())])

        def objects(cursor: Cursor, text: str) -> bool:
            new = (cursor.text + text).strip()
            longer = any(new.startswith(value.removesuffix('"')) for value in refused)
            return new.rstrip(",}") in [*refused, *used] or (longer and new.strip('",}') not in sources)

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
