"""The workshops: one node a file, each named after what it does."""
