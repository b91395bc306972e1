"""Hostile proposals, made from schemas."""
