"""Helpers that know nothing of networks: errors, checks, files, text, the machine, executors."""
