"""The part of the page about live runs: each arm's accuracy and cost, and arms compared question by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from benchmarks.bfcl.results import Result
from benchmarks.bfcl.splits import split_of
from benchmarks.page.gathering import Gathered, Live
from benchmarks.page.writing import NOTHING, Section, count, mean, percent, points, rate, table
from reinforced_agent.evaluation.metrics.cases import ComparedCase
from reinforced_agent.evaluation.metrics.comparison import break_even, harmfulness, helpfulness, table_of_four
from reinforced_agent.evaluation.metrics.shares import Number, share
from reinforced_agent.evaluation.metrics.significance import bootstrap, lift_interval, mcnemar


SEED: Final = 0
"""Of every bootstrap interval."""
PAIRS: Final = (
    ("free", "retry"),
    ("free", "masked"),
    ("masked", "masked+feedback"),
    ("free", "masked+feedback"),
    ("off", "layers"),
)
"""Which arms are compared: without, with."""

_COMMAND = "python -m benchmarks bfcl --model SPEC --arms A,B --categories C,D --limit N --out FILE --json"
_ABOUT = """Questions of BFCL, put to a model in several arms: `free`, the model alone with its tools in the prompt;
`retry`, the whole graph around that; `masked`, under a grammar of the tools' names and arguments; `masked+feedback`,
the whole graph around the masked model, which is told what the layers object to. No tool is run. *Right* is what would
have been executed, judged by the official rules; *asked again* are questions with more than one request to the model.
Seconds are those of the machine and of all it did meanwhile."""
_ABOUT_PAIRS = f"""### Arms compared on the questions both have answered

*Helped* is wrong without and right with; help is its share of what was wrong, harm the share of what was right and
got lost. Net lift is in points of accuracy, with its bootstrap interval (BCa, seed {SEED}); p is the exact McNemar
test's."""
_SHORT = 12


def live_section(gathered: Gathered) -> Section:
    """Write how a model does in each arm, and how arms compare."""
    title = "A live model on BFCL"
    live = gathered.live
    if live is None or not live.results:
        return Section(title, (_COMMAND,), (_ABOUT,), "no file of results was given")
    pairs = [pair for pair in PAIRS if set(pair) <= set(live.arms)]
    compared = [_compared(live, *pair, category) for pair in pairs for category in live.categories]
    parts = (
        _ABOUT,
        _settings(live),
        _cells(live),
        _ABOUT_PAIRS,
        table(_PAIR_COLUMNS, compared),
        "### Each arm, its own first proposal against what it would have executed",
        table(_OWN_COLUMNS, _own(live)),
        "### What is wrong with what would have been executed\n\nIn the words of the official checker.",
        table(("category", "arm", "wrong", "faults"), _faults(live)),
    )
    return Section(title, (_COMMAND,), parts)


def _settings(live: Live) -> str:
    """Say what was asked of whom."""
    values = live.settings.values
    identity = ", ".join(f"{name} {value}" for name, value in dict(values.get("identity", {})).items())
    halves = sorted({split_of(one.id) for one in live.results})
    codes = sorted({one.code[:_SHORT] for one in live.results})
    sizes = {len(live.of(arm, category)) for arm in live.arms for category in live.categories}
    why = "a half has only so many questions, or the evaluation had not come to its end"
    uneven = "" if len(sizes) == 1 else f" The cells differ in size: {why}."
    return (
        f"Model `{values.get('model')}` ({identity}), greedy; settings `{live.settings.digest[:_SHORT]}`, source "
        f"{', '.join(f'`{code}`' for code in codes)}; {count(len(live.results))} trials on questions of the "
        f"{' and the '.join(f'`{half}`' for half in halves)} half.{uneven}"
    )


_CELL_COLUMNS = (
    "category",
    "arm",
    "n",
    "right",
    "first proposal right",
    "asked again",
    "tokens a question",
    "seconds a question",
)


def _cells(live: Live) -> str:
    """Write one row for each category and arm."""
    rows = [
        (category, arm, *_cell(list(live.of(arm, category).values())))
        for category in live.categories
        for arm in live.arms
    ]
    return table(_CELL_COLUMNS, rows)


def _cell(results: list[Result]) -> Iterator[str]:
    """Write the numbers of one cell."""
    n = len(results)
    yield count(n)
    yield rate(share(sum(one.final.right for one in results), n))
    yield rate(share(sum(one.first.right for one in results), n))
    yield count(asked_again(results)) if n else NOTHING
    yield mean(tokens(results), 0)
    yield mean(seconds(results), 2)


def _faults(live: Live) -> Iterator[tuple[str, ...]]:
    """Write one row for each category and arm: its faults, the most frequent first."""
    for category in live.categories:
        for arm in live.arms:
            found = Counter(one.final.fault for one in live.of(arm, category).values() if one.final.fault)
            told = ", ".join(
                f"{fault} {number}" for fault, number in sorted(found.items(), key=lambda item: (-item[1], item[0]))
            )
            yield category, arm, count(found.total()), told or NOTHING


def asked_again(results: Iterable[Result]) -> int:
    """Count the questions with more than one request to the model."""
    return sum(len(one.exchanges) > 1 for one in results)


def tokens(results: Iterable[Result]) -> Number:
    """Return the mean of the tokens read and written, with its bootstrap interval."""
    return bootstrap([float(one.tokens) for one in results if one.tokens is not None], seed=SEED)


def seconds(results: Iterable[Result]) -> Number:
    """Return the mean of the seconds, with its bootstrap interval."""
    return bootstrap([one.seconds for one in results], seed=SEED)


def cases(live: Live, without: str, with_: str, category: str) -> list[ComparedCase]:
    """Pair two arms on the questions of a category that both have answered."""
    before, after = live.of(without, category), live.of(with_, category)
    return [
        ComparedCase(id=test_id, base_right=one.final.right, after_right=after[test_id].final.right)
        for test_id, one in before.items()
        if test_id in after
    ]


_FOUR = ("both right", "helped", "harmed", "both wrong")
_PAIR_COLUMNS = ("without → with", "category", "n", *_FOUR, "help", "harm", "net lift", "p", "break-even")
_OWN_COLUMNS = ("arm", "category", "n", *_FOUR, "help", "harm", "net lift", "p", "break-even")


def _compared(live: Live, without: str, with_: str, category: str) -> tuple[str, ...]:
    """Write one row of two arms."""
    return (f"{without} → {with_}", category, *_numbers(cases(live, without, with_, category)))


def _own(live: Live) -> Iterator[tuple[str, ...]]:
    """Write one row for each arm that may ask again, and category."""
    for arm in live.arms:
        for category in live.categories:
            found = own_cases(live.of(arm, category))
            if found and arm in _ASKING:
                yield (arm, category, *_numbers(found))


_ASKING = ("masked+feedback", "layers")
"""Arms that may ask again; in all others the first proposal is the last."""


def own_cases(results: Mapping[str, Result]) -> list[ComparedCase]:
    """Pair the first proposal of an arm with what it would have executed."""
    return [
        ComparedCase(id=test_id, base_right=one.first.right, after_right=one.final.right)
        for test_id, one in results.items()
    ]


def _numbers(found: list[ComparedCase]) -> Iterator[str]:
    """Write the numbers of a comparison."""
    four = table_of_four(found)
    yield count(four.n)
    yield from map(count, (four.kept, four.helped, four.harmed, four.unmended))
    yield rate(helpfulness(four))
    yield rate(harmfulness(four))
    yield points(lift_interval(found, seed=SEED))
    p = mcnemar(four)
    yield p.reason if p.value is None else f"{p.value:.2g}"
    even = break_even(four)
    yield NOTHING if even.value is None else percent(even.value)
