"""Walk through a recorded conversation and judge every call in the situation it was made in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reinforced_agent.evaluation.replay.layers import FORMAT, STANDARD, Message, Setup
from reinforced_agent.policies.approval.policy import UNTRUSTED
from reinforced_agent.policies.approval.risk import LAYER as RISK
from reinforced_agent.policies.approval.risk import TAINT
from reinforced_agent.policies.grounding import said_by_user
from reinforced_agent.policies.messages import for_model
from reinforced_agent.policies.parsing import Calls, ModelOutput, UnreadCall
from reinforced_agent.policies.pipeline import Examination
from reinforced_agent.policies.results import is_unfinished
from reinforced_agent.policies.situation import PastCall, ResultText, Sibling, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.untrusted import screen
from reinforced_agent.policies.verdicts import Ask, Refuse, Revise, Verdict
from reinforced_agent.tools.call import RawCall, canonical_json, digest
from reinforced_agent.tools.spec import Risk, ToolSpec


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call of a recorded conversation."""

    at: int
    """Position of the message that proposed it; the messages before came before it."""
    id: str
    name: str
    arguments: Any
    result: str | None
    """What it brought; `None` where the record holds no result."""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """One recorded call and what the layers say about it."""

    call: RecordedCall
    verdicts: tuple[Verdict, ...]
    changes: bool
    """Whether its tool changes something; a tool that isn't registered might."""
    turn: int
    """Position of the user's message it was made for."""

    @property
    def stopped_by(self) -> str:
        """The layer that sent it back or refused it; empty where none did."""
        return next((verdict.layer for verdict in self.verdicts if isinstance(verdict, Revise | Refuse)), "")

    @property
    def questions_by(self) -> tuple[str, ...]:
        """What keeps it from running beside the plain question of its risk: rules of packs, as they ask or refuse."""
        asked = [verdict.layer for verdict in self.verdicts if isinstance(verdict, Ask) and verdict.layer != RISK]
        stopped = self.stopped_by if self.stopped_by not in STANDARD else ""
        return tuple(name for name in (*asked, stopped) if name)

    @property
    def held_by(self) -> tuple[str, ...]:
        """What would hold it where a host rule lets changes run: `taint`, for where its values come from, and packs."""
        return (
            *([TAINT] if UNTRUSTED in self.warnings else []),
            *(name for name in self.questions_by if name != TAINT),
        )

    @property
    def warnings(self) -> frozenset[str]:
        """The codes of what a person who is asked about it is warned of."""
        return frozenset(warning.code for verdict in self.verdicts for warning in verdict.warnings)

    @property
    def is_asked(self) -> bool:
        """Whether a person is asked, for whatever reason."""
        return any(isinstance(verdict, Ask) for verdict in self.verdicts)

    @property
    def flagged_by(self) -> str:
        """The layer that objects: sends back, refuses, or asks for another reason than risk and origin."""
        asked = (
            verdict.layer
            for verdict in self.verdicts
            if isinstance(verdict, Ask) and verdict.layer not in {RISK, TAINT}
        )
        return self.stopped_by or next(asked, "")


def results_of(messages: Sequence[Message], at: int) -> dict[str, Message]:
    """Return the tool messages that answer the message at a position, by call id."""
    found: dict[str, Message] = {}
    for message in messages[at + 1 :]:
        if message["role"] != "tool":
            break
        found.setdefault(message["tool_call_id"], message)
    return found


class Walk:
    """Judges the calls of conversations over the same tools."""

    def __init__(self, setup: Setup) -> None:
        """Compile the rules.

        Raises:
            ToolSchemaError: When a tool's schema can't be used.

        """
        self._setup = setup
        self._rules = setup.rules()
        self._specs = {spec.name: spec for spec in setup.specs}
        self._passages: dict[str, str] = {}
        self._strangers = frozenset(spec.name for spec in setup.specs if spec.untrusted_output)

    def judge(self, messages: Sequence[Message], calls: Sequence[RecordedCall], prompt: str = "") -> list[Judged]:
        """Judge every call as if all before it had happened as recorded, under a prompt that names values, too."""
        by_id = {call.id: call for call in calls}
        marks: list[str] = []
        judged = []
        for number, call in enumerate(calls):
            before = messages[: call.at]
            turn = max((at for at, message in enumerate(before) if message["role"] == "user"), default=-1)
            earlier = list(zip(calls[:number], marks, strict=True))
            history = tuple(self._past(earlier, turn, call.at))
            siblings = tuple(mark for other, mark in earlier if other.at == call.at)
            known = self._known(before, by_id) | {"history": history, "siblings": siblings}
            known["said"] = (*([prompt] if prompt else []), *known["said"])
            known |= {"beside": _beside(calls, number), "text": _text(messages, call.at)}
            examination = self._examine(call, known)
            marks.append(_mark(call, examination))
            judged.append(Judged(call, self._heard(examination), self._may_change(call), turn))
        return judged

    def _examine(self, call: RecordedCall, known: Mapping[str, Any]) -> Examination | None:
        """Read one call and pass it through the layers; `None` where it can't be read and the format is not judged."""
        arguments = call.arguments
        repairs: tuple[str, ...] = ()
        if self._setup.reads:
            reading = self._rules.read(_output(call))
            (read,) = reading.calls if isinstance(reading, Calls) else ()
            if isinstance(read, UnreadCall):
                return Examination(None, (_unread(read),))
            arguments, repairs = read.arguments, read.repairs
        elif not isinstance(arguments, dict):
            return None

        def situation(spec: ToolSpec) -> Situation:
            return Situation(spec=spec, **known)

        return self._rules.examine(call.name, arguments, call_id=call.id, repairs=repairs, situation=situation)

    def _heard(self, examination: Examination | None) -> tuple[Verdict, ...]:
        """Drop what layers say that are switched off."""
        verdicts = examination.verdicts if examination else ()
        return tuple(verdict for verdict in verdicts if verdict.layer not in self._setup.silent)

    def _may_change(self, call: RecordedCall) -> bool:
        """Tell whether a call may change something; a tool that isn't registered might."""
        spec = self._specs.get(call.name)
        return spec is None or spec.risk is not Risk.READ

    def _past(self, earlier: Iterable[tuple[RecordedCall, str]], turn: int, at: int) -> Iterator[PastCall]:
        """List the calls of the same turn that had come back by then."""
        for call, mark in earlier:
            if turn < call.at < at and call.result is not None:
                status = Status.FAILED if call.failed else Status.DONE
                under_way = not call.failed and is_unfinished(call.result)
                changes = self._may_change(call)
                yield PastCall(call.name, mark, status, call.result, call.at, changes, unfinished=under_way)

    def _known(self, messages: Sequence[Message], calls: Mapping[str, RecordedCall]) -> dict[str, Any]:
        """Collect what was asked, what the packs know, and what was said by whom: trusted, or maybe by strangers."""
        request = ""
        trusted: list[str] = []
        untrusted: list[tuple[str, str]] = []
        for message in messages:
            text, role = message.get("content"), message["role"]
            if not text or role not in {"user", "tool"}:
                continue
            request = text if role == "user" else request
            if role == "user":
                trusted.append(text)
                continue
            result = self._result(message, calls.get(message.get("tool_call_id", "")))
            if result.tool in self._strangers:
                untrusted.append((result.tool, result))
            else:
                trusted.append(result)
        said = said_by_user((message["role"], message.get("content") or "") for message in messages)
        known = {"request": request, "facts": self._setup.facts(messages), "said": said}
        orders = tuple((tool, passage) for tool, text in untrusted if (passage := self._passage(text)))
        return known | {"trusted": tuple(trusted), "untrusted": tuple(untrusted), "orders": orders}

    def _result(self, message: Message, call: RecordedCall | None) -> ResultText:
        """Take a tool's message with what is known about its call."""
        tool = str(message.get("tool") or (call.name if call else ""))
        given = call.arguments if call is not None and isinstance(call.arguments, dict) else {}
        spec = self._specs.get(tool)
        return ResultText(
            message["content"],
            tool=tool,
            arguments=canonical_json(given) if given else "",
            private=spec is not None and spec.private_output,
            error=bool(message.get("error")),
        )

    def _passage(self, text: str) -> str:
        """Return what reads like orders to the model; each text is looked at once."""
        if text not in self._passages:
            found = screen(text, self._setup.screening)
            self._passages[text] = found.passage if found else ""
        return self._passages[text]


def _beside(calls: Sequence[RecordedCall], number: int) -> tuple[Sibling, ...]:
    """List the other calls of the same message."""
    at = calls[number].at
    return tuple(
        Sibling(other.name, other.arguments if isinstance(other.arguments, dict) else {}, later=place > number)
        for place, other in enumerate(calls)
        if other.at == at and place != number
    )


def _text(messages: Sequence[Message], at: int) -> str:
    """Return what the model wrote beside its calls."""
    content = messages[at].get("content") if at < len(messages) else ""
    return content if isinstance(content, str) else ""


def _output(call: RecordedCall) -> ModelOutput:
    """Write a recorded call as the message that proposed it."""
    return ModelOutput("", (RawCall(call.id, call.name, call.arguments),), message_id=f"message-{call.at}")


def _unread(call: UnreadCall) -> Revise:
    """Write the objection of the reader as the verdict of a layer."""
    problem = call.problems[0]
    message = for_model(call.problems, tool=call.name)
    return Revise(layer=FORMAT, kind=problem.kind, message=message, operator=problem.code)


def _mark(call: RecordedCall, examination: Examination | None) -> str:
    """Fingerprint a call in its canonical form, or as it stands where it has none."""
    if examination is not None and examination.call is not None:
        return examination.call.digest
    return digest(call.name, call.arguments if isinstance(call.arguments, dict) else {"": call.arguments})
