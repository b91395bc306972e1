"""What tests of an agent need: a model that says what a script tells it to."""

from __future__ import annotations

from reinforced_agent.models.scripted import ScriptedModel


__all__ = ["ScriptedModel"]
