"""The page of results: gather what was measured, write it down with its intervals, say what is missing."""
