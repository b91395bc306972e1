"""The rule book: pure, typed decisions about proposed calls; no I/O and no framework."""
