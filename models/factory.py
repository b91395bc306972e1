"""Make a chat model from a short text such as `openai:gpt-4o-mini`, `local` or `scripted:FILE`."""

from __future__ import annotations

import os
from pathlib import Path

from langchain_core.language_models import BaseChatModel


FORMS = "`openai:NAME`, `local`, `local:PATH.gguf` or `scripted:FILE`"


class ModelSpecError(ValueError):
    """A model can't be made from a text; the message names the forms that work."""


def resolve_model(spec: str) -> BaseChatModel:
    """Make the chat model a text names.

    Args:
        spec: `openai:NAME` for any OpenAI-compatible server (`OPENAI_BASE_URL`, `OPENAI_API_KEY`); `local` for the
            embedded model, `local:PATH.gguf` for other weights of the llama or qwen2 family; `scripted:FILE` for a
            script in JSON Lines.

    Raises:
        ModelSpecError: When the text has none of these forms, or the server's key is missing.
        ModelUnavailableError: When the embedded model's packages or weights are missing.
        ScriptError: When the script can't be read.

    """
    kind, _, rest = spec.partition(":")
    match kind:
        case "openai" if rest:
            return _openai(rest)
        case "local":
            from reinforced_agent.models.local import load_local  # noqa: PLC0415  # heavy, and optional

            return load_local(rest or None)
        case "scripted" if rest:
            from reinforced_agent.models.scripted import ScriptedModel  # noqa: PLC0415  # only where asked for

            return ScriptedModel.from_file(Path(rest))
        case _:
            msg = f"{spec!r} names no model: write {FORMS}."
            raise ModelSpecError(msg)


def _openai(name: str) -> BaseChatModel:
    """Make an OpenAI-compatible model; a server of one's own needs no key."""
    from reinforced_agent.models.openai import open_openai  # noqa: PLC0415  # slow to import

    if not os.environ.get("OPENAI_API_KEY"):
        if not os.environ.get("OPENAI_BASE_URL"):
            msg = "OPENAI_API_KEY is not set: set it, or set OPENAI_BASE_URL to a server that needs no key."
            raise ModelSpecError(msg)
        os.environ["OPENAI_API_KEY"] = "EMPTY"
    return open_openai(name)
