"""The hands: tool descriptions, canonical calls and the toolset that runs them."""
