"""How an OpenAI-compatible server is reached: address, key, headers, time-out and retries, from the environment."""

from __future__ import annotations

import json
import os
import re
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""A name of a header, RFC 9110."""
_OWN: Final = "REINFORCED_AGENT_MODEL_"


class ServerSettingsError(ValueError):
    """A setting of the server can't be used; the text names the variable, and never its value."""


class ServerSettings(BaseSettings):
    """What `openai:` and `completion:` models are told about their server.

    A variable of this package comes before the one that other clients of OpenAI read, too. An empty one is none.
    """

    model_config = SettingsConfigDict(
        extra="ignore", frozen=True, env_ignore_empty=True, populate_by_name=True, hide_input_in_errors=True
    )

    base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices(f"{_OWN}BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE"),
    )
    """Address of the interface, such as `http://127.0.0.1:8000/v1`; `None` for OpenAI's own."""
    api_key: SecretStr | None = Field(default=None, validation_alias=AliasChoices(f"{_OWN}API_KEY", "OPENAI_API_KEY"))
    """Key of the server; one of your own may need none."""
    headers: Annotated[dict[str, str], NoDecode] = Field(
        default_factory=dict, validation_alias=f"{_OWN}HEADERS", repr=False
    )
    """Headers of every request beside the usual ones: a JSON object, or `Name: value` pairs, one a line."""
    timeout: float = Field(default=60.0, gt=0, le=86_400, allow_inf_nan=False, validation_alias=f"{_OWN}TIMEOUT")
    """Seconds for one request with all that is tried again; of a stream, for its beginning and between two pieces."""
    retries: int = Field(default=2, ge=0, le=20, validation_alias=f"{_OWN}RETRIES")
    """How often a request is tried again whose connection was refused or dropped, or whose status asks for it."""

    streaming: bool | None = Field(default=None, validation_alias=f"{_OWN}STREAMING")
    """Whether replies are asked for as streams: always, never, or, for `None`, where somebody listens."""

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        try:
            parts = urlsplit(value or "http://none")
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            msg = "write an address that begins with http:// or https:// and names a host"
            raise ValueError(msg)
        return value

    @field_validator("headers", mode="before")
    @classmethod
    def _read_headers(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value.lstrip().startswith("{"):
            try:
                return json.loads(value)
            except ValueError:
                msg = "it begins like a JSON object, and is none"
                raise ValueError(msg) from None
        pairs = [line.partition(":") for line in value.splitlines() if line.strip()]
        if not all(colon for _, colon, _ in pairs):
            msg = "write a JSON object, or one `Name: value` a line"
            raise ValueError(msg)
        return {name.strip(): text.strip() for name, _, text in pairs}

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not _NAME.fullmatch(name) or not text.isprintable() or not text.isascii():
                msg = "names of headers have letters, digits and dashes, and values are printable ASCII on one line"
                raise ValueError(msg)
        return value

    @property
    def key(self) -> str:
        """The key in a form that every client takes; one has to be named where the server is OpenAI's own.

        Raises:
            ServerSettingsError: When there is neither a key nor a server that may need none.

        """
        if self.api_key is not None:
            return self.api_key.get_secret_value()
        if self.base_url is None:
            msg = "OPENAI_API_KEY is not set: set it, or set OPENAI_BASE_URL to a server that needs no key."
            raise ServerSettingsError(msg)
        # Passed to this client alone: written into the environment, it would be the key of every other client too.
        return "EMPTY"


def server_settings(env_file: str | None = None) -> ServerSettings:
    """Read how the server is reached.

    Args:
        env_file: A file of variables beside the environment, which counts first; `None` for none.

    Raises:
        ServerSettingsError: Naming every variable that can't be used.

    """
    try:
        return ServerSettings(_env_file=env_file)
    except ValidationError as error:
        faults = "; ".join(f"{_variable(item['loc'])}: {item['msg']}" for item in error.errors(include_input=False))
        msg = f"The settings of the model's server can't be used: {faults}."
        # The cause would show the value, which may be a secret.
        raise ServerSettingsError(msg) from None


def _variable(location: tuple[int | str, ...]) -> str:
    """Name the variable of a fault: of several that may set a field, the one that did."""
    for field in ServerSettings.model_fields.values():
        told = field.validation_alias
        names = told.choices if isinstance(told, AliasChoices) else [told]
        if location[0] in names:
            return next((str(name) for name in names if os.environ.get(str(name))), str(names[0]))
    return str(location[0])
