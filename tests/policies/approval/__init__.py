"""Tests of questions to a person."""
