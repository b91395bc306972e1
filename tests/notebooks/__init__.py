"""Notebooks do what they show."""
