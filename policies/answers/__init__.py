"""The host's rules about answers."""
