"""Records of what was proposed and what came of it, and traces, without secrets."""
