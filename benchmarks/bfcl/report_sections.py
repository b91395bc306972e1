"""Tell the numbers of an evaluation: the arms, how they compare, and what they help and harm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from benchmarks.bfcl.report_numbers import ALL, FIRST, ArmNumbers, Comparison, EvaluationNumbers
from benchmarks.bfcl.report_reviews import worth_sections
from reinforced_agent.evaluation.report.charts import HelpAndHarm, Row, help_and_harm_plot, shares_plot
from reinforced_agent.evaluation.report.sections import Grid, Group, Section
from reinforced_agent.evaluation.report.words import (
    NOTHING,
    count,
    interval,
    percent,
    plural,
    probability,
    seconds,
    shown,
    when,
)


T = TypeVar("T", ArmNumbers, Comparison)


def evaluation_group(numbers: EvaluationNumbers) -> Group:
    """Tell the numbers of an evaluation."""
    arms = list(dict.fromkeys(one.arm for one in numbers.arms))
    return Group(
        name="evaluation",
        title="Evaluation",
        facts=[
            ("Results of", shown(numbers.source, 200)),
            ("Last written to", when(numbers.changed, numbers.changed) or NOTHING),
            ("Model", shown(numbers.model) or NOTHING),
            ("Made by", f"reinforced-agent {shown(', '.join(numbers.versions))}"),
            (
                "Measured on",
                f"{plural(numbers.n, 'result')}: {plural(numbers.questions, 'question')} in {plural(len(arms), 'arm')}",
            ),
        ],
        warnings=list(numbers.notes),
        sections=[_arms(numbers.arms), *_compared(numbers.comparisons), *worth_sections(numbers.reviewers)],
    )


def _arms(arms: list[ArmNumbers]) -> Section:
    """Show what each arm got right, and what it cost."""
    columns = ("arm", "n", "right", "95 % interval", "right at first", "tokens", "time", "99th percentile")
    about = "Share of questions whose right calls would have been executed; tokens and time are means of a question."
    grids = [
        Grid(columns, [_arm(one) for one in of], title=shown(category)) for category, of in _by_category(arms).items()
    ]
    rows = [
        Row(one.arm, one.right, head="" if at else category)
        for category, of in _by_category(arms).items()
        for at, one in enumerate(of)
    ]
    return Section(title="Arms", about=about, grids=grids, plots=[shares_plot("arms", "Right, by arm", rows)])


def _by_category(items: Iterable[T]) -> dict[str, list[T]]:
    """Put together what belongs to one category, in the order in which they appear."""
    found: dict[str, list[T]] = {}
    for item in items:
        found.setdefault(item.category, []).append(item)
    return found


def _arm(one: ArmNumbers) -> tuple[str, ...]:
    """Write the row of an arm."""
    return (
        shown(one.arm),
        count(one.right.n),
        percent(one.right.value),
        interval(one.right),
        percent(one.first_call_right.value),
        count(one.tokens.total / one.tokens.n if one.tokens else None),
        seconds(one.seconds.total / one.seconds.n if one.seconds else None),
        seconds(one.seconds.p99 if one.seconds else None),
    )


def _compared(comparisons: list[Comparison]) -> list[Section]:
    """Show how arms compare, and help against harm; a single arm that was never asked again compares with nothing."""
    if not comparisons:
        about = "There is only one arm, and it never asked the model again: there is nothing to compare it with."
        return [Section(title="Arms compared", about=about)]
    return [_lifts(comparisons), _help_and_harm(comparisons)]


def _lifts(comparisons: list[Comparison]) -> Section:
    """Show the tables of four and the net lifts."""
    columns = ("what", "n", "both right", "helped", "harmed", "both wrong", "net lift", "95 % interval", "p")
    about = (
        "On the questions that both have answered. Net lift is what accuracy gains, with its bootstrap interval; "
        "p is the two-sided exact McNemar probability of so uneven a split of helped and harmed by chance."
    )
    grouped = _by_category(comparisons)
    grids = [Grid(columns, [_lift(one) for one in of], title=shown(category)) for category, of in grouped.items()]
    rows = [
        Row(_pair(one), one.net_lift, _colour(one), "" if at else category)
        for category, of in grouped.items()
        for at, one in enumerate(of)
    ]
    plot = shares_plot("lift", "Net lift, by pair of arms", rows, signed=True)
    return Section(title="Arms compared", about=about, grids=grids, plots=[plot])


def _lift(one: Comparison) -> tuple[str, ...]:
    """Write the row of a comparison."""
    table = one.table
    return (
        shown(_pair(one), 80),
        *(count(n) for n in (table.n, table.kept, table.helped, table.harmed, table.unmended)),
        percent(one.net_lift.value, sign=True),
        interval(one.net_lift, sign=True) or NOTHING,
        probability(one.p),
    )


def _colour(one: Comparison) -> str:
    """Colour a net lift by its sign, where the interval leaves no doubt."""
    low, high = one.net_lift.low, one.net_lift.high
    if low is None or high is None or low <= 0 <= high:
        return "neutral"
    return "good" if low > 0 else "bad"


def _pair(one: Comparison) -> str:
    """Name what is compared."""
    return f"{one.arm}: first → final" if one.base == FIRST else f"{one.base} → {one.arm}"


def _help_and_harm(comparisons: list[Comparison]) -> Section:
    """Show help against harm with what would make up for it, for all categories together and by layer."""
    whole = [one for one in comparisons if one.category == ALL] or comparisons
    bars = [row for one in whole for row in _bars(one)]
    rows = [
        (
            shown(row.name, 80),
            percent(row.help.value),
            interval(row.help) or row.help.reason,
            percent(row.harm.value),
            interval(row.harm) or row.harm.reason,
            percent(row.base_errors),
            threshold,
        )
        for row, threshold in zip(bars, (text for one in whole for text in _thresholds(one)), strict=True)
    ]
    columns = ("what", "help", "95 % interval", "harm", "95 % interval", "errors of the base", "break-even error rate")
    about = (
        "Help: share of the base's errors that are right afterwards. Harm: share of what it had right that is wrong "
        "afterwards. The mark is the break-even: help beyond it makes up for the harm at the base's error rate."
    )
    title = "Help (right) against harm (left), with the break-even mark"
    plot = help_and_harm_plot("harm", title, bars)
    return Section(title="Help against harm", about=about, grids=[Grid(columns, rows)], plots=[plot])


def _bars(one: Comparison) -> list[HelpAndHarm]:
    """Make the rows of one comparison: the whole, then each layer."""
    errors = one.base_errors.value or 0.0
    whole = HelpAndHarm(name=_pair(one), help=one.help, harm=one.harm, base_errors=errors)
    layers = [
        HelpAndHarm(name=f"· {name}", help=effect.helpfulness, harm=effect.harmfulness, base_errors=errors)
        for name, effect in one.layers.items()
    ]
    return [whole, *layers]


def _thresholds(one: Comparison) -> list[str]:
    """Write the break-even error rate of the whole; layers share that of their comparison."""
    value = percent(one.break_even.value) if one.break_even.value is not None else one.break_even.reason
    return [value, *([NOTHING] * len(one.layers))]
