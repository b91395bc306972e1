"""Tests of the end of a turn."""
