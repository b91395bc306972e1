"""Text helpers: one spelling to compare texts in."""
