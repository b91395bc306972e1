"""Tests of records and traces."""
