"""The HTML report about a result, and how results look in notebooks."""
