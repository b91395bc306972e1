"""Tests of how proposals come about."""
