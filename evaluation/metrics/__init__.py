"""What the records are worth in numbers: pure functions over plain records, each with its formula and its source."""
