"""How proposals come about: best of several, and guided decoding."""
