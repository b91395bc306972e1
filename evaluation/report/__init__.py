"""Numbers and plots from the records of a service and the results of an evaluation, for a terminal and as a page."""
