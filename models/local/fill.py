"""Fill in the arguments of one tool, field by field, each masked by its own grammar.

An optional field is kept only if its value depends on the request, and a value out of a list is chosen by how much the
request raises its probability. Both are contextual calibration: the same prompt with "N/A" in place of the request
shows what the model would say anyway (Zhao et al. 2021, "Calibrate Before Use").
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reinforced_agent.models.local.choice import words
from reinforced_agent.models.local.copying import STRENGTH, Copying, iso_dates, spans
from reinforced_agent.models.local.decode import Cursor, Guidance, Objection, write
from reinforced_agent.models.local.engine import Engine, Reading
from reinforced_agent.models.local.grammar import LONGEST, resolve, value_grammar, without_null
from reinforced_agent.models.local.prompt import Tool


HEEDED, UNKNOWN, SHOWN = 2.0, 0.8, 0.5
"""How much copying counts: of proposed values and dates, in tools without examples, and in those with examples."""
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
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Texts that a field is copied from instead of the request: values that were proposed, or the rest of it."""
    left_out: frozenset[str] = frozenset()
    """Optional fields that stay out."""


@dataclass(frozen=True)
class Filled:
    """Arguments that were written."""

    arguments: dict[str, Any]
    text: str
    """The same as JSON, cut where the tokens ran out."""
    tokens: int
    complete: bool = True


@dataclass(frozen=True)
class Value:
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
    """Arguments of the newest earlier call of the tool, which a follow-up may leave unsaid."""

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
        return Filled(arguments, "{" + ", ".join(parts) + "}", tokens)

    def _value(self, name: str, own: Reading, before: str) -> tuple[Reading, Value]:
        if name in self.steering.fixed:
            return own, Value(_json(self.steering.fixed[name]))
        if name in self.steering.left_out:
            return own, Value("", kept=False)
        schema, refused = self._schema(name), self.steering.refused.get(name, ())
        own = self.engine.move(own, [*self.asked.tokens, *self.engine.encode(before)])
        if options := [option for option in choices(schema) if option not in refused]:
            return own, self._chosen(name, own, before, options)
        value = self._write(name, schema, self.engine.fork(own))
        if said := [one for one in self._said(schema, value) if one not in refused]:
            value = self._likeliest(own, before, said, value)
        if value.complete and not self._required(name):
            value = replace(value, kept=self._is_kept(name, own, before, value.text))
        return own, value

    def _said(self, schema: Mapping[str, Any], value: Value) -> Sequence[str]:
        """Return what the request says that stands in for a text without any word of it, in tools without examples."""
        written = json.loads(value.text) if value.complete else ""
        if (
            self.tool.examples
            or schema.get("format") == "date"
            or not isinstance(written, str)
            or words(written) & words(self.request)
        ):
            return ()
        return spans(self.request) if schema.get("type") == "string" else ()

    def _likeliest(self, own: Reading, before: str, said: Sequence[Any], value: Value) -> Value:
        """Return the best of what the request says and the value that was written without it."""
        bonus = {_json(one): STRENGTH for one in said}
        texts = list(dict.fromkeys([*bonus, *([value.text] if value.complete else [])]))
        odds = self.engine.log_probabilities(own, self._rows(before, texts))
        total = {text: odd + bonus.get(text, 0.0) for text, odd in zip(texts, odds, strict=True)}
        return Value(max(total, key=lambda text: total[text]), value.tokens)

    def _chosen(self, name: str, own: Reading, before: str, options: Sequence[Any]) -> Value:
        """Choose out of a list; an optional one only if the request speaks for it."""
        gains, said = self._gains(own, before, [_json(option) for option in options]), words(self.request)
        mentioned = {text: gain + STRENGTH * (words(text) <= said) for text, gain in gains.items()}
        best = max(mentioned, key=lambda text: mentioned[text])
        return Value(best, kept=self._required(name) or mentioned[best] >= DEPENDS)

    def _is_kept(self, name: str, own: Reading, before: str, text: str) -> bool:
        """Tell whether an optional value stays: it is grounded, and the request speaks for it."""
        told = words(" ".join([self.request, *self._sources(name)]))
        grounded = bool(words(text) & told) or not text.strip().startswith('"')
        return grounded and self._gains(own, before, [text])[text] >= DEPENDS

    def _gains(self, own: Reading, before: str, values: Sequence[str]) -> dict[str, float]:
        """Return by how many nats the request raises the probability of each value."""
        blank, rows = self.blank(), self._rows(before, values)
        said = self.engine.log_probabilities(own, rows)
        anyway = self.engine.log_probabilities(self.engine.read(self.engine.encode(before), blank), rows)
        return {value: here - there for value, here, there in zip(values, said, anyway, strict=True)}

    def _rows(self, before: str, values: Sequence[str]) -> list[list[int]]:
        start = len(self.engine.encode(before))
        return [self.engine.encode(f"{before}{value}}}")[start:] for value in values]

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

    def _write(self, name: str, schema: Mapping[str, Any], own: Reading) -> Value:
        # In steps, so that requests of about one length share their grammars.
        longest = min(LONGEST, 50 * (1 + (len(self.request) + 20) // 50))
        sources, dated = self._sources(name), schema.get("format") == "date"
        # A date that stands in the text is read more reliably by rule than by a small model.
        heeded = name in self.steering.sources or (dated and any(map(iso_dates, sources)))
        weight = HEEDED if heeded else SHOWN if self.tool.examples else UNKNOWN
        grammar = value_grammar(schema, self.tool.parameters, longest)
        guidance = Guidance(grammar, Copying(sources, dated, weight).wishes, self._objects(name))
        written = write(self.engine, own, guidance, MOST_TOKENS)
        return Value(written.text[:-1] if written.complete else written.text, written.tokens, written.complete)

    def _sources(self, name: str) -> Sequence[str]:
        """Return what a field may be copied from: what feedback leaves, else the request and what went before."""
        earlier = [str(self.earlier[name])] if name in self.earlier and not iso_dates(self.request) else []
        return self.steering.sources.get(name) or [self.request, *earlier]

    def _objects(self, name: str) -> Objection:
        """Return the objection to writing a refused value again, or going on from it without a text to copy."""
        refused = [json.dumps(value, ensure_ascii=False) for value in self.steering.refused.get(name, ())]
        sources = " ".join(self.steering.sources.get(name, ()))

        def objects(cursor: Cursor, text: str) -> bool:
            new = (cursor.text + text).strip()
            longer = any(new.startswith(value.removesuffix('"')) for value in refused)
            return new.rstrip(",}") in refused or (longer and new.strip('",}') not in sources)

        return objects


def _json(value: Any) -> str:
    return f" {json.dumps(value, ensure_ascii=False)}"


def choices(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values that a schema lists, empty if it is open."""
    return [True, False] if schema.get("type") == "boolean" else list(schema.get("enum") or ())
