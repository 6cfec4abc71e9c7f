"""Example data that comes with the package.

``orchard``: 2,000 rows of 18 variables about a year in an apple orchard, drawn
from the network in ``orchard.bif`` with seed 1.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from forebear._util.errors import ForebearError

EXAMPLES: tuple[str, ...] = ("orchard",)


def example_path(name: str) -> Path:
    """Return the path of an example: of its table, or of its network as ``name.bif``."""
    stem = name.removesuffix(".bif")
    if stem not in EXAMPLES:
        raise ForebearError(f'no example is called "{name}": there is {", ".join(EXAMPLES)}')
    # The package is always installed as plain files: it has a compiled core.
    return Path(str(files(__name__))) / (name if name != stem else f"{stem}.csv.gz")
