"""The layers in their order: what a proposal passes before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

from reinforced_agent.policies.approval.fingerprint import fingerprint, tool_fingerprint
from reinforced_agent.policies.approval.policy import ApprovalPolicy
from reinforced_agent.policies.approval.risk import RiskLayer
from reinforced_agent.policies.approval.validation import validate
from reinforced_agent.policies.costs import CostLayer
from reinforced_agent.policies.grounding import GroundingLayer, GroundingPolicy
from reinforced_agent.policies.grounding import validate as validate_grounding
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.parsing import ModelOutput, Reading, read
from reinforced_agent.policies.relevance import Relevance, RelevanceLayer
from reinforced_agent.policies.repetition import check_repetition
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.situation import Layer, Situation
from reinforced_agent.policies.tool_names import LAYER as ROUTING
from reinforced_agent.policies.tool_names import NameIndex, Resolved, check_routing
from reinforced_agent.policies.verdicts import Accept, Ask, CallWarning, ErrorKind, Refuse, Revise, Verdict, signal
from reinforced_agent.tools.call import JSON, Call, canonical_json
from reinforced_agent.tools.spec import ToolSpec


_ASK_ABOUT_CHANGES: Final = ApprovalPolicy()
_NOBODY_ASKS: Final = Relevance()
_GIVEN_BY_SOMEBODY: Final = GroundingPolicy()


@dataclass(frozen=True, slots=True)
class Examination:
    """What the layers said about one call."""

    call: Call | None
    """The canonical call; `None` when it has no registered tool or no valid arguments."""
    verdicts: tuple[Verdict, ...]
    """One verdict a layer, in order; layers after the one that decided didn't look."""
    seconds: tuple[float, ...] = ()
    """Time each of these layers took; empty where nobody measures."""
    rewritten: bool = False
    """Whether a rule of the host put other arguments in place of those that were checked."""
    situation: Situation | None = None
    """What the layers after the arguments knew; `None` when none of them looked."""

    @property
    def decision(self) -> Verdict:
        """The verdict that counts: the objection that stopped the call, else the first question, else acceptance."""
        last = self.verdicts[-1]
        if isinstance(last, Revise | Refuse):
            return last
        return next((verdict for verdict in self.verdicts if isinstance(verdict, Ask)), last)

    @property
    def warnings(self) -> tuple[CallWarning, ...]:
        """Every doubt of a layer, for whoever approves the call."""
        return tuple(dict.fromkeys(warning for verdict in self.verdicts for warning in verdict.warnings))

    @property
    def questions(self) -> tuple[Ask, ...]:
        """Every reason to ask a person."""
        return tuple(verdict for verdict in self.verdicts if isinstance(verdict, Ask))


class RuleBook:
    """All rules of one agent, compiled once."""

    def __init__(
        self,
        specs: Iterable[ToolSpec],
        *,
        layers: Sequence[Layer] = (),
        approvals: ApprovalPolicy = _ASK_ABOUT_CHANGES,
        grounding: GroundingPolicy = _GIVEN_BY_SOMEBODY,
        relevance: Relevance = _NOBODY_ASKS,
        stopwatch: Callable[[], float] | None = None,
        unlisted: frozenset[str] = frozenset(),
    ) -> None:
        """Compile the schemas and put the layers in order.

        Args:
            specs: The registered tools.
            layers: Rules of the host, asked after the arguments are known to be valid.
            approvals: Which calls a person must agree to.
            grounding: Which values must have been given by the user or a tool.
            relevance: Who has an opinion on whether a proposal fits the request.
            stopwatch: Seconds from any fixed point, to measure the layers by; without it they are not measured.
            unlisted: Tools that may be called, and that no feedback proposes.

        Raises:
            ApprovalPolicyError: When the approval policy doesn't fit the tools.
            GroundingPolicyError: When the grounding policy, or a marker in a schema, doesn't.
            ToolSchemaError: When a tool's schema can't be used.

        """
        specs = tuple(specs)
        self.tools = {spec.name: CompiledTool.compile(spec) for spec in specs}
        self.names = NameIndex((spec.name for spec in specs if spec.offered), unlisted)
        self._layers: tuple[Layer, ...] = (
            *layers,
            GroundingLayer(grounding),
            check_repetition,
            CostLayer(self.tools),
            *([RelevanceLayer(specs, relevance)] if relevance.scorers else []),
            RiskLayer(approvals),
        )
        validate(approvals, specs)
        validate_grounding(grounding, specs)
        self.approvals = approvals
        self._given = (approvals, layers, grounding)
        self._terms: dict[str, str] = {}
        self._stopwatch = stopwatch or float

    def read(self, output: ModelOutput, *, taken: frozenset[str] = frozenset()) -> Reading:
        """Read one message of the model; ids in `taken` are not given out again."""
        return read(output, self.names, taken=taken)

    def terms_of(self, tool: str) -> str:
        """Return what an approval of a tool's calls rests on: 32 hex digits for the tool, and 32 for all rules.

        Empty for a tool that isn't registered.
        """
        if tool not in self._terms and tool in self.tools:
            # Worked out when first asked for: most graphs are built without anybody being asked in them.
            self._terms[tool] = tool_fingerprint(self.tools[tool].spec) + self._rules_fingerprint
        return self._terms.get(tool, "")

    @cached_property
    def _rules_fingerprint(self) -> str:
        return fingerprint(self._given)

    def examine(
        self,
        written: str,
        arguments: Mapping[str, JSON],
        *,
        call_id: str,
        repairs: tuple[str, ...] = (),
        locale: str = "en",
        situation: Callable[[ToolSpec], Situation] = lambda spec: Situation(spec=spec),
        stand_in: bool = False,
    ) -> Examination:
        """Pass a call that could be read through all layers, up to the first that stops it.

        Args:
            written: The tool name as the model wrote it.
            arguments: The decoded arguments.
            call_id: Id of the call.
            repairs: What the reader had to repair.
            locale: Language of the feedback.
            situation: Makes what the layers may know, once the tool is known.
            stand_in: Whether a fallback made the call; then the name is exact, and the tool need not be offered.

        """
        times = [self._stopwatch()]
        known = stand_in and written in self.tools
        routed = Resolved(written) if known else check_routing(written, self.names, locale=locale)
        times.append(self._stopwatch())
        if not isinstance(routed, Resolved):
            return Examination(None, (routed,), _spans(times))
        tool = self.tools[routed.name]
        call = Call(call_id, routed.name, arguments, (*repairs, *routed.repairs))
        checked = check_arguments(tool, call, locale=locale)
        times.append(self._stopwatch())
        verdicts: tuple[Verdict, ...] = (Accept(layer=ROUTING), checked)
        if not isinstance(checked, Accept):
            return Examination(None, verdicts, _spans(times))
        return self._ask_layers(checked.call or call, situation(tool.spec), verdicts, _spans(times))

    def _ask_layers(
        self, call: Call, situation: Situation, verdicts: tuple[Verdict, ...], spans: tuple[float, ...]
    ) -> Examination:
        """Let each further layer judge; a question waits until all others have spoken."""
        times = [self._stopwatch()]
        checked = call
        for layer in self._layers:
            verdict = self._judge(layer, call, situation)
            times.append(self._stopwatch())
            verdicts = (*verdicts, verdict)
            if isinstance(verdict, Revise | Refuse):
                break
            if isinstance(verdict, Accept) and verdict.call is not None:
                situation = _vouched(situation, call, verdict.call)
                call = verdict.call
        rewritten = call is not checked and call.digest != checked.digest
        return Examination(call, verdicts, (*spans, *_spans(times)), rewritten, situation)

    def _judge(self, layer: Layer, call: Call, situation: Situation) -> Verdict:
        """Ask one layer; a layer that breaks stops the call instead of letting it through."""
        try:
            verdict = layer(call, situation)
            self._require_sound(verdict, call, situation)
        except Exception as error:  # noqa: BLE001  # any fault of a rule must fail closed
            name = getattr(layer, "__name__", type(layer).__name__)
            return Refuse(
                layer=name,
                kind=ErrorKind.POLICY,
                message=tell("rule_broken", situation.locale, tool=call.tool),
                operator=f"layer {name!r} raised {type(error).__name__}: {error}",
            )
        return verdict

    def _require_sound(self, verdict: object, call: Call, situation: Situation) -> None:
        """Check what a host's rule gave back.

        Raises:
            TypeError: When it is no verdict, or one that can't be put on record.
            ValueError: When it changes the call to another tool, or to arguments that are not valid.

        """
        if not isinstance(verdict, Accept | Revise | Refuse | Ask):
            msg = f"it returned {verdict!r}, which is no verdict"
            raise TypeError(msg)
        if not isinstance(verdict, Accept):
            canonical_json(signal(verdict))
            if not (verdict.message and isinstance(verdict.message, str)):
                msg = "its objection has no message"
                raise TypeError(msg)
            return
        changed = verdict.call
        if changed is None or changed is call:
            return
        if changed.tool != call.tool or changed.id != call.id:
            msg = f"it turned the call into one of {changed.tool!r}"
            raise ValueError(msg)
        checked = check_arguments(self.tools[call.tool], changed, locale=situation.locale)
        if isinstance(checked, Accept):
            return
        raise ValueError(checked.operator or checked.message)


def _vouched(situation: Situation, before: Call, after: Call) -> Situation:
    """Count as said what a rule of the host has put into a call."""
    changed = {name: value for name, value in after.arguments.items() if before.arguments.get(name) != value}
    return replace(situation, said=(*situation.said, canonical_json(changed)))


def _spans(times: list[float]) -> tuple[float, ...]:
    """Return the time between each reading of a stopwatch and the next."""
    return tuple(end - start for start, end in pairwise(times))
