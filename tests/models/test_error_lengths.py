"""How servers say that a request is too long: by a code, or in words only; and the numbers that they name."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.models.errors import fault_of
from tests.models.test_errors import Carrying, named, of_openai


class Worded(Exception):  # noqa: N818  # stands for the error of any client
    """An error that says something, with a status and a body."""

    def __init__(self, words: str, status: int = 400, **body: Any) -> None:
        """Carry both."""
        super().__init__(f"Error code: {status} - {words}")
        self.status_code, self.body = status, {"error": body}


SAYINGS: list[Any] = [
    pytest.param(
        Worded(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9123 tokens. "
            "Please reduce the length of the messages.",
            code="context_length_exceeded",
        ),
        (8192, 9123, None),
        id="openai",
    ),
    pytest.param(
        Worded(
            "This model's maximum context length is 4097 tokens, however you requested 5000 tokens (4000 in your "
            "prompt; 1000 for the completion). Please reduce your prompt; or completion length."
        ),
        (4097, 4000, 1000),
        id="openai-completion",
    ),
    pytest.param(
        Worded("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."),
        (272000, 300000, None),
        id="openai-limit",
    ),
    pytest.param(
        Worded("Your input exceeds the context window of this model. Please adjust your input and try again."),
        (None, None, None),
        id="openai-responses",
    ),
    pytest.param(
        Worded(
            "Request too large for m in organization o on tokens per min (TPM): Limit 30000, Requested 41000. The "
            "input or output tokens must be reduced in order to run successfully.",
            429,
            code="rate_limit_exceeded",
        ),
        (30000, 41000, None),
        id="openai-minute",
    ),
    pytest.param(
        Worded(
            "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the "
            "messages, 10000 in the completion). Please reduce the length of the messages or completion.",
            code=400,
            type="BadRequestError",
        ),
        (16384, 112946, 10000),
        id="vllm",
    ),
    pytest.param(
        Worded(
            "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 8192 "
            "tokens and your request has 2000 input tokens (8000 > 8192 - 2000)."
        ),
        (8192, 2000, 8000),
        id="vllm-reply",
    ),
    pytest.param(
        Worded("The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that ..."),
        (8192, 9000, None),
        id="vllm-prompt",
    ),
    pytest.param(
        Worded(
            "the request exceeds the available context size, try increasing it",
            type="exceed_context_size_error",
            n_prompt_tokens=14429,
            n_ctx=8192,
        ),
        (8192, 14429, None),
        id="llama.cpp",
    ),
    pytest.param(
        Worded("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 500),
        (4096, 5000, None),
        id="llama.cpp-text",
    ),
    pytest.param(
        ValueError("Requested tokens (2285) exceed context window of 2048"), (2048, 2285, None), id="llama-cpp-python"
    ),
    pytest.param(Worded("the input length exceeds the context length"), (None, None, None), id="ollama"),
    pytest.param(
        Worded("prompt too long; exceeded max context length by 120 tokens"), (None, None, None), id="ollama-cloud"
    ),
    pytest.param(
        Worded(
            "litellm.BadRequestError: OpenrouterException - This endpoint's maximum context length is 40960 tokens. "
            "However, you requested about 42988 tokens (38892 of text input, 4096 in the output). Please reduce the "
            'length of either one, or use the "middle-out" transform.',
            code="400",
        ),
        (40960, 38892, 4096),
        id="litellm-openrouter",
    ),
    pytest.param(named("ContextWindowExceededError"), (None, None, None), id="litellm-class"),
    pytest.param(
        Worded("litellm.ContextWindowExceededError: AzureException - too much", code="400"),
        (None, None, None),
        id="litellm",
    ),
    pytest.param(
        Worded("prompt is too long: 208310 tokens > 200000 maximum", type="invalid_request_error"),
        (200000, 208310, None),
        id="anthropic",
    ),
    pytest.param(
        Worded("input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length"),
        (200000, 198000, 8192),
        id="anthropic-reply",
    ),
    pytest.param(
        Worded("The input token count (1,200,000) exceeds the maximum number of tokens allowed (1,048,576)."),
        (1048576, 1200000, None),
        id="google",
    ),
    pytest.param(
        Worded(
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"
        ),
        (32768, 40000, None),
        id="mistral",
    ),
    pytest.param(
        Worded(
            "Requested token count exceeds the model's maximum context length of 163840 tokens. You requested a total "
            "of 183491 tokens: 19651 tokens from the input messages and 163840 tokens for the completion."
        ),
        (163840, 19651, 163840),
        id="sglang",
    ),
    pytest.param(
        Worded("The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
        (8192, 9000, None),
        id="sglang-input",
    ),
    pytest.param(
        Worded("This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
        (131072, 140000, None),
        id="xai",
    ),
    pytest.param(
        Worded("Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)"),
        (8192, 9000, None),
        id="moonshot",
    ),
    pytest.param(Worded("Range of input length should be [1, 6000]"), (6000, None, None), id="dashscope"),
    pytest.param(
        Worded(
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
            422,
        ),
        (4096, 5000, None),
        id="tgi",
    ),
    pytest.param(Worded("Input is too long for requested model."), (None, None, None), id="bedrock"),
    pytest.param(of_openai(413), (None, None, None), id="status"),
    pytest.param(Carrying(status_code=413, code="rate_limit_exceeded"), (None, None, None), id="groq"),
]
OTHERS: list[Any] = [
    pytest.param(
        Worded("Model with context_length 8192 has no such parameter: context_size"), "request", id="parameter"
    ),
    pytest.param(Worded("max_tokens must be at least 1, got -186."), "request", id="reply-of-nothing"),
    pytest.param(Worded("Rate limit reached: Limit 3, Used 3, Requested 1.", 429), "busy", id="rate"),
    pytest.param(Worded("The tool name is too long", 400), "request", id="name"),
]


@pytest.mark.parametrize(("error", "numbers"), SAYINGS)
def test_what_is_too_long_is_known_by_code_or_by_words(
    error: BaseException, numbers: tuple[int | None, int | None, int | None]
) -> None:
    """The window, what was sent of it and what was kept for the reply are read where they are named."""
    fault = fault_of(error)
    assert (fault.kind, fault.permanent) == ("length", True)
    assert (fault.overflow.window, fault.overflow.sent, fault.overflow.output) == numbers


@pytest.mark.parametrize(("error", "kind"), OTHERS)
def test_other_refusals_are_not_taken_for_it(error: BaseException, kind: str) -> None:
    """Words about lengths and limits alone say nothing."""
    assert fault_of(error).kind == kind
