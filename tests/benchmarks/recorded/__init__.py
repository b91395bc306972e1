"""Tests of recorded."""
