"""Tests of circuit breakers."""
