"""The crash test: kill real processes at chosen moments, and compare what was told with what happened."""
