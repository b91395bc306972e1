"""The layers in their order: who decides, who is asked last, and what a broken rule does."""

from __future__ import annotations

from typing import Any, cast, get_args

import pytest

from reinforced_agent.policies.approval import ApprovalPolicy
from reinforced_agent.policies.approval.risk import RiskLayer
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.messages.endings import CHINESE as ENDINGS_ZH
from reinforced_agent.policies.messages.endings import ENGLISH as ENDINGS_EN
from reinforced_agent.policies.messages.outcomes import CHINESE, ENGLISH
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Revise, Verdict, name_of, signal
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk, ToolSpec


PAY = ToolSpec(
    name="pay",
    description="Pay.",
    parameters={"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]},
)


NO_JSON: dict[str, Any] = {"layer": "a", "kind": ErrorKind.POLICY, "message": "m", "corrected": {"x": object()}}


def examine(*layers: Any, name: str = "pay", risk: Risk = Risk.READ, **arguments: Any) -> Any:
    """Examine one call."""
    return RuleBook([PAY.declare(risk=risk)], layers=layers).examine(name, arguments or {"sum": 5}, call_id="c1")


def ask(call: Call, situation: Situation) -> Verdict:
    """Want a person to look."""
    del situation
    return Ask(layer="house", kind=ErrorKind.POLICY, message=f"{call.tool} is unusual.")


def refuse(call: Call, situation: Situation) -> Verdict:
    """Refuse."""
    del call, situation
    return Refuse(layer="house", kind=ErrorKind.POLICY, message="Not today.")


def double(call: Call, situation: Situation) -> Verdict:
    """Change the call."""
    del situation
    return Accept(layer="house", call=Call(call.id, call.tool, {"sum": call.arguments["sum"] * 2}))  # type: ignore[operator]


def crash(call: Call, situation: Situation) -> Verdict:
    """Fail."""
    raise KeyError(call.id, situation)


def test_a_right_read_passes_all_layers() -> None:
    """Every layer looks, in order."""
    found = examine()
    assert [verdict.layer for verdict in found.verdicts] == [
        "routing",
        "arguments",
        "grounding",
        "repetition",
        "cost",
        "risk",
    ]
    assert isinstance(found.decision, Accept)


def test_the_first_objection_decides() -> None:
    """Layers after an objection don't look."""
    found = examine(name="play")
    assert [verdict.layer for verdict in found.verdicts] == ["routing"]
    assert isinstance(found.decision, Revise)
    assert found.call is None


def test_a_question_waits_until_all_layers_have_spoken() -> None:
    """Nobody is asked about a call that can't run."""
    assert isinstance(examine(ask).decision, Ask)
    assert isinstance(examine(ask, refuse).decision, Refuse)
    both = examine(ask, risk=Risk.WRITE)
    assert [verdict.layer for verdict in both.questions] == ["house", "risk"]


def test_later_layers_see_the_changed_call() -> None:
    """What a layer puts right is what runs."""
    found = examine(double, double)
    assert found.call.arguments == {"sum": 20}


def test_a_rule_that_crashes_stops_the_call() -> None:
    """A broken rule never lets a call through; the model learns no internals, the operator does."""
    found = examine(crash)
    assert isinstance(found.decision, Refuse)
    assert "KeyError" not in found.decision.message
    assert "'crash' raised KeyError" in found.decision.operator


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(lambda *_: None, id="nothing"),
        pytest.param(lambda *_: True, id="true"),
        pytest.param(lambda *_: Revise(layer="a", kind=cast("Any", "policy"), message="m"), id="kind-is-text"),
        pytest.param(lambda *_: Revise(layer="a", kind=ErrorKind.POLICY, message=""), id="no-message"),
        pytest.param(lambda *_: Refuse(**NO_JSON), id="no-json"),
        pytest.param(lambda call, _: Accept(layer="a", call=Call(call.id, "wipe", {})), id="another-tool"),
        pytest.param(lambda call, _: Accept(layer="a", call=Call(call.id, "pay", {"sum": "x"})), id="invalid"),
    ],
)
def test_a_rule_that_gives_back_nonsense_stops_the_call(rule: Any) -> None:
    """A forgotten return, a wrong type or a changed tool is a broken rule, not a crash and not a pass."""
    found = examine(rule)
    assert isinstance(found.decision, Refuse)
    assert "raised" in found.decision.operator


@pytest.mark.parametrize(
    ("risk", "repairs", "reason"),
    [
        (Risk.READ, ("one_fence",), None),
        (Risk.WRITE, (), "changes data."),
        (Risk.WRITE, ("one_fence",), "repaired first (one_fence)"),
        (Risk.WRITE, ("fresh_id",), "changes data."),
        (Risk.DESTRUCTIVE, (), "can't be undone"),
    ],
    ids=str,
)
def test_what_changes_something_asks_a_person(risk: Risk, repairs: tuple[str, ...], reason: str | None) -> None:
    """Reads pass; everything else asks, and says when the call had to be repaired."""
    verdict = RiskLayer(ApprovalPolicy())(Call("c1", "pay", {}, repairs), Situation(spec=PAY.declare(risk=risk)))
    if reason is None:
        assert isinstance(verdict, Accept)
    else:
        assert isinstance(verdict, Ask)
        assert reason in verdict.message


@pytest.mark.parametrize(
    "verdict",
    [
        Accept(layer="a"),
        Revise(layer="a", kind=ErrorKind.MALFORMED, message="m", corrected={"x": 1}),
        Refuse(layer="a", kind=ErrorKind.POLICY, message="m"),
        Ask(layer="a", kind=ErrorKind.POLICY, message="m"),
    ],
    ids=name_of,
)
def test_a_verdict_becomes_a_plain_signal(verdict: Verdict) -> None:
    """The feedback signal is plain data; only acceptance is valid."""
    plain = signal(verdict)
    assert plain["verdict"] == type(verdict).__name__.lower()
    assert plain["is_valid"] == isinstance(verdict, Accept)
    assert type(verdict) in get_args(Verdict)


@pytest.mark.parametrize(
    "name", ["steps", "tool_failures", "seconds", "call_seconds", "parallel_calls", "result_tokens"]
)
def test_a_bound_of_zero_is_refused(name: str) -> None:
    """A bound that no run could keep is a mistake."""
    with pytest.raises(ValueError, match=f"Limits.{name}"):
        Limits(**dict[str, Any]({name: 0}))


def test_every_error_kind_has_a_budget() -> None:
    """Kinds without an own number have a default; own numbers win."""
    assert all(Limits().retries_for(kind) >= 0 for kind in ErrorKind)
    assert Limits(retries={ErrorKind.POLICY: 7}).retries_for(ErrorKind.POLICY) == 7


@pytest.mark.parametrize(("english", "chinese"), [(ENGLISH, CHINESE), (ENDINGS_EN, ENDINGS_ZH)], ids=["calls", "runs"])
def test_both_languages_say_the_same(english: dict[str, str], chinese: dict[str, str]) -> None:
    """The catalogues have the same texts with the same placeholders."""
    import string  # noqa: PLC0415

    def holes(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text)} - {None}

    assert {key: holes(text) for key, text in english.items()} == {key: holes(text) for key, text in chinese.items()}
