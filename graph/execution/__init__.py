"""Calls that run: attempts and time-outs, what came of them, and what stands in for them."""
