"""Tests of grounding."""
