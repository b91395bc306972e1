"""One module a version; a version that was released is never changed, but for the names of its tables."""
