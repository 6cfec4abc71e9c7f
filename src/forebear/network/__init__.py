"""Networks: the DAG, its probabilities, inference, comparison, simulation, files and pictures."""
