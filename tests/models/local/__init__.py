"""Tests of the embedded model."""
