"""Tests of untrusted."""
