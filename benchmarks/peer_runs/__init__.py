"""The parts of ``peers.py``: environments, processes, measurements and tables."""
