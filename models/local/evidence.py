"""The evidence expert: what a request says is likelier in a call than what it does not, and is used once.

For tools without examples: there nothing else tells which fields are copied. It proposes the numbers of the request for
numeric fields, near words of the field first, keeps the places that another field has taken from being taken again, and
leaves optional fields out that nothing of the request speaks for.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from reinforced_agent.models.local.choice import SMALL, words
from reinforced_agent.models.local.naming import MOST_WORDS, enumerations, names
from reinforced_agent.models.local.numbers import Nearness, Stated, stated_lists, stated_numbers
from reinforced_agent.models.local.prompt import Tool


SAID = 4.0
"""Natural-log bonus of a number that the request says; chosen on development requests."""
NEAR = 2.0
"""Nats for one word of the field beside the number; chosen on development requests."""
NEAR_TEXT = 1.5
"""The same for the beginning of a text."""
FIRST = 0.5
"""Nats that a number gains on the next one for standing first."""
IN_TURN = 2.0
"""The same for fields that differ by a number, as point1 and point2: they are said in turn."""
NEAR_ENOUGH = 0.5
"""Nearness from which an optional number is kept."""
NEAR_IF_RAISED = 0.2
"""The same where the request raises its probability."""
_SWITCHES = words("include including included is has have get want show with use enable return")
_NEGATIONS = frozenset({"no", "not", "without", "don", "exclude", "never"})
_NUMERIC = ("integer", "number")
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\w)", re.IGNORECASE)
_PREPOSITION = re.compile(r"^(?i:about|at|by|for|from|in|near|of|on|to|with)\s+(?=[A-Z])")
_DAY = re.compile(r"(?<=\w)\s+\d{1,4}([-/.])\d{1,2}\1\d{1,4}$")
_ROUTE = re.compile(r"[A-Z](?=[\w.' -]*+\Z)[\w.' -]*? to [A-Z][\w.' -]*+")
_ORDINAL = re.compile(r"(?<=[a-z_])\d+$|^first_|^second_|^third_|_first$|_second$|_third$")


def _is_numeric(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") in _NUMERIC


def _is_text(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "string"


def _begins(word: str, text: str) -> bool:
    return bool(text) and (word.startswith(text) or text.startswith(word))


@dataclass
class Evidence:
    """What a request says for the fields of one call, and what of it was used."""

    request: str
    tool: Tool
    _taken: list[Stated] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)

    def order(self) -> list[str]:
        """Return the required fields before the optional ones, which get what is left, and numbers before texts."""
        fields = self.tool.properties
        return sorted(fields, key=lambda name: (name not in self._required, not _is_numeric(fields[name])))

    def numbers(self, name: str, schema: Mapping[str, Any]) -> dict[str, float]:
        """Return the JSON of the unused numbers that fit a numeric field, each with its bonus in nats."""
        kind, about = str(schema.get("type")), str(schema.get("description") or "")
        items = schema.get("items")
        if kind == "array" and isinstance(items, Mapping) and items.get("type") in _NUMERIC:
            found = [(self._list(place, str(items["type"])), place) for place in self._free(self._lists)]
        elif kind in _NUMERIC:
            found = [(place.written(kind, about) or "", place) for place in self._eligible()]
        else:
            return {}
        places = {text: place for text, place in reversed(found) if text}
        ranked = sorted(places, key=lambda text: places[text].start)
        others, later = self._others(name), IN_TURN if self._is_one_of_several(name) else FIRST
        return {
            text: SAID + NEAR * self._nearness.margin(name, places[text], others) - later * rank
            for rank, text in enumerate(ranked)
        }

    def is_unsaid(self, name: str, schema: Mapping[str, Any]) -> bool:
        """Tell whether an optional number would stay out whatever it is, since the request has none left that fits."""
        return name not in self._required and _is_numeric(schema) and not self.numbers(name, schema)

    def _is_one_of_several(self, name: str) -> bool:
        """Tell whether a field differs from another one by an ordinal alone."""
        bare = _ORDINAL.sub("", name)
        return bare != name and any(other != name and _ORDINAL.sub("", other) == bare for other in self.tool.properties)

    def _eligible(self) -> list[Stated]:
        """Return the unused numbers, those in letters only where those in digits are too few."""
        free = self._free(self._numbers)
        digits = [one for one in free if not one.spelt]
        needed = sum(_is_numeric(self.tool.properties.get(name)) for name in self._required)
        return digits if len([one for one in self._numbers if not one.spelt]) >= needed and digits else free

    def mentions(self, name: str) -> bool:
        """Tell whether the request says all words of a yes-or-no field, and no "no"."""
        said, asked = words(self.request), words(name) - SMALL - _SWITCHES
        return bool(asked) and asked <= said and not said & _NEGATIONS

    def misread(self, schema: Mapping[str, Any], text: str) -> bool:
        """Tell whether a number is the digits of what the request says and not its value, as 5 is of 5%."""
        value, kind, about = json.loads(text), str(schema.get("type")), str(schema.get("description") or "")
        return any(one.value == value and one.written(kind, about) != text.strip() for one in self._numbers)

    def nearby(self, name: str, wishes: Mapping[str, float]) -> dict[str, float]:
        """Raise the wish for beginning a text with words that stand near those of its field."""
        near = [(word.lower(), bonus) for word, bonus in self._words_near(name) if bonus]
        return {
            text: bonus + max((more for word, more in near if _begins(word, text.lower())), default=0.0)
            for text, bonus in wishes.items()
        }

    def _words_near(self, name: str) -> list[tuple[str, float]]:
        return [
            (match[0], NEAR_TEXT * min(1.0, self._nearness.of(name, Stated(None, match.start(), match.end()))))
            for match in re.finditer(r"\w+", self.request)
            if not words(match[0]) & words(name)
        ]

    def take(self, name: str, schema: Mapping[str, Any], text: str) -> None:
        """Note that a field has this value, as JSON."""
        value = json.loads(text)
        if isinstance(value, str):
            self._texts.append(value)
            return
        if place := self._place(name, schema, text.strip()):
            self._taken.append(place)

    def left(self) -> str:
        """Return the request without the texts that were used."""
        left = self.request
        for used in self._taken:
            left = left[: used.start] + "|" * (used.end - used.start) + left[used.end :]
        for text in self._texts:
            left = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", "|", left, count=1, flags=re.IGNORECASE)
        return left

    def says(self, text: str) -> bool:
        """Tell whether the request has any word of a text."""
        return bool(words(text) & words(self.request))

    def has_all(self, value: Any) -> bool:
        """Tell whether the request has every item of a list."""
        return isinstance(value, list) and all(str(item).lower() in self.request.lower() for item in value)

    def spans(self) -> list[str]:
        """Return the names of the request that were not used."""
        return names(self.left())

    def enumerations(self) -> list[list[str]]:
        """Return what the request may enumerate."""
        return enumerations(self.left())

    def used_up(self) -> list[str]:
        """Return the texts that the request says no more often than they were used."""
        left = self.left().lower()
        return [text for text in self._texts if text.lower() not in left]

    def supports(self, name: str, schema: Mapping[str, Any], text: str, *, raised: bool) -> bool:
        """Tell whether the value of an optional field is kept.

        Args:
            name: of the field.
            schema: of the field.
            text: the value as JSON.
            raised: whether the request raises the probability of the value enough.
        """
        value = json.loads(text)
        if "default" in schema and value == schema["default"]:
            return False
        if isinstance(value, bool):
            return raised or (value and self.mentions(name))
        if place := self._place(name, schema, text.strip()):
            nearness = self._nearness.of(name, place)
            return nearness >= NEAR_ENOUGH or (raised and nearness >= NEAR_IF_RAISED)
        if isinstance(value, str | list) and value:
            said = words(self.left()) - SMALL
            spoken_for = bool((words(name) - SMALL) & words(self.request))
            return (raised or spoken_for) and bool(words(json.dumps(value)) & said)
        return False

    def prune(self, text: str) -> str:
        """Return a text without its article, a list without repetitions and, if any of it was said, only what was."""
        value = json.loads(text)
        if isinstance(value, str):
            bare = self._bare(value)
            return f" {json.dumps(bare, ensure_ascii=False)}" if bare != value else text
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return text
        distinct = [item for item in dict.fromkeys(value) if words(item)] or value
        said = words(self.request)
        kept = [item for item in distinct if words(item) - SMALL and words(item) - SMALL <= said]
        kept = kept or [item for item in distinct if (words(item) - SMALL) & said] or distinct
        return f" {json.dumps(kept, ensure_ascii=False)}" if len(kept) < len(value) else text

    def _bare(self, value: str) -> str:
        """Return a short text without the small words that lead to it in the request: "to Rome" is Rome."""
        value = _DAY.sub("", value)
        value = value.split(" to ")[0] if self._is_part_of_route(value) else value
        if len(value.split()) > MOST_WORDS:
            return value
        for pattern in (_PREPOSITION, _ARTICLE):
            bare = pattern.sub("", value)
            lead = value[: len(value) - len(bare)].lower()
            # Only as it was said in small letters: The Hague and On the Road begin with such a word.
            value = bare if f"{lead}{bare}" in self.request else value
        return value

    def _is_part_of_route(self, value: str) -> bool:
        """Tell whether a text says where from and where to, though there are several texts to say."""
        texts = [name for name in self._required if _is_text(self.tool.properties.get(name))]
        return len(texts) > 1 and bool(_ROUTE.fullmatch(value))

    def _place(self, name: str, schema: Mapping[str, Any], text: str) -> Stated | None:
        kind, about = str(schema.get("type")), str(schema.get("description") or "")
        items = schema.get("items")
        if isinstance(items, Mapping):
            lists = self._free(self._lists)
            return next((one for one in lists if self._list(one, str(items.get("type"))) == text), None)
        found = [one for one in self._free(self._numbers) if one.written(kind, about) == text]
        return max(found, key=lambda one: self._nearness.of(name, one), default=None)

    def _list(self, place: Stated, kind: str) -> str:
        parts = [Stated(value, place.start, place.end).written(kind, "") for value in place.value]
        return f"[{', '.join(part for part in parts if part)}]"

    def _free(self, places: Sequence[Stated]) -> list[Stated]:
        return [one for one in places if all(one.end <= used.start or used.end <= one.start for used in self._taken)]

    def _others(self, name: str) -> list[str]:
        return [other for other, schema in self.tool.properties.items() if other != name and _is_numeric(schema)]

    @cached_property
    def _required(self) -> frozenset[str]:
        return frozenset(self.tool.parameters.get("required") or ())

    @cached_property
    def _nearness(self) -> Nearness:
        return Nearness(self.request, self.tool.properties)

    @cached_property
    def _numbers(self) -> list[Stated]:
        return stated_numbers(self.request)

    @cached_property
    def _lists(self) -> list[Stated]:
        return stated_lists(self.request)
