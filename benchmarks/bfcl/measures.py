"""Count: what each arm got right, what its way mended and spoilt, and how two arms compare on the same questions.

`helped` and `harmed` compare an arm with itself: its first proposal was wrong and what would have been executed is
right, or the other way round. Arms are compared on the questions that both have answered, with the exact test of
McNemar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from typing import Any, Final

from benchmarks.bfcl.results import Result
from benchmarks.bfcl.reviewing import worth_of
from reinforced_agent.evaluation.metrics.cases import ComparedCase


ALL: Final = "all"
"""All categories together."""


def count(results: Iterable[Result], arms: Sequence[str], categories: Sequence[str]) -> dict[str, Any]:
    """Count the results of every arm and category.

    Returns:
        By arm and category: `n`, `right`, `first_call_right`, `helped`, `harmed`, `tokens` (`None` where the model
        tells none) and `seconds`.

    """
    results = list(results)
    return {
        arm: {
            category: _count([one for one in results if (one.arm, one.category) == (arm, category)])
            for category in categories
        }
        for arm in arms
    }


def _count(results: Sequence[Result]) -> dict[str, Any]:
    """Count the results of one arm in one category."""
    tokens = [one.tokens for one in results if one.tokens is not None]
    return {
        "n": len(results),
        "right": sum(one.final.right for one in results),
        "first_call_right": sum(one.first.right for one in results),
        "helped": sum(one.final.right and not one.first.right for one in results),
        "harmed": sum(one.first.right and not one.final.right for one in results),
        "tokens": sum(tokens) if tokens else None,
        "seconds": round(sum(one.seconds for one in results), 2),
    }


def compare(results: Iterable[Result], arms: Sequence[str], categories: Sequence[str]) -> dict[str, Any]:
    """Compare every arm with the first one, question by question.

    Returns:
        By arm and category: `n` questions that both answered, `both_right`, `gained` (only this arm is right), `lost`
        (only the first one is), `both_wrong`, `net_lift` (gained - lost, as a share of n) and `p`, the two-sided exact
        McNemar probability of such a difference by chance.

    """
    base, *others = arms
    by_key = {(one.arm, one.id): one for one in results}
    return {
        arm: {
            category: _compare(
                [
                    (by_key[base, one.id].final.right, one.final.right)
                    for one in by_key.values()
                    if (one.arm, one.category) == (arm, category) and (base, one.id) in by_key
                ]
            )
            for category in categories
        }
        for arm in others
    }


def _compare(pairs: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    """Fill the table of two by two."""
    gained, lost = pairs.count((False, True)), pairs.count((True, False))
    return {
        "n": len(pairs),
        "both_right": pairs.count((True, True)),
        "gained": gained,
        "lost": lost,
        "both_wrong": pairs.count((False, False)),
        "net_lift": round((gained - lost) / len(pairs), 4) if pairs else None,
        "p": round(exact_mcnemar(gained, lost), 6),
    }


def weigh(results: Iterable[Result], arms: Sequence[str], categories: Sequence[str]) -> dict[str, Any]:
    """Weigh what a reviewer mended against what it spoilt, in the arms that have one.

    Returns:
        By arm, and by category and `all` of them: what `metrics.reviewing.Worth` tells, with `sentence`, `asked`
        (requests to the reviewer), `objected` (messages it sent back), `no_opinion`, `tokens` and `seconds` of it.

    """
    found = [one for one in results if one.unreviewed is not None]
    return {
        arm: {
            category: _weigh(of, arm)
            for category in (*categories, ALL)
            if (of := [one for one in found if one.arm == arm and category in (one.category, ALL)])
        }
        for arm in arms
        if any(one.arm == arm for one in found)
    }


def _weigh(results: Sequence[Result], arm: str) -> dict[str, Any]:
    """Weigh the reviewer of an arm by some results."""
    worth = worth_of(reviewed_cases(results, arm))
    reviews = [review for one in results for review in one.reviews if review["outcome"] != "not asked"]
    return {
        **worth.as_json(),
        "sentence": worth.sentence,
        "asked": len(reviews),
        "objected": sum(review["outcome"] == "objected" for review in reviews),
        "no_opinion": sum(review["outcome"] == "no opinion" for review in reviews),
        "tokens": sum(review.get("input_tokens", 0) + review.get("output_tokens", 0) for review in reviews),
        "seconds": round(sum(review.get("seconds", 0.0) for review in reviews), 2),
    }


def reviewed_cases(results: Iterable[Result], arm: str) -> list[ComparedCase]:
    """Compare what came of questions with what would have come of them without the reviewer; none without one."""
    return [
        ComparedCase(id=one.id, base_right=one.unreviewed.right, after_right=one.final.right)
        for one in results
        if one.arm == arm and one.unreviewed is not None
    ]


def exact_mcnemar(gained: int, lost: int) -> float:
    """Return the probability of a split at least as uneven, if both directions were equally likely."""
    changed = gained + lost
    tail: float = sum(comb(changed, k) for k in range(min(gained, lost) + 1)) / 2**changed
    return min(1.0, 2 * tail)
