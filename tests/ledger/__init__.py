"""Tests of the effects ledger, over every kind of database it can be kept in."""
