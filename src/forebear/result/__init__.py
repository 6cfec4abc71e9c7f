"""The result of a search: the network, its score, how it was found, and its file."""

from forebear.result.fields import Choice
from forebear.result.result import Result, negligible

__all__ = ["Choice", "Result", "negligible"]
