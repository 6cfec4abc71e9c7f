"""The HTML report about a result."""
