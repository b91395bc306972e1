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

from reinforced_agent.models.local.choice import SMALL, normalise, words
from reinforced_agent.models.local.copying import STRENGTH, Copying, Habit, habits
from reinforced_agent.models.local.cursor import Cursor
from reinforced_agent.models.local.dates import iso_dates
from reinforced_agent.models.local.decode import Guidance, Objection, Wishes, write
from reinforced_agent.models.local.engine import Engine, Reading
from reinforced_agent.models.local.evidence import Evidence
from reinforced_agent.models.local.filled import Alternative, Filled, Steering, Value
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
    several: bool = False
    """Whether to note what might stand there instead."""

    @cached_property
    def habits(self) -> Mapping[str, Habit]:
        """How much each field is copied."""
        return habits(self.tool)

    def fill(self) -> Filled:
        """Write all fields in the order of the schema."""
        own, parts, arguments, found = self.engine.fork(self.asked), list[str](), dict[str, Any](), Filled({}, "", 0)
        for name in self.evidence.order() if self.evidence else self.tool.properties:
            before = "{" + "".join(f"{part}, " for part in parts) + f"{json.dumps(name)}:"
            own, value = self._value(name, own, before)
            found = _with(found, name, value)
            if not value.complete:
                return replace(found, arguments=arguments, text=before + value.text, complete=False)
            if value.kept:
                arguments[name] = json.loads(value.text)
                parts.append(f"{json.dumps(name)}:{value.text}")
                if self.evidence:
                    self.evidence.take(name, self._schema(name), value.text)
        return replace(found, arguments=arguments, text="{" + ", ".join(parts) + "}")

    def _value(self, name: str, own: Reading, before: str) -> tuple[Reading, Value]:
        if name in self.steering.fixed:
            return own, Value(f" {json.dumps(self.steering.fixed[name], ensure_ascii=False)}")
        if name in self.steering.left_out:
            return own, Value("", kept=False)
        schema = self._schema(name)
        own = self.engine.move(own, [*self.asked.tokens, *self.engine.encode(before)])
        options = [option for option in choices(schema) if option not in self.steering.refused.get(name, ())]
        if options:
            return own, self._chosen(name, own, before, options)
        numbers = self._numbers(name, schema)
        if not numbers and self.evidence and self.evidence.is_unsaid(name, schema):
            return own, Value("", kept=False)
        value = self._write(name, schema, self.engine.fork(own))
        if spans := self._spans(name, schema, value):
            value = self._likeliest(own, before, spans, value)
        if numbers:
            stands = value.complete and not (self.evidence and self.evidence.misread(schema, value.text))
            value = self._likeliest(own, before, numbers, value if stands else replace(value, complete=False))
        if value.complete and not self._required(name):
            value = replace(value, kept=self._is_kept(name, own, before, value.text))
        return own, value

    def _is_kept(self, name: str, own: Reading, before: str, text: str) -> bool:
        """Tell whether an optional value stays; the model is asked only where its opinion decides."""
        with_it, without = (self._is_supported(name, text, raised=raised) for raised in (True, False))
        return with_it and (without or self._gains(own, before, [text])[text] >= DEPENDS)

    def _chosen(self, name: str, own: Reading, before: str, options: Sequence[Any]) -> Value:
        """Choose out of a list; an optional one only if the request speaks for it."""
        gains = self._gains(own, before, [f" {json.dumps(option, ensure_ascii=False)}" for option in options])
        said = words(self.request)
        mentioned = {text: gain + STRENGTH * (words(text) <= said) for text, gain in gains.items()}
        if self.evidence and True in options and self.evidence.mentions(name):
            mentioned[" true"] += STRENGTH
        best = max(mentioned, key=lambda text: mentioned[text])
        return replace(_best_of(mentioned), kept=self._required(name) or mentioned[best] >= DEPENDS)

    def _numbers(self, name: str, schema: Mapping[str, Any]) -> dict[str, float]:
        numbers = self.evidence.numbers(name, schema) if self.evidence else {}
        refused = self.steering.refused.get(name, ())
        return {f" {text}": bonus for text, bonus in numbers.items() if json.loads(text) not in refused}

    def _spans(self, name: str, schema: Mapping[str, Any], value: Value) -> dict[str, float]:
        """Return what the request says in place of an invented text or list, with the bonus of what is copied."""
        if not self.evidence or not value.complete or is_date(schema):
            return {}
        written, refused = json.loads(value.text), self.steering.refused.get(name, ())
        said: Sequence[Any] = ()
        if isinstance(written, str) and not self.evidence.says(written):
            said = self.evidence.spans()
        elif isinstance(written, list) and _is_list_of_texts(schema):
            said = self.evidence.enumerations()
        found = {f" {json.dumps(span, ensure_ascii=False)}": STRENGTH for span in said if span not in refused}
        return {**found, value.text: STRENGTH} if found and self.evidence.has_all(written) else found

    def _likeliest(self, own: Reading, before: str, numbers: Mapping[str, float], value: Value) -> Value:
        """Return the best of what the request says and the value that was written without it."""
        texts = list(dict.fromkeys([*numbers, *([value.text] if value.complete else [])]))
        start = len(self.engine.encode(before))
        rows = [self.engine.encode(f"{before}{text}}}")[start:] for text in texts]
        odds = self.engine.log_probabilities(own, rows)
        total = {text: odd + numbers.get(text, 0.0) for text, odd in zip(texts, odds, strict=True)}
        return replace(_best_of(total), tokens=value.tokens)

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

    def _write(self, name: str, schema: Mapping[str, Any], own: Reading) -> Value:
        # In steps, so that requests of about one length share their grammars.
        longest = min(LONGEST, 50 * (1 + (len(self.request) + 20) // 50))
        sources, dated = self._sources(name, schema), is_date(schema)
        # A date that stands in the text is read more reliably by rule than by a small model.
        heeded = bool(self.steering.quoted.get(name)) or (dated and any(map(iso_dates, sources)))
        usual = SAID_ONCE if self.evidence else Habit()
        copying = Copying(sources, HEEDED if heeded else self.habits.get(name, usual), dated)
        grammar = value_grammar(schema, self.tool.parameters, longest)
        guidance = Guidance(grammar, objects=self._objects(name), branches=self.several)
        if self.copies or heeded:
            guidance = replace(guidance, wishes=self._wishes(name, copying))
        written = write(self.engine, own, guidance, MOST_TOKENS, self.steering.begun.get(name, ()))
        value = Value(written.text, written.tokens, written.complete, log_p=written.log_p, branches=written.branches)
        if not written.complete:
            unlooped = _unlooped(written.text)
            return replace(value, text=unlooped, complete=True, branches=()) if unlooped else value
        text = _without_additions(written.text[:-1], sources) if self.copies else written.text[:-1]
        return replace(value, text=self.evidence.prune(text) if self.evidence else text)

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


def _best_of(scores: Mapping[str, float]) -> Value:
    """Return the best of several values, with the others behind it."""
    odds = normalise(scores)
    best, *others = sorted(odds, key=lambda text: -odds[text])
    return Value(best, log_p=odds[best], others={text: odds[text] for text in others})


def _with(found: Filled, name: str, value: Value) -> Filled:
    """Note the probability of one more value, and of those that might have stood in its place."""
    so_far = sum(found.log_p.values())
    others = [Alternative(name, so_far + odd, text=text) for text, odd in value.others.items()]
    others += [Alternative(name, so_far + branch.log_p, begin=branch.tokens) for branch in value.branches]
    chosen = {} if value.log_p is None or not value.kept else {name: value.log_p}
    return replace(
        found,
        tokens=found.tokens + value.tokens,
        order=(*found.order, name),
        log_p={**found.log_p, **chosen},
        alternatives=(*found.alternatives, *(others if value.kept else ())),
    )


def _without_additions(text: str, sources: Sequence[str]) -> str:
    """Drop later sentences of a text that bring words which nobody said; the first one stays as it is."""
    if not text.strip().startswith('"'):
        return text
    first, *more = re.split(r"(?<=[.!?])\s+", json.loads(text))
    said = words(" ".join(sources)) | SMALL
    kept = [sentence for sentence in more if words(sentence) <= said]
    return f" {json.dumps(' '.join([first, *kept]), ensure_ascii=False)}" if len(kept) < len(more) else text


def _unlooped(text: str) -> str:
    """Return a list of texts that went in circles until the tokens ran out, each once; empty if it is none."""
    items = re.findall(r'(?<!\\)"(?:[^"\\]++|\\.)*+"', text) if text.startswith(" [") and "{" not in text else []
    distinct = list(dict.fromkeys(items))
    return f" [{', '.join(distinct)}]" if 0 < len(distinct) < len(items) else ""


def choices(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values that a schema lists, empty if it is open."""
    if schema.get("type") == "boolean":
        return [True, False]
    return list(schema.get("enum") or ())


def _is_list_of_texts(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items")
    return isinstance(items, Mapping) and items.get("type") == "string" and "enum" not in items


def is_date(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema asks for a date as YYYY-MM-DD."""
    return schema.get("format") == "date"
