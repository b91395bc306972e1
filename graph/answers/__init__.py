"""The end of a turn: the answer checked, the receipt, and what is said where there is no answer."""
