"""Tests of plans in the graph."""
