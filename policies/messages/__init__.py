"""The words of feedback: problems rendered for the model and for the operator, in the reader's language."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from reinforced_agent.policies.messages import en, zh
from reinforced_agent.policies.messages.catalogue import Catalogue, Facts, in_language
from reinforced_agent.policies.text.folds import shown
from reinforced_agent.policies.verdicts import Problem


__all__ = ["catalogue", "for_model", "for_operator"]

_LONGEST_EXAMPLE: Final = 600
_TERM_FACTS: Final = ("expected", "month")
_LIST_FACTS: Final = ("known", "near", "given", "allowed")
_LIST_JOINT: Final = "`, `"


def catalogue(locale: str) -> Catalogue:
    """Return the texts for a locale such as `zh-CN` or `zh_Hans`; English for all it doesn't know."""
    return in_language(locale, en.CATALOGUE, zh.CATALOGUE)


def for_model(
    problems: Sequence[Problem], *, tool: str, locale: str = "en", example: Mapping[str, Any] | None = None
) -> str:
    """Write all problems of a call as one message that says what to do.

    Args:
        problems: What is wrong; in this order.
        tool: The name of the tool, as it may be shown.
        locale: Language of the message.
        example: Arguments of a right call, shown at the end.

    """
    texts, tool = catalogue(locale), shown(tool) or "…"
    sentences = [_sentence(problem, tool, texts) for problem in problems]
    if len(sentences) > 1:
        lines = [texts.frame["several"].format(count=len(sentences), tool=tool), *(f"- {s}" for s in sentences)]
        message = "\n".join([*lines, texts.frame["correct_all"].format(tool=tool)])
    else:
        message = "".join(sentences)
    return message + _example(example, tool, texts)


def for_operator(problems: Sequence[Problem], *, tool: str) -> str:
    """Write problems as one compact English line with codes, paths and facts, for logs."""
    return f"{tool or '(no name)'}: " + "; ".join(_entry(problem) for problem in problems)


def _entry(problem: Problem) -> str:
    facts = ", ".join(f"{key}={value}" for key, value in problem.facts.items() if key != "tool" and value)
    place = f" at {problem.field}" if problem.field else ""
    return f"{problem.code}{place}" + (f" ({facts})" if facts else "")


def _sentence(problem: Problem, tool: str, texts: Catalogue) -> str:
    facts = Facts({"tool": tool, **problem.facts, "field": problem.field or tool, "got": _got(problem.facts, texts)})
    for key in _TERM_FACTS:
        facts[key] = texts.either(problem.facts.get(key, ""))
    for key in _LIST_FACTS:
        facts[key] = problem.facts.get(key, "").replace(_LIST_JOINT, f"`{texts.frame['list']}`")
    if problem.facts.get("more"):
        facts["allowed"] += texts.frame["more"].format(count=problem.facts["more"])
    what, advice = texts.texts.get(problem.code, texts.texts["invalid_other"])
    return texts.frame["joint"].join(part for part in (what.format_map(facts), advice.format_map(facts)) if part)


def _got(facts: Mapping[str, str], texts: Catalogue) -> str:
    """Describe a wrong value by its type, and by itself where it may be shown."""
    got = facts.get("got", "any")
    kind = texts.terms.get(f"a_{got}", got)
    return (
        texts.frame["value"].format(kind=texts.terms.get(f"the_{got}", got), value=facts["value"])
        if "value" in facts
        else kind
    )


def _example(example: Mapping[str, Any] | None, tool: str, texts: Catalogue) -> str:
    if example is None:
        return ""
    text = json.dumps(dict(example), ensure_ascii=False)
    return "" if len(text) > _LONGEST_EXAMPLE else texts.frame["example"].format(tool=tool, example=text)
