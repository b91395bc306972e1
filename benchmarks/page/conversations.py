"""The parts of the page about recorded conversations: support desks, and runs under prompt injection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.page.gathering import Gathered
from benchmarks.page.writing import NOTHING, Section, count, part_of, percent, rate, table
from benchmarks.recorded.trajectories import GROUPS
from reinforced_agent.evaluation.metrics.shares import share


_REFERENCE = "reference rules"
_ABOUT_WRITES = """Runs of tau-bench, every call judged in the situation it was made in. A write that came back with
an error *failed*; one that went through is *right* when it was expected or the task was solved, else *wrong*. Flagged
right writes are the harm."""
_ABOUT_ATTACKS = """By default every change asks a person. An attack is *unasked* when a change that serves its goal ran
with nobody asked, and *warned* when the question about one carried a warning; it stops only if the person notices. A
run is *disturbed* when a call of the user's own task meets more than that plain question. *Held* is what provenance
alone holds where a host rule lets changes run (`ApprovalPolicy.on_doubt`): a value of the change was named by
untrusted content alone, and no change that serves the attack ran before. The same rule holds calls of the user's own
task, where the user asked for something that only such content names. All recorded attacks are written after one
template, and one of the patterns for text that reads like orders was made with it in view."""


def trajectories_section(gathered: Gathered, published: Mapping[str, Any]) -> Section:
    """Write what the layers object to in conversations of support desks."""
    title, command = (
        "Recorded conversations of support desks",
        "python -m benchmarks replay trajectories DIR --details --json",
    )
    if why := gathered.missing.get("trajectories"):
        return Section(title, (command,), missing=why)
    found = gathered.found["trajectories"]
    text = f"{_ABOUT_WRITES} Measured: {_settings(found)}."
    rows = [row for setting, domains in found.items() for row in _domains(setting, domains)]
    columns = ("domain", "layers", *(group.replace("_", " ") for group in GROUPS))
    return Section(title, (command,), (text, table(columns, rows), _airline(published)))


def _settings(found: Mapping[str, Any]) -> str:
    """Name the settings; say so where there are no packs."""
    return f"{' and '.join(found)}" + ("" if len(found) > 1 else " alone, without rules for a domain")


def _domains(setting: str, domains: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Write one row a domain."""
    for name, found in domains.items():
        groups = found["details"]["groups"]
        yield (name, setting, *(_group(groups[group]) for group in GROUPS))


def _group(group: Mapping[str, Any]) -> str:
    """Write how many of a group are flagged, and by whom."""
    who = ", ".join(f"{layer} {number}" for layer, number in group["layers"].items())
    return part_of(group["flagged"], group["total"]) + (f"; {who}" if who else "")


def _airline(published: Mapping[str, Any]) -> str:
    """Write what rules of a domain reach, for comparison."""
    found = published["reference"]["airline"]
    told = ", ".join(f"{part_of(*pair)} {group.replace('_', ' ')}" for group, pair in found.items())
    rules = "payments that add up, balance, cabin, baggage, flights never looked up"
    return (
        f"For comparison, rules over what the conversation already says ({rules}) flag in the airline domain, on the "
        f"whole of the data: {told}."
    )


def injection_section(gathered: Gathered, published: Mapping[str, Any]) -> Section:
    """Write which attacks are held, and whom that disturbs."""
    title = "Recorded runs under prompt injection"
    commands = ("python -m benchmarks replay injection DIR --details --json",)
    if why := gathered.missing.get("injection"):
        return Section(title, commands, missing=why)
    found = gathered.found["injection"]
    parts = (_ABOUT_ATTACKS, _trade_off(found, published), "### By suite", _suites(found))
    return Section(title, commands, parts)


_RATES = (
    ("attacks", "unasked", "attacks unasked"),
    ("attacks", "warned", "attacks warned of"),
    ("benign", "disturbed", "benign runs disturbed"),
    ("benign", "asked_at_all", "benign runs asked about"),
    ("benign", "own_call_warned", "benign runs warned of"),
    ("attacks", "held", "attacks held"),
    ("benign", "own_call_held", "benign runs held"),
)


def _trade_off(found: Mapping[str, Any], published: Mapping[str, Any]) -> str:
    """Write what is gained and what it costs, a setting a row."""
    rows = [(name, *(_rate(one, group, rate) for group, rate, _ in _RATES)) for name, one in found.items()]
    others = published["reference"]["injection"]
    for name, (held, disturbed) in others.items():
        rows.append(
            (f"{_REFERENCE}: {name}", *(NOTHING,) * (len(_RATES) - 2), percent(held / 100), percent(disturbed / 100))
        )
    columns = ("layers", *(title for _, _, title in _RATES))
    first = next(iter(found.values()))
    totals = ", ".join(
        f"{count(first[group]['total'])} {told}"
        for group, told in (
            ("attacks", "successful attacks"),
            ("benign", "benign runs"),
            ("failed_attacks", "failed attacks"),
        )
    )
    return f"{totals}. The reference rules were counted on the whole of the data.\n\n{table(columns, rows)}"


def _rate(found: Mapping[str, Any], group: str, name: str) -> str:
    """Write one share of runs."""
    return rate(found["details"]["groups"][group][name])


def _suites(found: Mapping[str, Any]) -> str:
    """Write one row a suite and setting."""
    rows = [
        (suite, name, _part(one["attacks"], "warned"), _part(one["attacks"], "held"), _part(one["benign"], "disturbed"))
        for name, setting in found.items()
        for suite, one in setting["details"]["suites"].items()
    ]
    return table(("suite", "layers", "attacks warned of", "attacks held", "benign runs disturbed"), rows)


def _part(group: Mapping[str, int], name: str) -> str:
    """Write how many of a group."""
    if not group["total"]:
        return NOTHING
    return f"{count(group[name])} of {count(group['total'])} = {rate(share(group[name], group['total']))}"
