"""The porch: the command line, its settings, and what a person sees of a run."""
