"""Why the model stopped, folded from the words of the providers to what the reader has to know."""

from __future__ import annotations

import re
from enum import StrEnum


class Ending(StrEnum):
    """How a message ended."""

    NATURAL = "natural"
    """The model came to an end, or the provider didn't say."""
    CALLED = "called"
    """The provider says that the model stopped to call tools."""
    CUT = "cut"
    """The output limit or the context window cut it off."""
    FILTERED = "filtered"
    """A filter of the provider stopped it."""
    STOPPED = "stopped"
    """A fault of the provider, or on the way, stopped it."""
    REFUSED = "refused"
    """The model declined to go on; what it says is the answer."""
    UNSAID = "unsaid"
    """A stream ended without saying that the message did: an answer is taken as it is, a call isn't."""
    MALFORMED = "malformed"
    """The provider could not read the call that the model wrote."""


_REASONS: dict[Ending, tuple[str, ...]] = {
    Ending.NATURAL: ("stop", "end_turn", "stop_sequence", "eos", "complete", "completed"),
    Ending.CALLED: ("tool_calls", "tool_call", "tool_use", "function_call"),
    Ending.CUT: (
        "length",  # OpenAI and most compatible servers
        "max_tokens",  # Anthropic, Gemini, Cohere, Bedrock
        "max_output_tokens",  # OpenAI Responses
        "model_length",  # Mistral
        "model_context_window_exceeded",  # Anthropic
        "context_length_exceeded",
        "max_length",
        "incomplete",
        "not_finished",
    ),
    Ending.FILTERED: (
        "content_filter",  # OpenAI, Mistral
        "content_filtered",  # Bedrock
        "guardrail_intervened",  # Bedrock
        "safety",  # Gemini, as all up to model_armor
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "image_recitation",
        "model_armor",
        "error_toxic",  # Cohere
    ),
    Ending.STOPPED: (
        "error",
        "abort",  # vLLM
        "cancelled",
        "failed",  # OpenAI Responses
        "stream_broken",  # what `models.openai` says of a stream that ended too early
    ),
    Ending.REFUSED: ("refusal",),  # Anthropic
    Ending.UNSAID: ("stream_ended",),  # what `models.streaming` puts in place of a reason
    Ending.MALFORMED: (
        "malformed_function_call",  # Gemini, as the next three
        "unexpected_tool_call",
        "too_many_tool_calls",
        "malformed_response",
        "malformed_tool_use",  # Bedrock, as the next
        "malformed_model_output",
        "malformed_tool_call",
        "tool_use_failed",  # Groq
    ),
}
_ENDINGS = {reason: ending for ending, reasons in _REASONS.items() for reason in reasons}

_LONGEST = 100
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BREAK = re.compile(r"[^a-z]+")
_TOKENS = frozenset({"token", "tokens"})
_TELLING: tuple[tuple[Ending, frozenset[str]], ...] = (
    (Ending.MALFORMED, frozenset({"malformed"})),
    (Ending.REFUSED, frozenset({"refusal"})),
    (Ending.CUT, frozenset({"length", "limit", "truncated", "unfinished"})),
    (
        Ending.FILTERED,
        frozenset({"filter", "filtered", "safety", "sensitive", "recitation", "prohibited", "blocked"}),
    ),
    (
        Ending.STOPPED,
        frozenset({"error", "insufficient", "timeout", "interrupted"})
        | {"cancel", "canceled", "cancelled", "abort", "aborted"},
    ),
)
"""Words that tell the ending of a reason nobody has listed, the first that applies: `ERROR_LIMIT` is a limit."""


def ending_of(finish_reason: str | None) -> Ending:
    """Fold a finish reason; an unknown or missing one says nothing, so the text itself has to show what it is."""
    if not isinstance(finish_reason, str):
        return Ending.NATURAL
    return _ENDINGS.get(finish_reason) or _folded(finish_reason[:_LONGEST])


def _folded(reason: str) -> Ending:
    """Compare without regard to case, humps and dashes; printed enum members look like `FinishReason.MAX_TOKENS`."""
    words = [word for word in _BREAK.split(_HUMP.sub("_", reason.rpartition(".")[2]).lower()) if word]
    known = _ENDINGS.get("_".join(words))
    if known:
        return known
    present = frozenset(words)
    if "max" in present and present & _TOKENS:
        return Ending.CUT
    return next((ending for ending, telling in _TELLING if present & telling), Ending.NATURAL)
