"""Tables: Dataset, the coding of columns, discretization, files and the shipped example."""
