"""What `build_agent` takes, as a built graph needs it."""
