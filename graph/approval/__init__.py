"""Questions to a person about a call: held, put, and answered."""
