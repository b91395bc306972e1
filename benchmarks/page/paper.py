"""The part of the page that puts the paper's figures beside ours, and says which can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.page.gathering import Gathered, Live
from benchmarks.page.live import cases, seconds, tokens
from benchmarks.page.recorded_calls import best_case
from benchmarks.page.writing import Section, percent, rate, table
from reinforced_agent.evaluation.metrics.comparison import (
    TableOfFour,
    break_even,
    harmfulness,
    helpfulness,
    table_of_four,
)
from reinforced_agent.evaluation.metrics.shares import share


_ABOUT = """puts a reviewing model beside a GPT-4o agent. Neither its code nor its data are published. Its figures are
taken from summaries by others that agree with each other; the full text was not at hand. Ours are those of the parts
above."""
_NOT_MEASURED = "not measured"
_CATEGORIES = {"simple": "simple_python", "multiple": "multiple", "irrelevance": "irrelevance"}
"""Our categories by the paper's."""


def paper_section(gathered: Gathered, published: Mapping[str, Any]) -> Section:
    """Write the paper's figures beside ours."""
    paper = published["paper"]
    text = f"*{paper['title']}* ({paper['place']}) {_ABOUT}"
    rows = [*_accuracy(gathered.live, paper), *_effects(gathered, paper), *_costs(gathered, paper), *_rest(paper)]
    even = [f"{one['name']} {percent(_break_even(one))}" for one in paper["reviewers"]]
    errs = percent(1 - paper["bfcl"][paper["base"]]["simple"] / 100)
    note = (
        "It is not clear what the paper's help and harm are shares of. Taken as shares of wrong and of right cases, "
        f"its reviewers pay off only for agents that err in more than: {'; '.join(even)} (harm / (help + harm)). Its "
        f"own agent errs in {errs} of the simple questions."
    )
    return Section("The paper's figures beside ours", (), (text, table(_COLUMNS, rows), note))


_COLUMNS = ("what", "paper", "ours", "can they be compared?")


def _break_even(reviewer: Mapping[str, Any]) -> float:
    """Work out the break-even error rate of a reviewer of the paper."""
    return float(reviewer["harmful"] / (reviewer["helpful"] + reviewer["harmful"]))


def _accuracy(live: Live | None, paper: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Write one row a category: right without and with feedback."""
    before, after = paper["bfcl"][paper["base"]], paper["bfcl"][paper["best"]]
    for theirs, ours in _CATEGORIES.items():
        found = _NOT_MEASURED if live is None else _right(live, ours)
        limits = "the direction only: the official rules are the same, the model is far smaller, a sample is asked"
        yield f"BFCL {theirs}, right, %", f"{before[theirs]} → {after[theirs]}", found, limits


def _right(live: Live, category: str) -> str:
    """Write how many are right in each arm."""
    found = [
        f"{arm} {rate(share(sum(one.final.right for one in cell.values()), len(cell)))}"
        for arm in live.arms
        if (cell := live.of(arm, category))
    ]
    return "; ".join(found) or _NOT_MEASURED


def _effects(gathered: Gathered, paper: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Write help, harm and break-even."""
    theirs = "; ".join(f"{one['helpful']} / {one['harmful']} ({one['name']})" for one in paper["reviewers"])
    recorded = gathered.found.get("recorded")
    ours = _NOT_MEASURED if recorded is None else _both(best_case(recorded))
    yield (
        "help / harm, recorded calls, layers alone",
        theirs,
        ours,
        "the harm; our help is an upper bound, as a flagged call is not yet a corrected one",
    )
    four = feedback_effect(gathered.live)
    ours = _NOT_MEASURED if four is None else _both(four)
    yield (
        "help / harm, live, feedback over the mask",
        theirs,
        ours,
        "no: another model, and the mask leaves other errors",
    )


def _both(four: TableOfFour) -> str:
    """Write help and harm, and their break-even."""
    even = break_even(four)
    told = f"; break-even {percent(even.value)}" if even.value is not None else f"; no break-even: {even.reason}"
    return f"{rate(helpfulness(four))} / {rate(harmfulness(four))}{told}"


def feedback_effect(live: Live | None) -> TableOfFour | None:
    """Return what feedback changes for a masked model, all categories together; `None` where it wasn't measured."""
    if live is None:
        return None
    found = [case for name in live.categories for case in cases(live, "masked", "masked+feedback", name)]
    return table_of_four(found) if found else None


def _costs(gathered: Gathered, paper: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Write what correction costs."""
    before, after = paper["seconds"]["before"], paper["seconds"]["after"]
    theirs = f"{before} s → {after} s ({after / before:.1f} ×)"
    ours = _cost(gathered.live)
    yield (
        "time of a BFCL question, with correction",
        theirs,
        ours,
        "the factor: a reviewing model against rules in memory",
    )
    bench = gathered.measured.get("bench")
    microseconds = f"{bench['checks']['tools_100']['p50_us']} µs (p50)" if bench else _NOT_MEASURED
    yield "time of the checks of one call", f"{after - before:.1f} s", microseconds, "yes, as orders of magnitude"


def _cost(live: Live | None) -> str:
    """Write how much longer, and how many more tokens, feedback takes than the mask alone."""
    shared = (
        []
        if live is None
        else [
            (one, after[test_id])
            for category in live.categories
            for after in [live.of("masked+feedback", category)]
            for test_id, one in live.of("masked", category).items()
            if test_id in after
        ]
    )
    if not shared:
        return _NOT_MEASURED
    before, with_ = [one for one, _ in shared], [one for _, one in shared]
    ratios = [
        (after.value or 0) / value
        for after, base in ((seconds(with_), seconds(before)), (tokens(with_), tokens(before)))
        if (value := base.value)
    ]
    names = ("time", "tokens")
    return " and ".join(f"{ratio:.2f} × the {name}" for ratio, name in zip(ratios, names, strict=False))


def _rest(paper: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Write what we can't set anything beside."""
    relevance, tau = paper["live_relevance"], paper["tau2"]
    theirs = f"{relevance['before']} → {relevance['after']}"
    yield "BFCL Live relevance, right, %", theirs, _NOT_MEASURED, "no"
    first, second = tau.values()
    domains = "; ".join(f"{name} {first[name]} → {second[name]}" for name in first)
    why = "no: theirs are live runs of tau2-bench; ours are recorded runs of tau-bench, in which nothing is solved anew"
    yield "tau2-bench, tasks solved, %", domains, _NOT_MEASURED, why
