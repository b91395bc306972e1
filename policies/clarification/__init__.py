"""What the user has to be asked for, and in which words."""
