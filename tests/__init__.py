"""The tests, one folder for each room, and `architecture` for what holds them together."""
