"""Two rule packs to read and to start from: a flight desk and a shop desk, as rule files with small functions."""
