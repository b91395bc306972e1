"""The judge on BFCL, the Berkeley Function Calling Leaderboard: its questions and rules, and models put to the test."""
