"""Recorded conversations and responses of real models, replayed."""
