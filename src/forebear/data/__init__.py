"""Tables: Dataset, the encoding of columns, discretization, the shipped example."""
