"""Who runs the graph: what the host says of a person, with every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from reinforced_agent.tools.names import canonical_name, name_of


class Context(BaseModel):
    """Who runs the graph; given with every run, and with a resume it names the person who decides."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    user_id: str = Field(default="", description="Who asks, or who decides when a waiting run is resumed.")
    roles: tuple[str, ...] = Field(default=(), description="Roles of that person.")
    tenant: str = Field(default="", description="The customer the person belongs to.")
    locale: str = Field(default="en", description="Language of feedback and explanations, such as `en` or `zh-CN`.")
    facts: dict[str, Any] = Field(default_factory=dict, description="Session facts the host vouches for.")


class Person(TypedDict):
    """A person as the host's context names them."""

    user_id: str
    roles: list[str]
    tenant: str


def context_of(given: object) -> Context:
    """Return who runs the graph; a parent graph's context of another type counts by the fields it shares with ours.

    What isn't given, or has another form, counts as not known.
    """
    if isinstance(given, Context):
        return given
    shared: dict[str, Any] = {}
    for name in Context.model_fields:
        value = given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
        try:
            Context.model_validate({name: value})
        except ValidationError:
            continue
        shared[name] = value
    return Context.model_validate(shared)


def known_as(person: Person | Mapping[str, Any] | None) -> str:
    """Return what stands for a person where names are not to be kept; empty for somebody who isn't known."""
    named = str(person.get("user_id", "")) if person else ""
    # A state of another application may say less.
    return name_of(str(person.get("tenant", "")), named) if person and canonical_name(named) else ""


def person_of(context: Context) -> Person:
    """Return the person of a context as plain data."""
    return {"user_id": context.user_id, "roles": list(context.roles), "tenant": context.tenant}
