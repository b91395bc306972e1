"""What the checks cost: time for one call, for a turn, for a token, and beside other graphs."""
