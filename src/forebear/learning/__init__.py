"""The pipeline: learn(), find_network() and what they decide about time, memory and parents."""
