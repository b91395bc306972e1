"""Settings from the environment or a `.env` file, validated before anything starts."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import Field, Secret, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from reinforced_agent.policies.redaction import set_mask_key


_MaskKey: TypeAlias = Secret[Annotated[str, Field(pattern=r"^(([0-9a-fA-F]{2}){16,64})?$")]]


class SettingsError(ValueError):
    """A setting can't be used; the text names the variable."""


class Settings(BaseSettings):
    """What can be set from outside; every name gets the prefix `REINFORCED_AGENT_`."""

    model_config = SettingsConfigDict(env_prefix="REINFORCED_AGENT_", env_file=".env", extra="ignore", frozen=True)

    model: str = "local"
    """Chat model: `openai:NAME`, `completion:NAME`, `local`, `local:PATH.gguf` or `scripted:FILE`; `+json` or `+react`
    behind it for a model without tool calls."""
    strategy: str = "retry"
    """How feedback steers generation: `retry`, `candidates`, `guided`, `guided+candidates`, or `guided:WAY`."""
    locale: str = "en"
    """Language of feedback and explanations."""
    database: str = ""
    """Ledger of approvals and effects: `sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`; empty for memory."""
    namespace: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?$")
    """Namespace of the ledger, where several deployments share it; empty for none."""
    mask_key: _MaskKey = Secret("")
    """Key of the digests in masks, 32 to 128 hexadecimal digits, the same wherever records are compared; empty for one
    that each process draws."""
    folder: Path = Field(default_factory=lambda: Path(tempfile.gettempdir()) / "reinforced-agent-demo")
    """Where the demo tools keep their files."""


def load_settings() -> Settings:
    """Read and validate the settings, and use their key for masks.

    Raises:
        SettingsError: Naming every variable that can't be used.

    """
    try:
        settings = Settings()
    except ValidationError as error:
        faults = "; ".join(f"REINFORCED_AGENT_{str(item['loc'][0]).upper()}: {item['msg']}" for item in error.errors())
        msg = f"The settings can't be used: {faults}."
        raise SettingsError(msg) from error
    use_mask_key(settings.mask_key.get_secret_value())
    return settings


def use_mask_key(digits: str) -> None:
    """Use a key for masks that is written in hexadecimal digits; none leaves that of the process."""
    if digits:
        set_mask_key(bytes.fromhex(digits))
