"""Make a result fit its budget: the whole is kept outside the state, the model sees a preview and how to read on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reinforced_agent.graph.call_record import CallRecord, Kept
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.summaries import summarise
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.ledger.result_store import WholeResult, reference_of
from reinforced_agent.policies.messages.sizes import size_text
from reinforced_agent.policies.paging import Preview, preview
from reinforced_agent.policies.text.tokens import fits


_logger = masking_logger(__name__)

MOST_KEPT: Final = 64_000_000
"""Characters of a result that are kept; of a longer one, its head."""
_LIGHT: Final = 400
"""Parts and stretches of 100 characters up to which a result is brought at once."""


def fit(text: str, record: CallRecord, bound: Bindings, *, summary: str | None = None) -> dict[str, Any]:
    """Return what of a result goes on record: all of it, or what is shown of it and where the rest is.

    Args:
        text: The whole.
        record: The call that it is the result of.
        bound: The parts of the graph.
        summary: What a model made of it earlier; without it, one is asked where the host has given one for that.

    """
    tokens = bound.sizes.result_tokens(bound.limits.result_tokens_of(bound.toolset.get(record.get("tool", ""))))
    if tokens is None or fits(text, tokens, bound.sizes.count):
        return {"result": text}
    shown = preview(text, tokens, bound.sizes.count, locale=bound.locale)
    if shown.kind == "whole":
        return {"result": shown.text}
    kept = _keep(text, record, bound)
    words = "\n".join([_words(shown, kept, bound), shown.text])
    summary = summarise(text, record, bound) if summary is None else summary
    fields: dict[str, Any] = {"result": f"{summary}\n{words}" if summary else words}
    fields |= {"summary": summary} if summary else {}
    return fields | ({"kept": kept} if kept else {})


def _keep(text: str, record: CallRecord, bound: Bindings) -> Kept | None:
    """Keep the whole; where that fails, the call has run all the same."""
    store = bound.sizes.store
    if store is None:
        return None
    tool = record["tool"]
    reference = reference_of(bound.conversation, tool, text) + bound.audience
    try:
        if not store.keep(bound.conversation, reference, WholeResult(tool, text[:MOST_KEPT], len(text))):
            return None
    except Exception:
        _logger.exception("The whole result of a call of %r could not be kept; the model sees its preview alone.", tool)
        return None
    return {"reference": reference, "tool": tool, "length": len(text)}


def _words(shown: Preview, kept: Kept | None, bound: Bindings) -> str:
    """Say what was shortened, and how to read on."""
    locale = bound.locale
    facts: Mapping[str, Any] = {"total": shown.total, "first": shown.first, "last": shown.last}
    told = [size_text(shown.kind, locale, **facts)]
    if shown.shape:
        told.append(size_text("shape", locale, shape=shown.shape))
    if kept is None:
        return "\n".join([*told, size_text("not_kept", locale)])
    if kept["length"] > MOST_KEPT:
        told.append(size_text("headed", locale, length=MOST_KEPT, total=kept["length"]))
    at = shown.path if shown.kind == "fields" else shown.first
    hint = size_text("path" if shown.kind == "fields" else "offset", locale, at=at)
    told.append(
        size_text("kept", locale, reader=bound.sizes.policy.reader, reference=kept["reference"], hint=hint),
    )
    return "\n".join(told)


def is_light(value: object) -> bool:
    """Tell whether a result is certainly small, so that bringing it holds up nobody; looks at a bounded part of it."""
    left, waiting = _LIGHT, [value]
    while waiting:
        one = waiting.pop()
        left -= 1
        if isinstance(one, str | bytes):
            left -= len(one) // 100
        elif isinstance(one, list | tuple | dict):
            left -= len(one)
            if left >= 0:
                waiting += list(one.values()) if isinstance(one, dict) else one
        elif not (one is None or isinstance(one, bool | int | float)):
            return False
        if left < 0:
            return False
    return True
