"""What the replays share: reading recorded files, sharing the work, and walking through recorded conversations."""
