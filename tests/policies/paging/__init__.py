"""Tests of paging."""
