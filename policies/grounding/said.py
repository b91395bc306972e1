"""Everything that was said, read once and only as far as somebody asks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from reinforced_agent.policies.grounding.dates import Day, dates_in, leaves_open
from reinforced_agent.policies.grounding.deriving import Computed
from reinforced_agent.policies.grounding.folding import fold, is_foreign, scripts
from reinforced_agent.policies.grounding.numerals import numbers_in
from reinforced_agent.policies.grounding.operands import operands_of_text, records_of_result
from reinforced_agent.policies.grounding.operations import Message
from reinforced_agent.policies.grounding.periods import Period, periods_in
from reinforced_agent.tools.call import JSON


_SPOKEN_AT = re.compile(r" ?[\[(]?\bat\b[\])]? ?")
_CUES = 4_000
"""Characters of a message in which words such as "split" and "a year" are looked for."""
_SPOKEN_DOT = re.compile(r" ?[\[(]?\bdot\b[\])]? ?")


@dataclass(frozen=True)
class Said:
    """Texts that may name values."""

    texts: tuple[str, ...]
    """What people said, in their own words."""
    results: tuple[str, ...] = ()
    """What tools returned."""

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The texts in the spelling in which they are compared."""
        return tuple(fold(text) for text in (*self.texts, *self.results))

    @cached_property
    def spoken(self) -> str:
        """What people said, one text a line."""
        return "\n".join(self.folded[: len(self.texts)])

    @cached_property
    def whole(self) -> str:
        """All texts, one a line."""
        return "\n".join(self.folded)

    @cached_property
    def compact(self) -> str:
        """All texts without white space and without the separators inside accounts and telephone numbers."""
        return re.sub(r"[ ,.'()/_-]", "", self.whole)

    @cached_property
    def addresses(self) -> str:
        """All texts with spoken e-mail addresses ("bob at example dot com") written out."""
        closed = self.whole.replace(" @", "@").replace("@ ", "@")
        return closed + "\n" + _SPOKEN_DOT.sub(".", _SPOKEN_AT.sub("@", self.spoken))

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number that a text may mean."""
        return frozenset[Decimal]().union(*map(numbers_in, self.folded))

    @cached_property
    def computed(self) -> Computed:
        """Every number that follows from those that were said."""
        spoken = self.folded[: len(self.texts)]
        messages = [Message(text[:_CUES], operands_of_text(text)) for text in spoken]
        return Computed(messages, [record for result in self.results for record in records_of_result(result)])

    @cached_property
    def dates(self) -> frozenset[Day]:
        """Every date that a text may name."""
        return frozenset[Day]().union(*map(dates_in, self.folded))

    @cached_property
    def periods(self) -> frozenset[Period]:
        """Every span of time that people named."""
        return frozenset[Period]().union(*map(periods_in, self.folded[: len(self.texts)]))

    @cached_property
    def leaves_dates_open(self) -> bool:
        """Whether people named days by words such as "tomorrow"."""
        return leaves_open(self.spoken)

    @cached_property
    def foreign(self) -> bool:
        """Whether people spoke a language whose numbers and dates can't be read."""
        return any(map(is_foreign, self.folded[: len(self.texts)]))

    @cached_property
    def scripts(self) -> frozenset[str]:
        """The scripts of the texts."""
        return scripts(self.whole)


@dataclass(frozen=True)
class Sources:
    """Who said what."""

    user: tuple[str, ...] = ()
    """Messages of the user, what persons wrote into calls, and the values of session facts."""
    results: tuple[str, ...] = ()
    """Results of tools, whether strangers may have written them or not."""

    @cached_property
    def said_by_user(self) -> Said:
        """What only a person or the host said."""
        return Said(self.user)

    @cached_property
    def said_by_any(self) -> Said:
        """What anybody said but the model."""
        return Said(self.user, self.results)


def values_of_facts(facts: Mapping[str, JSON]) -> tuple[str, ...]:
    """Write the values of session facts as texts."""
    found: list[str] = []
    todo: list[JSON] = list(facts.values())
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, Sequence) and not isinstance(value, str):
            todo += value
        elif value is not None and not isinstance(value, bool):
            found.append(str(value))
    return tuple(found)
