"""Tests of calls that run."""
