"""The voices: the chat models that propose calls, and the embedded one that needs no network."""
