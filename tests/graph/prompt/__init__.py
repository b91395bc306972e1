"""Tests of what the model is shown."""
