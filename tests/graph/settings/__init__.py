"""Tests of what `build_agent` takes."""
