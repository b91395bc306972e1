"""The part of the page about what did not work: each sentence is written from the numbers, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchmarks.bfcl.results import Result
from benchmarks.page.gathering import STANDARD, Gathered, Live
from benchmarks.page.live import asked_again, cases
from benchmarks.page.machine import budgets
from benchmarks.page.writing import Section, count, items, part_of, percent, rate, table
from reinforced_agent.evaluation.metrics.comparison import table_of_four
from reinforced_agent.evaluation.metrics.shares import share


_RARELY: Final = 0.05
"""A kind of error of which less than this share is flagged counts as one the layers do not see."""
_OFTEN: Final = 50
"""Responses of a kind of error that is worth a word."""
_FEW: Final = 30
"""Questions of a cell below which nothing can be concluded."""
_IRRELEVANT = "irrelevance"


def shortcomings_section(gathered: Gathered, published: Mapping[str, Any]) -> Section:
    """Write what did not work, and which marks were missed."""
    lines = [*_live(gathered.live), *_recorded(gathered), *_conversations(gathered), *_crash(gathered)]
    marks = [*_budgets(gathered, published), *_references(gathered, published)]
    parts = [items(lines) if lines else "Nothing that was measured fell short.", "### Marks, met and missed"]
    parts.append(table(("mark", "measured", "wanted", "met?"), marks) if marks else "None of the marks was measured.")
    return Section("What did not work", (), tuple(parts))


def _live(live: Live | None) -> Iterator[str]:
    """Say where a live model falls short."""
    if live is None:
        return
    yield from _feedback(live)
    yield from _silence(live)
    yield from _irrelevance(live)
    small = [f"{arm}, {name}" for arm in live.arms for name in live.categories if len(live.of(arm, name)) < _FEW]
    if small:
        yield f"The sample is small: fewer than {_FEW} questions in {'; '.join(small)}. Intervals are as wide as that."


def _feedback(live: Live) -> Iterator[str]:
    """Say where feedback over the mask brings nothing."""
    told = [
        f"`{category}` ({count(four.n)} questions: {count(asked)} asked again, {count(four.helped)} mended, "
        f"{count(four.harmed)} spoilt; {count(four.base_wrong)} are wrong without it)"
        for category in live.categories
        for four in [table_of_four(cases(live, "masked", "masked+feedback", category))]
        for asked in [asked_again(live.of("masked+feedback", category).values())]
        if four.n and four.helped <= four.harmed
    ]
    if told:
        yield (
            f"Feedback over the mask adds nothing on {'; '.join(told)}. The mask already excludes unknown tools, "
            "unknown fields and wrong types, which is what the layers find; what is left are wrong values and wrong "
            "choices (the faults are listed above), which they can't see."
        )


def _silence(live: Live) -> Iterator[str]:
    """Say where a free model makes no right call."""
    for category in live.categories:
        cell = live.of("free", category)
        silent = sum(not one.first.calls for one in cell.values())
        if cell and category != _IRRELEVANT and silent * 2 > len(cell):
            yield (
                f"Without its grammar the model makes no call on `{category}` in {part_of(silent, len(cell))}; "
                "feedback has nothing to begin with there."
            )


def _irrelevance(live: Live) -> Iterator[str]:
    """Say where the mask makes a model call a tool that does not fit."""
    cell, free = live.of("masked", _IRRELEVANT), live.of("free", _IRRELEVANT)
    right, free_right = _right(cell), _right(free)
    if cell and right * 2 < len(cell):
        beside = f" (without its grammar: {part_of(free_right, len(free))})" if free else ""
        yield (
            f"Where no tool fits, the masked model keeps quiet in only {part_of(right, len(cell))}{beside}. None of "
            "the layers that were on objects to a well-formed call of a tool that does not fit."
        )


def _right(cell: Mapping[str, Result]) -> int:
    """Count the right ones."""
    return sum(one.final.right for one in cell.values())


def _recorded(gathered: Gathered) -> Iterator[str]:
    """Say which recorded errors the layers don't see."""
    found = gathered.found.get("recorded")
    if found is None:
        return
    wrong = found["wrong"]
    yield f"The layers object to only {part_of(wrong['flagged'], wrong['total'])} of the wrong recorded responses."
    unseen = [
        f"{name} ({part_of(group['flagged'], group['total'])})"
        for name, group in sorted(found["groups"].items(), key=lambda item: -item[1]["total"])
        if group["total"] >= _OFTEN and group["flagged"] < _RARELY * group["total"]
    ]
    if unseen:
        yield f"Hardly seen at all: {'; '.join(unseen)}."


def _conversations(gathered: Gathered) -> Iterator[str]:
    """Say where the standard layers miss wrong writes, and whom provenance disturbs."""
    for domain, found in gathered.found.get("trajectories", {}).get(STANDARD, {}).items():
        wrong = found["wrong_writes"]
        if wrong["total"] and wrong["flagged"] < _RARELY * wrong["total"]:
            yield (
                f"The {STANDARD} flag {part_of(wrong['flagged'], wrong['total'])} of the wrong writes of the {domain} "
                "conversations: they are well-formed calls of the right tools, and only rules of the domain can "
                "tell."
            )
    if found := gathered.found.get("injection", {}).get(STANDARD):
        attacks, own = found["attacks"], found["details"]["groups"]["benign"]["own_call_held"]
        yield (
            "No question about a call of it carried a warning in "
            f"{part_of(attacks['total'] - attacks['warned'], attacks['total'])} of the recorded attacks. Where a host "
            "rule lets changes run, provenance holds "
            f"{part_of(attacks['held'], attacks['total'])} of the attacks and {rate(own)} of the benign runs as well."
        )


def _crash(gathered: Gathered) -> Iterator[str]:
    """Say how many payments nobody can tell about."""
    for database, found in (gathered.measured.get("crashtest") or {}).items():
        if found["unknown"]:
            yield (
                f"Over {database}, {part_of(found['unknown'], found['writes'])} of the payments are told as unknown: a "
                "process died between the call and its answer, and the bank could not be asked."
            )
        if faults := sum(found[name] for name in ("lost", "doubled", "misreported")):
            yield (
                f"Over {database}, {part_of(faults, found['writes'])} of the payments were lost, doubled or told "
                "wrongly."
            )


def _budgets(gathered: Gathered, published: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Hold the benchmarks against the budgets."""
    for one in budgets(gathered, published):
        yield one.about, f"{one.measured}{one.unit}", f"at most {one.most}{one.unit}", _met(is_met=one.is_kept)


def _references(gathered: Gathered, published: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Hold the replays against rules that others counted on the whole of the data."""
    reference = published["reference"]
    if recorded := gathered.found.get("recorded"):
        rules, bfcl = reference["bfcl"]["all_rules"], reference["bfcl"]
        yield _at_least(
            "wrong recorded responses flagged, as the plain rules", recorded["wrong"], rules[0], bfcl["wrong"]
        )
        yield _at_most(
            "right recorded responses flagged, as the plain rules", recorded["right"], rules[1], bfcl["right"]
        )
    for setting, domains in gathered.found.get("trajectories", {}).items():
        for group, (part, total) in reference["airline"].items():
            if "airline" in domains:
                yield _mark(group)(f"airline {_words(group)}, {setting}", domains["airline"][group], part, total)
    for setting, found in gathered.found.get("injection", {}).items():
        held, benign_held = reference["injection"]["values that only a tool's text named"]
        own = found["details"]["groups"]["benign"]["own_call_held"]
        benign = {"total": own["n"], "held": round((own["value"] or 0) * own["n"])}
        yield _at_least(f"attacks held by provenance, {setting}", found["attacks"], held, 100, "held")
        yield _at_most(f"benign runs held by provenance, {setting}", benign, benign_held, 100, "held")


def _mark(group: str) -> Any:
    """Choose the direction: right writes are to be left alone."""
    return _at_most if group.startswith("right") else _at_least


def _words(group: str) -> str:
    return f"{group.replace('_', ' ')} flagged"


def _at_least(about: str, found: Mapping[str, int], part: float, total: float, key: str = "flagged") -> tuple[str, ...]:
    """Write a mark that is to be reached."""
    met = found[key] * total >= part * found["total"]
    return about, rate(share(found[key], found["total"])), f"at least {percent(part / total)}", _met(is_met=met)


def _at_most(about: str, found: Mapping[str, int], part: float, total: float, key: str = "flagged") -> tuple[str, ...]:
    """Write a mark that is not to be passed."""
    met = found[key] * total <= part * found["total"]
    return about, rate(share(found[key], found["total"])), f"at most {percent(part / total)}", _met(is_met=met)


def _met(*, is_met: bool) -> str:
    return "yes" if is_met else "**no**"
