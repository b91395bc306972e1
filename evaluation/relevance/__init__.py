"""Train the scorer that tells whether a proposal fits the request, and measure it fairly."""
