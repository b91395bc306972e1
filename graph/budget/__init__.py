"""What a run has spent, and what a user has left of the quotas."""
