"""What holds for the house as a whole: packaging, imports, shape of the code, shape of the graph."""
