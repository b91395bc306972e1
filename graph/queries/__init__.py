"""Read-only questions to the state."""
