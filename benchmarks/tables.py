"""Print what the judge found as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reinforced_agent.service.cli.tables import print_table


def print_recorded(result: Mapping[str, Any]) -> None:
    """Print the tables of recorded responses, and every right one that was flagged."""
    wrong, right, details = result["wrong"], result["right"], result["details"]
    title = (
        f"{wrong['flagged']} of {wrong['total']} wrong responses flagged, {right['flagged']} of {right['total']} right "
        f"ones, {result['seconds']} s"
    )
    layers = [
        (
            name,
            _rate(details["shares"]["wrong"][name]),
            _rate(details["shares"]["right"][name]),
            f"{details['without'][name]['wrong_flagged']} / {details['without'][name]['right_flagged']}",
        )
        for name in result["layers"]
    ]
    columns = ("layer", "wrong flagged", "right flagged", "left without it, wrong / right")
    print_table(title, columns, layers)
    groups = [
        (name, str(shares["together"]["n"]), *(_rate(shares[layer]) for layer in (*result["layers"], "together")))
        for name, shares in details["shares"].items()
    ]
    print_table("by kind of error", ("kind", "responses", *result["layers"], "together"), groups)
    harmed = [(item["id"], item["model"], "\n".join(item["objections"].values())) for item in result["right_flagged"]]
    print_table("right responses flagged", ("test", "model", "objection"), harmed)


def print_rules(result: Mapping[str, Any]) -> None:
    """Print the rules beside the layers, and why they differ."""
    title = f"{result['wrong']} wrong and {result['right']} right responses, {result['seconds']} s"
    counted = {**result["rules"], "all rules": result["all_rules"], "the layers": result["layers"]}
    rows = [
        (
            name,
            _rate({"flagged": found["wrong_flagged"], **found["wrong_share"]}),
            _rate({"flagged": found["right_flagged"], **found["right_share"]}),
        )
        for name, found in counted.items()
    ]
    print_table(title, ("rule", "wrong flagged", "right flagged"), rows)
    for name in ("only_rules", "only_layers"):
        found = result[name]
        reasons = [(reason, str(count)) for reason, count in found["reasons"].items()]
        title = f"flagged by {name.replace('_', ' ')}: {found['wrong']} wrong, {found['right']} right"
        print_table(title, ("why", "responses"), reasons)


def print_trajectories(result: Mapping[str, Any]) -> None:
    """Print one table for each domain."""
    for domain, found in result.items():
        details = found["details"]
        rows = [
            (
                name.replace("_", " "),
                str(group["total"]),
                _rate({**group["share"], "flagged": group["flagged"]}),
                ", ".join(f"{layer} {count}" for layer, count in group["layers"].items()),
            )
            for name, group in details["groups"].items()
        ]
        print_table(f"{domain}, {details['seconds']} s", ("calls", "total", "flagged", "by"), rows)


def print_injection(result: Mapping[str, Any]) -> None:
    """Print what happened to attacks and to benign runs."""
    details = result["details"]
    groups = details["groups"]
    names = [name for name, found in next(iter(groups.values())).items() if "n" in found]
    rows = [(name.replace("_", " "), *(_rate(groups[group][name]) for group in groups)) for name in names]
    title = ", ".join(f"{group.replace('_', ' ')}: {result[group]['total']}" for group in groups)
    print_table(f"{title}; {details['seconds']} s", ("share of runs", *groups), rows)
    suites = [(suite, *(_counted(found[group]) for group in groups)) for suite, found in details["suites"].items()]
    print_table("held or disturbed, by suite", ("suite", *groups), suites)


def print_harm(result: Mapping[str, Any]) -> None:
    """Print what the default checks did to right calls."""
    names = ("right", "sent_back", "refused", "warned")
    rows = [
        (which, *(str(found[name]) for name in names), ", ".join(f"{layer} {n}" for layer, n in found["by"].items()))
        for which, found in result.items()
    ]
    print_table("right calls under the default checks", ("set", *(n.replace("_", " ") for n in names), "by"), rows)


def _rate(share: Mapping[str, Any]) -> str:
    """Write a share with its interval, after the count where there is one."""
    if share["value"] is None:
        return "-"
    count = f"{share['flagged']} = " if "flagged" in share else ""
    return f"{count}{100 * share['value']:.2f}% ({100 * share['low']:.2f} to {100 * share['high']:.2f})"


def _counted(group: Mapping[str, int]) -> str:
    """Write how many of a group."""
    return f"{group.get('held', group.get('disturbed'))} of {group['total']}"
