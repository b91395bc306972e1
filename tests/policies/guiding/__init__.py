"""Tests of guiding."""
