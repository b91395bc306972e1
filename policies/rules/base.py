"""What all rules have in common: whom they concern, what an objection becomes, and how it is worded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Final, Literal, TypeAlias, assert_never

from reinforced_agent.policies.rules.claims import Claim, fields_of, holds
from reinforced_agent.policies.rules.messages import say
from reinforced_agent.policies.rules.problems import STRICT, Path, RuleProblem
from reinforced_agent.policies.rules.scene import Knowledge, Scene
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.containers import typed_containers
from reinforced_agent.tools.spec import ToolSpec


Decision: TypeAlias = Literal["accept", "revise", "refuse", "ask"]
ErrorName: TypeAlias = Literal["policy", "wrong_order", "duplicate"]

_NOTHING: Final = Knowledge()


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule objects to."""

    code: str
    """Key of the text in every catalogue."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Values for the placeholders of the text; nothing that isn't safe to show."""
    fields: tuple[str, ...] = ()
    """Paths of the arguments concerned."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The text by language (`en`, `zh`) where the catalogues of the house have none, such as for a kind of your own."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Base:
    """A rule is a layer by itself: `build_agent(policies=[Requires(...)])`."""

    __pydantic_config__ = STRICT

    name: str
    """Unique; names the layer in records."""
    tools: tuple[str, ...] = ()
    """The tools it is about; empty for every tool."""
    when: tuple[Claim, ...] = ()
    """It applies unless one of these is known not to hold."""
    verdict: Decision = "revise"
    """What an objection becomes; `accept` only puts it on record, with a score of 0, to try a rule out."""
    error: ErrorName = "policy"
    """The retry budget that an objection draws on."""
    message: str | Mapping[str, str] = ""
    """For the model, or by language (`en`, `zh`); may hold `{tool}`, `{fields}` and the placeholders of the kind."""

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Judge a call by this rule alone."""
        return self.judge(Scene(call, situation, _NOTHING))

    def judge(self, scene: Scene) -> Verdict:
        """Judge a call in a scene, which rules of one set share."""
        if not self.concerns(scene.call.tool):
            return Accept(layer=self.name)
        if any(holds(claim, scene) is False for claim in self.when):
            return Accept(layer=self.name)
        found = self.objection(scene)
        return Accept(layer=self.name) if found is None else self._verdict(found, scene)

    def concerns(self, tool: str) -> bool:
        """Tell whether the rule is about a tool."""
        return not self.tools or tool in self.tools

    def objection(self, scene: Scene) -> Finding | None:
        """Say what is wrong with a call that the rule concerns; nothing when all is well.

        Raises:
            NotImplementedError: On a rule that is of no kind.

        """
        raise NotImplementedError

    def problems(self, tools: Mapping[str, ToolSpec]) -> Iterable[RuleProblem]:
        """Say what is wrong with the rule itself, by its entries; asked once, when an agent is built."""
        del tools
        return ()

    def claims_inside(self) -> Iterator[tuple[Path, Claim]]:
        """List the claims that stand in its entries, each with its place; they are checked and read for it."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, Claim):
                yield (entry.name,), value
            elif isinstance(value, tuple):
                yield from (((entry.name, at), one) for at, one in enumerate(value) if isinstance(one, Claim))

    def _verdict(self, found: Finding, scene: Scene) -> Verdict:
        own = self.message or found.words
        message = say(found.code, scene.situation.locale, own, {"tool": scene.call.tool, **found.facts})
        concerned = tuple(dict.fromkeys((*found.fields, *fields_of(self.when))))
        kind, operator = ErrorKind(self.error), f"rule {self.name!r}: {found.code} {dict(found.facts)}"
        match self.verdict:
            case "accept":
                return Accept(layer=self.name, score=0.0)
            case "revise":
                return Revise(layer=self.name, kind=kind, message=message, operator=operator, fields=concerned)
            case "refuse":
                return Refuse(layer=self.name, kind=kind, message=message, operator=operator, fields=concerned)
            case "ask":
                return Ask(layer=self.name, kind=kind, message=message, operator=operator, fields=concerned)
            case _:
                assert_never(self.verdict)
