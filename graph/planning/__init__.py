"""Plans: made, approved and followed."""
