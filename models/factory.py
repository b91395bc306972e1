"""Make a chat model from a short text such as `openai:gpt-4o-mini`, `openai:NAME+json`, `local` or `scripted:FILE`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from langchain_core.language_models import BaseChatModel

from reinforced_agent.models.server_settings import ServerSettingsError, server_settings


FORMS = "`openai:NAME`, `completion:NAME`, `local`, `local:PATH.gguf` or `scripted:FILE`"
PROTOCOLS = "`+json` or `+react` (`+json-zh`, `+react-zh` in Chinese), or `+native` for the model's own calls"

Calling: TypeAlias = Literal["native", "json", "react"]
"""How a model calls tools: by itself, or through a text protocol."""

_ENDING = re.compile(r"(?P<base>.*)\+(?P<protocol>[A-Za-z]+)(?:-(?P<locale>[A-Za-z]+))?", re.DOTALL)
_CALLING: dict[str, Calling] = {"native": "native", "json": "json", "react": "react"}


class ModelSpecError(ValueError):
    """A model can't be made from a text; the message names the forms that work."""


class _Spec(NamedTuple):
    """A text taken apart."""

    base: str
    calling: Calling
    locale: str


def resolve_model(spec: str, *, locale: str = "en", env_file: str | None = None) -> BaseChatModel:
    """Make the chat model a text names.

    Args:
        spec: `openai:NAME` for any OpenAI-compatible chat server; `completion:NAME` for a server that only completes
            text (`/v1/completions`), through the `json` protocol unless another is named; `local` for the embedded
            model, `local:PATH.gguf` for other weights of the llama or qwen2 family; `scripted:FILE` for a script in
            JSON Lines. How a server is reached says the environment, see `models.server_settings`; code may say it to
            `models.openai.open_openai` instead.
            `+json` or `+react` at the end puts the tools of a model that knows none into its prompt, see
            `models.text`; `-zh` behind that writes the instructions in Chinese. `+native` says that an ending such
            as `+lora` belongs to the name.
        locale: Language of a protocol's instructions where the text names none.
        env_file: A file of variables about servers, which count where the environment has none; `None` for none.

    Raises:
        ModelSpecError: When the text has none of these forms, the server's key is missing, or a variable can't be used.
        ModelUnavailableError: When the embedded model's packages or weights are missing.
        ScriptError: When the script can't be read.

    """
    named = _take_apart(spec, locale)
    kind, _, rest = named.base.partition(":")
    match kind:
        case "openai" if rest:
            model = _openai(rest, env_file)
        case "completion" if rest:
            return _completion(rest, named, env_file)
        case "local":
            model = _local(rest or None, plain=named.calling != "native")
        case "scripted" if rest:
            from reinforced_agent.models.scripted import ScriptedModel  # noqa: PLC0415  # only where asked for

            model = ScriptedModel.from_file(Path(rest))
        case _:
            msg = f"{spec!r} names no model: write {FORMS}; for a model without tool calls, add {PROTOCOLS}."
            raise ModelSpecError(msg)
    return _with_tools(model, named)


def _take_apart(spec: str, locale: str) -> _Spec:
    """Split the protocol off; `+` before anything but a word, as in a path, is part of the name."""
    ending = _ENDING.fullmatch(spec)
    if ending is None:
        kind = spec.partition(":")[0]
        return _Spec(spec, "json" if kind == "completion" else "native", locale)
    calling = _CALLING.get(ending["protocol"])
    if calling is None or ending["locale"] not in (None, "en", "zh"):
        msg = f"{spec.rpartition('+')[2]!r} in {spec!r} is no tool protocol: write {PROTOCOLS}."
        raise ModelSpecError(msg)
    return _Spec(ending["base"], calling, ending["locale"] or locale)


def _with_tools(model: BaseChatModel, named: _Spec) -> BaseChatModel:
    """Put a text protocol around a model, where one is named."""
    if named.calling == "native":
        return model
    from reinforced_agent.models.text import TextToolModel  # noqa: PLC0415  # only where asked for

    return TextToolModel(inner=model, protocol=named.calling, locale=named.locale)


def _openai(name: str, env_file: str | None) -> BaseChatModel:
    """Make an OpenAI-compatible model."""
    from reinforced_agent.models.openai import open_openai  # noqa: PLC0415  # slow to import

    return open_openai(name, **_reached(env_file))


def _completion(name: str, named: _Spec, env_file: str | None) -> BaseChatModel:
    """Make a model of a completion server; it has no calls of its own."""
    from reinforced_agent.models.text.completion import open_completion  # noqa: PLC0415  # slow to import

    if named.calling == "native":
        msg = f"The completion model {name!r} has no tool calls of its own: write `+json` or `+react`."
        raise ModelSpecError(msg)
    reached = _reached(env_file)
    if reached.pop("streaming"):
        msg = f"The completion model {name!r} is never streamed: leave out REINFORCED_AGENT_MODEL_STREAMING."
        raise ModelSpecError(msg)
    return _with_tools(open_completion(name, **reached), named)


def _local(path: str | None, *, plain: bool) -> BaseChatModel:
    """Load the embedded model; under a text protocol it writes freely, without its grammar."""
    from reinforced_agent.models.local import load_local  # noqa: PLC0415  # heavy, and optional

    model = load_local(path)
    if not plain:
        return model
    from reinforced_agent.models.local.plain import PlainLocalModel  # noqa: PLC0415  # only where asked for

    return PlainLocalModel(engine=model.engine)


def _reached(env_file: str | None) -> dict[str, Any]:
    """Say how a server is reached."""
    try:
        told = server_settings(env_file)
        key = told.key
    except ServerSettingsError as error:
        raise ModelSpecError(str(error)) from None
    return {
        "api_key": key,
        "base_url": told.base_url,
        "headers": told.headers or None,
        "timeout": told.timeout,
        "max_retries": told.retries,
        "streaming": told.streaming,
    }
