"""Verifies certificates. Imports nothing of the rest of forebear, only NumPy."""
