"""The parts of the page about recorded responses: what each layer flags and harms, and how the scorer agrees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.page.gathering import Gathered
from benchmarks.page.writing import Section, count, part_of, percent, rate, table
from reinforced_agent.evaluation.metrics.comparison import TableOfFour, break_even, harmfulness, helpfulness
from reinforced_agent.evaluation.metrics.shares import share


_COMMAND = "python -m benchmarks replay recorded DIR --details --json"
_ALL = "all rules together"
_ABOUT = """Recorded responses of models to questions of BFCL, judged right or wrong by its official checker; right
ones without a call are left out, since a layer has nothing to look at. *Flagged* means that a layer objects. A
flagged wrong response is not yet a corrected one: that takes a model that reads the feedback (see *A live model on
BFCL*). The relevance layer judges every response by trees that were trained without its question. Intervals are
Wilson's. What it costs in time stands under *Benchmarks*; no tokens are spent."""
NO_CASES = "no cases"


def recorded_section(gathered: Gathered) -> Section:
    """Write what the layers flag among recorded responses, by layer and by kind of error."""
    title = "Recorded responses of models"
    if why := gathered.missing.get("recorded"):
        return Section(title, (_COMMAND,), missing=why)
    found = gathered.found["recorded"]
    parts = (
        _ABOUT,
        _layers(found),
        _break_even(found),
        "### By kind of error\n\nThe kind is the official checker's; each cell counts wrong responses flagged.",
        _groups(found),
    )
    return Section(title, (_COMMAND,), parts)


def best_case(found: Mapping[str, Any]) -> TableOfFour:
    """Return the table of four if every flagged wrong response were mended and every flagged right one spoilt."""
    wrong, right = found["wrong"], found["right"]
    return TableOfFour(
        kept=right["total"] - right["flagged"],
        harmed=right["flagged"],
        helped=wrong["flagged"],
        unmended=wrong["total"] - wrong["flagged"],
    )


def _layers(found: Mapping[str, Any]) -> str:
    """Write one row a layer, and one for all."""
    shares, without = found["details"]["shares"], found["details"]["without"]
    rows = [
        (
            name,
            _cell(shares["wrong"][name]),
            _cell(shares["right"][name]),
            *([count(without[name][f"{kind}_flagged"]) for kind in ("wrong", "right")] if name in without else "--"),
        )
        for name in (*found["layers"], "together")
    ]
    columns = ("layer", "wrong flagged", "right flagged (harm)", "wrong left without it", "right left without it")
    totals = f"{count(found['wrong']['total'])} wrong and {count(found['right']['total'])} right responses."
    return f"{totals}\n\n{table(columns, rows)}"


def _cell(counted: Mapping[str, Any]) -> str:
    """Write a count with its share."""
    return NO_CASES if counted["value"] is None else f"{count(counted['flagged'])} = {rate(counted)}"


def _break_even(found: Mapping[str, Any]) -> str:
    """Say from which error rate on the layers can pay off."""
    four = best_case(found)
    even, errs = break_even(four), share(four.base_wrong, four.n)
    if even.value is None or errs.value is None:
        return f"There is no break-even error rate: {even.reason}."
    return (
        "If every flagged wrong response were mended and every flagged right one spoilt (the best and the worst that "
        f"can happen), help would be {rate(helpfulness(four))}, harm {rate(harmfulness(four))}, and the layers would "
        f"pay off for models that err in more than {percent(even.value)} of the cases. The recorded ones err in "
        f"{rate(errs)}."
    )


def _groups(found: Mapping[str, Any]) -> str:
    """Write one row for each kind of error, the most frequent first."""
    shares = found["details"]["shares"]
    groups = sorted(found["groups"], key=lambda name: (-found["groups"][name]["total"], name))
    layers = list(found["layers"])
    rows = [
        (
            name,
            count(found["groups"][name]["total"]),
            *(count(shares[name][layer]["flagged"]) for layer in layers),
            _cell(shares[name]["together"]),
        )
        for name in groups
    ]
    return table(("kind of error", "responses", *layers, "together"), rows)


def rules_section(gathered: Gathered, published: Mapping[str, Any]) -> Section:
    """Write plain rules over the schema beside the layers, here and on the whole of the data."""
    title, command = "Plain rules beside the layers", "python -m benchmarks replay rules DIR --json"
    if why := gathered.missing.get("rules"):
        return Section(title, (command,), missing=why)
    found, reference = gathered.found["rules"], published["reference"]["bfcl"]
    parts = (
        _about_rules(reference),
        _rules(found, reference),
        _differences(found),
    )
    return Section(title, (command,), parts)


def _about_rules(reference: Mapping[str, Any]) -> str:
    """Say what the layers are compared with."""
    wrong, right = count(reference["wrong"]), count(reference["right"])
    return (
        f"The same rules were counted on all {count(reference['responses'])} responses ({wrong} wrong, {right} right "
        "with a call), of which the folder holds a part. The rules repair nothing; the layers straighten what loses "
        "nothing, and flag the rest."
    )


def _rules(found: Mapping[str, Any], reference: Mapping[str, Any]) -> str:
    """Write one row a rule, here and in the reference."""
    here = {**found["rules"], _ALL: found["all_rules"], "**the layers**": found["layers"]}
    there = {**reference["rules"], _ALL: reference["all_rules"]}
    rows = [
        (
            name.replace("_", " "),
            *(_cell({"flagged": one[f"{kind}_flagged"], **one[f"{kind}_share"]}) for kind in ("wrong", "right")),
            *_reference(there.get(name), reference),
        )
        for name, one in here.items()
    ]
    columns = ("rule", "wrong flagged", "right flagged", "wrong flagged, whole set", "right flagged, whole set")
    return table(columns, rows)


def _reference(pair: Sequence[int] | None, reference: Mapping[str, Any]) -> Iterator[str]:
    """Write what the reference counts for one rule."""
    for at, kind in enumerate(("wrong", "right")):
        yield "-" if pair is None else f"{count(pair[at])} = {rate(share(pair[at], reference[kind]))}"


def _differences(found: Mapping[str, Any]) -> str:
    """Say what only one of them flags, and why."""
    rules, layers = found["only_rules"], found["only_layers"]
    reasons = [(reason, count(number)) for reason, number in (rules["reasons"] | layers["reasons"]).items()]
    text = (
        f"Only the rules flag {count(rules['wrong'])} wrong and {count(rules['right'])} right responses; only the "
        f"layers flag {count(layers['wrong'])} wrong and {count(layers['right'])} right ones."
    )
    return f"{text}\n\n{table(('why they differ', 'responses'), reasons)}" if reasons else text


def agreement_section(gathered: Gathered) -> Section:
    """Write how often our scorer and the official checker agree."""
    title, command = "Agreement with the official checker", "python -m benchmarks agreement DIR --json"
    if why := gathered.missing.get("agreement"):
        return Section(title, (command,), missing=why)
    found = gathered.found["agreement"]
    text = (
        "Live results are judged by a scorer of our own. On the recorded responses it says the same as BFCL's "
        f"checker in {part_of(found['agreements'], found['n'])}; of {count(found['both_wrong'])} that both find wrong, "
        f"{count(found['same_fault'])} for the same reason."
    )
    rows = [
        (name, count(one["n"]), count(one["agreements"]), rate(share(one["agreements"], one["n"])))
        for name, one in found["categories"].items()
    ]
    return Section(title, (command,), (text, table(("category", "responses", "agreements", "share"), rows)))
