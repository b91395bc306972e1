"""What a process remembers of its tools: circuit breakers and last good results."""
