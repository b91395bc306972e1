"""Tests of the examples: each runs as its file says, and its output and effects are looked at."""
