"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from reinforced_agent.policies.redaction import masked
from reinforced_agent.service.settings import SettingsError, load_settings
from tests.architecture.house import ROOT


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Variables win over the `.env` file, which wins over defaults."""
    monkeypatch.chdir(tmp_path)
    assert load_settings().model == "local"
    (tmp_path / ".env").write_text("REINFORCED_AGENT_MODEL=openai:small\nOTHER=1\n", encoding="utf-8")
    assert load_settings().model == "openai:small"
    monkeypatch.setenv("REINFORCED_AGENT_MODEL", "local:own.gguf")
    assert load_settings().model == "local:own.gguf"


def test_a_key_for_masks_makes_them_the_same_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the key of the host a value has the same mask in every process; a key that is none is told by name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REINFORCED_AGENT_MASK_KEY", "5f" * 32)
    assert "5f5f" not in repr(load_settings())
    assert masked({"password": "Sommer2024!"}) == {"password": "[hidden:password:d60aa4ce]"}
    monkeypatch.setenv("REINFORCED_AGENT_MASK_KEY", "word")
    with pytest.raises(SettingsError, match="REINFORCED_AGENT_MASK_KEY"):
        load_settings()


def test_the_example_file_names_every_setting() -> None:
    """`.env.example` can be copied and filled in."""
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    fields = type(load_settings()).model_fields
    assert [name for name in fields if f"REINFORCED_AGENT_{name.upper()}" not in text] == []
