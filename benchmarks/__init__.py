"""What this project's page of results is made with; run `python -m benchmarks` in the root of the repository."""
