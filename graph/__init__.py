"""The plan: the state, the routes and the one file that draws every node and edge."""
