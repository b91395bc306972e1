"""Tests of bfcl."""
