"""The checks on the calls of a proposal, with what they may know."""
