"""Networks: the DAG, its probabilities, comparison, simulation and files."""
