"""Which values must have been given by somebody: markers in schemas, kinds of values, and switches of the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from reinforced_agent.tools.containers import typed_containers
from reinforced_agent.tools.spec import Risk


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


_DEFAULTS: Final[Mapping[Kind, Risk]] = MappingProxyType(
    {
        Kind.EMAIL: Risk.READ,
        Kind.ACCOUNT: Risk.READ,
        Kind.PHONE: Risk.READ,
        Kind.ID: Risk.READ,
        Kind.AMOUNT: Risk.WRITE,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class GroundingPolicy:
    """Whose values are checked; by default the kinds above, amounts only where the tool changes something.

    A field whose schema carries `x-ground` follows its marker. What the policy says about a field wins over both:

    >>> policy = GroundingPolicy(
    ...     fields={"transfer": {"iban": Ground.USER, "reference": Ground.OFF}},
    ...     without=("create_draft",),
    ... )

    """

    kinds: Mapping[Kind, Risk] = field(default_factory=lambda: _DEFAULTS)
    """The lowest risk of a tool from which unmarked fields of a kind are checked, as `any`; a kind that isn't listed is
    never checked. Empty: only marked fields are."""
    fields: Mapping[str, Mapping[str, Ground]] = field(default_factory=dict)
    """For single fields, by tool and dotted path such as `items.sku`; lists are looked through."""
    without: tuple[str, ...] = ()
    """Tools of which no field is checked, marked or not."""
    enabled: bool = True
    """Whether anything is checked, marked fields included."""
    strict: bool = False
    """Object to what is only the sum, difference or product of two numbers that were given, too."""

    def __post_init__(self) -> None:
        """Accept kinds, risks and grounds as plain words.

        Raises:
            ValueError: On a word that is none of them.

        """
        kinds = {Kind(kind): Risk(risk) for kind, risk in self.kinds.items()}
        fields = {
            tool: MappingProxyType({path: Ground(ground) for path, ground in named.items()})
            for tool, named in self.fields.items()
        }
        object.__setattr__(self, "kinds", MappingProxyType(kinds))
        object.__setattr__(self, "fields", MappingProxyType(fields))


MARKED_ONLY: Final = GroundingPolicy(kinds={})
"""Checks the fields whose schema is marked, and no others."""
