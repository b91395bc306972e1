"""Tests of checks in the graph."""
