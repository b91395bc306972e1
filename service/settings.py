"""Settings from the environment or a `.env` file, validated before anything starts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict


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
    folder: Path = Field(default_factory=lambda: Path(tempfile.gettempdir()) / "reinforced-agent-demo")
    """Where the demo tools keep their files."""


def load_settings() -> Settings:
    """Read and validate the settings.

    Raises:
        SettingsError: Naming every variable that can't be used.

    """
    try:
        return Settings()
    except ValidationError as error:
        faults = "; ".join(f"REINFORCED_AGENT_{str(item['loc'][0]).upper()}: {item['msg']}" for item in error.errors())
        msg = f"The settings can't be used: {faults}."
        raise SettingsError(msg) from error
