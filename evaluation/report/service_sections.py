"""Tell the numbers of a service: in short, outcomes, retries, layers, people, causes, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reinforced_agent.evaluation.report.breakers import breakers_section
from reinforced_agent.evaluation.report.charts import Row, bars_plot, shares_plot, times_plot
from reinforced_agent.evaluation.report.flow import flow_plot
from reinforced_agent.evaluation.report.reviews import review_sections
from reinforced_agent.evaluation.report.sections import Grid, Group, Section
from reinforced_agent.evaluation.report.service import HEADLINES, ServiceNumbers
from reinforced_agent.evaluation.report.spread import Spread
from reinforced_agent.evaluation.report.words import (
    NOTHING,
    count,
    interval,
    microseconds,
    percent,
    plural,
    seconds,
    shown,
    when,
)


_OUTCOMES = {
    "answered": "the model answered",
    "asked": "the user was asked for what a call lacked",
    "budget": "a kind of mistake came back too often",
    "limit": "the steps or the time were used up",
    "unusable": "the model gave nothing usable",
    "model_down": "the model could not be reached, or had trouble of its own",
    "misconfigured": "the model could not be used as it was set up",
    "too_long": "the conversation was longer than the model takes in",
    "filtered": "the filter of the model's provider stopped it",
    "no_plan": "no plan passed the checks",
    "plan_rejected": "a person rejected the plan",
    "given_up": "a chain of fallbacks ended with a text for the user",
    "returned": "the result of a tool was the answer",
    "handed_over": "a tool handed over to the graph around the agent",
    "unfinished": "no answer was written",
}

_FAULTS: Mapping[str, str] = {
    "page": "something else than the provider answered",
    "credit": "there was no credit left",
    "length": "it was longer than the model takes in",
    "filter": "the provider's filter refused it",
    "server": "the provider had trouble of its own",
    "busy": "the provider wanted fewer requests",
    "model": "the model wasn't known",
    "access": "the key was missing, wrong or had too few rights",
    "request": "the provider refused what was sent",
    "address": "the address could not be used",
    "connection": "no answer came, or not in time",
    "setup": "the model was not set up",
    "code": "code was wrong",
    "unknown": "it is not known",
}


def service_group(numbers: ServiceNumbers) -> Group:
    """Tell the numbers of a service."""
    return Group(
        name="service",
        title="Service",
        facts=[
            ("Records of", shown(numbers.source, 200)),
            ("Turns ended", when(numbers.first, numbers.last)),
            ("Measured on", _measured_on(numbers)),
        ],
        warnings=list(_warnings(numbers)),
        sections=[
            _in_short(numbers),
            _outcomes(numbers),
            _retries(numbers),
            _layers(numbers),
            *review_sections(numbers.reviews),
            _people(numbers),
            breakers_section(numbers.breakers),
            _causes(numbers),
            _cost(numbers),
        ],
    )


def _warnings(numbers: ServiceNumbers) -> Iterable[str]:
    """Say what a reader has to know."""
    if numbers.left_out:
        yield numbers.left_out.sentence
    if numbers.varied:
        records = plural(numbers.varied, "record")
        yield f"With them are counted {records} of an evaluation that varied settings: keep those in a ledger apart."


def _measured_on(numbers: ServiceNumbers) -> str:
    """Say how much was measured."""
    messages = f"{plural(numbers.proposals, 'message')} of the model"
    return f"{plural(numbers.turns, 'turn')}, {messages}, {plural(numbers.calls, 'call')}"


def _in_short(numbers: ServiceNumbers) -> Section:
    """Show the headline numbers."""
    titled = [(*HEADLINES[key], one) for key, one in numbers.headlines.items()]
    titled.append(("Model failed", "turns that a request to the model ended, without an answer", numbers.model_failed))
    rows = [
        (title, about, percent(one.value), interval(one) or one.reason, count(one.n)) for title, about, one in titled
    ]
    grid = Grid(("number", "share of", "value", "95 % interval", "n"), rows, words=2)
    plot = shares_plot("headlines", "Headline numbers", [Row(title, one) for title, _, one in titled])
    about = (
        "Shares with their Wilson interval. They need no ground truth, so a wrong call that ran counts as a success."
    )
    return Section(title="In short", about=about, grids=[grid], plots=[plot])


def _outcomes(numbers: ServiceNumbers) -> Section:
    """Show what became of proposals, and of turns."""
    title = "What became of proposals and turns"
    turns = Grid(
        ("turn ended", "because", "turns", "share"),
        [
            (shown(name), _OUTCOMES.get(name, NOTHING), count(n), percent(n / numbers.turns))
            for name, n in numbers.outcomes.items()
        ],
        words=2,
    )
    failed = _failures(numbers)
    total = sum(numbers.flow.values())
    if not total:
        about = "The model proposed no call, and all its messages could be used."
        return Section(title=title, about=about, grids=[turns, *failed])
    flow = Grid(
        ("ruling", "what became of it", "proposals", "share"),
        [(ruling, fate, count(n), percent(n / total)) for (ruling, fate), n in numbers.flow.items()],
        words=2,
    )
    about = (
        "Calls of the model, and messages that were neither a call nor an answer: ruling of the layers, then outcome."
    )
    plots = [flow_plot(numbers.flow), bars_plot("turns", "How turns ended, in turns", numbers.outcomes)]
    return Section(title=title, about=about, grids=[flow, turns, *failed], plots=plots)


def _failures(numbers: ServiceNumbers) -> list[Grid]:
    """Show what was wrong with requests to the model, where some failed."""
    if not numbers.failures:
        return []
    rows = [
        (shown(kind), _FAULTS.get(kind, NOTHING), count(n), percent(n / numbers.turns))
        for kind, n in numbers.failures.items()
    ]
    return [Grid(("request failed", "because", "turns", "share"), rows, words=2)]


def _retries(numbers: ServiceNumbers) -> Section:
    """Show how often the model was asked again."""
    title = "Asked again, by kind of error"
    if not numbers.retries:
        return Section(title=title, about="The model never had to be asked again.")
    about = "How often feedback of a kind was followed by another proposal; equal faults in one message count once."
    total = sum(numbers.retries.values())
    rows = [(shown(kind), count(n), percent(n / total)) for kind, n in numbers.retries.items()]
    plot = bars_plot("retries", "Asked again, by kind of error", numbers.retries)
    return Section(title=title, about=about, grids=[Grid(("kind", "times", "share"), rows)], plots=[plot])


def _layers(numbers: ServiceNumbers) -> Section:
    """Show what the layers did, and how long they took."""
    if not numbers.layers:
        return Section(title="Layers", about="No call was proposed that a layer could look at.")
    about = (
        "Objected: wanted the call repaired, or refused it. Help and harm need ground truth, which records of a "
        "service don't have: see `benchmarks bfcl`. For `format`, time is that of reading a whole message."
    )
    rows = [
        (
            shown(name),
            count(layer.objected.n),
            percent(layer.objected.value),
            interval(layer.objected),
            count(layer.asked),
            *_times(layer.microseconds),
        )
        for name, layer in numbers.layers.items()
    ]
    columns = ("layer", "looked at", "objected", "95 % interval", "asked a person", "median", "99th percentile")
    timed = {name: layer.microseconds for name, layer in numbers.layers.items() if layer.microseconds}
    title = "Time by layer: median (full) and 99th percentile (ring), in steps of ten"
    plots = [times_plot("latency", title, timed)] if timed else []
    return Section(title="Layers", about=about, grids=[Grid(columns, rows)], plots=plots)


def _people(numbers: ServiceNumbers) -> Section:
    """Show what people were asked and what stood in for tools."""
    title = "People and fallbacks"
    asked = [(name, count(n)) for name, n in numbers.approvals.items()]
    served = [(shown(name), count(n)) for name, n in numbers.fallbacks.items()]
    grids = [Grid(("question to a person", "calls"), asked)] if numbers.approvals["asked"] else []
    grids += [Grid(("served by", "calls"), served)] if served else []
    told = "" if numbers.approvals["asked"] else " Nobody was asked."
    told += "" if served else " No call was served by a fallback."
    return Section(
        title=title, about=f"By the last decision about a call, and by what gave a result.{told}", grids=grids
    )


def _causes(numbers: ServiceNumbers) -> Section:
    """Show what keeps going wrong."""
    title = "Recurring causes"
    if not numbers.causes:
        return Section(title=title, about="Nothing went wrong in more than one turn.")
    about = "What went wrong in at least two turns: a field that many stumble over asks for a better description."
    rows = [
        (
            shown(one.tool) or NOTHING,
            shown(one.field) or NOTHING,
            shown(one.kind),
            count(one.requests),
            count(one.count),
        )
        for one in numbers.causes
    ]
    return Section(title=title, about=about, grids=[Grid(("tool", "field", "kind", "turns", "times"), rows, words=3)])


def _cost(numbers: ServiceNumbers) -> Section:
    """Show tokens and time."""
    spent = numbers.spent
    timed = {"model": spent.model_seconds} if spent.model_seconds else {}
    timed |= dict(list(spent.tool_seconds.items())[:20])
    rows = [(shown(name), count(one.n), *_seconds(one), seconds(one.total)) for name, one in timed.items()]
    grids = [Grid(("of", "times", "median", "99th percentile", "together"), rows)] if rows else []
    if spent.tokens:
        cells = (
            count(spent.input_tokens),
            count(spent.output_tokens),
            count(spent.tokens.p50),
            count(spent.tokens.p99),
        )
        grids.append(Grid(("tokens read", "written", "median of a turn", "99th percentile"), [cells], words=0))
    about = f"Time of the model for a message, and of each tool for a call. {_told(numbers)}"
    micro = {name: _scaled(one) for name, one in timed.items()}
    plots = [times_plot("cost", "Time of the model and of tools, in steps of ten", micro)] if micro else []
    return Section(title="Tokens and time", about=about, grids=grids, plots=plots)


def _told(numbers: ServiceNumbers) -> str:
    """Say what no table shows."""
    tokens = "" if numbers.spent.tokens else " The model tells nothing about tokens."
    return f"Tools were tried again {plural(numbers.spent.attempts_again, 'time')} without asking the model.{tokens}"


def _scaled(one: Spread) -> Spread:
    """Turn seconds into microseconds."""
    return Spread(n=one.n, p50=one.p50 * 1e6, p99=one.p99 * 1e6, total=one.total * 1e6)


def _times(found: Spread | None) -> Iterable[str]:
    """Write median and 99th percentile of microseconds."""
    return (microseconds(found.p50), microseconds(found.p99)) if found else (NOTHING, NOTHING)


def _seconds(found: Spread) -> Iterable[str]:
    """Write median and 99th percentile of seconds."""
    return seconds(found.p50), seconds(found.p99)
