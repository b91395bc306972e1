"""Which calls a person must agree to, as data: a rule for each risk and tool, escalations and exemptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from reinforced_agent.policies.approval.conditions import Condition, Look, holds
from reinforced_agent.policies.messages.approvals import say
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import CallWarning
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.containers import typed_containers
from reinforced_agent.tools.spec import Risk


OnDoubt: TypeAlias = Literal["hold", "refuse", "run"]
ON_DOUBT: Final[tuple[OnDoubt, ...]] = get_args(OnDoubt)

UNTRUSTED: Final = "untrusted_value"
"""Code of the warning about a value that only untrusted content named."""
PRIVATE: Final = "private_value"
"""Code of the warning about an outward read that carries a private value."""
ORDERS: Final = "orders"
"""Code of the warning that untrusted content read before reads like orders to the model."""

_QUOTES: Final = str.maketrans({'"': "'", "\u201c": "'", "\u201d": "'"})
_BASE: Final = {Risk.READ: "reads", Risk.WRITE: "changes", Risk.DESTRUCTIVE: "final"}
"""Why a call of this declared risk is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class ApprovalRule:
    """Who must agree to a call."""

    ask: bool = True
    """Whether a person is asked at all."""
    roles: tuple[str, ...] = ()
    """Roles of which the person must have one; empty for anybody."""
    four_eyes: bool = False
    """Whether it must be another person than the one who asked for it."""
    expires: float | None = 86_400.0
    """Seconds until the question can't be answered any more; `None` for never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """Raises the risk of calls that meet a condition, or of which isn't known whether they do."""

    when: Condition
    """Of a list, one element that meets it is enough."""
    risk: Risk = Risk.DESTRUCTIVE
    """The risk the call has then, unless it has a higher one."""
    reason: str = ""
    """For the person who decides; without it, the field is named."""

    def __post_init__(self) -> None:
        """Accept the risk as a plain word."""
        object.__setattr__(self, "risk", Risk(self.risk))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemption:
    """Lets calls that are known to meet a condition run without a person."""

    when: Condition
    """Of a list, every element has to meet it."""
    up_to: Risk = Risk.WRITE
    """The highest risk, after escalation, of a call it applies to."""
    reason: str = ""
    """For the record."""

    def __post_init__(self) -> None:
        """Accept the risk as a plain word."""
        object.__setattr__(self, "up_to", Risk(self.up_to))


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What a policy says about one call."""

    risk: Risk
    """The risk after escalation."""
    rule: ApprovalRule
    """Who must agree, where somebody is asked."""
    ask: bool
    """Whether a person must agree."""
    reasons: tuple[str, ...] = ()
    """Why, for that person; empty where nobody is asked."""
    warnings: tuple[CallWarning, ...] = ()
    """What is in doubt about where the call comes from."""
    doubts: tuple[CallWarning, ...] = ()
    """Those of them that keep a call from running which a rule of the host lets run."""
    exemption: Exemption | None = None
    """What lifted the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class ApprovalPolicy:
    """Which calls a person must agree to; the default asks about everything that isn't a read.

    Refunds up to 20 euros run at once inside the country; those above 500 need somebody else of the finance team:

    >>> at_home = Condition(field="recipient.country", one_of=("DE",))
    >>> small = Condition(tools=("refund",), field="amount_eur", at_most=20, also=(at_home,))
    >>> big = Condition(tools=("refund",), field="amount_eur", above=500)
    >>> policy = ApprovalPolicy(
    ...     destructive=ApprovalRule(roles=("finance",), four_eyes=True, expires=3_600),
    ...     escalations=(Escalation(when=big, reason="more than 500 euros"),),
    ...     exemptions=(Exemption(when=small),),
    ... )

    """

    read: ApprovalRule = ApprovalRule(ask=False)
    """For calls that change nothing."""
    write: ApprovalRule = ApprovalRule()
    """For calls that change something."""
    destructive: ApprovalRule = ApprovalRule()
    """For calls that can't be taken back."""
    tools: Mapping[str, ApprovalRule] = field(default_factory=dict)
    """Rules of single tools by registered name, in place of that of their declared risk. A call that was escalated
    has to keep both: it asks if one does, with the roles both have (those of the higher risk where they share none),
    four eyes if one wants them, and the shorter time."""
    escalations: tuple[Escalation, ...] = ()
    """What makes a call riskier than its tool declares."""
    exemptions: tuple[Exemption, ...] = ()
    """What runs without a person; lifts only the question of the risk, never that of another layer."""
    on_doubt: OnDoubt = "hold"
    """What becomes of a call that would run unasked: of one that changes something, where only untrusted content named
    a value of it (where a tool declares `destinations`, a value there), and of a read that goes out, where it carries a
    private value after untrusted content was read. A person is asked, it is not run and the model is told, or it runs.
    `hold` is `refuse` where nothing keeps the thread until an answer comes. The warning is on record either way."""

    def assess(self, call: Call, situation: Situation) -> Assessment:
        """Judge the risk of one call with valid arguments, and whether a person must agree to it.

        Raises:
            ToolSchemaError: When a condition needs the tool's schema, and that can't be used.
            re.error: When a pattern is no regular expression; `validate` finds that beforehand.

        """
        declared = situation.spec.risk
        look = Look(call, situation)
        if declared is Risk.READ and not self.escalations and not (situation.spec.is_outward and look.leaks):
            rule = self.tools.get(call.tool, self.read)
            if not rule.ask:
                return Assessment(risk=declared, rule=rule, ask=False)
        raised = self._raised(look)
        risk = max([declared, *(escalation.risk for escalation, _ in raised)], key=lambda risk: risk.rank)
        rule = self._rule(call.tool, declared, risk)
        exemption = self._exemption(look, risk) if rule.ask else None
        ask = rule.ask and exemption is None
        warnings = tuple(_warnings(look)) if ask or risk is not Risk.READ else tuple(_leaving(look))
        doubts = () if ask or self.on_doubt == "run" else _holding(warnings, look)
        return Assessment(
            risk=risk,
            rule=rule,
            ask=ask or (bool(doubts) and self.on_doubt == "hold" and situation.answerable),
            reasons=tuple(_reasons(look, raised, doubts)) if ask or doubts else (),
            warnings=warnings,
            doubts=doubts,
            exemption=exemption,
        )

    def _raised(self, look: Look) -> list[tuple[Escalation, bool]]:
        """List what makes a call riskier than declared, each with whether that is known for certain."""
        declared = look.situation.spec.risk.rank
        riskier = [escalation for escalation in self.escalations if escalation.risk.rank > declared]
        found = ((escalation, holds(escalation.when, look, every=False)) for escalation in riskier)
        return [(escalation, known is True) for escalation, known in found if known is not False]

    def _rule(self, tool: str, declared: Risk, risk: Risk) -> ApprovalRule:
        """Find who must agree."""
        general = {Risk.READ: self.read, Risk.WRITE: self.write, Risk.DESTRUCTIVE: self.destructive}[risk]
        own = self.tools.get(tool)
        if own is None:
            return general
        return own if risk is declared else _stricter(general, own)

    def _exemption(self, look: Look, risk: Risk) -> Exemption | None:
        """Find what lifts the question."""
        fitting = (exemption for exemption in self.exemptions if risk.rank <= exemption.up_to.rank)
        return next((exemption for exemption in fitting if holds(exemption.when, look, every=True) is True), None)


def _stricter(general: ApprovalRule, own: ApprovalRule) -> ApprovalRule:
    """Join the rule of a risk with that of a tool."""
    shared = tuple(role for role in general.roles if role in own.roles)
    times = [time for time in (general.expires, own.expires) if time is not None]
    return ApprovalRule(
        ask=general.ask or own.ask,
        roles=shared or general.roles or own.roles,
        four_eyes=general.four_eyes or own.four_eyes,
        expires=min(times, default=None),
    )


def _warnings(look: Look) -> Iterator[CallWarning]:
    """Say which values only untrusted content named, and that such content read like orders to the model."""
    situation = look.situation
    if not situation.untrusted:
        return
    yield from _leaving(look)
    for taint in look.taints:
        message = say(UNTRUSTED, situation.locale, field=taint.field, source=taint.source)
        yield CallWarning(code=UNTRUSTED, field=taint.field, message=message)
    for source, passage in dict(situation.orders).items():
        # The passage stands in quotes, and must not end them.
        quoted = passage.translate(_QUOTES)
        yield CallWarning(code=ORDERS, message=say(ORDERS, situation.locale, source=source, passage=quoted))


def _leaving(look: Look) -> Iterator[CallWarning]:
    """Say which arguments of a read that goes out carry a private value."""
    for leak in look.leaks:
        message = say(PRIVATE, look.situation.locale, field=leak.field, source=leak.source)
        yield CallWarning(code=PRIVATE, field=leak.field, message=message)


def _holding(warnings: Sequence[CallWarning], look: Look) -> tuple[CallWarning, ...]:
    """Return the warnings that keep a call from running unasked."""
    declared = look.situation.spec.destinations
    if look.leaks:
        return tuple(warning for warning in warnings if warning.code == PRIVATE)
    fields = {taint.field for taint in look.taints if declared is None or taint.path[0] in declared}
    return tuple(warning for warning in warnings if warning.code == UNTRUSTED and warning.field in fields)


def _reasons(look: Look, raised: list[tuple[Escalation, bool]], doubts: Sequence[CallWarning]) -> list[str]:
    """Say why a person is asked, the plain risk first; that a call had to be repaired is told, and no reason."""
    spec, locale = look.situation.spec, look.situation.locale
    plain = say(_BASE[spec.risk], locale, tool=spec.name)
    why = [_why(escalation, look, known=known) for escalation, known in raised]
    mended = [say("repaired", locale, repairs=", ".join(look.repairs))] if look.repairs else []
    return [plain, *dict.fromkeys(why), *mended, *(doubt.message for doubt in doubts)]


def _why(escalation: Escalation, look: Look, *, known: bool) -> str:
    """Say why a call is riskier than its tool declares."""
    if escalation.reason:
        return escalation.reason
    locale, place = look.situation.locale, escalation.when.field
    code = "rule_tool" if not place else "rule_field" if known else "rule_field_unknown"
    risk = say(escalation.risk.value, locale)
    return say(code, locale, field=place, tool=look.call.tool, risk=risk)
