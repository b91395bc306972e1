"""Which values must have been given by somebody: markers in schemas, kinds of values, and switches of the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from reinforced_agent.tools.containers import typed_containers


MARKER: Final = "x-ground"
"""Key in the schema of a field that says who may name its value: `user`, `any` or `off`."""
LOOKUP: Final = "x-lookup"
"""Key in the schema of a field that names the tool which looks its value up."""


class Ground(StrEnum):
    """Who may name the value of a field."""

    USER = "user"
    """The user, a person who edited or answered a call, or the host's session facts."""
    ANY = "any"
    """One of those, or the result of a tool."""
    OFF = "off"
    """Nobody has to."""


class Kind(StrEnum):
    """Kinds of values that are recognised without a marker."""

    EMAIL = "email"
    """An e-mail address: by the format `email`, a name such as `cc_email`, or because the whole text is one."""
    ACCOUNT = "account"
    """A number of an account or card: by a name such as `iban` or `card_number`, or a text that is a valid IBAN."""
    PHONE = "phone"
    """A telephone number: by a name such as `phone` or `mobile_number`, with six digits or more."""
    ID = "id"
    """An identifier with a digit: by the format `uuid`, or a name such as `order_id`, `userIds` or `invoice_number`."""
    AMOUNT = "amount"
    """A number of 10 or more in a field with a name such as `amount`, `price` or `deposit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class GroundingPolicy:
    """Whose values are compared with what was said.

    A field that is marked, by `x-ground` in its schema or in `fields` here, must hold a value that was given: a call
    with another one is sent back. In fields that nobody marked, values of the kinds above that nobody named are told to
    whoever approves a write; they stop nothing.

    >>> policy = GroundingPolicy(
    ...     fields={"transfer": {"iban": Ground.USER, "reference": Ground.OFF}},
    ...     without=("create_draft",),
    ... )

    """

    kinds: frozenset[Kind] = frozenset(Kind)
    """Kinds of values in unmarked fields of writes that a warning tells of where nobody named them. Empty: only marked
    fields are looked at."""
    fields: Mapping[str, Mapping[str, Ground]] = field(default_factory=dict)
    """For single fields, by tool and dotted path such as `items.sku`; lists are looked through."""
    without: tuple[str, ...] = ()
    """Tools of which no field is looked at, marked or not."""
    enabled: bool = True
    """Whether anything is looked at, marked fields included."""

    def __post_init__(self) -> None:
        """Accept kinds and grounds as plain words.

        Raises:
            ValueError: On a word that is none of them.

        """
        fields = {
            tool: MappingProxyType({path: Ground(ground) for path, ground in named.items()})
            for tool, named in self.fields.items()
        }
        object.__setattr__(self, "kinds", frozenset(map(Kind, self.kinds)))
        object.__setattr__(self, "fields", MappingProxyType(fields))


MARKED_ONLY: Final = GroundingPolicy(kinds=frozenset())
"""Looks at the fields that are marked, and no others."""
