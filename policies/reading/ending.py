"""Why the model stopped, folded from the words of the providers to the five things the reader has to know."""

from __future__ import annotations

from enum import StrEnum


class Ending(StrEnum):
    """How a message ended."""

    NATURAL = "natural"
    """The model came to an end, or the provider didn't say."""
    CALLED = "called"
    """The provider says that the model stopped to call tools."""
    CUT = "cut"
    """The output limit or the context window cut it off."""
    STOPPED = "stopped"
    """A filter or a fault of the provider stopped it."""
    MALFORMED = "malformed"
    """The provider could not read the call that the model wrote."""


_WORDS: dict[Ending, tuple[str, ...]] = {
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
    ),
    Ending.STOPPED: (
        "content_filter",  # OpenAI, Mistral
        "content_filtered",  # Bedrock
        "guardrail_intervened",  # Bedrock
        "safety",  # Gemini, as all up to spii
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "refusal",  # Anthropic
        "error",
        "error_toxic",  # Cohere
        "abort",  # vLLM
        "cancelled",
    ),
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
_ENDINGS = {word: ending for ending, words in _WORDS.items() for word in words}


def ending_of(finish_reason: str | None) -> Ending:
    """Fold a finish reason; an unknown or missing one says nothing, so the text itself has to show what it is."""
    if not isinstance(finish_reason, str):
        return Ending.NATURAL
    known = _ENDINGS.get(finish_reason)
    # Printed enum members look like `FinishReason.MAX_TOKENS`.
    return known or _ENDINGS.get(finish_reason.rpartition(".")[2].strip().lower(), Ending.NATURAL)
